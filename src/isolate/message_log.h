// Other people's logs: JSON lines, one run each, with a declaration of the messages
// (docs/formats/messages.md).
#pragma once

#include <map>
#include <memory>
#include <string>

#include "isolate/declaration.h"
#include "isolate/run_source.h"
#include "trace/line_source.h"

namespace dissensus {
class JsonView;
}

namespace dissensus::isolate {

class MessageLogSource : public RunSource {
 public:
  /// Reads the files that the declaration names, in their order.
  explicit MessageLogSource(Declaration declaration);
  /// From memory, for tests.
  MessageLogSource(Declaration declaration, std::string name, std::string lines);

  std::string name() const override { return declaration_.name; }
  const Schema& schema() const override { return declaration_.schema; }
  bool next(Run& run) override;

 private:
  void read_line(const JsonView& line, Run& run);
  void read_labels(const JsonView& line, Run& run) const;
  void read_message(const JsonView& line, std::uint32_t token, Inbox& inbox);
  void check_keys(const JsonView& line, std::uint32_t token, std::size_t kind) const;
  std::int64_t read_value(const JsonView& line, std::uint32_t token, const Field& field);
  std::int64_t intern(std::string_view text);

  Declaration declaration_;
  std::size_t next_file_ = 0;
  std::unique_ptr<trace::LineSource> lines_;
  JsonTape tape_;
  std::map<std::string, std::int64_t, std::less<>> interned_;  ///< texts of the current run
};

}  // namespace dissensus::isolate
