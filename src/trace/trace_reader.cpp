#include <utility>

#include <fmt/format.h>

#include "trace/line_source.h"
#include "trace/record_json.h"
#include "trace/trace_file.h"

namespace dissensus::trace {

struct Reader::Implementation {
  LineSource source;
  JsonTape tape;
  Header header;
  Footer footer;
  bool ended = false;
  std::uint64_t recorded = 0;
  EventId last_id = 0;
  Time last_time{};

  template <class... Arguments>
  explicit Implementation(Arguments&&... arguments)
      : source(std::forward<Arguments>(arguments)...) {
    std::string_view line;
    if (!source.next(line))
      Place{source.place().file, 1}.fail("format", "missing, this is no trace");
    tape.parse(line, source.place());
    header = read_header(tape, source.place());
  }

  bool next(Record& record) {
    if (ended) return false;
    std::string_view line;
    if (!source.next(line)) {
      Place after = source.place();
      ++after.line;
      after.fail("end", "missing, the trace is incomplete");
    }
    const Place place = source.place();
    tape.parse(line, place);
    if (is_footer(tape)) {
      finish(place);
      return false;
    }
    read_record(tape, place, header, record);
    check_order(place, record);
    return true;
  }

  void check_order(const Place& place, const Record& record) {
    const bool is_log = record.type == EventType::log;
    if (record.id < last_id || (record.id == last_id && !is_log)) {
      place.fail("id", fmt::format("{} after {}, expected ids to increase", record.id, last_id));
    }
    if (record.cause > record.id || (record.cause == record.id && !is_log)) {
      place.fail("c", fmt::format("{} is no earlier event than {}", record.cause, record.id));
    }
    if (record.time < last_time) {
      place.fail("t", fmt::format("{} after {}, expected times not to decrease",
                                  microseconds_of(record.time), microseconds_of(last_time)));
    }
    last_id = record.id;
    last_time = record.time;
    ++recorded;
  }

  void finish(const Place& place) {
    footer = read_footer(tape, place);
    if (footer.recorded != recorded) {
      place.fail("end.recorded",
                 fmt::format("{}, but there are {} records", footer.recorded, recorded));
    }
    if (footer.events < last_id) {
      place.fail("end.events", fmt::format("{}, but there is an event {}", footer.events, last_id));
    }
    // Reading on to the end of the file also checks the checksum of the compression.
    std::string_view line;
    if (source.next(line)) source.place().fail("line", "there is more after the end of the trace");
    ended = true;
  }
};

Reader::Reader(std::string path)
    : implementation_(std::make_unique<Implementation>(std::move(path))) {}

Reader::Reader(std::string name, std::string bytes)
    : implementation_(std::make_unique<Implementation>(std::move(name), std::move(bytes))) {}

Reader::~Reader() = default;

const Header& Reader::header() const {
  return implementation_->header;
}

bool Reader::next(Record& record) {
  return implementation_->next(record);
}

const Footer& Reader::footer() const {
  return implementation_->footer;
}

Trace read_trace(const std::string& path) {
  Reader reader(path);
  Trace trace;
  trace.header = reader.header();
  Record record;
  while (reader.next(record)) trace.records.push_back(std::move(record));
  trace.footer = reader.footer();
  return trace;
}

}  // namespace dissensus::trace
