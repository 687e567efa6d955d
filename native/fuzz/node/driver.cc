// libFuzzer for readers that are JavaScript: an addon whose run(arguments, target) calls target(bytes) with
// one input after another. The target returns a number below kOutcomes that says what became of the input;
// libFuzzer keeps inputs with new outcomes, as it keeps those that reach new code of a C++ target. An
// exception is a finding.
#include <node_api.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerRunDriver(int* argc, char*** argv, int (*target)(const uint8_t* data, size_t size));
extern "C" void __sanitizer_cov_8bit_counters_init(uint8_t* start, uint8_t* stop);
extern "C" void __sanitizer_cov_pcs_init(const uintptr_t* start, const uintptr_t* stop);

namespace {

constexpr uint32_t kOutcomes = 4096;

struct Place {
  uintptr_t address, flags;
};

uint8_t counters[kOutcomes];
Place places[kOutcomes];
napi_env env;
napi_value target;

[[noreturn]] void Fail(const char* what) {
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

void PrintException() {
  napi_value error, text;
  size_t length = 0;
  char message[4096] = "";
  if (napi_get_and_clear_last_exception(env, &error) != napi_ok) return;
  napi_value stack;
  const bool has_stack = napi_get_named_property(env, error, "stack", &stack) == napi_ok;
  if (napi_coerce_to_string(env, has_stack ? stack : error, &text) != napi_ok) return;
  napi_get_value_string_utf8(env, text, message, sizeof message, &length);
  std::fprintf(stderr, "%s\n", message);
}

int TestOne(const uint8_t* data, size_t size) {
  napi_handle_scope scope;
  napi_open_handle_scope(env, &scope);
  napi_value bytes, self, result;
  void* copy;
  if (napi_create_buffer_copy(env, size, data, &copy, &bytes) != napi_ok) Fail("no memory for an input");
  napi_get_undefined(env, &self);
  if (napi_call_function(env, self, target, 1, &bytes, &result) != napi_ok) {
    PrintException();
    Fail("the target threw");
  }
  uint32_t outcome = 0;
  if (napi_get_value_uint32(env, result, &outcome) != napi_ok) Fail("the target returned no number");
  ++counters[outcome % kOutcomes];
  napi_close_handle_scope(env, scope);
  return 0;
}

napi_value Run(napi_env current, napi_callback_info info) {
  size_t count = 2;
  napi_value values[2];
  env = current;
  napi_get_cb_info(env, info, &count, values, nullptr, nullptr);
  target = values[1];
  uint32_t length = 0;
  napi_get_array_length(env, values[0], &length);
  std::vector<std::string> texts = {"fuzz"};
  for (uint32_t i = 0; i < length; ++i) {
    napi_value item;
    char text[4096] = "";
    size_t size = 0;
    napi_get_element(env, values[0], i, &item);
    napi_get_value_string_utf8(env, item, text, sizeof text, &size);
    texts.emplace_back(text, size);
  }
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  for (uint32_t i = 0; i < kOutcomes; ++i)
    places[i] = {reinterpret_cast<uintptr_t>(&places[i]), i == 0 ? 1u : 0u};
  __sanitizer_cov_8bit_counters_init(counters, counters + kOutcomes);
  __sanitizer_cov_pcs_init(reinterpret_cast<const uintptr_t*>(places),
                           reinterpret_cast<const uintptr_t*>(places + kOutcomes));
  int argc = static_cast<int>(texts.size());
  char** argv = arguments.data();
  std::exit(LLVMFuzzerRunDriver(&argc, &argv, TestOne));
}

napi_value Init(napi_env current, napi_value exports) {
  napi_value run;
  napi_create_function(current, "run", NAPI_AUTO_LENGTH, Run, nullptr, &run);
  napi_set_named_property(current, exports, "run", run);
  return exports;
}

}  // namespace

NAPI_MODULE(NODE_GYP_MODULE_NAME, Init)
