#include "systems/server/system.h"

#include <functional>
#include <memory>

#include "dissensus/programs.h"

#include "hosted/cluster.h"
#include "hosted/protocols/protocol.h"
#include "hosted/segment.h"
#include "systems/server/client_events.h"
#include "systems/server/node.h"
#include "systems/server/settings.h"

namespace dissensus::server {

namespace {

using hosted::MessageKindPattern;
using hosted::PeerSegment;
using hosted::Segment;

std::string readable(const std::string& bytes) {
  std::string text;
  for (const char c : bytes.substr(0, 120)) {
    text += c >= ' ' && c < 127 ? c : '.';
  }
  return text;
}

using Setter = std::function<void(PeerSegment&, const FieldValue&)>;

/// The message says something else, and is written anew.
Setter setter_of(const protocols::Protocol& protocol, const protocols::Field& field) {
  if (!field.set || protocol.write == nullptr) return nullptr;
  return [set = field.set, write = protocol.write](PeerSegment& segment, const FieldValue& value) {
    std::shared_ptr<protocols::Content> changed = segment.content->clone();
    set(*changed, value);
    segment.bytes = std::make_shared<const std::string>(write(*changed));
    segment.content = std::move(changed);
  };
}

void describe_protocol(const protocols::Protocol& protocol, SystemDescription& description) {
  auto payload = description.message<PeerSegment>(std::string(protocol.name), protocol.kinds);
  payload
      .field("connection", SemanticType::number,
             [](const PeerSegment& segment) { return std::uint64_t{segment.connection}; })
      .field(
          "from_connector", SemanticType::boolean,
          [](const PeerSegment& segment) { return std::uint64_t{segment.to_acceptor ? 1U : 0U}; })
      .field("number", SemanticType::sequence,
             [](const PeerSegment& segment) { return std::uint64_t{segment.number}; })
      .field("size", SemanticType::number,
             [](const PeerSegment& segment) { return std::uint64_t{segment.bytes->size()}; });
  for (const protocols::Field& field : protocol.fields) {
    payload.field(
        field.name, field.type,
        [get = field.get](const PeerSegment& segment) { return get(*segment.content); },
        setter_of(protocol, field));
  }
}

SystemDescription describe(const Settings& settings) {
  SystemDescription description;
  description.name = "server";
  const bool is_written = settings.plan.protocol != nullptr && settings.plan.protocol->write;
  description.nodes = is_written ? NodeKind::server_written : NodeKind::server;
  description.summary = "unmodified servers in virtual time";
  std::vector<std::string> kinds{"connect", "answer", "end", "datagram", "data"};
  for (const MessageKindPattern& kind : settings.plan.kinds) kinds.push_back(kind.name);
  description.message<Segment>("segment", std::move(kinds))
      .field("connection", SemanticType::number,
             [](const Segment& segment) { return std::uint64_t{segment.connection}; })
      .field("number", SemanticType::sequence,
             [](const Segment& segment) { return std::uint64_t{segment.number}; })
      .field("size", SemanticType::number,
             [](const Segment& segment) { return std::uint64_t{segment.bytes->size()}; })
      .field("text", SemanticType::text,
             [](const Segment& segment) { return readable(*segment.bytes); });
  if (settings.plan.protocol != nullptr) describe_protocol(*settings.plan.protocol, description);
  // A piece of a connection has its number, and arrives once.
  for (KindDescription& kind : description.kinds) kind.loss = Loss::resent;
  description.kinds[hosted::kDatagram].loss = Loss::gone;
  if (settings.plan.protocol != nullptr) {
    const std::size_t first = description.kinds.size() - settings.plan.protocol->kinds.size();
    for (std::size_t kind = first; kind < description.kinds.size(); ++kind) {
      description.kinds[kind].loss = settings.plan.protocol->loss;
    }
  }
  description.levels = settings.levels;
  if (description.levels.empty()) description.levels = {{.name = "nothing", .validity = false}};
  description.phases = {"starting", "ready"};
  description.observables = {"died", "clients_done", "clients_failed", "spun"};
  for (const Observable& observable : settings.observables) {
    description.observables.push_back(observable.name);
  }
  return description;
}

class ServerSystem final : public System, public UsesPrograms {
 public:
  explicit ServerSystem(const Options& options)
      : settings_(read_settings(options)), description_(describe(settings_)) {}

  const SystemDescription& description() const override { return description_; }
  std::size_t node_count() const override { return settings_.plan.machines.size(); }
  SystemTraits traits() const override {
    SystemTraits traits;
    traits.outside = true;
    traits.bystanders = node_count() - settings_.nodes;
    return traits;
  }
  std::unique_ptr<Cluster> make_cluster(std::uint64_t seed) const override {
    const auto events = std::make_shared<ClientEvents>();
    return std::make_unique<hosted::Cluster>(
        settings_.plan, seed, [this, events](hosted::Cluster& cluster, NodeId id) {
          return std::make_unique<ServerNode>(cluster, settings_, *events, id);
        });
  }
  std::shared_ptr<const Request> make_request(const Options& options) const override {
    return std::make_shared<ClientRequest>(options);
  }
  std::vector<std::string> missing_programs() const override {
    return server::missing_programs(settings_.plan);
  }

 private:
  Settings settings_;
  SystemDescription description_;
};

}  // namespace

SystemEntry server_entry() {
  return {"server", "any server program, unmodified, in virtual time",
          [](const Options& options) -> std::unique_ptr<System> {
            return std::make_unique<ServerSystem>(options);
          }};
}

}  // namespace dissensus::server
