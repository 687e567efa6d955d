// Whether the payload of a segment file is right throughout: what a file can hold that is damaged, or made
// up, and still has right checksums.
#ifndef NEARDUP_CORE_STORAGE_SEGMENT_CHECK_H_
#define NEARDUP_CORE_STORAGE_SEGMENT_CHECK_H_

#include <memory>

#include "core/base/status.h"
#include "core/index/entry.h"
#include "core/storage/segment_file.h"

namespace neardup {

// Checks all of a payload of these columns: checksums; places, counts and order of everything; that the
// tables agree, so that a query finds every entry. The file is not shared yet. kCorrupt, naming the file and
// what is wrong. O(n), with some random reads for each entry; a bit of memory for each where there are
// columns.
Status CheckSegment(const std::shared_ptr<SegmentFile>& file, ColumnSet columns);

}  // namespace neardup

#endif  // NEARDUP_CORE_STORAGE_SEGMENT_CHECK_H_
