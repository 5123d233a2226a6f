#include "run/worker_scheduler.h"

#include <string>
#include <vector>

#include <unistd.h>

#include "core/bytes.h"
#include "run/channel.h"

namespace dissensus {

template <class Visit>
constexpr void fields_of(const PendingMessage*, const Visit& visit) {
  visit("from", &PendingMessage::from);
  visit("to", &PendingMessage::to);
  visit("kind", &PendingMessage::kind);
  visit("content", &PendingMessage::content, Form::fixed);
  visit("number", &PendingMessage::number);
  visit("sent", &PendingMessage::sent);
}

}  // namespace dissensus

namespace dissensus::run {

namespace {

constexpr const char* kTold = "what a worker process says";

enum class Told : std::uint8_t { start, arrived, pick, delay, state };
constexpr Told last_of(Told) {
  return Told::state;
}

/// What is told has one shape; a pick is followed by the inbox.
struct Telling {
  Told what = Told::start;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  PendingMessage message;
};
template <class Visit>
constexpr void fields_of(const Telling*, const Visit& visit) {
  visit("what", &Telling::what);
  visit("first", &Telling::first);
  visit("second", &Telling::second, Form::fixed);
  visit("message", &Telling::message);
}

}  // namespace

void RemoteScheduler::start(std::size_t nodes, std::size_t kinds) {
  put(waiting_, Telling{Told::start, nodes, kinds, {}});
}

void RemoteScheduler::arrived(const PendingMessage& message) {
  put(waiting_, Telling{Told::arrived, 0, 0, message});
}

void RemoteScheduler::state_changed(NodeId node, std::uint64_t state) {
  put(waiting_, Telling{Told::state, node, state, {}});
}

std::size_t RemoteScheduler::pick(std::span<const PendingMessage> inbox) {
  put(waiting_, Telling{Told::pick, inbox.size(), 0, {}});
  for (const PendingMessage& message : inbox) put(waiting_, message);
  return ask();
}

Duration RemoteScheduler::delay(const PendingMessage& message) {
  put(waiting_, Telling{Told::delay, 0, 0, message});
  return Duration{static_cast<std::int64_t>(ask())};
}

std::string RemoteScheduler::rest() {
  return waiting_.take();
}

std::uint64_t RemoteScheduler::ask() {
  std::string reply;
  if (!write_message(channel_, kQuestion + rest()) || !read_message(channel_, reply)) {
    _exit(0);  // the parent has gone, or has given up
  }
  return from_bytes<std::uint64_t>(reply, kTold);
}

std::optional<std::uint64_t> answer_worker(std::string_view bytes, Scheduler& scheduler) {
  std::optional<std::uint64_t> answer;
  ByteReader reader(bytes, kTold);
  while (!reader.is_at_end()) {
    Telling telling;
    take(reader, telling);
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
        for (std::uint64_t i = 0; i < telling.first; ++i) take(reader, inbox.emplace_back());
        answer = scheduler.pick(inbox);
        break;
      }
    }
  }
  return answer;
}

}  // namespace dissensus::run
