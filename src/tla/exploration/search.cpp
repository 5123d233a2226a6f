#include "tla/exploration/search.h"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <sys/resource.h>

#include "core/assert.h"
#include "tla/linking/program.h"

namespace dissensus::tla {

namespace {

constexpr std::size_t kUnitStates = 192;
constexpr std::uint64_t kBlocksAhead = 64;  // per worker
constexpr std::uint64_t kStatesMax = kNoParent - 1;

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::uint64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

/// Print and its like come from several threads.
std::function<void(std::string_view)> one_at_a_time(std::function<void(std::string_view)> print) {
  if (!print) return print;
  return [print = std::move(print), mutex = std::make_shared<std::mutex>()](std::string_view text) {
    const std::lock_guard lock(*mutex);
    print(text);
  };
}

}  // namespace

Search::Search(std::shared_ptr<const Spec> spec, const CheckOptions& options)
    : spec_(std::move(spec)),
      options_(options),
      worker_options_(options),
      checks_deadlock_(options.deadlock.value_or(spec_->config().check_deadlock.value_or(true))),
      checks_liveness_(options.checks_liveness && options.goal.empty() && spec_->has_behaviour() &&
                       !spec_->program().temporal_properties.empty()),
      start_(Clock::now()),
      cpu_start_(cpu_seconds()),
      last_progress_(start_) {
  worker_options_.print = one_at_a_time(options.print);
  if (options.depth_first) worker_options_.workers = 1;
  worker_options_.workers = std::max<std::size_t>(1, worker_options_.workers);
  if (options.limits.seconds > 0) {
    worker_options_.machine.is_over = [this] { return is_searching_ && is_time_over(); };
  }
  // A cycle among classes of symmetric states need not be one among states.
  if (checks_liveness_ && !spec_->program().symmetries.empty()) {
    worker_options_.machine.uses_symmetry = false;
    result_.left_out_symmetry = true;
  }
  statistics_.clock = this;
  statistics_.seconds = [](const void* search) {
    return static_cast<const Search*>(search)->seconds();
  };
  MachineSettings settings;
  settings.statistics = &statistics_;
  settings.workers = worker_options_.workers;
  settings.checks_deadlock = checks_deadlock_;
  settings.seed = options.seed;
  settings.records_steps = checks_liveness_;
  readers_.resize(settings.workers);
  store_bytes_.resize(settings.workers);
  for (std::size_t i = 0; i < settings.workers; ++i) {
    settings.worker = i;
    workers_.push_back(std::make_unique<SearchWorker>(spec_, worker_options_, settings));
  }
}

double Search::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

bool Search::is_time_over() const {
  return options_.limits.seconds > 0 && seconds() >= options_.limits.seconds;
}

CheckResult Search::run() {
  result_.steps_by_action.resize(spec_->actions().size());
  if (check_assumptions() && spec_->has_behaviour()) {
    find_initial_states();
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < workers_.size(); ++i) {
      threads.emplace_back([this, i] { run_worker(i); });
    }
    run_worker(0);
    threads.clear();
    if (failure_) std::rethrow_exception(failure_);
  }
  finish();
  return std::move(result_);
}

bool Search::check_assumptions() {
  try {
    const std::optional<Location> failed = workers_[0]->machine().check_assumptions();
    if (!failed) {
      // What cannot be checked is said before the search.
      if (checks_liveness_) workers_[0]->machine().temporal();
      return true;
    }
    SearchEvent event;
    event.outcome = CheckOutcome::assumption;
    event.message =
        fmt::format("{}: the assumption {} is false", failed->to_string(), failed->excerpt());
    event.at = *failed;
    end_ = std::move(event);
  } catch (const EvaluationError& error) {
    SearchEvent event;
    event.outcome = CheckOutcome::error;
    event.message = error.what();
    event.at = error.at();
    event.calls = error.calls;
    end_ = std::move(event);
  } catch (const EvaluationStopped&) {
    check_limits();
    return false;
  }
  end_->origin = {kNoParent, 0};
  return false;
}

void Search::find_initial_states() {
  workers_[0]->initial([this](UnitResult found) {
    result_.initial += found.generated;
    std::vector<StateBlock> blocks;
    is_over_ = !commit(found, blocks);
    enqueue(std::move(blocks));
    check_limits();
    return !is_over_;
  });
  check_limits();
  known_ = states_.view();
}

