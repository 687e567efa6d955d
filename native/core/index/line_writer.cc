#include "core/index/line_writer.h"

namespace neardup {

void LineWriter::Flush(size_t partition) {
  uint64_t* to = writer_.AddLine(partition);
  if (to == nullptr) {
    refused_ = true;
  } else {
    kernels::StreamLine(to, lines_[partition].words);
  }
}

Status LineWriter::End() {
  for (size_t partition = 0; partition < used_.size(); ++partition) {
    for (uint32_t i = 0; i < used_[partition]; ++i)
      refused_ |= !writer_.Add(partition, lines_[partition].words[i]);
  }
  kernels::EndStream();
  return refused_ ? Status::OutOfMemory() : Status();
}

}  // namespace neardup
