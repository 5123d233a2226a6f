#include "diff/difference.h"

#include <algorithm>
#include <queue>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "diff/moments.h"
#include "diff/steps.h"
#include "trace/labels.h"

namespace dissensus::diff {

namespace {

using trace::Record;

constexpr std::size_t kChainEnd = 12;  ///< of a long chain, at both ends

class Comparison {
 public:
  Comparison(const trace::Trace& failing, const oracle::Violation& violation,
             const trace::Trace& passing)
      : violation_(violation), a_(failing), b_(passing), prefixes_(align(a_, b_)) {}

  Difference run() {
    for (const Step& step : a_.all) ++(step.equal != kNone ? result_.equal : result_.failing_only);
    for (const Step& step : b_.all) result_.passing_only += step.equal == kNone ? 1 : 0;
    const std::size_t node = first_divergence();
    if (node != kNone) tell_divergence(node);
    if (violation_.property == "termination") {
      result_.waiting = waiting_nodes(a_, b_, prefixes_, violation_);
    } else if (node != kNone) {
      tell_chain(chain_from(node));
    }
    set_window();
    return std::move(result_);
  }

 private:
  std::size_t next_of(const Steps& steps, std::size_t node) const {
    return prefixes_[node] < steps.nodes[node].size() ? steps.nodes[node][prefixes_[node]] : kNone;
  }

  /// A message that was sent before its sender had parted from the other run: then its arrival, and
  /// not its sending, is what differs.
  bool is_told_alike(const Steps& steps, std::size_t step) const {
    if (step == kNone || steps.all[step].send == kNone) return true;
    const std::size_t sender = steps.all[step].sender;
    return sender == kNone || steps.all[sender].place < prefixes_[steps.all[sender].node];
  }

  Time time_of(const Steps& steps, std::size_t step) const {
    return step == kNone ? Time::max() : steps.trace.records[steps.all[step].record].time;
  }

  /// The node where the runs part first: not because others have parted before.
  std::size_t first_divergence() const {
    std::size_t best = kNone;
    Time best_time = Time::max();
    for (const bool roots_only : {true, false}) {
      for (std::size_t node = 0; node < prefixes_.size(); ++node) {
        const std::size_t a = next_of(a_, node);
        const std::size_t b = next_of(b_, node);
        if (a == kNone && b == kNone) continue;
        if (roots_only && !(is_told_alike(a_, a) && is_told_alike(b_, b))) continue;
        const Time time = std::min(time_of(a_, a), time_of(b_, b));
        if (best != kNone && time >= best_time) continue;
        best = node;
        best_time = time;
      }
      if (best != kNone) break;
    }
    return best;
  }

  /// What became in `other` of the message that comes here in `steps`.
  std::string fate(const Steps& steps, std::size_t step, const Steps& other,
                   std::string_view which) const {
    if (step == kNone || steps.all[step].send == kNone) return {};
    const Record& send = steps.trace.records[steps.all[step].send];
    const Record& arrival = steps.trace.records[steps.all[step].record];
    std::size_t before = 0;  // equal ones that were sent earlier
    const auto is_same = [&send](const Record& record) {
      return record.type == EventType::send && record.node == send.node &&
             record.peer == send.peer && record.kind == send.kind && record.content == send.content;
    };
    for (std::size_t i = 0; i < steps.all[step].send; ++i) {
      before += is_same(steps.trace.records[i]) ? 1 : 0;
    }
    EventId sent = 0;
    for (const Record& record : other.trace.records) {
      if (sent == 0) {
        if (is_same(record) && before-- == 0) sent = record.id;
        continue;
      }
      if (record.cause != sent) continue;
      if (record.type == EventType::drop) return fmt::format("{} loses it", which);
      if (record.type != EventType::deliver) continue;
      const Duration later = record.time - arrival.time;
      if (later == Duration{}) return fmt::format("in {} it comes, but not as next", which);
      return fmt::format("in {} it comes at {}, {} {}", which, seconds(record.time - Time{}),
                         seconds(later < Duration{} ? -later : later),
                         later < Duration{} ? "earlier" : "later");
    }
    return sent == 0 ? fmt::format("{} never sends it", which)
                     : fmt::format("in {} it is still under way at the end", which);
  }

