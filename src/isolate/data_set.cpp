#include "isolate/data_set.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "core/json_view.h"

namespace dissensus::isolate {
namespace {

constexpr std::size_t kValidators = 7;
constexpr NodeMask kFirstUnl = 0b0011111;   // validators 0 to 4, trusted by 0 to 3
constexpr NodeMask kSecondUnl = 0b1111100;  // validators 2 to 6, trusted by 4 to 6
constexpr std::array<std::string_view, 3> kLabels{"incompatible", "insufficient", "agreement"};

std::string messages_path(const std::string& folder, const std::string& config) {
  return fmt::format("{}/messages-{}.jsonl.gz", folder, config);
}

std::uint64_t bit_of_label(const JsonView& line, const std::string& name,
                           std::vector<std::string>& labels) {
  const auto known = std::find(labels.begin(), labels.end(), name);
  if (known != labels.end()) return std::uint64_t{1} << (known - labels.begin());
  if (labels.size() == kLabelsMax)
    line.fail("labels", fmt::format("'{}' is one too many, expected at most {}", name, kLabelsMax));
  labels.push_back(name);
  return std::uint64_t{1} << (labels.size() - 1);
}

/// `labels` are those seen so far.
DataSetRun read_run(const JsonView& line, std::vector<std::string>& labels) {
  DataSetRun run;
  run.name = line.text(line.at(0, "run"), "run");
  if (const auto config = line.find(0, "config")) run.config = line.text(*config, "config");
  const std::string_view outcome = line.text(line.at(0, "outcome"), "outcome");
  if (outcome != "correct" && outcome != "faulty")
    line.fail("outcome", fmt::format("'{}', expected correct or faulty", outcome));
  run.failing = outcome == "faulty";
  if (const auto names = line.find(0, "labels")) {
    for (const std::uint32_t item : line.items(*names, "labels"))
      run.labels |= bit_of_label(line, std::string(line.text(item, "labels")), labels);
    return run;
  }
  for (const std::string_view label : kLabels) {
    const std::uint64_t bit = bit_of_label(line, std::string(label), labels);
    if (line.boolean(line.at(0, label), label)) run.labels |= bit;
  }
  return run;
}

}  // namespace

Schema data_set_schema() {
  using enum SemanticType;
  Schema schema;
  schema.kinds = {{"Proposal",
                   {{"close_time", time, "time"},
                    {"previous_ledger", hash, "ledger"},
                    {"propose_seq", sequence, "propose_seq"},
                    {"transaction_hash", hash, "transactions"}}},
                  {"Validation",
                   {{"consensus_hash", hash, "transactions"},
                    {"flags", flags, "flags"},
                    {"ledger_hash", hash, "ledger"},
                    {"ledger_sequence", sequence, "ledger_sequence"},
                    {"signing_time", time, "time"}}}};
  schema.nodes = kValidators;
  for (std::size_t node = 0; node < kValidators; ++node)
    schema.trusted.push_back(node < 4 ? kFirstUnl : kSecondUnl);
  schema.groups = {kFirstUnl, kSecondUnl};
  schema.labels.assign(kLabels.begin(), kLabels.end());
  schema.ignored_fields = {"consensus_hash"};
  return schema;
}

bool is_data_set(const std::string& folder) {
  std::error_code error;
  return std::filesystem::is_regular_file(folder + "/runs.jsonl", error);
}

DataSetRuns read_data_set_runs(const std::string& folder) {
  trace::LineSource lines(folder + "/runs.jsonl");
  JsonTape tape;
  DataSetRuns runs;
  for (std::string_view text; lines.next(text);) {
    const Place place = lines.place();
    tape.parse(text, place);
    runs.list.push_back(read_run(JsonView(tape, place), runs.labels));
  }
  return runs;
}

DataSetSource::DataSetSource(std::string folder)
    : folder_(std::move(folder)), schema_(data_set_schema()) {
  DataSetRuns read = read_data_set_runs(folder_);
  schema_.labels = read.labels;
  for (DataSetRun& run : read.list) {
    if (run.config.empty())
      throw InputError(
          fmt::format("{}/runs.jsonl: config: missing for run '{}'", folder_, run.name));
    if (std::find(configs_.begin(), configs_.end(), run.config) == configs_.end())
      configs_.push_back(run.config);
    const std::string name = run.name;
    if (!runs_.emplace(name, std::move(run)).second)
      throw InputError(fmt::format("{}/runs.jsonl: run: '{}' twice", folder_, name));
  }
  std::sort(configs_.begin(), configs_.end(), std::greater<>());
}

bool DataSetSource::open_next_file() {
  if (configs_.empty()) return false;
  path_ = messages_path(folder_, configs_.back());
  configs_.pop_back();
  lines_ = std::make_unique<trace::LineSource>(path_);
  return true;
}

bool DataSetSource::next(Run& run) {
  for (std::string_view line;;) {
    if (lines_ && lines_->next(line)) {
      read_line(line, run);
      return true;
    }
    if (!open_next_file()) return false;
  }
}

void DataSetSource::read_line(std::string_view line, Run& run) {
  const Place place = lines_->place();
  tape_.parse(line, place);
  const JsonView json(tape_, place);
  const std::string_view name = json.text(json.at(0, "run"), "run");
  const auto known = runs_.find(name);
  if (known == runs_.end())
    json.fail("run", fmt::format("'{}', expected a run of runs.jsonl", name));
  run.reset(kValidators);
  run.name = name;
  run.failing = known->second.failing;
  run.labels = known->second.labels;
  const std::size_t hashes = json.items(json.at(0, "hashes"), "hashes").size();
  const std::vector<std::uint32_t> boxes = json.items(json.at(0, "inbox"), "inbox");
  if (boxes.size() != kValidators)
    json.fail("inbox", fmt::format("{} boxes, expected {}", boxes.size(), kValidators));
  for (std::size_t node = 0; node < kValidators; ++node) {
    json.expect(boxes[node], JsonView::Type::array, "inbox");
    for (std::uint32_t token = boxes[node] + 1; token < json[boxes[node]].end;
         token = json[token].end) {
      read_message(token, node, hashes, run);
    }
  }
}

/// [kind, sender, field...]
void DataSetSource::read_message(std::uint32_t token, std::size_t node, std::size_t hashes,
                                 Run& run) const {
  const Place place = lines_->place();
  const JsonView json(tape_, place);
  json.expect(token, JsonView::Type::array, "inbox");
  if (json[token].end - token < 3) json.fail("inbox", "a message without kind and sender");
  const auto kind = json.natural(token + 1, "inbox: kind", schema_.kinds.size() - 1);
  const auto sender = json.natural(token + 2, "inbox: sender", kValidators - 1);
  const std::vector<Field>& fields = schema_.kinds[kind].fields;
  if (json[token].end - token != fields.size() + 3) {
    json.fail("inbox", fmt::format("a {} with {} fields, expected {}", schema_.kinds[kind].name,
                                   json[token].end - token - 3, fields.size()));
  }
  Inbox& inbox = run.inboxes[node];
  inbox.add(static_cast<std::uint16_t>(kind), static_cast<std::uint16_t>(sender));
  for (std::size_t field = 0; field < fields.size(); ++field) {
    const std::int64_t value =
        json.integer(token + 3 + static_cast<std::uint32_t>(field), fields[field].name);
    if (fields[field].type == SemanticType::hash &&
        (value < -1 || value >= static_cast<std::int64_t>(hashes))) {
      json.fail(fields[field].name, fmt::format("{}, expected -1 or an index into hashes", value));
    }
    inbox.values.push_back(value);
  }
}

}  // namespace dissensus::isolate
