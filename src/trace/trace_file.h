// The trace file: gzip-compressed JSON lines, written and read as a stream.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "trace/trace.h"

namespace dissensus::trace {

/// Writes header, records, footer. The file appears under its name only when finish() succeeded
/// (it is written beside it and renamed), so a reader never sees half a trace. Compressed if the
/// name ends in ".gz", plain JSON lines otherwise. Throws InputError where the file system refuses.
class Writer {
 public:
  Writer(std::string path, const Header& header);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  /// Ids must increase; times must not decrease.
  void write(const Record& record);
  /// The number of records in the footer is the writer's own count.
  void finish(const Footer& footer);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Reads a trace record by record with bounded memory. Throws InputError with file and line for
/// anything that is not a complete, well-formed trace of a known version. Reads plain JSON lines
/// as well as gzip.
class Reader {
 public:
  explicit Reader(std::string path);
  /// From memory, for tests and fuzzing.
  Reader(std::string name, std::string bytes);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  const Header& header() const;
  /// False at the end; footer() is valid from then on.
  bool next(Record& record);
  const Footer& footer() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

Trace read_trace(const std::string& path);
void write_trace(const std::string& path, const Trace& trace);

}  // namespace dissensus::trace
