#include <algorithm>

#include <fmt/format.h>

#include "history/describe.h"
#include "history/findings.h"
#include "history/index.h"
#include "history/linear_objects.h"
#include "history/value_table.h"
#include "history/workloads.h"

namespace dissensus::history {

namespace {

struct Element {
  std::uint32_t added = kNone;         ///< operation; kNone: nobody added it
  std::uint32_t known = kNone;         ///< event from which on it must not be missing
  std::uint32_t last_present = kNone;  ///< read, by index into reads
  std::uint32_t last_absent = kNone;   ///< read that was invoked after it was known
};

class SetChecker {
 public:
  SetChecker(const History& history, const std::vector<Operation>& operations)
      : history_(history), operations_(operations) {}

  Verdict run() {
    for (std::uint32_t i = 0; i < operations_.size(); ++i) add_operation(i);
    for (std::uint32_t read = 0; read < reads_.size(); ++read) look_at(read);
    find_absent();
    return judge();
  }

 private:
  void add_operation(std::uint32_t index) {
    const Asked asked{history_, operations_[index]};
    const std::string_view function = asked.invoked().function;
    if (function == "add" || function == "broadcast") {
      const std::uint32_t number = values_.id(asked.invoked().value);
      if (number == elements_.size()) elements_.emplace_back();
      Element& element = elements_[number];
      if (element.added != kNone) {
        asked.fail(
            fmt::format("{} is added a second time, expected that every element is added once",
                        to_string(asked.invoked().value, 40)));
      }
      element.added = index;
      if (asked.is_ok()) element.known = operations_[index].completed;
    } else if (function == "read") {
      if (!asked.is_ok()) return;
      const Value& answer = asked.answered().value;
      if (!answer.is_list() && answer.type() != Value::Type::set) {
        asked.fail(fmt::format("read: expected a list or a set as its answer, found {}",
                               to_string(answer, 40)));
      }
      reads_.push_back(index);
    } else if (function != "topology") {
      asked.fail(fmt::format("f: expected add, broadcast or read, found '{}'", function));
    }
  }

  void look_at(std::uint32_t read) {
    const Operation& operation = operations_[reads_[read]];
    const std::uint32_t seen_at = operation.completed;
    for (const Value& item : history_.events()[seen_at].value.items()) {
      const std::uint32_t number = values_.find(item);
      if (number == ValueTable::kNone) {
        findings_.add("unexpected",
                      fmt::format("{} was read, and nobody added it", to_string(item, 40)),
                      {reads_[read]});
        continue;
      }
      Element& element = elements_[number];
      const Operation& added = operations_[element.added];
      if (added.invoked > seen_at) {
        findings_.add("unexpected",
                      fmt::format("{} was read before it was added", to_string(item, 40)),
                      {reads_[read], element.added});
      } else if (added.outcome == EventKind::fail) {
        findings_.add("failed but present",
                      fmt::format("{} was read, and adding it had failed", to_string(item, 40)),
                      {element.added, reads_[read]});
      }
      if (element.last_present == read) {
        findings_.add("duplicated", fmt::format("{} is twice in one read", to_string(item, 40)),
                      {reads_[read]});
      }
      element.last_present = read;
      element.known = std::min(element.known, seen_at);
    }
  }

  /// The last read that misses each element. From the last read backwards, elements that were in
  /// all reads so far remain; those cost as much as the reads are long.
  void find_absent() {
    std::vector<std::uint32_t> open(elements_.size());
    for (std::uint32_t i = 0; i < open.size(); ++i) open[i] = i;
    std::vector<std::uint32_t> stamp(elements_.size(), kNone);
    for (std::size_t i = reads_.size(); i-- > 0 && !open.empty();) {
      const auto read = static_cast<std::uint32_t>(i);
      const Operation& operation = operations_[reads_[read]];
      for (const Value& item : history_.events()[operation.completed].value.items()) {
        const std::uint32_t number = values_.find(item);
        if (number != ValueTable::kNone) stamp[number] = read;
      }
      std::erase_if(open, [&](std::uint32_t number) {
        Element& element = elements_[number];
        if (element.known >= operation.invoked) return true;  // earlier reads need not show it
        if (stamp[number] == read) return false;
        element.last_absent = read;
        return true;
      });
    }
  }

  Verdict judge() {
    Verdict verdict;
    std::size_t stable = 0;
    std::size_t never_read = 0;
    std::size_t late = 0;
    std::vector<double> latencies_ms;
    for (const Element& element : elements_) {
      const bool is_late = element.last_absent != kNone;
      const bool was_read = element.last_present != kNone;
      if (is_late && (!was_read || element.last_absent > element.last_present)) {
        lose(element);
      } else if (was_read) {
        ++stable;
        late += is_late ? 1 : 0;
        add_latency(element, latencies_ms);
      } else {
        ++never_read;
      }
    }
    verdict.outcome = stable > 0 ? Outcome::pass : Outcome::unknown;
    if (stable == 0) verdict.reason = "no read shows an element: nothing was checked";
    findings_.move_to(verdict);
    verdict.figures = {{"elements", fmt::to_string(elements_.size())},
                       {"reads", fmt::to_string(reads_.size())},
                       {"stable", fmt::to_string(stable)},
                       {"of these late", fmt::to_string(late)},
                       {"added and not in a read since", fmt::to_string(never_read)}};
    add_quantiles(verdict, latencies_ms);
    return verdict;
  }

  void lose(const Element& element) {
    std::vector<std::uint32_t> parts{element.added};
    if (element.last_present != kNone) parts.push_back(reads_[element.last_present]);
    parts.push_back(reads_[element.last_absent]);
    const Value& value = history_.events()[operations_[element.added].invoked].value;
    findings_.add("lost",
                  fmt::format("{} was added and is missing in {}, and in every read after it",
                              to_string(value, 40),
                              describe(history_, operations_[reads_[element.last_absent]])),
                  parts);
  }

  void add_latency(const Element& element, std::vector<double>& latencies_ms) const {
    const auto known = history_.events()[element.known].time;
    if (known == kNoTime) return;
    double latency = 0;
    if (element.last_absent != kNone) {
      const auto absent = history_.events()[operations_[reads_[element.last_absent]].invoked].time;
      if (absent == kNoTime) return;
      latency = std::max(0.0, static_cast<double>((absent - known).count()) / 1e6);
    }
    latencies_ms.push_back(latency);
  }

  static void add_quantiles(Verdict& verdict, std::vector<double>& latencies_ms) {
    if (latencies_ms.empty()) return;
    std::sort(latencies_ms.begin(), latencies_ms.end());
    std::string text;
    for (const double quantile : {0.0, 0.5, 0.95, 0.99, 1.0}) {
      const auto place =
          static_cast<std::size_t>(quantile * static_cast<double>(latencies_ms.size() - 1) + 0.5);
      text += fmt::format("{}{}: {:.3f}", text.empty() ? "" : ", ", quantile, latencies_ms[place]);
    }
    verdict.figures.emplace_back("milliseconds until stable, by quantile", text);
  }

  const History& history_;
  const std::vector<Operation>& operations_;
  ValueTable values_;
  std::vector<Element> elements_;
  std::vector<std::uint32_t> reads_;
  FindingList findings_;
};

}  // namespace

Verdict check_set(const History& history, const std::vector<Operation>& operations) {
  return SetChecker(history, operations).run();
}

}  // namespace dissensus::history
