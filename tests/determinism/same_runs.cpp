// The net for everything that touches faults: thousands of (scenario, schedule, seed) triples with
// their documents, their sentences and their trace hashes, one JSON object per line.
//
//   same_runs --draw COUNT > FILE     draws triples and runs them
//   same_runs --compare FILE          reads the documents of FILE and runs them again
//
// scripts/check-same-runs compares two builds with it.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "core/parallel.h"
#include "core/toml_text.h"
#include "faults/schedule.h"
#include "faults/words.h"
#include "run/runner.h"
#include "run/scenario_file.h"
#include "run/schedule_space.h"
#include "search/genotype.h"
#include "systems/simulated/simulated.h"
#include "trace/trace.h"

namespace dissensus {
namespace {

constexpr std::size_t kFileMax = 1 << 20;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

/// A scenario of the repository, perhaps with changes.
struct Source {
  std::string path;  ///< from the root
  std::vector<std::string> changes;
  std::string schedule = {};  ///< a file beside it; empty: none
};

std::string full(const std::string& path) {
  return std::string(DISSENSUS_SOURCE_DIR "/") + path;
}

run::Scenario load(const Source& source) {
  const std::string path = full(source.path);
  TomlText text(run::read_scenario(path), path);
  for (const std::string& change : source.changes) text.merge(change, "same_runs");
  run::Scenario scenario = run::parse_scenario(text.text(), path, simulated_systems());
  scenario.plan.limits.events = 20'000;
  return scenario;
}

/// Systems of this process: programs of the machine have tests of their own.
bool is_simulated(const std::string& path) {
  static constexpr std::array<std::string_view, 6> kPrograms{"etcd",  "ovsdb",   "process",
                                                             "redis", "rippled", "server"};
  const std::string folder = fs::path(path).parent_path().filename().string();
  return std::find(kPrograms.begin(), kPrograms.end(), folder) == kPrograms.end();
}

/// Scenarios, corpus and benchmarks, in a fixed order.
std::vector<Source> sources() {
  std::vector<Source> result;
  const fs::path root(DISSENSUS_SOURCE_DIR);
  for (const char* const folder : {"scenarios", "corpus", "tests"}) {
    for (const auto& file : fs::recursive_directory_iterator(root / folder)) {
      if (file.path().extension() != ".toml" || !is_simulated(file.path().string())) continue;
      const std::string content = read_file(file.path().string(), kFileMax);
      if (content.find("dissensus-scenario/1") == std::string::npos) continue;
      const fs::path schedule = file.path().parent_path() / "schedule.json";
      result.push_back({file.path().lexically_relative(root).string(),
                        {},
                        fs::exists(schedule) ? schedule.lexically_relative(root).string() : ""});
    }
  }
  const Options bugs =
      Options::from_toml(read_file(full("benchmarks/bugs.toml"), kFileMax), "bugs.toml");
  for (const Options& bug : bugs.tables("bug")) {
    Source source{fs::path("benchmarks/" + bug.at("scenario").text()).lexically_normal().string(),
                  {}};
    if (const auto changes = bug.find("set")) {
      for (const OptionValue& change : changes->list()) source.changes.push_back(change.text());
    }
    if (is_simulated(source.path)) result.push_back(std::move(source));
  }
  std::sort(result.begin(), result.end(), [](const Source& a, const Source& b) {
    return std::tie(a.path, a.changes) < std::tie(b.path, b.changes);
  });
  std::erase_if(result, [](const Source& source) {
    try {
      load(source);
      return false;
    } catch (const InputError&) {
      return true;  // a base, or a test of bad input
    }
  });
  return result;
}

// ---- documents of all kinds of faults, as text

class Writer {
 public:
  Writer(const run::Scenario& scenario, Random& random)
      : scenario_(scenario), system_(scenario.system_description()), random_(random) {}

