#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

#include "dissensus/options.h"

#include "core/assert.h"
#include "core/file.h"
#include "trace/record_json.h"
#include "trace/trace_file.h"

namespace dissensus::trace {
namespace {

constexpr std::size_t kBlockBytes = 64u << 10;
/// About 15% larger than the default level 6, in less than half the time.
constexpr int kCompression = 3;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

struct Writer::Implementation {
  std::string path;
  std::string temporary;
  Header header;
  std::unique_ptr<std::FILE, CloseFile> file;
  bool compressed = false;
  z_stream stream{};
  std::string block;
  std::vector<char> output = std::vector<char>(kBlockBytes);
  std::uint64_t recorded = 0;
  EventId last_id = 0;
  Time last_time{};
  bool finished = false;

  Implementation(std::string target, const Header& trace_header)
      : path(std::move(target)), temporary(path + ".partial"), header(trace_header) {
    file.reset(std::fopen(temporary.c_str(), "wb"));
    if (file == nullptr) fail("cannot be created", errno);
    compressed = path.ends_with(".gz");
    if (compressed) {
      const int result =
          deflateInit2(&stream, kCompression, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
      DISSENSUS_ASSERT(result == Z_OK, "Writer : zlib starts");
    }
  }
  ~Implementation() {
    if (compressed) deflateEnd(&stream);
    if (finished) return;
    file.reset();
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
  }

  [[noreturn]] void fail(std::string_view what, int error) const {
    fail_with(fmt::format("{}: {}", path, what), {error, std::generic_category()});
  }

  void end_line() {
    block += '\n';
    if (block.size() >= kBlockBytes) flush(false);
  }

  void put(const char* bytes, std::size_t count) {
    errno = 0;
    if (std::fwrite(bytes, 1, count, file.get()) != count) fail("cannot be written", errno);
  }

  void flush(bool last) {
    if (!compressed) {
      put(block.data(), block.size());
      block.clear();
      return;
    }
    stream.next_in = reinterpret_cast<Bytef*>(block.data());
    stream.avail_in = static_cast<uInt>(block.size());
    int result = Z_OK;
    do {
      stream.next_out = reinterpret_cast<Bytef*>(output.data());
      stream.avail_out = static_cast<uInt>(output.size());
      result = deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
      DISSENSUS_ASSERT(result != Z_STREAM_ERROR, "Writer : zlib's state is sound");
      put(output.data(), output.size() - stream.avail_out);
    } while (stream.avail_out == 0);
    DISSENSUS_ASSERT(stream.avail_in == 0 && (!last || result == Z_STREAM_END),
                     "Writer : zlib took the whole block");
    block.clear();
  }
};

Writer::Writer(std::string path, const Header& header)
    : implementation_(std::make_unique<Implementation>(std::move(path), header)) {
  append_header(implementation_->block, header);
  implementation_->end_line();
}

Writer::~Writer() = default;

void Writer::write(const Record& record) {
  Implementation& writer = *implementation_;
  DISSENSUS_ASSERT(!writer.finished, "Writer::write : not after finish");
  const bool is_log =
      record.type == EventType::log;  // a log line has the number of what it follows
  DISSENSUS_ASSERT(is_log ? record.id >= writer.last_id && record.cause <= record.id
                          : record.id > writer.last_id && record.cause < record.id,
                   "Writer::write : ids increase and causes come first");
  DISSENSUS_ASSERT(record.time >= writer.last_time, "Writer::write : times do not decrease");
  append_record(writer.block, record, writer.header);
  writer.last_id = record.id;
  writer.last_time = record.time;
  ++writer.recorded;
  writer.end_line();
}

void Writer::finish(const Footer& footer) {
  Implementation& writer = *implementation_;
  DISSENSUS_ASSERT(!writer.finished, "Writer::finish : only once");
  DISSENSUS_ASSERT(footer.events >= writer.last_id, "Writer::finish : every event is counted");
  DISSENSUS_ASSERT(footer.hash.size() == 16 && !footer.outcome.empty(),
                   "Writer::finish : the footer is filled in");
  Footer counted = footer;
  counted.recorded = writer.recorded;
  writer.block += "{\"end\":";
  append_footer(writer.block, counted);
  writer.block += "}\n";
  writer.flush(true);
  errno = 0;
  if (std::fclose(writer.file.release()) != 0) writer.fail("cannot be written", errno);
  std::error_code error;
  std::filesystem::rename(writer.temporary, writer.path, error);
  if (error) writer.fail("cannot be renamed into place", error.value());
  writer.finished = true;
}

void write_trace(const std::string& path, const Trace& trace) {
  Writer writer(path, trace.header);
  for (const Record& record : trace.records) writer.write(record);
  writer.finish(trace.footer);
}

}  // namespace dissensus::trace
