// Makes allocation fail, for tests of what happens then. Replaces operator new for the whole test program.
#ifndef NEARDUP_TEST_REFUSE_MEMORY_H_
#define NEARDUP_TEST_REFUSE_MEMORY_H_

#include <cstddef>

namespace neardup {

// While one lives, `allowed` allocations of this thread succeed and all later ones throw std::bad_alloc.
class RefuseMemory {
 public:
  explicit RefuseMemory(size_t allowed);
  ~RefuseMemory();
};

}  // namespace neardup

#endif  // NEARDUP_TEST_REFUSE_MEMORY_H_
