#include "recorded_cases.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dissensus/options.h"

#include "trace/line_source.h"

namespace dissensus::studies {
namespace {

using nlohmann::json;

/// Lines of JSON with errors that name file and line.
class JsonLines {
 public:
  explicit JsonLines(const std::string& path) : lines_(path), path_(path) {}

  bool next(json& object) {
    std::string_view line;
    if (!lines_.next(line)) return false;
    ++number_;
    object = json::parse(line, nullptr, false);
    if (object.is_discarded()) fail("line", "not JSON, expected one object");
    return true;
  }
  [[noreturn]] void fail(std::string_view key, std::string_view message) const {
    throw InputError(fmt::format("{}:{}: {}: {}", path_, number_, key, message));
  }

 private:
  trace::LineSource lines_;
  std::string path_;
  std::size_t number_ = 0;
};

faults::Schedule read_delays(const json& delays) {
  faults::Schedule schedule;
  if (delays.is_null()) return schedule;
  const faults::GeneSpace genes{kNodes, kKinds};
  faults::DelaySchedule delay;
  delay.delay_ms.assign(genes.size(), 0);
  for (std::size_t gene = 0; gene < genes.size(); ++gene) {
    const auto [from, to, kind] = genes.gene(gene);
    delay.delay_ms[gene] = delays.at(from).at(to).at(kind).get<std::uint32_t>();
  }
  schedule.scheduler = std::move(delay);
  return schedule;
}

CaseOutcome read_outcome(const std::string& word) {
  const auto place = std::find(kOutcomeNames.begin(), kOutcomeNames.end(), word);
  if (place == kOutcomeNames.end()) throw std::invalid_argument("unknown outcome " + word);
  return static_cast<CaseOutcome>(place - kOutcomeNames.begin());
}

/// The close of each node that is nearest to the last close of node 0 before the start.
std::array<double, kNodes> read_closes(const json& phases) {
  std::array<double, kNodes> result{};
  const auto closes = [&](std::size_t node) {
    std::vector<double> times;
    for (const json& entry : phases.at(node)) {
      if (entry.at(1) == "establish") times.push_back(entry.at(0).get<double>());
    }
    return times;
  };
  double reference = 0;
  for (const double time : closes(0)) {
    if (time <= 0 || reference == 0) reference = time;
  }
  for (std::size_t node = 0; node < kNodes; ++node) {
    double best = reference;
    double distance = 1e300;
    for (const double time : closes(node)) {
      if (std::abs(time - reference) < distance) {
        distance = std::abs(time - reference);
        best = time;
      }
    }
    result[node] = best;
  }
  return result;
}

void read_phases(const json& phases, double end_ms, CaseMetrics& metrics) {
  for (const json& node : phases) {
    double closed = -1;
    double opened = -1;
    for (const json& entry : node) {
      const double time = entry.at(0).get<double>();
      const std::string phase = entry.at(1).get<std::string>();
      if (time > end_ms) break;
      if (phase == "establish") {
        if (opened >= 0) metrics.open_s.push_back((time - opened) / 1000);
        closed = time;
        opened = -1;
      } else if (phase == "accepted") {
        if (closed >= 0) metrics.establish_s.push_back((time - closed) / 1000);
        closed = -1;
        // The next round opens within milliseconds; the stream may list it before this event.
        opened = time;
      }
    }
  }
}

void read_intervals(const json& validated, double end_ms, CaseMetrics& metrics) {
  for (const json& node : validated) {
    double before = -1e300;
    for (const json& ledger : node) {
      const double time = ledger.at("t").get<double>();
      if (time > end_ms) break;
      if (time >= 0 && before > -1e300) metrics.intervals_s.push_back((time - before) / 1000);
      before = time;
    }
  }
}

void read_results(const json& results, CaseMetrics& metrics) {
  for (const json& result : results.at(0)) {
    if (result.is_null()) continue;
    const std::string text = result.get<std::string>();
    if (text == "tesSUCCESS") ++metrics.succeeded;
    if (text.starts_with("tec")) ++metrics.claimed;
  }
}

/// Proposals per round and signer and the split of ledger requests, from the case's messages.
void read_messages(const std::string& path, CaseMetrics& metrics) {
  JsonLines lines(path);
  json message;
  std::map<std::pair<std::string, int>, std::uint32_t> highest;
  while (lines.next(message)) {
    if (message.at("ph") != 0) continue;
    const std::string kind = message.at("kind").get<std::string>();
    if (kind.starts_with("ProposeSet") && kind != "ProposeSetBowOut") {
      if (message.at("sg") != message.at("from")) continue;
      const std::pair key{message.at("prev").get<std::string>(), message.at("sg").get<int>()};
      std::uint32_t& seq = highest[key];
      seq = std::max(seq, message.at("seq").get<std::uint32_t>());
    } else if (kind == "GetLedger" || kind == "LedgerData") {
      auto& items = kind == "GetLedger" ? metrics.requests : metrics.replies;
      ++items.at(message.at("it").get<std::size_t>());
    }
  }
  for (const auto& [key, seq] : highest) metrics.round_propose_seq.push_back(seq);
}

/// Acquisitions of transaction sets that were given up, from the nodes' own logs.
std::uint32_t count_failed_acquisitions(const std::string& path, double end_ms) {
  trace::LineSource lines(path);
  std::string_view line;
  std::uint32_t count = 0;
  while (lines.next(line)) {
    if (line.find("Failed to acquire TX set") == std::string_view::npos) continue;
    double time = 0;
    std::from_chars(line.data(), line.data() + line.size(), time);
    if (time >= 0 && time <= end_ms) ++count;
  }
  return count;
}

struct DeclaredRound {
  double time_ms = 0;
  std::string parent;
  std::string set;
};
using DeclaredRounds = std::map<std::string, std::vector<DeclaredRound>>;

/// Rounds in which a node declared consensus itself; one that only moved on to its peers' ledger
/// ("fail") decided nothing.
DeclaredRounds read_rounds(const std::string& path) {
  DeclaredRounds rounds;
  JsonLines lines(path);
  json round;
  while (lines.next(round)) {
    if (!round.contains("t") || round.value("fail", "no") != "no") continue;
    rounds[round.value("case", "")].push_back(
        {round.at("t").get<double>(), round.value("prev", ""), round.value("set", "")});
  }
  return rounds;
}

bool declared_sets_differ(const std::vector<DeclaredRound>& rounds, double end_ms) {
  std::map<std::string, std::string> first;
  for (const DeclaredRound& round : rounds) {
    if (round.time_ms < 0 || round.time_ms > end_ms) continue;
    if (first.emplace(round.parent, round.set).first->second != round.set) return true;
  }
  return false;
}

void read_metrics(const json& object, CaseMetrics& metrics) {
  metrics.outcome = read_outcome(object.at("outcome").get<std::string>());
  const double end_ms = metrics.outcome == CaseOutcome::settled
                            ? object.at("duration_settled").get<double>()
                            : object.at("duration").get<double>();
  metrics.window_s = end_ms / 1000;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    metrics.messages[kind] = object.at("counts").value(std::string(kKindNames[kind]), 0u);
  }
  read_phases(object.at("phases"), end_ms, metrics);
  read_intervals(object.at("validated"), end_ms, metrics);
  read_results(object.at("results"), metrics);
  for (const json& submission : object.at("submissions")) {
    metrics.not_applied += submission.at("prelim") == "tesSUCCESS" ? 0 : 1;
  }
  metrics.propose_seq_max = object.at("maxProposeSeq").get<std::uint32_t>();
  // A bow-out goes to each of the four peers.
  metrics.bow_outs =
      object.at("bowoutsOwn").get<std::uint32_t>() / static_cast<std::uint32_t>(kNodes - 1);
  metrics.built_differ = !object.at("builtDiffer").empty();
  metrics.ledgers_differ = !object.at("agreement2").empty();
}

void read_case(const json& object, RecordedCase& recorded) {
  recorded.id = object.at("id").get<std::string>();
  recorded.group = object.at("group").get<std::string>();
  recorded.version = object.at("version").get<std::string>();
  recorded.same_sequence = object.at("variant") == "same";
  recorded.reserve_xrp = object.at("reserveXRP").get<std::uint32_t>();
  const json& funds = object.at("accounts").at("fund");
  for (std::size_t i = 0; i < recorded.balance_drops.size(); ++i) {
    recorded.balance_drops[i] = funds.at(i).get<std::uint64_t>();
  }
  recorded.schedule = read_delays(object.at("delays"));
  recorded.start_epoch_ms = object.at("t0epoch").get<std::int64_t>();
  for (std::size_t i = 0; i < kPayments; ++i) {
    const json& submission = object.at("submissions").at(i);
    recorded.submitted_ms[i] = submission.at("t").get<double>();
    recorded.payment_hash[i] = submission.at("hash").get<std::string>();
  }
  recorded.closed_ms = read_closes(object.at("phases"));
  recorded.recovered = object.at("recovery").at("recovered").get<bool>();
  recorded.recovery_ms = object.at("recovery").at("ms").get<double>();
  recorded.lateness_p99_ms = object.at("relay").at("lateness_ms").at("p99").get<double>();
  read_metrics(object, recorded.metrics);
}

}  // namespace

