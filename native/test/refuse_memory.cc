#include "test/refuse_memory.h"

#include <cstdlib>
#include <new>

namespace neardup {

namespace {

thread_local bool refusing = false;
thread_local size_t remaining = 0;

}  // namespace

RefuseMemory::RefuseMemory(size_t allowed) {
  remaining = allowed;
  refusing = true;
}

RefuseMemory::~RefuseMemory() { refusing = false; }

static void* Allocate(size_t size) {
  if (refusing && remaining-- == 0) {
    remaining = 0;
    throw std::bad_alloc();
  }
  void* memory = std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace neardup

void* operator new(size_t size) { return neardup::Allocate(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  try {
    return neardup::Allocate(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
