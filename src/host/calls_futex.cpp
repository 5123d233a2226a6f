// Futexes: queues of our own, so that who is woken does not depend on the kernel.
#include <algorithm>
#include <cerrno>

#include <linux/futex.h>
#include <sys/syscall.h>

#include "host/calls.h"

namespace dissensus::host {

// ---- queues

/// Memory that processes share is known by its file; other memory belongs to one process.
FutexKey Supervisor::futex_key(Thread& thread, std::uint64_t address, bool is_private) {
  Process& process = *thread.process;
  if (is_private) return {process.number, address};
  const std::uint64_t page = address & ~0xfffULL;
  const auto known = process.shared_pages.find(page);
  if (known != process.shared_pages.end()) {
    return {known->second.space, known->second.address + (address - page)};
  }
  FutexKey base{process.number, page};
  for (const Mapping& mapping : read_mappings(thread.tid)) {
    if (page < mapping.begin || page >= mapping.end) continue;
    if (mapping.permissions.find('s') != mapping.permissions.npos) {
      base = {mapping.inode << 32 | 0xffff'ffffULL, mapping.offset + (page - mapping.begin)};
    }
  }
  process.shared_pages[page] = base;
  return {base.space, base.address + (address - page)};
}

void Supervisor::futex_enqueue(Thread& thread, const FutexKey& key, std::uint32_t bits) {
  thread.futex = key;
  thread.futex_bits = bits;
  futexes_[key].push_back(&thread);
}

void Supervisor::futex_leave(Thread& thread) {
  const auto queue = futexes_.find(thread.futex);
  if (queue == futexes_.end() || thread.futex_bits == 0) return;
  std::erase(queue->second, &thread);
  if (queue->second.empty()) futexes_.erase(queue);
  thread.futex_bits = 0;
}

Thread* Supervisor::futex_first(const FutexKey& key) {
  const auto queue = futexes_.find(key);
  return queue == futexes_.end() ? nullptr : queue->second.front();
}

int Supervisor::futex_wake(const FutexKey& key, int count, std::uint32_t bits) {
  const auto queue = futexes_.find(key);
  if (queue == futexes_.end()) return 0;
  std::vector<Thread*> woken;
  for (Thread* thread : queue->second) {
    if (static_cast<int>(woken.size()) >= count) break;
    if ((thread->futex_bits & bits) != 0) woken.push_back(thread);
  }
  for (Thread* thread : woken) {
    futex_leave(*thread);
    thread->woken = true;
    make_runnable(*thread);
  }
  return static_cast<int>(woken.size());
}

int Supervisor::futex_requeue(const FutexKey& from, const FutexKey& to, int count) {
  int moved = 0;
  for (Thread* first = nullptr; moved < count && (first = futex_first(from)) != nullptr; ++moved) {
    const std::uint32_t bits = first->futex_bits;
    futex_leave(*first);
    futex_enqueue(*first, to, bits);
  }
  return moved;
}

namespace {

// ---- calls

Outcome wait_call(Supervisor& supervisor, Thread& thread, const FutexKey& key, int operation,
                  bool is_calendar) {
  if (thread.woken) return answer(0);
  if (thread.timed_out) {
    supervisor.futex_leave(thread);
    return answer(-ETIMEDOUT);
  }
  const auto value = read_value<std::uint32_t>(thread.tid, thread.arguments[0]);
  if (!value) return answer(-EFAULT);
  if (*value != static_cast<std::uint32_t>(thread.arguments[2]))
    return supervisor.idle(thread, -EAGAIN);
  HostTime deadline = kNever;
  if (thread.arguments[3] != 0) {
    const auto limit = read_value<timespec>(thread.tid, thread.arguments[3]);
    if (!limit) return answer(-EFAULT);
    deadline = operation == FUTEX_WAIT
                   ? after(supervisor.now(), to_duration(*limit))
                   : supervisor.time_of(thread.process->machine, is_calendar, to_duration(*limit));
    if (deadline <= supervisor.now()) return supervisor.expire(thread, -ETIMEDOUT);
  }
  const std::uint32_t bits =
      operation == FUTEX_WAIT ? ~0U : static_cast<std::uint32_t>(thread.arguments[5]);
  if (bits == 0) return answer(-EINVAL);
  supervisor.futex_enqueue(thread, key, bits);
  return supervisor.wait_for(thread, Waiting::For::futex, deadline);
}

Outcome wake_op_call(Supervisor& supervisor, Thread& thread, const FutexKey& key,
                     const FutexKey& second) {
  const auto before = read_value<std::uint32_t>(thread.tid, thread.arguments[4]);
  if (!before) return answer(-EFAULT);
  const auto code = static_cast<std::uint32_t>(thread.arguments[5]);
  std::uint32_t operand = code >> 12 & 0xfff;
  const auto compared = static_cast<std::int32_t>(code & 0xfff);
  if ((code >> 31) != 0) operand = 1U << (operand & 31);
  std::uint32_t value = *before;
  switch (code >> 28 & 7) {
    case FUTEX_OP_SET:
      value = operand;
      break;
    case FUTEX_OP_ADD:
      value += operand;
      break;
    case FUTEX_OP_OR:
      value |= operand;
      break;
    case FUTEX_OP_ANDN:
      value &= ~operand;
      break;
    case FUTEX_OP_XOR:
      value ^= operand;
      break;
    default:
      return answer(-ENOSYS);
  }
  write_value(thread.tid, thread.arguments[4], value);
  int woken = supervisor.futex_wake(key, static_cast<int>(thread.arguments[2]), ~0U);
  const auto old = static_cast<std::int32_t>(*before);
  bool is_second = false;
  switch (code >> 24 & 15) {
    case FUTEX_OP_CMP_EQ:
      is_second = old == compared;
      break;
    case FUTEX_OP_CMP_NE:
      is_second = old != compared;
      break;
    case FUTEX_OP_CMP_LT:
      is_second = old < compared;
      break;
    case FUTEX_OP_CMP_LE:
      is_second = old <= compared;
      break;
    case FUTEX_OP_CMP_GT:
      is_second = old > compared;
      break;
    case FUTEX_OP_CMP_GE:
      is_second = old >= compared;
      break;
    default:
      return answer(-ENOSYS);
  }
  if (is_second) woken += supervisor.futex_wake(second, static_cast<int>(thread.arguments[3]), ~0U);
  return answer(woken);
}

/// Priorities mean nothing here: a lock that is handed over in order of waiting.
Outcome lock_pi_call(Supervisor& supervisor, Thread& thread, const FutexKey& key, int operation) {
  if (thread.woken) return answer(0);
  if (thread.timed_out) {
    supervisor.futex_leave(thread);
    return answer(-ETIMEDOUT);
  }
  const auto value = read_value<std::uint32_t>(thread.tid, thread.arguments[0]);
  if (!value) return answer(-EFAULT);
  const auto self = static_cast<std::uint32_t>(thread.inner_tid);
  if ((*value & FUTEX_TID_MASK) == 0) {
    const std::uint32_t waiters = supervisor.futex_has_waiters(key) ? FUTEX_WAITERS : 0;
    write_value(thread.tid, thread.arguments[0], self | waiters | (*value & FUTEX_OWNER_DIED));
    return answer(0);
  }
  if ((*value & FUTEX_TID_MASK) == self) return answer(-EDEADLK);
  if (operation == FUTEX_TRYLOCK_PI) return answer(-EAGAIN);
  write_value(thread.tid, thread.arguments[0], *value | FUTEX_WAITERS);
  HostTime deadline = kNever;
  if (thread.arguments[3] != 0) {
    const auto limit = read_value<timespec>(thread.tid, thread.arguments[3]);
    if (!limit) return answer(-EFAULT);
    deadline = supervisor.time_of(thread.process->machine, operation == FUTEX_LOCK_PI,
                                  to_duration(*limit));
  }
  supervisor.futex_enqueue(thread, key, ~0U);
  return supervisor.wait_for(thread, Waiting::For::futex, deadline);
}

Outcome unlock_pi_call(Supervisor& supervisor, Thread& thread, const FutexKey& key) {
  const auto value = read_value<std::uint32_t>(thread.tid, thread.arguments[0]);
  if (!value) return answer(-EFAULT);
  if ((*value & FUTEX_TID_MASK) != static_cast<std::uint32_t>(thread.inner_tid)) {
    return answer(-EPERM);
  }
  Thread* const next = supervisor.futex_first(key);
  std::uint32_t owner = 0;
  if (next != nullptr) {
    owner = static_cast<std::uint32_t>(next->inner_tid);
    supervisor.futex_wake(key, 1, ~0U);
    if (supervisor.futex_has_waiters(key)) owner |= FUTEX_WAITERS;
  }
  write_value(thread.tid, thread.arguments[0], owner);
  return answer(0);
}

Outcome futex_call(Supervisor& supervisor, Thread& thread) {
  const auto code = static_cast<int>(thread.arguments[1]);
  const int operation = code & FUTEX_CMD_MASK;
  const bool is_private = (code & FUTEX_PRIVATE_FLAG) != 0;
  const FutexKey key = supervisor.futex_key(thread, thread.arguments[0], is_private);
  const auto second = [&] { return supervisor.futex_key(thread, thread.arguments[4], is_private); };
  const auto count = static_cast<int>(thread.arguments[2]);
  switch (operation) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
      return wait_call(supervisor, thread, key, operation, (code & FUTEX_CLOCK_REALTIME) != 0);
    case FUTEX_WAKE:
      return answer(supervisor.futex_wake(key, count, ~0U));
    case FUTEX_WAKE_BITSET:
      return answer(
          supervisor.futex_wake(key, count, static_cast<std::uint32_t>(thread.arguments[5])));
    case FUTEX_CMP_REQUEUE: {
      const auto value = read_value<std::uint32_t>(thread.tid, thread.arguments[0]);
      if (!value) return answer(-EFAULT);
      if (*value != static_cast<std::uint32_t>(thread.arguments[5])) return answer(-EAGAIN);
      [[fallthrough]];
    }
    case FUTEX_REQUEUE: {
      const int woken = supervisor.futex_wake(key, count, ~0U);
      return answer(woken +
                    supervisor.futex_requeue(key, second(), static_cast<int>(thread.arguments[3])));
    }
    case FUTEX_WAKE_OP:
      return wake_op_call(supervisor, thread, key, second());
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2:
    case FUTEX_TRYLOCK_PI:
      return lock_pi_call(supervisor, thread, key, operation);
    case FUTEX_UNLOCK_PI:
      return unlock_pi_call(supervisor, thread, key);
    default:
      return answer(-ENOSYS);
  }
}

constexpr CallEntry kFutexCalls[] = {{SYS_futex, futex_call}};

}  // namespace

std::span<const CallEntry> futex_calls() {
  return kFutexCalls;
}

}  // namespace dissensus::host
