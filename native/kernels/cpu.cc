#include "kernels/cpu.h"

#include <cstdint>

#include "kernels/target.h"

#ifdef NEARDUP_HAS_AVX
#include <cpuid.h>
#endif

namespace neardup::kernels {

namespace {

#ifdef NEARDUP_HAS_AVX

struct Registers {
  uint32_t eax, ebx, ecx, edx;
};

Registers Cpuid(uint32_t leaf, uint32_t subleaf) {
  Registers r;
  __cpuid_count(leaf, subleaf, r.eax, r.ebx, r.ecx, r.edx);
  return r;
}

// The register files that the operating system saves. Only valid where CPUID reports OSXSAVE.
uint32_t EnabledState() {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

constexpr bool HasAll(uint32_t value, uint32_t bits) { return (value & bits) == bits; }

CpuFeatures Detect() {
  constexpr uint32_t kPopcnt = 1u << 23, kOsxsave = 1u << 27, kAvx = 1u << 28;    // leaf 1, ECX
  constexpr uint32_t kAvx2 = 1u << 5, kAvx512f = 1u << 16, kAvx512bw = 1u << 30;  // leaf 7, EBX
  constexpr uint32_t kVbmi = 1u << 1, kGfni = 1u << 8, kBitalg = 1u << 12, kVpopcntdq = 1u << 14;  // ECX
  constexpr uint32_t kYmmState = 0x06;  // XMM, upper halves of YMM
  constexpr uint32_t kZmmState = 0xe6;  // and opmask, upper halves of ZMM, ZMM16..31

  CpuFeatures features;
  if (Cpuid(0, 0).eax < 7) return features;
  if (!HasAll(Cpuid(1, 0).ecx, kPopcnt | kOsxsave | kAvx)) return features;
  const uint32_t state = EnabledState();
  const Registers extended = Cpuid(7, 0);
  features.avx2 = HasAll(state, kYmmState) && HasAll(extended.ebx, kAvx2);
  features.avx512 = features.avx2 && HasAll(state, kZmmState) && HasAll(extended.ebx, kAvx512f | kAvx512bw) &&
                    HasAll(extended.ecx, kVbmi | kGfni | kBitalg | kVpopcntdq);
  return features;
}

#else

CpuFeatures Detect() {
  CpuFeatures features;
#ifdef NEARDUP_HAS_NEON
  features.neon = true;
#endif
  return features;
}

#endif

}  // namespace

const CpuFeatures& Cpu() {
  static const CpuFeatures features = Detect();
  return features;
}

}  // namespace neardup::kernels
