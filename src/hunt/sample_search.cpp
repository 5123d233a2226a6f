#include "hunt/sample_search.h"

#include "run/schedule_space.h"
#include "search/genotype.h"

namespace dissensus::hunt {

namespace {

class SampleSearch final : public Search {
 public:
  SampleSearch(const run::Scenario& scenario, std::uint64_t seed)
      : scenario_(scenario), seed_(seed) {}

  std::optional<Candidate> ask() override {
    Random random(seed_, "schedule", next_++);
    Candidate candidate;
    candidate.genotype = search::to_genotype(run::random_schedule(scenario_, random), scenario_);
    candidate.origin = "random";
    return candidate;
  }
  void tell(const Candidate&, const Evaluation&) override {}

 private:
  const run::Scenario& scenario_;
  std::uint64_t seed_;
  std::uint64_t next_ = 0;
};

class SchedulerSearch final : public Search {
 public:
  SchedulerSearch(const SchedulerEntry& entry, Options options, std::uint64_t seed)
      : entry_(entry), options_(std::move(options)), seed_(seed) {}

  std::optional<Candidate> ask() override {
    Candidate candidate;
    candidate.scheduler = entry_.make(derive_seed(seed_, "scheduler", next_++), options_);
    candidate.origin = entry_.name;
    return candidate;
  }
  void tell(const Candidate&, const Evaluation&) override {}

 private:
  SchedulerEntry entry_;
  Options options_;
  std::uint64_t seed_;
  std::uint64_t next_ = 0;
};

}  // namespace

std::unique_ptr<Search> make_sample_search(const run::Scenario& scenario, std::uint64_t seed) {
  return std::make_unique<SampleSearch>(scenario, seed);
}

std::unique_ptr<Search> make_scheduler_search(const SchedulerEntry& entry, const Options& options,
                                              std::uint64_t seed) {
  return std::make_unique<SchedulerSearch>(entry, options, seed);
}

}  // namespace dissensus::hunt
