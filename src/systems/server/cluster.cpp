#include "systems/server/cluster.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/assert.h"
#include "host/ends.h"
#include "systems/server/death.h"
#include "systems/server/node.h"

namespace dissensus::server {

namespace {

constexpr std::size_t kLogBytesMax = 4u << 20;
constexpr Duration kPatienceMax = std::chrono::seconds(8);
/// After which Linux takes it that nobody will answer a request to connect.
constexpr Duration kConnectPatience = std::chrono::seconds(127);
constexpr host::HostTime kReadyStep = std::chrono::milliseconds(100);
constexpr host::HostTime kPreparationMax = std::chrono::minutes(10);

host::Plan plan_of(const Settings& settings, std::uint64_t seed) {
  host::Plan plan = settings.host;
  plan.seed = seed;
  for (std::size_t i = 0; i < settings.nodes + settings.client_nodes; ++i) {
    plan.machines.push_back({fmt::format("n{}", i), settings.contents});
  }
  return plan;
}

}  // namespace

ServerCluster::ServerCluster(const Settings& settings, std::uint64_t seed)
    : settings_(settings),
      servers_(settings.nodes + settings.client_nodes),
      is_down_(servers_.size()),
      is_ready_(servers_.size()),
      has_begun_(servers_.size()),
      logs_(servers_.size()) {
  host_ = std::make_unique<host::Host>(plan_of(settings, seed), *this);
  for (std::size_t node = 0; node < settings.prepare.size(); ++node) {
    for (const std::vector<std::string>& command : settings.prepare[node]) {
      run_preparation(static_cast<NodeId>(node), command);
    }
  }
}

ServerCluster::~ServerCluster() = default;

std::unique_ptr<Node> ServerCluster::make_node(NodeId id) {
  return std::make_unique<ServerNode>(*this, id);
}

void ServerCluster::run_preparation(NodeId node, const std::vector<std::string>& command) {
  const host::ProgramId id = start(node, "prepare", command, {});
  programs_[id].is_preparation = true;
  const host::HostTime limit = host_->now() + kPreparationMax;
  while (!programs_[id].exit && host_->now() < limit) {
    if (!host_->run_until(host_->now() + kReadyStep)) throw OutsideError(host_->trouble());
  }
  if (!programs_[id].exit || programs_[id].exit->code != 0 || programs_[id].exit->signal != 0) {
    throw OutsideError(fmt::format(
        "node {}: {} {}: {}", node, command.front(),
        programs_[id].exit ? host::to_string(*programs_[id].exit) : "does not end", logs_[node]));
  }
}

void ServerCluster::begin() {
  origin_ = host_->now();
}

Time ServerCluster::world_time() const {
  return Time{} + std::chrono::duration_cast<Duration>(host_->now() - origin_);
}

// ---- waiting

Outside::Happening ServerCluster::wait(Time until) {
  const auto forget_lost = [&] {
    while (!news_.empty() && is_down_[news_.front().node]) news_.pop_front();
  };
  resume_programs();
  forget_lost();
  if (news_.empty() && trouble_.empty() && !death_) {
    host::HostTime target = origin_ + host::HostTime(until - Time{});
    if (std::find(is_ready_.begin(), is_ready_.end(), false) != is_ready_.end()) {
      target = std::min(target, host_->now() + kReadyStep);
    }
    if (!host_->run_until(std::max(target, host_->now()))) trouble_ = host_->trouble();
    look_for_ready();
    forget_lost();
  }
  if (!news_.empty()) return {news_.front().time, news_.front().node};
  // What it said last was told, and rules that speak of it were judged.
  if (death_ && trouble_.empty()) trouble_ = death_->text;
  return {world_time(), kNoNode};
}

void ServerCluster::look_for_ready() {
  if (settings_.ready_port == 0) return;
  for (std::size_t i = 0; i < settings_.nodes; ++i) {
    if (is_ready_[i] || is_down_[i] || !servers_[i]) continue;
    const auto node = static_cast<NodeId>(i);
    if (!host_->is_listening(node, settings_.ready_port)) continue;
    is_ready_[i] = has_begun_[i] = was_ready_ = true;
    News news;
    news.node = node;
    news.is_ready = true;
    tell(std::move(news));
  }
}

void ServerCluster::tell(News news) {
  news.time = world_time();
  news_.push_back(std::move(news));
  host_->finish_soon();
}

News ServerCluster::take_news(NodeId node) {
  DISSENSUS_ASSERT(!news_.empty() && news_.front().node == node,
                   "ServerCluster::take_news : news are told in order");
  News news = std::move(news_.front());
  news_.pop_front();
  return news;
}

// ---- programs

host::ProgramId ServerCluster::start(NodeId node, const std::string& name,
                                     const std::vector<std::string>& command,
                                     const std::string& input) {
  host::Program program;
  program.machine = node;
  program.name = name;
  for (const std::string& word : command)
    program.command.push_back(fill_in(word, node, settings_.nodes));
  for (const std::string& variable : settings_.environment) {
    program.environment.push_back(fill_in(variable, node, settings_.nodes));
  }
  program.input = input;
  const host::ProgramId id = host_->start(program);
  programs_.resize(std::max<std::size_t>(programs_.size(), id + 1));
  programs_[id].node = node;
  return id;
}

void ServerCluster::start_server(NodeId node) {
  is_down_[node] = false;
  if (node >= settings_.nodes) {  // clients come when they are asked for
    is_ready_[node] = true;
    return;
  }
  is_ready_[node] = settings_.ready_port == 0 && !settings_.ready_line;
  servers_[node] = start(node, fmt::format("n{}", node), settings_.commands[node], {});
}

void ServerCluster::start_client(NodeId node, const ClientRequest& request) {
  const host::ProgramId id = start(node, "client", request.command(), request.input());
  programs_[id].is_client = true;
  programs_[id].may_fail = request.may_fail();
}

void ServerCluster::set_paused(NodeId node, bool is_paused) {
  if (!servers_[node] || is_down_[node]) return;
  if (is_paused) {
    host_->pause(*servers_[node]);
  } else {
    host_->resume(*servers_[node]);
  }
}

void ServerCluster::paused(NodeId node, bool is_paused) {
  std::erase(resumed_, node);
  if (!is_paused) {
    resumed_.push_back(node);
    return;
  }
  for (host::ProgramId id = 0; id < programs_.size(); ++id) {
    if (programs_[id].node == node && host_->is_running(id)) host_->pause(id);
  }
}

void ServerCluster::disk_slowed(NodeId node, Duration extra) {
  host_->slow_disk(node, host::HostTime(extra));
}

void ServerCluster::resume_programs() {
  for (const NodeId node : std::exchange(resumed_, {})) {
    for (host::ProgramId id = 0; id < programs_.size(); ++id) {
      if (programs_[id].node == node && host_->is_running(id)) host_->resume(id);
    }
  }
}

void ServerCluster::crashed(NodeId node) {
  is_down_[node] = true;
  if (settings_.is_power_lost) {
    host_->power_loss(node);
  } else {
    for (host::ProgramId id = 0; id < programs_.size(); ++id) {
      if (programs_[id].node == node && host_->is_running(id)) host_->kill(id);
    }
  }
  servers_[node].reset();
  // The kernel of a machine whose programs end tells the other ends.
  for (std::size_t number = 0; number < flows_.size(); number += 2) {
    const Flow& forward = flows_[number];
    if (forward.is_dead || (forward.from != node && forward.to != node)) continue;
    News news;
    news.node = forward.from == node ? forward.to : forward.from;
    news.reset = static_cast<host::ConnectionId>(number / 2);
    if (news.node != kNoNode) tell(std::move(news));
  }
}

void ServerCluster::on_output(host::ProgramId program, host::Stream stream,
                              std::string_view bytes) {
  programs_.resize(std::max<std::size_t>(programs_.size(), program + 1));
  Running& running = programs_[program];
  if (running.node == kNoNode) return;
  std::string& log = logs_[running.node];
  if (log.size() < kLogBytesMax) log += bytes;
  if (running.is_preparation) return;
  std::string& line = running.lines.at(static_cast<std::size_t>(stream));
  line += bytes;
  for (std::size_t end = 0; (end = line.find('\n')) != line.npos; line.erase(0, end + 1)) {
    tell_line(program, line.substr(0, end));
  }
}

void ServerCluster::tell_line(host::ProgramId program, std::string line) {
  const Running& running = programs_[program];
  News news;
  news.node = running.node;
  news.line = std::move(line);
  news.of_client = running.is_client;
  if (!running.is_client && settings_.ready_line && !is_ready_[running.node] &&
      std::regex_search(news.line.substr(0, kLineSearchedMax), *settings_.ready_line)) {
    is_ready_[running.node] = has_begun_[running.node] = was_ready_ = true;
    news.is_ready = true;
  }
  tell(std::move(news));
}

void ServerCluster::on_exit(host::ProgramId program, const host::Exit& exit) {
  programs_.resize(std::max<std::size_t>(programs_.size(), program + 1));
  Running& running = programs_[program];
  running.exit = exit;
  if (running.is_preparation || running.node == kNoNode || exit.by_owner) return;
  // What it said last needs no end of a line.
  for (std::string& line : running.lines) {
    if (!line.empty()) tell_line(program, std::exchange(line, {}));
  }
  if (servers_[running.node] == program) {
    servers_[running.node].reset();
    if (!death_) death_ = death_of(running.node, exit, logs_[running.node], settings_.may_exit);
  }
  if (running.is_client && (exit.signal != 0 || (exit.code != 0 && !running.may_fail))) {
    miss(fmt::format("a client on node {} {}", running.node, host::to_string(exit)));
  }
  News news;
  news.node = running.node;
  news.exit = exit;
  news.of_client = running.is_client;
  tell(std::move(news));
}

void ServerCluster::on_spin(host::ProgramId program) {
  const Running& running = programs_.at(program);
  if (running.is_preparation || running.is_client || running.node == kNoNode) return;
  News news;
  news.node = running.node;
  news.has_spun = true;
  tell(std::move(news));
}

// ---- connections

ServerCluster::Flow& ServerCluster::flow(std::uint64_t number) {
  return flows_.at(number);
}

Segment ServerCluster::next_segment(host::ConnectionId connection, bool to_acceptor, Piece piece,
                                    MessageKind kind, std::string bytes) {
  Segment segment;
  segment.message_kind = kind;
  segment.piece = piece;
  segment.to_acceptor = to_acceptor;
  segment.connection = connection;
  segment.number = flow(flow_of(segment)).next++;
  segment.bytes = std::make_shared<const std::string>(std::move(bytes));
  return segment;
}

void ServerCluster::tell_segment(Segment segment) {
  const Flow& its = flow(flow_of(segment));
  if (its.is_dead) return;
  News news;
  news.node = its.from;
  news.to = its.to;
  news.segment = std::move(segment);
  tell(std::move(news));
}

void ServerCluster::on_connect(const host::Connection& connection) {
  flows_.resize(std::max<std::size_t>(flows_.size(), (connection.id + 1) * 2UL));
  for (const std::uint64_t side : {0u, 1u}) {
    Flow& made = flows_[connection.id * 2UL + side];
    made.from = side == 0 ? connection.from_machine : connection.to_machine;
    made.to = side == 0 ? connection.to_machine : connection.from_machine;
    made.framer = std::make_unique<Framer>(settings_.framing);
  }
  if (settings_.protocol != nullptr) {
    readers_.resize(std::max<std::size_t>(readers_.size(), connection.id + 1UL));
    readers_[connection.id] = settings_.protocol->make_reader();
  }
  tell_segment(next_segment(connection.id, true, Piece::connect, kConnect));
}

MessageKind ServerCluster::kind_of(const std::string& bytes) const {
  const std::string head = bytes.substr(0, 4096);  // expressions are not for whole uploads
  for (std::size_t i = 0; i < settings_.kinds.size(); ++i) {
    if (std::regex_search(head, settings_.kinds[i].expression)) {
      return static_cast<MessageKind>(kData + 1 + i);
    }
  }
  return kData;
}

void ServerCluster::on_bytes(const host::Connection& connection, host::Side from,
                             std::string bytes) {
  tell_parts(connection.id, from == host::Side::connector, bytes);
}

void ServerCluster::tell_parts(host::ConnectionId connection, bool to_acceptor,
                               std::string_view bytes) {
  if (settings_.protocol != nullptr) {
    for (protocols::Part& part : readers_[connection]->add(to_acceptor, bytes)) {
      tell_part(connection, to_acceptor, std::move(part));
    }
    return;
  }
  Flow& its = flow(connection * 2UL + (to_acceptor ? 0 : 1));
  for (std::string& message : its.framer->add(bytes)) {
    tell_part(connection, to_acceptor, {std::move(message), std::nullopt, {}});
  }
}

void ServerCluster::tell_part(host::ConnectionId connection, bool to_acceptor,
                              protocols::Part part) {
  const MessageKind kind =
      part.kind ? static_cast<MessageKind>(kData + 1 + settings_.kinds.size() + *part.kind)
                : kind_of(part.bytes);
  Segment segment =
      next_segment(connection, to_acceptor, Piece::bytes, kind, std::move(part.bytes));
  if (const NodeId from = flow(flow_of(segment)).from; from != kNoNode) note_begun(from);
  if (part.kind) segment.fields = std::make_shared<const protocols::RaftFields>(part.fields);
  tell_segment(std::move(segment));
}

std::string ServerCluster::rest_of(host::ConnectionId connection, bool to_acceptor) {
  if (settings_.protocol != nullptr) return readers_[connection]->rest(to_acceptor);
  return flow(connection * 2UL + (to_acceptor ? 0 : 1)).framer->rest();
}

void ServerCluster::on_end(const host::Connection& connection, host::Side from, bool gone) {
  const bool to_acceptor = from == host::Side::connector;
  if (std::string rest = rest_of(connection.id, to_acceptor); !rest.empty()) {
    tell_segment(next_segment(connection.id, to_acceptor, Piece::bytes, kData, std::move(rest)));
  }
  tell_segment(next_segment(connection.id, to_acceptor, gone ? Piece::gone : Piece::end, kEnd));
}

void ServerCluster::on_datagram(host::Datagram datagram) {
  if (datagram.from_machine != kNoNode) note_begun(datagram.from_machine);
  News news;
  news.node = datagram.from_machine;
  news.to = datagram.to_machine;
  Segment& segment = news.segment.emplace();
  segment.message_kind = kDatagram;
  segment.piece = Piece::datagram;
  segment.from = datagram.from;
  segment.to = datagram.to;
  segment.bytes = std::make_shared<const std::string>(std::move(datagram.bytes));
  tell(std::move(news));
}

void ServerCluster::sent(const Segment& segment, NodeId) {
  if (segment.piece != Piece::datagram) flow(flow_of(segment)).under_way.push_back(segment);
}

bool ServerCluster::wants_timer(std::uint64_t number) {
  Flow& its = flow(number);
  if (its.has_timer || its.is_dead || its.under_way.empty()) return false;
  its.has_timer = true;
  its.patience = settings_.retransmit;
  its.waited = {};
  return true;
}

Duration ServerCluster::patience(std::uint64_t number) {
  return flow(number).patience;
}

std::vector<std::pair<NodeId, Segment>> ServerCluster::unanswered(std::uint64_t number) {
  Flow& its = flow(number);
  its.has_timer = false;
  std::vector<std::pair<NodeId, Segment>> again;
  if (its.is_dead || its.under_way.empty()) return again;
  its.waited += its.patience;
  if (its.under_way.front().piece == Piece::connect && its.waited >= kConnectPatience) {
    const host::ConnectionId id = its.under_way.front().connection;
    its.is_dead = flow(number ^ 1).is_dead = true;
    host_->give_up(id);
    return again;
  }
  for (const Segment& segment : its.under_way) again.emplace_back(its.to, segment);
  its.has_timer = true;
  its.patience = std::min(its.patience * 2, kPatienceMax);
  return again;
}

std::vector<std::pair<NodeId, Segment>> ServerCluster::arrived(NodeId node,
                                                               const Segment& segment) {
  std::vector<std::pair<NodeId, Segment>> answers;
  if (segment.piece == Piece::datagram) {
    carry_out(node, segment, answers);
    return answers;
  }
  Flow& its = flow(flow_of(segment));
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

void ServerCluster::carry_out(NodeId node, const Segment& segment,
                              std::vector<std::pair<NodeId, Segment>>& answers) {
  const host::ConnectionId id = segment.connection;
  const host::Side to = segment.to_acceptor ? host::Side::acceptor : host::Side::connector;
  switch (segment.piece) {
    case Piece::connect: {
      const bool is_accepted = host_->knock(id);
      if (is_accepted) note_begun(node);
      const Segment answer =
          next_segment(id, false, is_accepted ? Piece::accepted : Piece::refused, kAnswer);
      answers.emplace_back(flow(flow_of(answer)).to, answer);
      break;
    }
    case Piece::accepted:
    case Piece::refused:
      host_->answer(id, segment.piece == Piece::accepted);
      break;
    case Piece::bytes:
      host_->deliver(id, to, *segment.bytes);
      break;
    case Piece::end:
    case Piece::gone:
      host_->deliver_end(id, to, segment.piece == Piece::gone);
      break;
    case Piece::datagram: {
      host::Datagram datagram;
      datagram.from = segment.from;
      datagram.to = segment.to;
      datagram.to_machine = node;
      datagram.bytes = *segment.bytes;
      host_->deliver(datagram);
      break;
    }
  }
}

void ServerCluster::end_connection(host::ConnectionId connection, NodeId survivor) {
  Flow& forward = flow(connection * 2UL);
  flow(connection * 2UL + 1).is_dead = forward.is_dead = true;
  const bool is_connector = forward.from == survivor;
  if (is_connector && flow(connection * 2UL + 1).arrived == 0) {
    host_->answer(connection, false);  // it was not open yet
  } else {
    host_->deliver_end(connection, is_connector ? host::Side::connector : host::Side::acceptor,
                       true);
  }
}

// ---- what is kept

void ServerCluster::miss(std::string what) {
  if (missed_count_++ == 0) missed_ = std::move(what);
}

std::string ServerCluster::unjudged() const {
  std::vector<std::string> all;
  if (missed_count_ > 0) all.push_back(missed_);
  if (missed_count_ > 1) all.back() += fmt::format(", and {} more of that", missed_count_ - 1);
  const auto half = std::find_if(programs_.begin(), programs_.end(), [](const Running& running) {
    return running.is_client && !running.lines.front().empty();
  });
  if (settings_.has_history && half != programs_.end()) {
    all.push_back(fmt::format("a line of a client has no end: {}", half->lines.front()));
  }
  if ((settings_.ready_port != 0 || settings_.ready_line) && !was_ready_) {
    all.emplace_back("no server was ever ready (system.ready)");
  }
  return fmt::format("{}", fmt::join(all, "; "));
}

std::vector<Outside::Remark> ServerCluster::remarks() {
  return host::remarks_of(host_->lost_processes(), origin_, [this](host::ProgramId id) {
    return id < programs_.size() && !programs_[id].is_preparation ? programs_[id].node : kNoNode;
  });
}

std::vector<Outside::Attachment> ServerCluster::attachments() {
  const host::Report report = host_->report();
  std::vector<Attachment> files{{host::kReportFile, host::to_text(report)},
                                {host::kJournalFile, report.journal.to_bytes()}};
  for (std::size_t i = 0; i < logs_.size(); ++i) {
    files.push_back({fmt::format("servers/{}.log", i), logs_[i]});
  }
  files.push_back({"servers/threads.txt", host::to_text(host_->threads())});
  return files;
}

}  // namespace dissensus::server