void Search::run_worker(std::size_t worker) {
  std::unique_lock lock(mutex_);
  try {
    for (;;) {
      Queue::iterator first;
      changed_.wait(lock, [&] {
        first = next_block(worker);
        return is_finished() || first != queue_.end();
      });
      if (is_finished()) return;
      SearchUnit unit = options_.depth_first ? take_state() : take_unit(first);
      const std::size_t owner = unit.blocks.front().owner;
      const bool is_foreign = owner != worker && unit.blocks.front().is_raw();
      if (is_foreign) ++readers_[owner];
      std::shared_ptr<const FingerprintSet::Slots> known = known_;
      lock.unlock();
      UnitResult result = workers_[worker]->expand(unit, *known);
      known.reset();
      unit.blocks.clear();
      lock.lock();
      if (is_foreign) {
        --readers_[owner];
        changed_.notify_all();
      }
      hand_in(std::move(result), lock);
      free_memory(worker, lock);
      check_limits();
    }
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    if (!failure_) failure_ = std::current_exception();
    is_over_ = true;
    statistics_.stop = true;
    changed_.notify_all();
  }
}

bool Search::is_finished() const {
  return is_over_ || (queue_.empty() && expanding_ == 0);
}

Search::Queue::iterator Search::next_block(std::size_t worker) {
  if (options_.depth_first) return queue_.empty() ? queue_.end() : std::prev(queue_.end());
  auto front = queue_.end();
  const std::uint64_t end = next_commit_ + kBlocksAhead * workers_.size();
  for (auto block = queue_.begin(); block != queue_.end() && block->first < end; ++block) {
    if (block->second.is_busy) continue;
    if (!block->second.is_raw() || block->second.owner == worker) return block;
    if (front == queue_.end()) front = block;
  }
  return front;
}

SearchUnit Search::take_state() {
  StateBlock& last = std::prev(queue_.end())->second;
  SearchUnit unit;
  unit.number = next_commit_;  // one at a time
  unit.blocks.push_back(last.row(last.next_row++));
  --queued_states_;
  ++expanding_;
  if (last.next_row == last.size()) {
    queued_bytes_ -= last.bytes();
    queue_.erase(std::prev(queue_.end()));
  }
  return unit;
}

SearchUnit Search::take_unit(Queue::iterator first) {
  const std::size_t wanted =
      std::clamp<std::size_t>(queued_states_ / (2 * workers_.size()), 1, kUnitStates);
  SearchUnit unit;
  unit.number = first->first;
  ++expanding_;
  const bool is_raw = first->second.is_raw();
  const std::size_t owner = first->second.owner;
  std::size_t taken = 0;
  while (taken < wanted && first != queue_.end()) {
    StateBlock& block = first->second;
    if (first->first != unit.number + unit.blocks.size() || block.is_busy ||
        block.is_raw() != is_raw || block.owner != owner) {
      break;
    }
    queued_states_ -= block.size();
    queued_bytes_ -= block.bytes();
    if (block.is_in_file()) spill_.read(block);
    taken += block.size();
    unit.blocks.push_back(std::move(block));
    first = queue_.erase(first);
  }
  return unit;
}

void Search::hand_in(UnitResult result, std::unique_lock<std::mutex>& lock) {
  ready_.emplace(result.number, std::move(result));
  if (is_committing_) return;
  is_committing_ = true;
  while (!is_over_ && ready_.contains(next_commit_)) {
    UnitResult next = std::move(ready_.extract(next_commit_).mapped());
    lock.unlock();
    std::vector<StateBlock> found;
    const bool goes_on = commit(next, found);
    lock.lock();
    enqueue(std::move(found));
    next_commit_ = next.number_end;
    --expanding_;
    known_ = states_.view();
    states_bytes_ = states_.bytes() + origins_.size() * sizeof(Origin) + record_.bytes();
    if (!goes_on) {
      is_over_ = true;
      statistics_.stop = true;
    }
    changed_.notify_all();
  }
  is_committing_ = false;
  changed_.notify_all();
}

