#include "run/worker_scheduler.h"

#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <unistd.h>

#include "run/channel.h"

namespace dissensus::run {

namespace {

enum class Told : std::uint8_t { start, arrived, pick, delay, state };

/// What is told has one shape; a pick is followed by the inbox.
struct Telling {
  Told what = Told::start;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  PendingMessage message;
};
static_assert(std::is_trivially_copyable_v<Telling> &&
              std::is_trivially_copyable_v<PendingMessage>);

template <class Plain>
void append(std::string& bytes, const Plain& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class Plain>
Plain take(std::string_view& bytes) {
  if (bytes.size() < sizeof(Plain)) throw std::runtime_error("half a word of a worker process");
  Plain value;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return value;
}

}  // namespace

void RemoteScheduler::start(std::size_t nodes, std::size_t kinds) {
  append(waiting_, Telling{Told::start, nodes, kinds, {}});
}

void RemoteScheduler::arrived(const PendingMessage& message) {
  append(waiting_, Telling{Told::arrived, 0, 0, message});
}

void RemoteScheduler::state_changed(NodeId node, std::uint64_t state) {
  append(waiting_, Telling{Told::state, node, state, {}});
}

std::size_t RemoteScheduler::pick(std::span<const PendingMessage> inbox) {
  append(waiting_, Telling{Told::pick, inbox.size(), 0, {}});
  waiting_.append(reinterpret_cast<const char*>(inbox.data()), inbox.size_bytes());
  return ask();
}

Duration RemoteScheduler::delay(const PendingMessage& message) {
  append(waiting_, Telling{Told::delay, 0, 0, message});
  return Duration{static_cast<std::int64_t>(ask())};
}

std::string RemoteScheduler::rest() {
  return std::exchange(waiting_, {});
}

std::uint64_t RemoteScheduler::ask() {
  std::string reply;
  if (!write_message(channel_, kQuestion + rest()) || !read_message(channel_, reply)) {
    _exit(0);  // the parent has gone, or has given up
  }
  std::string_view bytes = reply;
  return take<std::uint64_t>(bytes);
}

std::optional<std::uint64_t> answer_worker(std::string_view bytes, Scheduler& scheduler) {
  std::optional<std::uint64_t> answer;
  while (!bytes.empty()) {
    const auto telling = take<Telling>(bytes);
    switch (telling.what) {
      case Told::start:
        scheduler.start(telling.first, telling.second);
        break;
      case Told::arrived:
        scheduler.arrived(telling.message);
        break;
      case Told::state:
        scheduler.state_changed(static_cast<NodeId>(telling.first), telling.second);
        break;
      case Told::delay:
        answer = static_cast<std::uint64_t>(scheduler.delay(telling.message).count());
        break;
      case Told::pick: {
        std::vector<PendingMessage> inbox;
        for (std::uint64_t i = 0; i < telling.first; ++i) {
          inbox.push_back(take<PendingMessage>(bytes));
        }
        answer = scheduler.pick(inbox);
        break;
      }
    }
  }
  return answer;
}

}  // namespace dissensus::run
