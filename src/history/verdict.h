// What a checker says about a history.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dissensus::history {

enum class Outcome : std::uint8_t { pass, fail, unknown };
std::string_view to_string(Outcome outcome);

/// An operation (index into operations_of) and its part in a finding.
struct Part {
  std::uint32_t operation = 0;
  std::string text = {};     ///< what it says on the picture, beside the operation itself
  bool is_conflict = false;  ///< one of those that cannot all be true
  std::uint32_t order = 0;   ///< its place in the order that was found, from 1; 0: none
};

/// "this happened before that, because..."
struct Link {
  std::uint32_t from = 0;  ///< operations, as in Part
  std::uint32_t to = 0;
  std::string label;  ///< short: ww, wr, rw, process, real-time
  std::string text;   ///< why, in a sentence
};

struct Finding {
  std::string name;  ///< of the anomaly: "not linearizable", "G-single", "lost"
  std::string text;  ///< in a sentence or two
  std::vector<Part> parts = {};
  std::vector<Link> links = {};
  std::uint64_t count = 1;  ///< how many of this name there are
};

struct Verdict {
  std::string model;
  Outcome outcome = Outcome::unknown;
  std::string reason;  ///< why the outcome is unknown, or what was not looked at
  std::vector<Finding> findings;
  /// Name and value, in the order in which people want to read them.
  std::vector<std::pair<std::string, std::string>> figures;

  void fail_with(Finding finding) {
    findings.push_back(std::move(finding));
    outcome = Outcome::fail;
  }
};

/// What a checker may use. A limit that is hit gives `unknown`.
struct CheckLimits {
  std::uint64_t steps = 4'000'000'000;
  std::size_t memory_bytes = std::size_t{4} << 30;
};

/// Counts what was used of the limits, across the parts of one check.
class Work {
 public:
  explicit Work(const CheckLimits& limits) : limits_(limits) {}
  /// False once the limit is reached.
  bool spend(std::uint64_t steps) {
    steps_ += steps;
    return steps_ <= limits_.steps;
  }
  bool is_exhausted() const { return steps_ > limits_.steps; }
  std::uint64_t steps() const { return steps_; }
  const CheckLimits& limits() const { return limits_; }

 private:
  CheckLimits limits_;
  std::uint64_t steps_ = 0;
};

}  // namespace dissensus::history