  /// One fault; the scenario may refuse it.
  Json fault() {
    static constexpr std::array<std::string_view, 17> kTypes{
        "drop",    "duplicate", "partition", "crash", "mutate", "round-partition",
        "silence", "replay",    "noise",     "twins", "skew",   "outage",
        "pause",   "cut",       "links",     "disk",  "delay"};
    const std::string type(kTypes[random_.below(kTypes.size())]);
    Json fault{{"type", type}};
    if (type == "drop" || type == "duplicate" || type == "delay") {
      filter(fault);
      window(fault, false);
      if (chance(0.4)) fault["count"] = 1 + random_.below(20);
      if (type == "duplicate" && chance(0.6)) fault["gap"] = time(900);
      if (type == "delay") fault["by"] = time(900);
    } else if (type == "partition") {
      fault["groups"] = groups();
      window(fault, true);
    } else if (type == "crash") {
      fault["node"] = node();
      if (chance(0.3))
        fault["at_round"] = round();
      else
        fault["at"] = time(8000);
      if (chance(0.6)) fault["restart_after"] = time(4000);
    } else if (type == "round-partition") {
      fault["round"] = round();
      fault["groups"] = groups();
    } else if (type == "cut") {
      static constexpr std::array<std::string_view, 3> kShapes{"bridge", "ring", "one-way"};
      const std::size_t shape = random_.below(3);
      fault["shape"] = kShapes[shape];
      fault["nodes"] = some(shape == 1 ? 4 : shape == 0 ? 2 : 1);
      window(fault, true);
    } else if (type == "outage" || type == "pause") {
      fault["nodes"] = some(1);
      window(fault, true);
    } else if (type == "links") {
      if (chance(0.5)) fault["senders"] = some(1);
      if (chance(0.5)) fault["receivers"] = some(1);
      if (chance(0.6)) fault["loss"] = share();
      if (chance(0.6)) fault["duplicate"] = share();
      if (chance(0.6)) fault["jitter"] = time(300);
      fault["seed"] = random_.below(1000);
      window(fault, true);
    } else if (type == "disk") {
      static constexpr std::array<std::string_view, 4> kTroubles{"slow", "error", "no-space",
                                                                 "corrupt"};
      const std::size_t trouble = random_.below(4);
      fault["node"] = node();
      fault["trouble"] = kTroubles[trouble];
      if (trouble == 0) fault["extra"] = time(300);
      window(fault, true);
    } else {
      lie(type, fault);
    }
    return fault;
  }

 private:
  void lie(const std::string& type, Json& fault) {
    const std::uint64_t liar = node();
    if (type != "noise" || chance(0.7)) fault["node"] = liar;
    if (type == "mutate" || type == "replay" || type == "silence") {
      if (chance(0.6)) fault["receivers"] = peers(liar);
    }
    if (type == "mutate" || type == "replay" || (type == "silence" && chance(0.5))) {
      fault["round"] = round();
    }
    if (type == "mutate" && chance(0.5)) fault["scope"] = "any";
    if (type == "noise") {
      if (chance(0.7)) fault["drop"] = share();
      if (fault.contains("node") && chance(0.7)) fault["corrupt"] = share();
    }
    if (type == "mutate" || type == "replay" || type == "noise") fault["seed"] = random_.below(99);
    if (type == "twins") {
      fault["first"] = peers(liar);
      fault["second"] = peers(liar);
      if (chance(0.4)) fault["apart_until"] = time(5000);
    }
    if (type == "skew") {
      if (chance(0.6)) fault["offset"] = (chance(0.5) ? "-" : "") + time(900).get<std::string>();
      if (chance(0.6)) {
        fault["drift_ppm"] = static_cast<std::int64_t>(random_.below(400'000)) - 200'000;
      }
    }
    if (type == "noise" || type == "skew" || (type == "silence" && !fault.contains("round"))) {
      window(fault, type == "skew");
    }
  }
  void filter(Json& fault) {
    if (chance(0.4)) fault["message"] = system_.kinds[random_.below(system_.kinds.size())].name;
    if (chance(0.6)) fault["sender"] = node();
    if (chance(0.3)) fault["receiver"] = node();
  }
  void window(Json& fault, bool may_wait) {
    if (may_wait && chance(0.4)) {
      Json after;
      if (!system_.phases.empty() && chance(0.7)) {
        after["phase"] = system_.phases[random_.below(system_.phases.size())];
      } else {
        after["round"] = round();
      }
      if (chance(0.2)) after["node"] = node();
      if (chance(0.5)) after["nth"] = 1 + random_.below(4);
      if (chance(0.5)) after["relative"] = true;
      if (chance(0.3)) after["until_next"] = true;
      if (chance(0.3)) after["before"] = time(6000);
      fault["after"] = after;
    } else if (chance(0.25)) {
      const std::uint64_t first = round();
      fault["rounds"] = chance(0.8) ? Json{first, first + 1 + random_.below(3)} : Json{first};
      return;
    }
    const std::uint64_t from = chance(0.3) ? 0 : 50 * random_.below(100);
    if (from > 0) fault["from"] = fmt::format("{}ms", from);
    if (chance(0.85)) fault["until"] = fmt::format("{}ms", from + 50 * (1 + random_.below(80)));
  }
  Json groups() {
    std::vector<std::vector<std::uint64_t>> all(2 + random_.below(2));
    for (std::uint64_t each = 0; each < scenario_.nodes(); ++each) {
      const std::size_t place = random_.below(all.size() + 1);
      if (place < all.size()) all[place].push_back(each);
    }
    std::erase_if(all, [](const auto& group) { return group.empty(); });
    return all;
  }
  std::vector<std::uint64_t> some(std::size_t least) {
    std::vector<std::uint64_t> order(scenario_.nodes());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_.below(i)]);
    order.resize(std::min(order.size(), least + random_.below(order.size())));
    return order;
  }
  std::vector<std::uint64_t> peers(std::uint64_t other) {
    std::vector<std::uint64_t> result = some(1);
    std::erase(result, other);
    if (result.empty()) result.push_back((other + 1) % scenario_.nodes());
    return result;
  }
  Json time(std::uint64_t most_ms) { return fmt::format("{}ms", 1 + random_.below(most_ms)); }
  double share() { return static_cast<double>(1 + random_.below(19)) / 20; }
  std::uint64_t node() { return random_.below(scenario_.nodes()); }
  std::uint64_t round() { return system_.first_round + random_.below(6); }
  bool chance(double probability) { return random_.chance(probability); }

