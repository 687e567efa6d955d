// listPlans and measureCosts of the engine: requests, options and costs as in lib/engine.ts.
#include <vector>

#include "binding/errors.h"
#include "binding/register.h"
#include "core/index/planner.h"

namespace neardup::binding {

namespace {

constexpr double kMaxCount = 1099511627776;  // 2^40

struct CostName {
  const char* name;
  double MachineCosts::*cost;
};
constexpr CostName kCostNames[] = {
    {"cachedLine", &MachineCosts::cached_line},
    {"memoryLine", &MachineCosts::memory_line},
    {"cacheBytes", &MachineCosts::cache_bytes},
    {"probe", &MachineCosts::probe},
    {"table", &MachineCosts::table},
    {"run", &MachineCosts::run},
    {"compare", &MachineCosts::compare},
    {"suspect", &MachineCosts::suspect},
};

// A number from `low` to `high`.
bool Read(Napi::Value value, double low, double high, double* number) {
  if (!value.IsNumber()) return false;
  *number = value.As<Napi::Number>().DoubleValue();
  return *number >= low && *number <= high;
}

Status ReadRequest(Napi::Value value, PlanRequest* request) {
  const Status refused(StatusCode::kOutOfRange, "the request has a value out of range");
  if (!value.IsObject()) return Status(StatusCode::kInvalidType, "request must be an object");
  auto object = value.As<Napi::Object>();
  double count, distance, id_bits;
  if (!Read(object.Get("count"), 1, kMaxCount, &count) ||
      !Read(object.Get("maxDistance"), 0, 16, &distance) || !Read(object.Get("idBits"), 1, 64, &id_bits))
    return refused;
  request->count = static_cast<uint64_t>(count);
  request->max_distance = static_cast<unsigned>(distance);
  request->id_bits = static_cast<unsigned>(id_bits);
  const Napi::Value memory = object.Get("memory"), costs = object.Get("costs");
  if (!memory.IsUndefined() && !Read(memory, 1, 1e30, &request->memory)) return refused;
  if (!costs.IsObject()) return Status();
  for (const CostName& name : kCostNames) {
    if (!Read(costs.As<Napi::Object>().Get(name.name), 1e-9, 1e12, &(request->costs.*name.cost)))
      return refused;
  }
  return Status();
}

Napi::Value OptionValue(Napi::Env env, const PlanOption& option) {
  const auto& tables = option.plan.tables;
  Napi::Array radii = Napi::Array::New(env, tables.size()), keys = Napi::Array::New(env, tables.size());
  for (uint32_t t = 0; t < tables.size(); ++t) {
    Napi::Array key = Napi::Array::New(env, tables[t].key.size());
    for (uint32_t i = 0; i < tables[t].key.size(); ++i) {
      Napi::Object range = Napi::Object::New(env);
      range.Set("low", tables[t].key[i].low);
      range.Set("width", tables[t].key[i].width);
      key.Set(i, range);
    }
    radii.Set(t, tables[t].radius);
    keys.Set(t, key);
  }
  Napi::Object object = Napi::Object::New(env);
  object.Set("name", option.name);
  object.Set("published", option.published);
  object.Set("tables", static_cast<double>(tables.size()));
  object.Set("keyBits", option.key_bits);
  object.Set("radii", radii);
  object.Set("keys", keys);
  object.Set("bytes", option.bytes);
  object.Set("probes", option.probes);
  object.Set("candidates", option.candidates);
  object.Set("nanoseconds", option.nanoseconds);
  object.Set("fits", option.fits);
  return object;
}

Napi::Value ListPlansOf(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  return Guard(env, [&]() -> Napi::Value {
    PlanRequest request;
    if (const Status status = ReadRequest(info[0], &request); !status.ok()) {
      Throw(env, status);
      return Napi::Value();
    }
    const std::vector<PlanOption> options = ComparePlans(request);
    Napi::Array array = Napi::Array::New(env, options.size());
    for (uint32_t i = 0; i < options.size(); ++i) array.Set(i, OptionValue(env, options[i]));
    return array;
  });
}

Napi::Value MeasureCostsOf(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  return Guard(env, [&]() -> Napi::Value {
    const MachineCosts costs = MeasureCosts();
    Napi::Object object = Napi::Object::New(env);
    for (const CostName& name : kCostNames) object.Set(name.name, costs.*name.cost);
    return object;
  });
}

}  // namespace

void RegisterPlans(Napi::Env env, Napi::Object engine) {
  engine.Set("listPlans", Napi::Function::New(env, ListPlansOf, "listPlans"));
  engine.Set("measureCosts", Napi::Function::New(env, MeasureCostsOf, "measureCosts"));
}

}  // namespace neardup::binding
