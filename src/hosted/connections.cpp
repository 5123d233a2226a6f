#include "hosted/connections.h"

#include <algorithm>
#include <chrono>

namespace dissensus::hosted {

namespace {

constexpr Duration kPatienceMax = std::chrono::seconds(8);
/// After which Linux takes it that nobody will answer a request to connect.
constexpr Duration kConnectPatience = std::chrono::seconds(127);
/// Expressions are not for whole uploads.
constexpr std::size_t kHeadBytes = 4096;

}  // namespace

// ---- what programs did

Segment Connections::next_segment(host::ConnectionId connection, bool to_acceptor, Piece piece,
                                  MessageKind kind, std::string bytes) {
  Segment segment;
  segment.message_kind = kind;
  segment.piece = piece;
  segment.to_acceptor = to_acceptor;
  segment.connection = connection;
  segment.number = flow(segment.flow()).next++;
  segment.bytes = std::make_shared<const std::string>(std::move(bytes));
  return segment;
}

void Connections::put(std::vector<Sending>& sendings, Segment segment) {
  const Flow& its = flow(segment.flow());
  if (!its.is_dead) sendings.push_back({its.from, its.to, std::move(segment)});
}

std::vector<Connections::Sending> Connections::opened(const host::Connection& connection) {
  flows_.resize(std::max<std::size_t>(flows_.size(), (connection.id + 1) * 2UL));
  for (const std::uint64_t side : {0u, 1u}) {
    Flow& made = flows_[connection.id * 2UL + side];
    made.from = side == 0 ? connection.from_machine : connection.to_machine;
    made.to = side == 0 ? connection.to_machine : connection.from_machine;
    made.framer = std::make_unique<Framer>(plan_.framing);
  }
  if (plan_.protocol != nullptr) {
    readers_.resize(std::max<std::size_t>(readers_.size(), connection.id + 1UL));
    readers_[connection.id] = plan_.protocol->make_reader();
  }
  std::vector<Sending> sendings;
  put(sendings, next_segment(connection.id, true, Piece::connect, kConnect));
  return sendings;
}

MessageKind Connections::kind_of(const std::string& bytes) const {
  const std::string head = bytes.substr(0, kHeadBytes);
  for (std::size_t i = 0; i < plan_.kinds.size(); ++i) {
    if (std::regex_search(head, plan_.kinds[i].expression)) {
      return static_cast<MessageKind>(kData + 1 + i);
    }
  }
  return kData;
}

std::vector<Connections::Sending> Connections::wrote(const host::Connection& connection,
                                                     host::Side from, std::string_view bytes) {
  const bool to_acceptor = from == host::Side::connector;
  std::vector<Sending> sendings;
  if (plan_.protocol != nullptr) {
    for (protocols::Part& part : readers_[connection.id]->add(to_acceptor, bytes)) {
      put_part(sendings, connection.id, to_acceptor, std::move(part));
    }
    return sendings;
  }
  Flow& its = flow(connection.id * 2UL + (to_acceptor ? 0 : 1));
  for (std::string& message : its.framer->add(bytes)) {
    put_part(sendings, connection.id, to_acceptor, {std::move(message)});
  }
  return sendings;
}

void Connections::put_part(std::vector<Sending>& sendings, host::ConnectionId connection,
                           bool to_acceptor, protocols::Part part) {
  const MessageKind kind =
      part.kind ? static_cast<MessageKind>(kData + 1 + plan_.kinds.size() + *part.kind)
                : kind_of(part.bytes);
  Segment segment =
      next_segment(connection, to_acceptor, Piece::bytes, kind, std::move(part.bytes));
  segment.content = std::move(part.content);
  put(sendings, std::move(segment));
}

std::string Connections::rest_of(host::ConnectionId connection, bool to_acceptor) {
  if (plan_.protocol != nullptr) return readers_[connection]->rest(to_acceptor);
  return flow(connection * 2UL + (to_acceptor ? 0 : 1)).framer->rest();
}

std::vector<Connections::Sending> Connections::ended(const host::Connection& connection,
                                                     host::Side from, bool gone) {
  const bool to_acceptor = from == host::Side::connector;
  std::vector<Sending> sendings;
  if (std::string rest = rest_of(connection.id, to_acceptor); !rest.empty()) {
    put(sendings, next_segment(connection.id, to_acceptor, Piece::bytes, kData, std::move(rest)));
  }
  put(sendings, next_segment(connection.id, to_acceptor, gone ? Piece::gone : Piece::end, kEnd));
  return sendings;
}

Connections::Sending Connections::datagram(host::Datagram datagram) {
  Sending sending{datagram.from_machine, datagram.to_machine, {}};
  sending.segment.message_kind = kDatagram;
  sending.segment.piece = Piece::datagram;
  sending.segment.from = datagram.from;
  sending.segment.to = datagram.to;
  sending.segment.bytes = std::make_shared<const std::string>(std::move(datagram.bytes));
  return sending;
}

// ---- on the way

std::optional<Duration> Connections::sent(const Segment& segment) {
  if (segment.piece == Piece::datagram) return std::nullopt;
  Flow& its = flow(segment.flow());
  its.under_way.push_back(segment);
  if (its.has_timer || its.is_dead) return std::nullopt;
  its.has_timer = true;
  its.patience = plan_.retransmit;
  its.waited = {};
  return its.patience;
}

std::optional<Duration> Connections::unanswered(std::uint64_t number, Addressed& again) {
  Flow& its = flow(number);
  its.has_timer = false;
  if (its.is_dead || its.under_way.empty()) return std::nullopt;
  its.waited += its.patience;
  if (its.under_way.front().piece == Piece::connect && its.waited >= kConnectPatience) {
    const host::ConnectionId id = its.under_way.front().connection;
    its.is_dead = flow(number ^ 1).is_dead = true;
    host_.give_up(id);
    return std::nullopt;
  }
  for (const Segment& segment : its.under_way) again.emplace_back(its.to, segment);
  its.has_timer = true;
  its.patience = std::min(its.patience * 2, kPatienceMax);
  return its.patience;
}

Connections::Addressed Connections::arrived(NodeId node, const Segment& segment) {
  Addressed answers;
  if (segment.piece == Piece::datagram) {
    carry_out(node, segment, answers);
    return answers;
  }
  Flow& its = flow(segment.flow());
  if (its.is_dead || segment.number < its.arrived) return answers;
  its.early.emplace(segment.number, segment);
  while (!its.early.empty() && its.early.begin()->first == its.arrived) {
    const Segment next = std::move(its.early.begin()->second);
    its.early.erase(its.early.begin());
    ++its.arrived;
    std::erase_if(its.under_way, [&](const Segment& old) { return old.number == next.number; });
    carry_out(node, next, answers);
  }
  return answers;
}

void Connections::carry_out(NodeId node, const Segment& segment, Addressed& answers) {
  const host::ConnectionId id = segment.connection;
  const host::Side to = segment.to_acceptor ? host::Side::acceptor : host::Side::connector;
  switch (segment.piece) {
    case Piece::connect: {
      const Piece said = host_.knock(id) ? Piece::accepted : Piece::refused;
      const Segment answer = next_segment(id, false, said, kAnswer);
      answers.emplace_back(flow(answer.flow()).to, answer);
      break;
    }
    case Piece::accepted:
    case Piece::refused:
      host_.answer(id, segment.piece == Piece::accepted);
      break;
    case Piece::bytes:
      host_.deliver(id, to, *segment.bytes);
      break;
    case Piece::end:
    case Piece::gone:
      host_.deliver_end(id, to, segment.piece == Piece::gone);
      break;
    case Piece::datagram: {
      host::Datagram datagram;
      datagram.from = segment.from;
      datagram.to = segment.to;
      datagram.to_machine = node;
      datagram.bytes = *segment.bytes;
      host_.deliver(datagram);
      break;
    }
  }
}

// ---- ends of machines

std::vector<std::pair<host::ConnectionId, NodeId>> Connections::of(NodeId node) const {
  std::vector<std::pair<host::ConnectionId, NodeId>> found;
  for (std::size_t number = 0; number < flows_.size(); number += 2) {
    const Flow& forward = flows_[number];
    if (forward.is_dead || (forward.from != node && forward.to != node)) continue;
    found.emplace_back(static_cast<host::ConnectionId>(number / 2),
                       forward.from == node ? forward.to : forward.from);
  }
  return found;
}

void Connections::cut(host::ConnectionId connection, NodeId survivor) {
  Flow& forward = flow(connection * 2UL);
  Flow& back = flow(connection * 2UL + 1);
  forward.is_dead = back.is_dead = true;
  const bool is_connector = forward.from == survivor;
  if (is_connector && back.arrived == 0) {
    host_.answer(connection, false);  // it was not open yet
  } else {
    host_.deliver_end(connection, is_connector ? host::Side::connector : host::Side::acceptor,
                      true);
  }
}

}  // namespace dissensus::hosted
