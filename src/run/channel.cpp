#include "run/channel.h"

#include <cerrno>
#include <cstdint>

#include <poll.h>
#include <sys/socket.h>

namespace dissensus::run {

namespace {

constexpr int kWaitMs = 100;

bool write_all(int channel, const void* data, std::size_t bytes) {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::send(channel, next, bytes, MSG_NOSIGNAL);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    next += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return true;
}

bool wait_for_bytes(int channel, const GiveUp& give_up) {
  for (;;) {
    pollfd waiting{channel, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, kWaitMs);
    if (ready > 0) return true;
    if (give_up()) return false;
  }
}

bool read_all(int channel, void* data, std::size_t bytes, const GiveUp& give_up) {
  char* next = static_cast<char*>(data);
  while (bytes > 0) {
    if (give_up && !wait_for_bytes(channel, give_up)) return false;
    const ssize_t got = ::recv(channel, next, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    next += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

bool write_message(int channel, const std::string& bytes) {
  const std::uint64_t size = bytes.size();
  return write_all(channel, &size, sizeof size) && write_all(channel, bytes.data(), bytes.size());
}

bool read_message(int channel, std::string& bytes, const GiveUp& give_up) {
  std::uint64_t size = 0;
  if (!read_all(channel, &size, sizeof size, give_up)) return false;
  bytes.resize(size);
  return read_all(channel, bytes.data(), bytes.size(), give_up);
}

}  // namespace dissensus::run
