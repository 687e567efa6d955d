#include "kernels/kernels.h"

#include <atomic>
#include <mutex>

#include "kernels/counters.h"
#include "kernels/cpu.h"
#include "kernels/hamming.h"
#include "kernels/target.h"

namespace neardup::kernels {

namespace {

constexpr Kernels kScalar = {"scalar",          scalar::CountOnes, scalar::SumWeights,
                             scalar::Distances, scalar::Within,    scalar::MatchLanes,
                             scalar::NearLanes, scalar::NearPairs, scalar::NearKeys};
#ifdef NEARDUP_HAS_AVX
constexpr Kernels kAvx2 = {"avx2",           avx2::CountOnes, avx2::SumWeights, avx2::Distances, avx2::Within,
                           avx2::MatchLanes, avx2::NearLanes, avx2::NearPairs,  avx2::NearKeys};
constexpr Kernels kAvx512 = {"avx512",          avx512::CountOnes, avx512::SumWeights,
                             avx512::Distances, avx512::Within,    avx512::MatchLanes,
                             avx2::NearLanes,   avx2::NearPairs,   avx2::NearKeys};
#endif
#ifdef NEARDUP_HAS_NEON
constexpr Kernels kNeon = {"neon",          neon::CountOnes,  neon::SumWeights,  neon::Distances,
                           neon::Within,    neon::MatchLanes, scalar::NearLanes, scalar::NearPairs,
                           scalar::NearKeys};
#endif

std::vector<const Kernels*> ListAvailable() {
  std::vector<const Kernels*> available;
#ifdef NEARDUP_HAS_AVX
  if (Cpu().avx512) available.push_back(&kAvx512);
  if (Cpu().avx2) available.push_back(&kAvx2);
#endif
#ifdef NEARDUP_HAS_NEON
  if (Cpu().neon) available.push_back(&kNeon);
#endif
  available.push_back(&kScalar);
  return available;
}

std::atomic<const Kernels*>& Chosen() {
  static std::atomic<const Kernels*> chosen{Available().front()};
  return chosen;
}

// The set of that name.
Status Find(const std::string& name, const Kernels** found) {
  std::string names;
  for (const Kernels* kernels : Available()) {
    if (name == kernels->name) {
      *found = kernels;
      return Status();
    }
    names += names.empty() ? kernels->name : std::string(", ") + kernels->name;
  }
  return Status(StatusCode::kUnsupported,
                "the kernel \"" + name + "\" does not run on this processor; available: " + names);
}

}  // namespace

const std::vector<const Kernels*>& Available() {
  static const std::vector<const Kernels*> available = ListAvailable();
  return available;
}

const Kernels& Active() { return *Chosen().load(std::memory_order_relaxed); }

Status Select(const std::string& name) {
  const Kernels* kernels = nullptr;
  const Status status = Find(name, &kernels);
  if (status.ok()) Chosen().store(kernels, std::memory_order_relaxed);
  return status;
}

Status SelectOnce(const std::string& name) {
  static std::mutex mutex;
  static bool is_chosen = false;
  const Kernels* kernels = Available().front();
  const Status status = name.empty() ? Status() : Find(name, &kernels);
  const std::lock_guard<std::mutex> lock(mutex);
  if (!status.ok() || is_chosen) return status;
  is_chosen = true;
  Chosen().store(kernels, std::memory_order_relaxed);
  return status;
}

}  // namespace neardup::kernels