bool Search::commit(UnitResult& result, std::vector<StateBlock>& found) {
  constexpr std::size_t kAhead = 8;
  const std::vector<Candidate>& candidates = result.candidates;
  const std::uint64_t states_max =
      options_.limits.states == 0 ? kStatesMax : std::min(options_.limits.states, kStatesMax);
  std::size_t next = 0;
  bool goes_on = true;
  for (StateBlock& block : result.blocks) {
    marks_.assign(block.size(), false);
    block.first_index = states_.size();
    for (std::size_t row = 0; row < block.size() && goes_on; ++row, ++next) {
      if (next + kAhead < candidates.size())
        states_.prefetch(candidates[next + kAhead].fingerprint);
      const Candidate& candidate = candidates[next];
      if (states_.size() >= states_max && !states_.view()->contains(candidate.fingerprint)) {
        state_limit_ = fmt::format("{} states were found", states_.size());
        result.generated = candidate.generated;
        goes_on = false;
        break;
      }
      if (!states_.insert(candidate.fingerprint)) continue;
      origins_.push_back(candidate.origin);
      if (checks_liveness_) {
        record_.add_state(candidate.fingerprint, candidate.origin.parent == kNoParent);
      }
      marks_[row] = true;
      measure(result, next);
      if (candidate.event >= 0) {
        end_with(std::move(result.events[static_cast<std::size_t>(candidate.event)]));
        goes_on = false;
      }
    }
    block.keep(marks_);
    if (block.size() > 0) {
      statistics_.depth = std::max<std::uint32_t>(statistics_.depth, block.level);
      found.push_back(std::move(block));
    }
    if (!goes_on) break;
  }
  if (goes_on && checks_liveness_) record_.add_steps(result.steps);
  if (goes_on && result.end) {
    end_with(std::move(*result.end));
    goes_on = false;
  }
  statistics_.generated += end_ ? end_->generated : result.generated;
  statistics_.distinct = states_.size();
  for (std::size_t i = 0; i < result.steps_by_action.size(); ++i) {
    result_.steps_by_action[i] += result.steps_by_action[i];
  }
  return goes_on;
}

void Search::end_with(SearchEvent event) {
  end_ = std::move(event);
}

void Search::measure(const UnitResult& result, std::size_t candidate) {
  if (result.measures.empty()) return;
  const std::int64_t value = result.measures[candidate];
  if (result_.maximum && *result_.maximum >= value) return;
  result_.maximum = value;
  maximum_at_ = result.candidates[candidate].origin;
}

void Search::enqueue(std::vector<StateBlock> found) {
  // The last one is taken first.
  if (options_.depth_first) std::reverse(found.begin(), found.end());
  for (StateBlock& block : found) {
    if (options_.limits.depth != 0 && block.level >= options_.limits.depth) {
      too_deep_ += block.size();
      continue;
    }
    queued_states_ += block.size();
    if (!options_.depth_first && queued_bytes_ > options_.queue_bytes) make_room(block);
    queued_bytes_ += block.bytes();
    queue_.emplace(next_number_++, std::move(block));
  }
  statistics_.queued = queued_states_;
}

void Search::make_room(StateBlock& block) {
  // Raw blocks of other workers are encoded when those free their memory.
  if (block.is_raw() && workers_.size() > 1) return;
  if (block.is_raw()) workers_[0]->codec().encode(block);
  spill_.write(block);
}

void Search::free_memory(std::size_t index, std::unique_lock<std::mutex>& lock) {
  SearchWorker& worker = *workers_[index];
  if (worker.is_full() && !is_over_) {
    changed_.wait(lock, [&] { return !is_committing_ && readers_[index] == 0; });
    std::vector<StateBlock*> own;
    for (auto& [number, result] : ready_) {
      for (StateBlock& block : result.blocks) {
        if (block.owner == index) worker.codec().encode(block);
      }
    }
    for (auto& [number, block] : queue_) {
      if (!block.is_raw() || block.owner != index) continue;
      block.is_busy = true;
      queued_bytes_ -= block.bytes();
      own.push_back(&block);
    }
    lock.unlock();
    for (StateBlock* block : own) worker.codec().encode(*block);
    worker.collect();
    lock.lock();
    for (StateBlock* block : own) {
      block->is_busy = false;
      if (queued_bytes_ > options_.queue_bytes && !options_.depth_first) spill_.write(*block);
      queued_bytes_ += block->bytes();
    }
    changed_.notify_all();
  }
  store_bytes_[index] = worker.machine().store().bytes();
}

void Search::check_limits() {
  if (is_over_) return;
  const CheckLimits& limits = options_.limits;
  report_progress();
  if (is_time_over()) {
    time_limit_ = fmt::format("{:g} s have passed", limits.seconds);
  } else if (limits.bytes > 0) {
    std::uint64_t bytes = states_bytes_ + queued_bytes_;
    for (const std::size_t used : store_bytes_) bytes += used;
    if (bytes >= limits.bytes) time_limit_ = fmt::format("{} MB are in use", bytes >> 20);
  }
  if (time_limit_.empty()) return;
  is_over_ = true;
  statistics_.stop = true;
  changed_.notify_all();
}

void Search::report_progress() {
  if (!options_.progress) return;
  const Clock::time_point now = Clock::now();
  if (now - last_progress_ < std::chrono::milliseconds(500)) return;
  last_progress_ = now;
  options_.progress(
      {statistics_.generated, statistics_.distinct, queued_states_, statistics_.depth, seconds()});
}

