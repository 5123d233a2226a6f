// Semaphores and queues of messages between processes, of System V and POSIX.
#include <algorithm>
#include <cerrno>
#include <ctime>
#include <vector>

#include <poll.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/syscall.h>

#include "host/calls.h"

namespace dissensus::host {

namespace {

Outcome without_waiting(Supervisor& supervisor, Thread& thread, std::size_t flags_at, long busy) {
  if ((thread.arguments[flags_at] & IPC_NOWAIT) != 0) return native();
  auto arguments = thread.arguments;
  arguments[flags_at] |= IPC_NOWAIT;
  supervisor.replace_call(thread, thread.call, arguments);
  const long result = supervisor.finish_call(thread);
  if (result == busy) return supervisor.wait_in_front(thread, kNever);
  supervisor.set_result(thread, result);
  return finished(result);
}

Outcome msgsnd_call(Supervisor& supervisor, Thread& thread) {
  return without_waiting(supervisor, thread, 3, -EAGAIN);
}

Outcome msgrcv_call(Supervisor& supervisor, Thread& thread) {
  return without_waiting(supervisor, thread, 4, -ENOMSG);
}

Outcome semop_call(Supervisor& supervisor, Thread& thread) {
  constexpr std::uint64_t kOperationsMax = 500;
  if (thread.timed_out) return answer(-EAGAIN);
  if (thread.arguments[2] == 0 || thread.arguments[2] > kOperationsMax) return native();
  const std::uint64_t address = thread.arguments[1];
  std::vector<sembuf> wanted(thread.arguments[2]);
  const std::size_t bytes = wanted.size() * sizeof(sembuf);
  if (!read_memory(thread.tid, address, wanted.data(), bytes)) return native();
  const auto never_waits = [](const sembuf& one) { return (one.sem_flg & IPC_NOWAIT) != 0; };
  if (std::all_of(wanted.begin(), wanted.end(), never_waits)) return native();
  HostTime deadline = thread.deadline;
  if (thread.call == SYS_semtimedop && thread.arguments[3] != 0 && !thread.is_retry) {
    const auto limit = read_value<timespec>(thread.tid, thread.arguments[3]);
    if (!limit) return answer(-EFAULT);
    deadline = after(supervisor.now(), to_duration(*limit));
  }
  std::vector<sembuf> asked = wanted;
  for (sembuf& one : asked) one.sem_flg = static_cast<short>(one.sem_flg | IPC_NOWAIT);
  if (!write_memory(thread.tid, address, asked.data(), bytes)) return native();
  auto arguments = thread.arguments;
  arguments[3] = 0;
  supervisor.replace_call(thread, SYS_semop, arguments);
  const long result = supervisor.finish_call(thread);
  write_memory(thread.tid, address, wanted.data(), bytes);
  if (result != -EAGAIN) {
    supervisor.set_result(thread, result);
    return finished(result);
  }
  if (std::any_of(wanted.begin(), wanted.end(), never_waits)) {
    supervisor.doubt("a program asks semaphores to wait and not to wait in one call");
    supervisor.set_result(thread, result);
    return finished(result);
  }
  return supervisor.wait_in_front(thread, deadline);
}

/// Queues of POSIX are descriptors, whose readiness can be asked for.
Outcome mq_call(Supervisor& supervisor, Thread& thread) {
  if (thread.timed_out) return answer(-ETIMEDOUT);
  Descriptor queue = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  if (!queue.handle || queue.is_nonblocking) return native();
  const short events = thread.call == SYS_mq_timedreceive ? POLLIN : POLLOUT;
  pollfd state{queue.handle.get(), events, 0};
  if (poll(&state, 1, 0) != 0) return native();
  HostTime deadline = thread.deadline;
  if (thread.arguments[4] != 0 && !thread.is_retry) {
    const auto limit = read_value<timespec>(thread.tid, thread.arguments[4]);
    if (!limit) return answer(-EFAULT);
    deadline = supervisor.time_of(thread.process->machine, true, to_duration(*limit));
    if (deadline <= supervisor.now()) return supervisor.idle(thread, -ETIMEDOUT);
  }
  std::vector<Interest> interests;
  interests.push_back({std::move(queue.handle), events});
  return supervisor.wait_for(thread, Waiting::For::handles, deadline, std::move(interests));
}

/// These never wait.
Outcome queue_call(Supervisor&, Thread&) {
  return native();
}

constexpr CallEntry kQueueCalls[] = {
    {SYS_semop, semop_call},     {SYS_semtimedop, semop_call}, {SYS_msgsnd, msgsnd_call},
    {SYS_msgrcv, msgrcv_call},   {SYS_msgget, queue_call},     {SYS_msgctl, queue_call},
    {SYS_mq_open, queue_call},   {SYS_mq_unlink, queue_call},  {SYS_mq_getsetattr, queue_call},
    {SYS_mq_notify, queue_call}, {SYS_mq_timedsend, mq_call},  {SYS_mq_timedreceive, mq_call},
};

}  // namespace

std::span<const CallEntry> queue_calls() {
  return kQueueCalls;
}

}  // namespace dissensus::host
