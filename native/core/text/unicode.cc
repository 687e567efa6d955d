#include "core/text/unicode.h"

#include <algorithm>

namespace neardup::unicode {

const FullFold& FindFullFold(char32_t code_point) {
  return *std::lower_bound(kFullFolds, kFullFolds + kFullFoldCount, code_point,
                           [](const FullFold& row, char32_t value) { return row.code_point < value; });
}

const Decomposition* FindDecomposition(char32_t code_point) {
  const Decomposition* end = kDecompositions + kDecompositionCount;
  const Decomposition* row =
      std::lower_bound(kDecompositions, end, code_point,
                       [](const Decomposition& entry, char32_t value) { return entry.code_point < value; });
  return row != end && row->code_point == code_point ? row : nullptr;
}

char32_t FindComposite(char32_t first, char32_t second) {
  const Composition* end = kCompositions + kCompositionCount;
  const Composition* row =
      std::lower_bound(kCompositions, end, second, [first](const Composition& entry, char32_t value) {
        return entry.first != first ? entry.first < first : entry.second < value;
      });
  return row != end && row->first == first && row->second == second ? row->composite : 0;
}

}  // namespace neardup::unicode