void Search::finish() {
  is_searching_ = false;
  result_.distinct = states_.size();
  result_.generated = statistics_.generated;
  result_.depth = statistics_.depth;
  result_.queued = queued_states_ + too_deep_;
  if (end_) {
    describe_end();
  } else if (!state_limit_.empty() || !time_limit_.empty() || too_deep_ > 0) {
    result_.outcome = CheckOutcome::incomplete;
    result_.message =
        "incomplete: " + (!state_limit_.empty() ? state_limit_
                          : !time_limit_.empty()
                              ? time_limit_
                              : fmt::format("depth {} was reached", options_.limits.depth));
  } else {
    check_liveness();
    if (result_.outcome == CheckOutcome::ok) check_postcondition();
    if (spec_->has_behaviour() && result_.initial == 0) {
      result_.remarks.emplace_back(
          "there is no initial state: what was asked for holds because nothing happens");
    }
  }
  if (result_.outcome == CheckOutcome::violation || result_.outcome == CheckOutcome::deadlock) {
    check_postcondition();
  }
  for (const TemporalProperty& property : spec_->program().temporal_properties) {
    const auto is_in = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), property.name) != names.end();
    };
    if (is_in(result_.judged_properties) || is_in(result_.unjudged_properties)) continue;
    result_.unjudged_properties.push_back(property.name);
  }
  if (maximum_at_) find_maximum();
  result_.seconds = seconds();
  result_.cpu_seconds = cpu_seconds() - cpu_start_;
  result_.peak_bytes = peak_bytes();
}

void Search::find_maximum() {
  Machine& machine = workers_[0]->machine();
  if (!options_.enough.empty()) {
    const Value value = machine.evaluate(*machine.compile(options_.enough));
    if (value.is_integer()) result_.enough = value.number();
  }
  const bool is_above = result_.enough && *result_.maximum > *result_.enough;
  if (!is_above) result_.maximum_trace = behaviour_to(*maximum_at_);
}

void Search::describe_end() {
  result_.outcome = end_->outcome;
  result_.message = end_->message;
  result_.property = end_->property;
  result_.at = end_->at;
  result_.calls = end_->calls;
  result_.reached_goal = end_->is_goal;
  result_.was_asked_to_end = end_->is_exit;
  if (end_->is_exit) {
    check_postcondition();
  } else if (end_->origin.parent != kNoParent || end_->origin.ordinal != 0) {
    result_.trace = behaviour_to(end_->origin);
  }
}

/// After a violation a false postcondition is a remark: the violation is the answer.
void Search::check_postcondition() {
  if (!spec_->config().postcondition) return;
  const std::string& name = spec_->config().postcondition->name;
  Machine& machine = workers_[0]->machine();
  const MoreStatistics statistics(machine, [&](std::string_view wanted) {
    return wanted == "CounterExample" ? counter_example_of(machine, trace_) : Value();
  });
  const bool is_answer = result_.outcome == CheckOutcome::ok;
  try {
    if (machine.postcondition_holds()) return;
    std::string message = fmt::format("postcondition {} is false", name);
    if (!is_answer) {
      result_.remarks.push_back(std::move(message));
      return;
    }
    result_.outcome = CheckOutcome::violation;
    result_.message = std::move(message);
    result_.property = name;
  } catch (const EvaluationError& error) {
    if (!is_answer) {
      result_.remarks.push_back(
          fmt::format("postcondition {} cannot be evaluated: {}", name, error.what()));
      return;
    }
    result_.outcome = CheckOutcome::error;
    result_.message = error.what();
    result_.at = error.at();
    result_.calls = error.calls;
  }
}

Behaviour Search::behaviour_to(Origin origin) {
  std::vector<Origin> path;
  if (origin.ordinal != 0) path.push_back(origin);
  for (std::uint32_t at = origin.parent; at != kNoParent; at = origins_[at].parent) {
    path.push_back(origins_[at]);
  }
  std::reverse(path.begin(), path.end());

  SearchWorker& worker = *workers_[0];
  std::vector<State> states;
  std::vector<Label> labels(path.size());
  for (std::size_t i = 0; i < path.size(); ++i) {
    State state;
    const State* parent = i == 0 ? nullptr : &states.back();
    if (!worker.find(parent, path[i], labels[i], state)) {
      result_.message += fmt::format(" (state {} of the trace could not be found again)", i + 1);
      break;
    }
    states.push_back(std::move(state));
  }
  labels.resize(states.size());
  return shown({std::move(states), std::move(labels), std::nullopt});
}

Behaviour Search::shown(StateTrace trace) {
  trace_ = std::move(trace);
  return shown_behaviour(workers_[0]->machine(), trace_, result_.remarks);
}

}  // namespace dissensus::tla