  void tell_divergence(std::size_t node) {
    const std::size_t a = next_of(a_, node);
    const std::size_t b = next_of(b_, node);
    Divergence& first = result_.first.emplace();
    first.node = static_cast<NodeId>(node);
    if (a != kNone) first.failing = describe_step(a_, a, kNone);
    if (first.failing && first.failing->send != 0) result_.sends.insert(first.failing->send);
    if (b != kNone) first.passing = describe_step(b_, b, kNone);
    if (a != kNone && b != kNone && a_.all[a].stimulus == b_.all[b].stimulus) {
      first.failing->instead = first.passing->did;  // the same came, and another thing was done
    } else {
      first.fate_of_expected = fate(b_, b, a_, "the failing run");
      first.fate_of_other = fate(a_, a, b_, "the passing run");
    }
    if (a != kNone) first.contents = changed_on_the_way(a_, a_.all[a]);
    if (first.contents.empty() && a != kNone && b != kNone && a_.all[a].send != kNone &&
        b_.all[b].send != kNone) {
      const Record& came = a_.trace.records[a_.all[a].record];
      const Record& expected = b_.trace.records[b_.all[b].record];
      if (came.kind == expected.kind && came.peer == expected.peer) {
        first.contents = differing_fields(a_.trace.header, came.kind, arrived_fields(b_, b_.all[b]),
                                          arrived_fields(a_, a_.all[a]));
      }
    }
    mark_expected(b);
  }

  /// The message that the failing run keeps from arriving is part of the picture.
  void mark_expected(std::size_t b) {
    if (b == kNone || b_.all[b].send == kNone) return;
    const Record& wanted = b_.trace.records[b_.all[b].send];
    EventId last = 0;
    for (const Record& record : a_.trace.records) {
      if (record.type != EventType::send || record.node != wanted.node ||
          record.peer != wanted.peer || record.kind != wanted.kind) {
        continue;
      }
      if (record.content == wanted.content && (last == 0 || record.time <= wanted.time)) {
        last = record.id;
      }
    }
    if (last != 0) result_.sends.insert(last);
  }

  /// The shortest way from where the runs part to the violation, over what the passing run does not
  /// have: messages, and the order of what comes to a node.
  std::vector<std::size_t> chain_from(std::size_t node) const {
    const std::size_t target = a_.of_event(violation_.event);
    const std::size_t root = next_of(a_, node);
    if (target == kNone) return {};
    if (root == kNone || root > target) return direct_causes(target);
    constexpr std::uint64_t kMessage = 1'000'000;
    std::vector<std::uint64_t> distance(target + 1, UINT64_MAX);
    std::vector<std::size_t> from(target + 1, kNone);
    distance[root] = 0;
    // Steps are in the order of the run, and so is every edge.
    for (std::size_t i = root; i <= target; ++i) {
      const Step& step = a_.all[i];
      const auto reach = [&](std::size_t before, std::uint64_t cost) {
        if (before == kNone || before < root || distance[before] == UINT64_MAX) return;
        if (distance[before] + cost < distance[i]) {
          distance[i] = distance[before] + cost;
          from[i] = before;
        }
      };
      if (i == root) continue;
      if (step.sender != kNone && step.equal == kNone) reach(step.sender, kMessage);
      if (step.place > 0) reach(a_.nodes[step.node][step.place - 1], 1);
    }
    if (distance[target] == UINT64_MAX) return direct_causes(target);
    std::vector<std::size_t> chain;
    for (std::size_t i = target; i != kNone; i = from[i]) chain.push_back(i);
    std::reverse(chain.begin(), chain.end());
    return without_waits(chain);
  }

  /// What led to the violation, message by message, back to what both runs have.
  std::vector<std::size_t> direct_causes(std::size_t target) const {
    std::vector<std::size_t> chain;
    for (std::size_t i = target; i != kNone; i = a_.all[i].sender) {
      chain.push_back(i);
      if (a_.all[i].equal != kNone) break;
    }
    std::reverse(chain.begin(), chain.end());
    return chain;
  }

