// What this processor and its operating system allow, asked once. An instruction set counts only when the
// system also saves its registers (XGETBV), and a kernel's name stands for all the sets that it needs.
#ifndef NEARDUP_KERNELS_CPU_H_
#define NEARDUP_KERNELS_CPU_H_

namespace neardup::kernels {

struct CpuFeatures {
  // AVX2 and POPCNT: Haswell, Zen and later.
  bool avx2 = false;
  // AVX-512 F, BW, VBMI, BITALG, VPOPCNTDQ and GFNI: Ice Lake, Zen 4 and later. Older processors with
  // AVX-512 run the AVX2 kernels, which also spares them the lower clock.
  bool avx512 = false;
  // Every 64-bit ARM.
  bool neon = false;
};

// Thread-safe, constant after the first call.
const CpuFeatures& Cpu();

}  // namespace neardup::kernels

#endif  // NEARDUP_KERNELS_CPU_H_
