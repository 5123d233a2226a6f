#include "systems/live/interceptor/interceptor.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/assert.h"
#include "systems/live/interceptor/link.h"
#include "systems/live/wire/error.h"

namespace dissensus::live {

namespace {

constexpr std::size_t kNoLink = static_cast<std::size_t>(-1);

void check(const InterceptorOptions& options) {
  for (const PeerEndpoint& peer : options.peers) {
    if (!is_address(peer.address)) {
      throw LiveError(fmt::format("'{}' is no address of a server", peer.address));
    }
  }
  std::vector<std::pair<NodeId, NodeId>> sorted = options.links;
  std::sort(sorted.begin(), sorted.end());
  const bool repeated = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  for (const auto& [a, b] : sorted) {
    if (a >= b || b >= options.peers.size() || repeated) {
      throw LiveError(fmt::format(
          "links: {}-{}: expected each pair of the {} servers at most once, the smaller "
          "number first",
          a, b, options.peers.size()));
    }
  }
}

}  // namespace

struct Interceptor::Impl {
  std::shared_ptr<LinkContext> context;
  std::vector<std::shared_ptr<Link>> links;
  std::vector<std::size_t> link_of;  ///< by pair of nodes, both ways round
  std::vector<bool> disconnected;    ///< by node
  bool started = false;

  Link* find(NodeId a, NodeId b) const {
    const std::size_t nodes = disconnected.size();
    DISSENSUS_ASSERT(a < nodes && b < nodes, "Interceptor : a node that is none of the peers");
    const std::size_t number = link_of[a * nodes + b];
    return number == kNoLink ? nullptr : links[number].get();
  }

  void open_all() {
    for (std::size_t i = 0; i < links.size(); ++i) {
      const auto& [a, b] = context->options.links[i];
      if (!disconnected[a] && !disconnected[b]) links[i]->open();
    }
  }
};

Interceptor::Interceptor(boost::asio::io_context& io, InterceptorOptions options,
                         InterceptorHandler& handler)
    : impl_(std::make_unique<Impl>()) {
  check(options);
  const std::size_t nodes = options.peers.size();
  impl_->link_of.assign(nodes * nodes, kNoLink);
  impl_->disconnected.assign(nodes, false);
  impl_->context = std::make_shared<LinkContext>(
      LinkContext{io, std::move(options), &handler, make_tls_client(io),
                  std::make_shared<InterceptorCounters>()});
  for (const auto& [a, b] : impl_->context->options.links) {
    const std::size_t number = impl_->links.size();
    impl_->link_of[a * nodes + b] = number;
    impl_->link_of[b * nodes + a] = number;
    LinkCounters& counters = impl_->context->counters->links.emplace_back();
    counters.a = a;
    counters.b = b;
    impl_->links.push_back(std::make_shared<Link>(impl_->context, number));
  }
}

Interceptor::~Interceptor() {
  stop();
  impl_->context->handler = nullptr;
}

void Interceptor::start() {
  impl_->started = true;
  impl_->open_all();
}

void Interceptor::stop() {
  impl_->started = false;
  for (const auto& link : impl_->links) link->close({});
}

void Interceptor::write(NodeId from, NodeId to, std::shared_ptr<const Bytes> frame) {
  DISSENSUS_ASSERT(frame && !frame->empty(), "Interceptor::write : a frame has bytes");
  Link* const link = impl_->find(from, to);
  DISSENSUS_ASSERT(link, "Interceptor::write : there is a link between the two nodes");
  link->write(to, std::move(frame));
}

bool Interceptor::is_up(NodeId a, NodeId b) const {
  const Link* const link = impl_->find(a, b);
  return link && link->is_up();
}

std::size_t Interceptor::links_up() const {
  return impl_->context->links_up;
}

std::size_t Interceptor::links() const {
  return impl_->links.size();
}

void Interceptor::disconnect_node(NodeId node) {
  DISSENSUS_ASSERT(node < impl_->disconnected.size(), "Interceptor : one of the peers");
  impl_->disconnected[node] = true;
  // The handler hears of each link and may destroy this object meanwhile.
  const std::vector<std::shared_ptr<Link>> links = impl_->links;
  for (const auto& link : links) {
    if (link->touches(node)) link->close(fmt::format("node {} is disconnected on request", node));
  }
}

void Interceptor::reconnect_node(NodeId node) {
  DISSENSUS_ASSERT(node < impl_->disconnected.size(), "Interceptor : one of the peers");
  impl_->disconnected[node] = false;
  if (impl_->started) impl_->open_all();
}

const InterceptorCounters& Interceptor::counters() const {
  return *impl_->context->counters;
}

bool is_scheduled(FrameType type) {
  switch (type) {
    case FrameType::transaction:
    case FrameType::get_ledger:
    case FrameType::ledger_data:
    case FrameType::propose_ledger:
    case FrameType::status_change:
    case FrameType::have_set:
    case FrameType::validation:
      return true;
    default:
      return false;
  }
}

}  // namespace dissensus::live
