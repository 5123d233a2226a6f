// The lines of a file or of bytes in memory, plain or gzip, with bounded memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/json_tape.h"

namespace dissensus::trace {

class LineSource {
 public:
  explicit LineSource(std::string path);
  LineSource(std::string name, std::string bytes);
  ~LineSource();
  LineSource(const LineSource&) = delete;
  LineSource& operator=(const LineSource&) = delete;

  /// False at the end. The line is valid until the next call. Throws InputError for lines longer
  /// than kTraceLineBytesMax, damaged or incomplete compression, and files that cannot be read.
  bool next(std::string_view& line);
  /// Of the last line given out, or of the one being read when next() throws.
  Place place() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace dissensus::trace
