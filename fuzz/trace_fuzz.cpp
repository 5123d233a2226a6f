// Traces, plain and gzip: whatever the reader accepts, every exporter can show.
#include <sstream>
#include <vector>

#include <zlib.h>

#include "fuzz.h"
#include "trace/exporters.h"
#include "trace/trace_file.h"

namespace {
using namespace dissensus;

trace::Trace read(std::string bytes) {
  trace::Reader reader("fuzz.jsonl", std::move(bytes));
  trace::Trace trace;
  trace.header = reader.header();
  trace::Record record;
  while (reader.next(record)) trace.records.push_back(record);
  trace.footer = reader.footer();
  return trace;
}

void export_all(const trace::Trace& trace) {
  std::ostringstream out;
  trace::export_json(trace, out);
  trace::export_dot(trace, out);
  trace::export_shiviz(trace, out);
  trace::export_perfetto(trace, out);
  trace::export_svg(trace, {}, out);
  DISSENSUS_ASSERT(out.good(), "fuzz_trace : exporters write");
}

std::string compressed(std::string_view text) {
  z_stream stream{};
  DISSENSUS_ASSERT(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK,
                   "fuzz_trace : zlib starts");
  std::string result(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  DISSENSUS_ASSERT(deflate(&stream, Z_FINISH) == Z_STREAM_END, "fuzz_trace : zlib compresses");
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  trace::Trace plain;
  const bool accepted = fuzz::accepts([&] { plain = read(std::string(text)); });
  if (accepted) export_all(plain);
  // The fuzzer cannot guess checksums, so compression is also put around what it makes.
  const bool is_plain = !text.empty() && text.front() == '{';
  if (!is_plain) return 0;
  trace::Trace unpacked;
  const bool again = fuzz::accepts([&] { unpacked = read(compressed(text)); });
  DISSENSUS_ASSERT(again == accepted && unpacked.records == plain.records,
                   "fuzz_trace : compression makes no difference");
  return 0;
}
