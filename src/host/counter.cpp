#include "host/counter.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace dissensus::host {

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

}  // namespace

bool name_counter(int fd, std::uint64_t number) {
  itimerspec value{};
  value.it_interval.tv_sec = static_cast<time_t>(number / kSecond);
  value.it_interval.tv_nsec = static_cast<long>(number % kSecond);
  return timerfd_settime(fd, 0, &value, nullptr) == 0;
}

std::uint64_t counter_number(int fd) {
  itimerspec value{};
  if (timerfd_gettime(fd, &value) != 0) return 0;
  return static_cast<std::uint64_t>(value.it_interval.tv_sec) * kSecond +
         static_cast<std::uint64_t>(value.it_interval.tv_nsec);
}

bool set_counter(int fd, std::uint64_t count) {
  constexpr unsigned long kSetTicks = _IOW('T', 0, std::uint64_t);
  return ioctl(fd, kSetTicks, &count) == 0;
}

std::uint64_t take_counter(int fd) {
  pollfd state{fd, POLLIN, 0};
  std::uint64_t count = 0;
  if (poll(&state, 1, 0) != 1 || read(fd, &count, sizeof count) != sizeof count) return 0;
  return count;
}

}  // namespace dissensus::host
