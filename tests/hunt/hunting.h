// Small hunts for tests.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hunt/hunt.h"
#include "hunt/items.h"
#include "hunt/sample_search.h"
#include "hunt/store.h"
#include "postgres/private_postgres.h"
#include "run/scenario.h"
#include "systems/simulated/simulated.h"

namespace dissensus::hunt {

/// The thesis's tutorial bug; a run takes some microseconds.
inline const std::string kOvertaken =
    DISSENSUS_SOURCE_DIR "/scenarios/majority/overtaken-commit.toml";

/// The same without the bug.
inline run::Scenario fixed_scenario() {
  std::string text = run::load_scenario(kOvertaken, simulated_systems()).text;
  text.replace(text.find("values = [1, 1, 0]"), 18, "values = [1, 1, 0]\nfixed = true");
  return run::parse_scenario(text, "fixed", simulated_systems());
}

/// Minus the length of the run.
class LongRun final : public Fitness {
 public:
  double score(const RunSummary& run, const faults::Schedule&) const override {
    return -static_cast<double>(run.duration.count());
  }
};

/// Every candidate depends on everything that was told before; remembers all that happened.
class Learner final : public Search {
 public:
  Learner(const run::Scenario& scenario, std::uint64_t seed)
      : samples_(make_sample_search(scenario, seed)), random_(seed, "learner") {}

  std::optional<Candidate> ask() override {
    Candidate candidate = *samples_->ask();
    if (!best_.genes.empty() && random_.chance(0.8)) {
      const std::size_t gene = random_.below(best_.genes.size());
      const double value = candidate.genotype.genes[gene];
      candidate.genotype = best_;
      candidate.genotype.genes[gene] = value;
      candidate.origin = "changed";
    }
    log.push_back(
        fmt::format("ask {} {}", candidate.origin, fmt::join(candidate.genotype.genes, " ")));
    return candidate;
  }
  void tell(const Candidate& candidate, const Evaluation& evaluation) override {
    const double score = evaluation.objectives.at(0);
    log.push_back(fmt::format("tell {} {} {} {}", score, evaluation.signature,
                              evaluation.new_states, evaluation.disagreement_margin));
    if (!best_.genes.empty() && score > best_score_) return;
    best_ = candidate.genotype;
    best_score_ = score;
  }

  std::vector<std::string> log;

 private:
  std::unique_ptr<Search> samples_;
  Random random_;
  Genotype best_;
  double best_score_ = 0;
};

inline HuntParts sampling_parts(const run::Scenario& scenario, std::uint64_t seed) {
  HuntParts parts;
  parts.search = make_sample_search(scenario, seed);
  return parts;
}

inline HuntParts learning_parts(const run::Scenario& scenario, std::uint64_t seed) {
  HuntParts parts;
  parts.search = std::make_unique<Learner>(scenario, seed);
  parts.objectives.push_back(std::make_shared<LongRun>());
  parts.objective_names.push_back("long");
  return parts;
}

inline HuntOptions run_budget(std::uint64_t seed, std::size_t runs, std::size_t jobs = 1) {
  HuntOptions options;
  options.seed = seed;
  options.budget.runs = runs;
  options.jobs = jobs;
  return options;
}

/// Stops after so many results.
class StopAfter final : public HuntObserver {
 public:
  explicit StopAfter(std::uint64_t runs) : runs_(runs) {}
  bool keep_going(const HuntProgress& progress) override { return progress.runs < runs_; }

 private:
  std::uint64_t runs_;
};

/// A folder of its own, gone at the end of the test.
class StoreTest : public testing::Test {
 protected:
  StoreTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "dissensus-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
    folder_ = pattern;
  }
  ~StoreTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

/// On both engines: locations of new stores.
class EngineTest : public StoreTest, public testing::WithParamInterface<sql::Engine> {
 protected:
  void SetUp() override {
    if (GetParam() == sql::Engine::postgresql && !test::PrivatePostgres::is_installed()) {
      GTEST_SKIP() << "PostgreSQL is not installed: scripts/setup test";
    }
  }
  /// The same for the same name.
  std::string location(const std::string& name) {
    if (GetParam() == sql::Engine::sqlite) return file(name);
    std::string& url = databases_[name];
    if (url.empty()) url = test::PrivatePostgres::instance().create_database();
    return url;
  }

 private:
  std::map<std::string, std::string> databases_;
};
inline const auto kEngines = testing::Values(sql::Engine::sqlite, sql::Engine::postgresql);
inline std::string engine_name(const testing::TestParamInfo<sql::Engine>& engine) {
  return engine.param == sql::Engine::sqlite ? "SQLite" : "PostgreSQL";
}

}  // namespace dissensus::hunt
