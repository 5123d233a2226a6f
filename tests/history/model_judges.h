// Histories of objects, sets, counters and the like, judged by definition: all orders, all sums,
// all pairs. Slow, short, and written without a look at the checkers.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dissensus/history.h"

namespace dissensus::history {

struct Done {
  std::int64_t process = 0;
  std::string function;
  Value asked;
  Value answer;  ///< where it was answered
  EventKind outcome = EventKind::info;
  std::size_t invoked = 0;
  std::size_t completed = 0;  ///< without an answer: after all others
  bool is_final = false;
  bool is_ok() const { return outcome == EventKind::ok; }
};

inline std::vector<Done> all_done(const History& history,
                                  const std::vector<Operation>& operations) {
  std::vector<Done> result;
  for (const Operation& operation : operations) {
    const Event& asked = history.events()[operation.invoked];
    Done& done = result.emplace_back();
    done.process = asked.process;
    done.function = asked.function;
    done.asked = asked.value;
    done.outcome = operation.outcome;
    done.invoked = operation.invoked;
    done.completed = history.events().size();
    if (operation.completed == Operation::kNone) continue;
    done.completed = operation.completed;
    done.answer = history.events()[operation.completed].value;
  }
  return result;
}

/// The states after an operation; none if it could not have this result. The answer is null when
/// nobody was told.
using ObjectStep =
    std::function<std::vector<std::string>(const std::string& state, const std::string& function,
                                           const Value& asked, const Value* answer)>;

class ObjectJudge {
 public:
  ObjectJudge(std::vector<Done> all, ObjectStep step) : step_(std::move(step)) {
    for (Done& done : all) {
      if (done.outcome != EventKind::fail) all_.push_back(std::move(done));
    }
    is_placed_.assign(all_.size(), false);
  }

  /// Is there an order, with unanswered operations in it or not, that keeps real time?
  bool allows(const std::string& state) {
    bool is_complete = true;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      is_complete = is_complete && (is_placed_[i] || !all_[i].is_ok());
    }
    if (is_complete) return true;
    if (dead_ends_.contains({is_placed_, state})) return false;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (is_placed_[i] || must_wait(i)) continue;
      const Value* const answer = all_[i].is_ok() ? &all_[i].answer : nullptr;
      for (const std::string& after : step_(state, all_[i].function, all_[i].asked, answer)) {
        is_placed_[i] = true;
        const bool works = allows(after);
        is_placed_[i] = false;
        if (works) return true;
      }
    }
    dead_ends_.insert({is_placed_, state});
    return false;
  }

 private:
  bool must_wait(std::size_t i) const {
    for (std::size_t j = 0; j < all_.size(); ++j) {
      if (!is_placed_[j] && all_[j].is_ok() && all_[j].completed < all_[i].invoked) return true;
    }
    return false;
  }
  ObjectStep step_;
  std::vector<Done> all_;
  std::vector<bool> is_placed_;
  std::set<std::pair<std::vector<bool>, std::string>> dead_ends_;
};

/// A set that forgets nothing: a read shows what was added and did not fail, each once; what is
/// known to be in it is not missing in a read and in all reads that are invoked later.
inline bool allows_set(const std::vector<Done>& all) {
  const auto count_in = [](const Done& read, const Value& element) {
    return std::ranges::count(read.answer.items(), element);
  };
  std::vector<Done> reads;
  std::ranges::copy_if(all, std::back_inserter(reads),
                       [](const Done& done) { return done.function == "read" && done.is_ok(); });
  for (const Done& read : reads) {
    for (const Value& element : read.answer.items()) {
      const bool is_added = std::ranges::any_of(all, [&](const Done& add) {
        return add.function != "read" && add.asked == element && add.outcome != EventKind::fail &&
               add.invoked < read.completed;
      });
      if (!is_added || count_in(read, element) > 1) return false;
    }
  }
  for (const Done& add : all) {
    if (add.function == "read") continue;
    for (const Done& missing : reads) {
      if (count_in(missing, add.asked) > 0) continue;
      bool is_known = add.is_ok() && add.completed < missing.invoked;
      bool comes_back = false;
      for (const Done& read : reads) {
        if (count_in(read, add.asked) == 0) continue;
        is_known = is_known || read.completed < missing.invoked;
        comes_back = comes_back || read.invoked > missing.invoked;
      }
      if (is_known && !comes_back) return false;
    }
  }
  return true;
}

/// Calls `use` with the sum of each choice of what may be left out.
inline void for_each_sum(const std::vector<std::int64_t>& must,
                         const std::vector<std::int64_t>& may,
                         const std::function<void(std::int64_t)>& use) {
  for (std::size_t choice = 0; choice < (std::size_t{1} << may.size()); ++choice) {
    std::int64_t sum = 0;
    for (const std::int64_t amount : must) sum += amount;
    for (std::size_t i = 0; i < may.size(); ++i) sum += (choice >> i & 1) != 0 ? may[i] : 0;
    use(sum);
  }
}

