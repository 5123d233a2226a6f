// Calls that were answered inside programs, as the supervisor sees them.
#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>
#include <sys/syscall.h>

#include "host/calls.h"
#include "host/supervisor.h"

namespace dissensus::host {

namespace {

/// Answered inside where nothing is ready and there is no time to wait.
bool waits_for_descriptors(long call) {
  constexpr std::array kCalls{SYS_poll,       SYS_ppoll,       SYS_select,      SYS_pselect6,
                              SYS_epoll_wait, SYS_epoll_pwait, SYS_epoll_pwait2};
  return std::find(kCalls.begin(), kCalls.end(), call) != kCalls.end();
}

}  // namespace

/// While a signal waits for any thread of the process, every stop may be the one at which it is
/// delivered; and what a thread that reads clocks does next decides whether time moves.
bool Supervisor::may_answer(Thread& thread) {
  Process& process = *thread.process;
  if (thread.clock_reads != 0 || thread.turn_calls >= kTurnCallsMax) return false;
  if (!process.may_have_signals) return true;
  const auto masks = read_signal_masks(thread.tid);
  if (!masks || masks->shared_pending != 0 || masks->pending != 0) return false;
  process.may_have_signals = false;
  return true;
}

AnswerControl Supervisor::answers_for(Thread& thread) {
  AnswerControl control;
  if (!may_answer(thread)) return control;
  control.limit = std::min<std::uint64_t>(kAnswerEntriesMax, kTurnCallsMax - thread.turn_calls);
  control.idle_left = kIdleCallsMax - std::min(kIdleCallsMax, thread.idle_calls);
  // Where a wait has timed out, one of the next ones moves the clock (Supervisor::expire).
  if (thread.timed_out_at == now_) {
    control.idle_left = std::min<std::uint64_t>(
        control.idle_left, kExpiredWaitsMax - std::min(kExpiredWaitsMax, thread.expired_waits));
  }
  control.files_free = disk_.model().write.count() == 0 && !disk_.model().keeps_unsynced ? 1 : 0;
  control.proc_device = proc_device_;
  control.has_signal_readers = has_signal_readers_ ? 1 : 0;
  const std::uint64_t space = thread.process->number;
  for (auto queue = futexes_.lower_bound({space, 0});
       queue != futexes_.end() && queue->first.space == space; ++queue) {
    const bool is_plain =
        std::all_of(queue->second.begin(), queue->second.end(),
                    [](const Thread* waiter) { return waiter->futex_bits == ~0U; });
    if (!is_plain || control.rows >= kAnswerRowsMax) {
      control.rows = kAnswerRowsMax + 1;
      break;
    }
    control.table[control.rows++] = {queue->first.address, queue->second.size()};
  }
  return control;
}

void Supervisor::tell_answers(Thread& thread) {
  Process& process = *thread.process;
  if (plan_.answers != Answers::inside || !process.has_answers || !gates_.has_any(process.number)) {
    return;
  }
  const AnswerControl wanted = answers_for(thread);
  if (wanted == process.shown && !process.is_stale && !process.shares_memory) return;
  // The control and, behind it, a log that is empty.
  constexpr std::size_t kBytes = kAnswerLogOffset - kAnswerControlOffset + sizeof(AnswerLog::count);
  std::array<unsigned char, kBytes> bytes{};
  std::memcpy(bytes.data(), &wanted, sizeof wanted);
  if (!write_memory(thread.tid, kAnswerPageAddress + kAnswerControlOffset, bytes.data(),
                    bytes.size())) {
    process.has_answers = false;  // it has unmapped the page: its gates lead nowhere
    return;
  }
  process.shown = wanted;
  process.is_stale = false;
}

void Supervisor::hear_answers(Thread& thread) {
  Process& process = *thread.process;
  if (!process.has_answers || process.shown.limit == 0) return;
  const auto log = read_value<AnswerLog>(thread.tid, kAnswerPageAddress + kAnswerLogOffset);
  if (!log || log->count == 0) return;
  process.is_stale = true;
  if (log->count > process.shown.limit) {
    doubt(fmt::format("{} has written where only our code writes", name_of(thread)));
    return;
  }
  for (std::size_t i = 0; i < log->count; ++i) {
    const AnswerEntry& entry = log->entries[i];
    thread.call = static_cast<long>(entry.call);
    std::copy(entry.arguments.begin(), entry.arguments.end(), thread.arguments.begin());
    ++process.stops;
    ++inside_;
    enter_call(thread);
    if (entry.kind == AnswerEntry::idle) {
      ++thread.idle_calls;
      if (thread.timed_out_at == now_ && waits_for_descriptors(thread.call)) ++thread.expired_waits;
      continue;
    }
    got_something_done(thread);
    if ((entry.kind & 0xff) == AnswerEntry::timer) {
      set_timer(*this, process, entry.kind >> 8, entry.arguments[1], HostTime(entry.inode));
    }
    if (entry.kind == AnswerEntry::file) {
      process.unsynced_bytes += entry.arguments[2];
      touch(entry.inode, process.machine);
    }
    if (entry.kind != AnswerEntry::wake) continue;
    const int woken =
        futex_wake({process.number, entry.arguments[0]}, static_cast<int>(entry.arguments[2]), ~0U);
    if (woken != entry.result) {
      doubt(fmt::format("{} was told that it woke {} threads; it woke {}", name_of(thread),
                        entry.result, woken));
    }
  }
}

}  // namespace dissensus::host