  /// Of steps of one node in a row, only those that begin, end, report something or differ.
  std::vector<std::size_t> without_waits(const std::vector<std::size_t>& chain) const {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const Step& step = a_.all[chain[i]];
      const bool arrives = i == 0 || a_.all[chain[i - 1]].node != step.node;
      const bool leaves = i + 1 == chain.size() || a_.all[chain[i + 1]].node != step.node;
      const bool reports =
          step.equal == kNone &&
          std::any_of(step.effects.begin(), step.effects.end(), [this](std::size_t effect) {
            const EventType type = a_.trace.records[effect].type;
            return type == EventType::decide || type == EventType::propose ||
                   type == EventType::broken;
          });
      if (arrives || leaves || reports) kept.push_back(chain[i]);
    }
    return kept;
  }

  void tell_chain(const std::vector<std::size_t>& chain) {
    for (std::size_t i = 0; i < chain.size(); ++i) {
      if (const Step& step = a_.all[chain[i]]; step.send != kNone) {
        result_.sends.insert(a_.trace.records[step.send].id);
      }
      if (chain.size() > 2 * kChainEnd && i >= kChainEnd && i < chain.size() - kChainEnd) {
        ++result_.left_out;
        result_.left_out_at = kChainEnd;
        continue;
      }
      const std::size_t next = i + 1 < chain.size() ? chain[i + 1] : kNone;
      Moment moment = describe_step(a_, chain[i], next);
      moment.instead = deeds_in_passing(chain[i], next);
      result_.chain.push_back(std::move(moment));
    }
  }

  /// Where the passing run has the same stimulus at that node, but not the same deeds.
  std::vector<std::string> deeds_in_passing(std::size_t step, std::size_t next) const {
    const Step& here = a_.all[step];
    if (here.equal != kNone) return {};
    // The same time that it came: the third timer is compared with the third.
    std::size_t before = 0;
    for (std::size_t place = 0; place < here.place; ++place) {
      before += a_.all[a_.nodes[here.node][place]].stimulus == here.stimulus ? 1 : 0;
    }
    for (const std::size_t other : b_.nodes[here.node]) {
      const Step& there = b_.all[other];
      if (there.stimulus != here.stimulus || before-- > 0) continue;
      std::vector<std::string> deeds = deeds_of(b_, other, kNone);
      if (deeds == deeds_of(a_, step, next)) return {};
      if (deeds.empty()) deeds.push_back("nothing");
      return deeds;
    }
    return {};
  }

  void set_window() {
    result_.from = Time::max();
    result_.until = violation_.time;
    for (const Record& record : a_.trace.records) {
      if (record.type == EventType::send && result_.sends.contains(record.id)) {
        result_.from = std::min(result_.from, record.time);
      }
    }
    if (result_.first && result_.first->failing) {
      result_.from = std::min(result_.from, result_.first->failing->time);
    }
    if (result_.first && result_.first->passing) {
      result_.from = std::min(result_.from, result_.first->passing->time);
    }
    result_.from = std::min(result_.from, result_.until);
  }

  const oracle::Violation& violation_;
  Steps a_;
  Steps b_;
  std::vector<std::size_t> prefixes_;
  Difference result_;
};

std::string joined(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, "; "));
}

nlohmann::ordered_json moment_json(const Moment& moment) {
  return {
      {"node", moment.node},   {"seconds", static_cast<double>(microseconds_of(moment.time)) / 1e6},
      {"event", moment.event}, {"came", moment.came},
      {"did", moment.did},     {"passing_did", moment.instead},
      {"log", moment.log}};
}

}  // namespace

Difference compare(const trace::Trace& failing, const oracle::Violation& violation,
                   const trace::Trace& passing) {
  return Comparison(failing, violation, passing).run();
}