/// Every read lies between the least and the most that may have been added by then.
inline bool allows_bounds(const std::vector<Done>& all) {
  for (const Done& read : all) {
    if (read.function != "read" || !read.is_ok()) continue;
    std::vector<std::int64_t> must;
    std::vector<std::int64_t> may;
    for (const Done& add : all) {
      if (add.function != "add" || add.outcome == EventKind::fail) continue;
      if (add.invoked > read.completed) continue;
      const bool is_certain = add.is_ok() && add.completed < read.invoked;
      (is_certain ? must : may).push_back(add.asked.integer());
    }
    bool is_above = false;
    bool is_below = false;
    for_each_sum(must, may, [&](std::int64_t sum) {
      is_above = is_above || sum <= read.answer.integer();
      is_below = is_below || sum >= read.answer.integer();
    });
    if (!is_above || !is_below) return false;
  }
  return true;
}

/// The last read of each process, if it was invoked when all additions were over, shows all that
/// was acknowledged and some of what nobody answered.
inline bool allows_sum(const std::vector<Done>& all) {
  std::vector<std::int64_t> must;
  std::vector<std::int64_t> may;
  for (const Done& add : all) {
    if (add.function != "add" || add.outcome == EventKind::fail) continue;
    (add.is_ok() ? must : may).push_back(add.asked.integer());
  }
  for (const Done& read : all) {
    if (read.function != "read" || !read.is_ok()) continue;
    const bool is_last = std::ranges::none_of(all, [&](const Done& other) {
      const bool is_later_read = other.function == "read" && other.is_ok() &&
                                 other.process == read.process && other.invoked > read.invoked;
      const bool is_open = other.function == "add" && other.outcome != EventKind::fail &&
                           other.completed > read.invoked;
      return is_later_read || is_open;
    });
    bool is_possible = false;
    for_each_sum(must, may, [&](std::int64_t sum) {
      is_possible = is_possible || sum == read.answer.integer();
    });
    if (is_last && !is_possible) return false;
  }
  return true;
}

inline bool allows_ids(const std::vector<Done>& all) {
  for (const Done& a : all) {
    for (const Done& b : all) {
      if (&a != &b && a.is_ok() && b.is_ok() && a.answer == b.answer) return false;
    }
  }
  return true;
}

inline bool allows_echoes(const std::vector<Done>& all) {
  return std::ranges::all_of(
      all, [](const Done& done) { return !done.is_ok() || done.answer == done.asked; });
}

/// One log: [send k [offset value]] and [poll {k [[offset value] ...]}].
inline bool allows_log(const std::vector<Done>& all) {
  struct Told {
    std::int64_t process;
    std::int64_t offset;
    Value value;
    bool is_poll;
  };
  std::vector<Told> told;  // in the order of operations, which is that of each process
  for (const Done& done : all) {
    if (!done.is_ok()) continue;
    const auto parts = done.answer.items()[0].items();
    if (done.function == "send") {
      told.push_back({done.process, parts[2].items()[0].integer(), parts[2].items()[1], false});
      continue;
    }
    for (const Value& pair : parts[1].items()[1].items()) {
      told.push_back({done.process, pair.items()[0].integer(), pair.items()[1], true});
    }
  }
  for (const Told& poll : told) {
    if (!poll.is_poll) continue;
    const bool is_sent = std::ranges::any_of(all, [&](const Done& done) {
      return done.function == "send" && done.outcome != EventKind::fail &&
             done.asked.items()[0].items()[2] == poll.value;
    });
    if (!is_sent) return false;
    for (const Told& send : told) {
      const bool is_polled = std::ranges::any_of(
          told, [&](const Told& other) { return other.is_poll && other.value == send.value; });
      if (!send.is_poll && !is_polled && send.offset < poll.offset) return false;
    }
  }
  for (std::size_t i = 0; i < told.size(); ++i) {
    for (std::size_t j = i + 1; j < told.size(); ++j) {
      if ((told[i].offset == told[j].offset) != (told[i].value == told[j].value)) return false;
      const bool is_same = told[i].process == told[j].process && told[i].is_poll == told[j].is_poll;
      if (is_same && told[i].offset >= told[j].offset) return false;
    }
    if (!told[i].is_poll) continue;
    const auto next = std::find_if(
        told.begin() + static_cast<std::ptrdiff_t>(i) + 1, told.end(),
        [&](const Told& other) { return other.is_poll && other.process == told[i].process; });
    if (next == told.end()) continue;
    for (const Told& between : told) {
      if (between.offset > told[i].offset && between.offset < next->offset) return false;
    }
  }
  return true;
}

}  // namespace dissensus::history
