#include "systems/server/node.h"

#include <charconv>

#include <fmt/format.h>

#include "dissensus/programs.h"

namespace dissensus::server {

namespace {

using hosted::PeerSegment;
using hosted::Segment;

constexpr std::uint64_t kResumeTag = ~std::uint64_t{0};
constexpr std::uint32_t kStarting = 0;
constexpr std::uint32_t kReady = 1;
constexpr std::size_t kLineShownMax = 120;

/// Numbers stand for themselves, other texts for their digest.
Digest value_of(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return Digest(number);
  return digest_of_text(text);
}

void transmit(Context& context, NodeId to, const Segment& segment) {
  if (segment.content) {
    context.send(to, PeerSegment{segment});
  } else {
    context.send(to, segment);
  }
}

}  // namespace

void ServerNode::begin(Context& context) {
  context.phase(kStarting);
  try {
    cluster_.start_program(self_);
  } catch (const OutsideError& error) {
    context.log(error.what());
    throw;
  }
}

void ServerNode::start(Context& context) {
  begin(context);
}

void ServerNode::restart(Context& context, const Node& before) {
  // What was counted goes on; the server itself has only its folder.
  const auto& earlier = static_cast<const ServerNode&>(before);
  counts_ = earlier.counts_;
  own_ = earlier.own_;
  decided_ = earlier.decided_;
  begin(context);
}

void ServerNode::submit(Context& context, const Request& request) {
  const auto& client = static_cast<const ClientRequest&>(request);
  if (client.pause() != Duration{}) {
    cluster_.set_program_paused(self_, true);
    context.set_timer(client.pause(), kResumeTag);
    return;
  }
  const std::size_t servers = settings_.nodes;
  cluster_.start_client(
      self_, {fill_in(client.command(), self_, servers),
              fill_in(settings_.environment, self_, servers), client.input(), client.may_fail()});
}

void ServerNode::timer(Context& context, TimerId, std::uint64_t tag) {
  if (tag == kResumeTag) {
    cluster_.set_program_paused(self_, false);
    return;
  }
  hosted::Connections::Addressed again;
  const std::optional<Duration> patience = cluster_.connections().unanswered(tag, again);
  for (const auto& [to, segment] : again) transmit(context, to, segment);
  if (patience) context.set_timer(*patience, tag);
}

void ServerNode::send(Context& context, NodeId to, const Segment& segment) {
  const std::optional<Duration> patience = cluster_.connections().sent(segment);
  transmit(context, to, segment);
  if (patience) context.set_timer(*patience, segment.flow());
}

void ServerNode::receive(Context& context, NodeId, const Message& message) {
  const auto* segment = message.get<Segment>();
  if (segment == nullptr) segment = message.get<PeerSegment>();
  for (const auto& [to, answer] : cluster_.connections().arrived(self_, *segment)) {
    if (answer.piece == hosted::Piece::accepted) cluster_.note_begun(self_);
    send(context, to, answer);
  }
}

void ServerNode::happened(Context& context) {
  const hosted::News news = cluster_.take_news(self_);
  if (news.segment) send(context, news.to, *news.segment);
  if (news.reset) cluster_.connections().cut(*news.reset, self_);
  if (news.line && !news.line->empty()) read_line(context, *news.line, news.of_client);
  if (news.is_ready) context.phase(kReady);
  if (news.has_spun) count(context, kSpun);
  if (!news.exit) return;
  const std::string text = host::to_string(*news.exit);
  if (news.of_client) {
    const bool is_fine = news.exit->signal == 0 && news.exit->code == 0;
    count(context, is_fine ? kClientsDone : kClientsFailed);
    if (context.logging()) context.log(fmt::format("a client {}", text));
  } else {
    count(context, kDied);
    if (context.logging()) {
      if (!cluster_.has_begun(self_)) context.log(kNeverBegan);
      context.log(fmt::format("the server died by itself: {}", text));
    }
  }
}

void ServerNode::count(Context& context, std::uint32_t observable) {
  context.observe(observable, ++own_[observable]);
}

void ServerNode::read_line(Context& context, const std::string& line, bool of_client) {
  if (context.logging()) context.log(line);
  if (of_client && settings_.plan.has_history) {
    if (const auto event = client_events_.read(line)) {
      context.operation(event->report());
    } else if (ClientEvents::is_damaged(line)) {
      cluster_.miss(
          fmt::format("a line of a client is no event: {}", line.substr(0, kLineShownMax)));
    }
  }
  const std::string seen = line.substr(0, hosted::kLineSearchedMax);
  std::smatch match;
  for (std::size_t i = 0; i < settings_.observables.size(); ++i) {
    const Observable& observable = settings_.observables[i];
    if (observable.pattern.of_clients != of_client ||
        !std::regex_search(seen, match, observable.pattern.expression)) {
      continue;
    }
    std::int64_t value = counts_[i] + 1;
    if (!observable.is_count && match.size() > 1) {
      const std::string text = match[1].str();
      std::from_chars(text.data(), text.data() + text.size(), value);
    }
    counts_[i] = value;
    if (!of_client) cluster_.note_begun(self_);
    context.observe(kFirstOwn + static_cast<std::uint32_t>(i), value);
  }
  for (std::size_t i = 0; i < settings_.decisions.size(); ++i) {
    const Decision& decision = settings_.decisions[i];
    if (decision.pattern.of_clients != of_client ||
        !std::regex_search(seen, match, decision.pattern.expression)) {
      continue;
    }
    std::uint64_t instance = decided_[decision.level]++;
    if (decision.instance_group != 0) {
      const std::string text = match[decision.instance_group].str();
      std::from_chars(text.data(), text.data() + text.size(), instance);
    }
    if (!of_client) cluster_.note_begun(self_);
    context.decided(static_cast<Level>(decision.level), instance,
                    value_of(match[decision.value_group].str()));
  }
}

}  // namespace dissensus::server