  const run::Scenario& scenario_;
  const SystemDescription& system_;
  Random& random_;
};

std::string document_of(const run::Scenario& scenario, const faults::Schedule& schedule) {
  return faults::to_json(schedule, scenario.system_description(), scenario.nodes());
}

faults::Schedule read(const run::Scenario& scenario, const std::string& document) {
  return faults::parse_schedule(document, "document", scenario.system_description(),
                                scenario.nodes());
}

/// Up to five faults of any kind that the scenario admits, written by hand, with or without a
/// scheduler.
faults::Schedule written(const run::Scenario& scenario, Random& random) {
  run::Scenario copy = scenario;
  copy.space = {};
  copy.space.type = static_cast<run::ScheduleSpace::Type>(random.below(3));
  for (MessageKind kind = 0; kind < scenario.genes().kinds; ++kind)
    copy.space.kinds.push_back(kind);
  faults::Schedule schedule = run::random_schedule(copy, random);
  Writer writer(scenario, random);
  for (std::uint64_t left = 1 + random.below(5); left > 0;) {
    const Json document{{"format", faults::kScheduleFormat},
                        {"system", scenario.system_description().name},
                        {"nodes", scenario.nodes()},
                        {"faults", Json::array({writer.fault()})}};
    try {
      schedule.faults.push_back(read(scenario, document.dump()).faults.at(0));
      --left;
    } catch (const InputError&) {
      // another one
    }
  }
  return schedule;
}

/// What a search makes of its own draws: plans, then neighbours of them.
faults::Schedule searched(const run::Scenario& scenario, Random& random) {
  const SearchSpace space = search::make_space(scenario);
  Genotype genotype = search::random_genotype(space, random);
  if (!space.fault_strategy) return search::to_schedule(genotype, scenario);
  if (random.chance(0.6)) {
    genotype.faults = space.fault_strategy->draw_plan(space.faults_max, random);
  }
  for (std::uint64_t steps = random.below(6); steps > 0 && !genotype.faults.empty(); --steps) {
    auto& fault = genotype.faults[random.below(genotype.faults.size())];
    fault = space.fault_strategy->vary(fault, random);
  }
  return search::to_schedule(genotype, scenario);
}

faults::Schedule drawn(const Source& source, const run::Scenario& scenario, Random& random) {
  const std::uint64_t way = random.below(8);
  if (way == 0 && !source.schedule.empty()) {
    return run::load_schedule(full(source.schedule), scenario);
  }
  const bool has_space =
      scenario.space.type != run::ScheduleSpace::Type::none || !scenario.space.faults.empty();
  if (!has_space || way >= 4) return written(scenario, random);
  return way >= 2 ? searched(scenario, random) : run::random_schedule(scenario, random);
}

struct Made {
  std::string hash;
  std::uint64_t words;
  std::size_t notes;  ///< of the verdict: faults that did nothing are among them
};

Made make(run::Runner& runner, const run::Scenario& scenario, const faults::Schedule& schedule,
          std::uint64_t seed) {
  std::string sentences;
  for (const std::string& line :
       faults::in_words(schedule, scenario.system_description(), scenario.nodes())) {
    sentences += line + "\n";
  }
  const run::RunResult result = runner.run(scenario, schedule, seed);
  return {trace::to_hex(result.hash), derive_seed(0, sentences, 0), result.verdict.notes.size()};
}

Json line_of(const Source& source, const std::string& document, std::uint64_t seed,
             const Made& made) {
  return {
      {"scenario", source.path}, {"set", source.changes}, {"schedule", document}, {"seed", seed},
      {"hash", made.hash},       {"words", made.words},   {"notes", made.notes}};
}

int draw(std::size_t count) {
  const std::vector<Source> all = sources();
  std::vector<run::Scenario> scenarios;
  for (const Source& source : all) scenarios.push_back(load(source));
  for_each_in_order(
      count, 2, [] { return std::make_unique<run::Runner>(); },
      [&](run::Runner& runner, std::size_t index) {
        Random random(20261119, "same-runs", index);
        std::size_t which = random.below(all.size());
        // Runs of systems in worker processes cost a process each.
        if (scenarios[which].system->traits().may_end_the_process && index % 4 != 0) {
          which = random.below(all.size());
        }
        const faults::Schedule schedule = drawn(all[which], scenarios[which], random);
        const std::uint64_t seed = random.next() >> 11;
        return line_of(all[which], document_of(scenarios[which], schedule), seed,
                       make(runner, scenarios[which], schedule, seed));
      },
      [](std::size_t, const Json& line) {
        fmt::print("{}\n", line.dump());
        return true;
      });
  return 0;
}

int compare(const std::string& path) {
  std::vector<Json> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(Json::parse(line));
  std::map<std::string, run::Scenario> scenarios;
  for (const Json& line : lines) {
    Source source{line["scenario"], line["set"]};
    const std::string key = source.path + line["set"].dump();
    if (!scenarios.contains(key)) scenarios.emplace(key, load(source));
  }
  std::size_t different = 0;
  for_each_in_order(
      lines.size(), 2, [] { return std::make_unique<run::Runner>(); },
      [&](run::Runner& runner, std::size_t index) {
        const Json& line = lines[index];
        const run::Scenario& scenario =
            scenarios.at(line["scenario"].get<std::string>() + line["set"].dump());
        const std::string document = line["schedule"];
        const faults::Schedule schedule = read(scenario, document);
        const Made made = make(runner, scenario, schedule, line["seed"]);
        std::string what;
        if (document_of(scenario, schedule) != document) what += " document";
        if (made.hash != line["hash"]) what += " hash";
        if (made.words != line["words"]) what += " words";
        if (made.notes != line["notes"]) what += " notes";
        return what;
      },
      [&](std::size_t index, const std::string& what) {
        if (!what.empty()) {
          ++different;
          fmt::print("triple {} ({}): another{}\n", index,
                     lines[index]["scenario"].get<std::string>(), what);
        }
        return true;
      });
  fmt::print("{} of {} triples are the same\n", lines.size() - different, lines.size());
  return different == 0 && !lines.empty() ? 0 : 1;
}

}  // namespace
}  // namespace dissensus

int main(int argc, char** argv) {
  const std::string_view what = argc == 3 ? argv[1] : "";
  if (what == "--draw") return dissensus::draw(static_cast<std::size_t>(std::atoi(argv[2])));
  if (what == "--compare") return dissensus::compare(argv[2]);
  fmt::print(stderr, "usage: same_runs --draw COUNT | --compare FILE\n");
  return 2;
}