std::vector<std::string> in_words(const Difference& difference,
                                  const oracle::Violation& violation) {
  std::vector<std::string> lines;
  if (!difference.first) {
    lines.push_back("both runs are the same, step by step");
    return lines;
  }
  const auto at = [](const Moment& moment) { return seconds(moment.time - Time{}); };
  const Divergence& first = *difference.first;
  lines.push_back(fmt::format("the runs part at n{}:", first.node));
  const auto side = [&](std::string_view name, const std::optional<Moment>& moment,
                        const std::string& fate) {
    if (!moment) {
      lines.push_back(fmt::format("  {}  nothing more comes", name));
      return;
    }
    lines.push_back(fmt::format("  {}  {}  {}{}", name, at(*moment), moment->came,
                                fate.empty() ? "" : " (" + fate + ")"));
    if (!moment->did.empty()) lines.push_back("             " + joined(moment->did));
  };
  side("passing", first.passing, first.fate_of_expected);
  side("failing", first.failing, first.fate_of_other);
  for (const std::string& content : first.contents) lines.push_back("             " + content);
  if (!difference.chain.empty()) lines.push_back("from there to the violation:");
  for (std::size_t i = 0; i < difference.chain.size(); ++i) {
    if (difference.left_out > 0 && i == difference.left_out_at) {
      lines.push_back(fmt::format("  ... {} more ...", difference.left_out));
    }
    const Moment& moment = difference.chain[i];
    lines.push_back(fmt::format("  {:>11}  n{}  {}", at(moment), moment.node, moment.came));
    if (!moment.did.empty()) lines.push_back("               -> " + joined(moment.did));
    if (!moment.instead.empty()) {
      lines.push_back("               in the passing run: " + joined(moment.instead));
    }
    for (const std::string& said : moment.log) lines.push_back("               log: " + said);
  }
  if (!difference.waiting.empty()) lines.push_back("what each node waits for:");
  for (const Waiting& waiting : difference.waiting) {
    lines.push_back(fmt::format("  n{}  {} since {}", waiting.node,
                                waiting.state.empty() ? "nothing reached" : waiting.state,
                                seconds(waiting.since - Time{})));
    lines.push_back("      asked since: " + waiting.asked);
    lines.push_back("      heard since: " + waiting.heard);
    if (!waiting.missing.empty()) {
      lines.push_back("      the passing run had next: " + waiting.missing);
    }
  }
  lines.push_back(fmt::format("{} at {}: {}", violation.property, seconds(violation.time - Time{}),
                              violation.text));
  lines.push_back(fmt::format("left out: {} steps that both runs have", difference.equal));
  return lines;
}

std::string to_json(const Difference& difference, const oracle::Violation& violation) {
  nlohmann::ordered_json json;
  json["format"] = "dissensus-diff/1";
  json["equal_steps"] = difference.equal;
  json["failing_only"] = difference.failing_only;
  json["passing_only"] = difference.passing_only;
  json["first_divergence"] = nullptr;
  if (difference.first) {
    const Divergence& first = *difference.first;
    nlohmann::ordered_json parts{{"node", first.node}, {"failing", nullptr}, {"passing", nullptr}};
    if (first.failing) parts["failing"] = moment_json(*first.failing);
    if (first.passing) parts["passing"] = moment_json(*first.passing);
    parts["fate_in_failing"] = first.fate_of_expected;
    parts["fate_in_passing"] = first.fate_of_other;
    parts["contents"] = first.contents;
    json["first_divergence"] = std::move(parts);
  }
  json["chain"] = nlohmann::ordered_json::array();
  for (const Moment& moment : difference.chain) json["chain"].push_back(moment_json(moment));
  json["chain_left_out"] = difference.left_out;
  json["waiting"] = nlohmann::ordered_json::array();
  for (const Waiting& waiting : difference.waiting) {
    json["waiting"].push_back(
        {{"node", waiting.node},
         {"since_seconds", static_cast<double>(microseconds_of(waiting.since)) / 1e6},
         {"state", waiting.state},
         {"asked", waiting.asked},
         {"heard", waiting.heard},
         {"missing", waiting.missing}});
  }
  json["violation"] = {{"property", violation.property},
                       {"rule", violation.rule},
                       {"event", violation.event},
                       {"text", violation.text}};
  return json.dump(2);
}

}  // namespace dissensus::diff