struct RecordedCases::Files {
  explicit Files(const std::string& path)
      : folder(path),
        cases(path + "/cases.jsonl.gz"),
        rounds(read_rounds(path + "/rounds.jsonl.gz")) {}
  std::string folder;
  JsonLines cases;
  DeclaredRounds rounds;
};

RecordedCases::RecordedCases(const std::string& folder) : files_(std::make_unique<Files>(folder)) {}
RecordedCases::~RecordedCases() = default;

bool RecordedCases::next(RecordedCase& recorded) {
  json object;
  if (!files_->cases.next(object)) return false;
  recorded = {};
  try {
    read_case(object, recorded);
  } catch (const std::exception& error) {
    files_->cases.fail("case", fmt::format("not as documented: {}", error.what()));
  }
  read_messages(fmt::format("{}/messages/{}.jsonl.gz", files_->folder, recorded.id),
                recorded.metrics);
  recorded.metrics.sets_differ =
      declared_sets_differ(files_->rounds[recorded.id], recorded.metrics.window_s * 1000);
  recorded.metrics.failed_acquisitions =
      count_failed_acquisitions(fmt::format("{}/logs/{}.txt.gz", files_->folder, recorded.id),
                                recorded.metrics.window_s * 1000);
  return true;
}

bool has_recorded_cases(const std::string& folder) {
  return std::filesystem::is_regular_file(folder + "/cases.jsonl.gz");
}

}  // namespace dissensus::studies
