// Logs of protocols that exist nowhere, with causes that are known because they were put in.
// Nothing that separates causes knows how these are made: they are looked at, like the logs of a
// stranger.
//
// In each, nodes propose, vote for and commit a value per round. Links are slow, lose and repeat
// messages; some nodes pause or give a round up. That happens in all runs and says nothing. A cause
// is a mistake that shows in one or two kinds of marks and then, later, in a symptom.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dissensus/random.h"

#include "isolate/run_source.h"

namespace dissensus::study {

/// What a mistake makes a node do, a few times in a run.
enum class Mark : std::uint8_t {
  votes_twice,       ///< for two values in a round
  votes_late,        ///< for rounds that are long over
  votes_unproposed,  ///< for a value that nobody proposed
  commits_alone,     ///< commits what it did not vote for
  commits_again,     ///< says its commits again and again
  skips_rounds,      ///< leaves out every other round
  proposes_stale,    ///< proposes the value of the round before again
  falls_silent,      ///< votes no more, and goes on committing
};

/// What follows from it, near the end of the run.
enum class Symptom : std::uint8_t {
  alarm,    ///< nodes send alarms
  fork,     ///< two camps commit different values
  stall,    ///< rounds change, and nothing is committed
  restart,  ///< a node begins again from the first round
};

struct GeneratedCause {
  std::string name;
  std::vector<Mark> marks;
  std::vector<Symptom> symptoms;  ///< one of them, by chance
};

struct GeneratedFamily {
  std::string name;
  std::size_t nodes = 4;
  std::size_t rounds = 8;
  double loss = 0.02;
  double giving_up = 0.1;  ///< per round and node, in all runs
  double harmless = 0;     ///< share of successful runs that have a mark of some cause, once
  std::vector<GeneratedCause> causes;
};

const std::vector<GeneratedFamily>& generated_families();

/// Failing runs by cause, as many as asked for, and successful ones, in random order.
class GeneratedLogs final : public isolate::RunSource {
 public:
  GeneratedLogs(const GeneratedFamily& family, std::uint64_t seed,
                const std::vector<std::size_t>& failing, std::size_t successful);
  std::string name() const override { return family_.name; }
  const isolate::Schema& schema() const override { return schema_; }
  bool next(isolate::Run& run) override;

 private:
  const GeneratedFamily& family_;
  isolate::Schema schema_;
  std::uint64_t seed_;
  std::vector<std::size_t> plan_;  ///< by run: its cause, or the number of causes
  std::size_t made_ = 0;
};

}  // namespace dissensus::study
