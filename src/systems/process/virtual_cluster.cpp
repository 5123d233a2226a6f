#include "systems/process/virtual_cluster.h"

#include <algorithm>
#include <deque>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/assert.h"
#include "host/host.h"

namespace dissensus::process {

namespace {

using NodeJson = nlohmann::json;

constexpr std::size_t kLogBytesMax = 4u << 20;
constexpr std::uint64_t kOwnMessage = 1;   ///< tags of timers
constexpr std::uint64_t kInitTimeout = 2;  ///< plus what incarnation times two

/// Standard input and output become a connection, whose other end is ours: then lines arrive when
/// the world says so. The shell is there in every sandbox.
constexpr std::string_view kBridge = R"(exec 3<>"/dev/tcp/$0/7" && exec "$@" <&3 >&3 3>&-)";

class VirtualCluster;

class VirtualNode final : public Node {
 public:
  VirtualNode(VirtualCluster& cluster, NodeId self) : cluster_(cluster), self_(self) {}

  void start(Context& context) override;
  void restart(Context& context, const Node&) override { start(context); }
  void happened(Context& context) override;
  void receive(Context& context, NodeId from, const Message& message) override;
  void timer(Context& context, TimerId timer, std::uint64_t tag) override;

 private:
  bool carry_out(Context& context, const std::string& line);
  void tell(std::string line);
  void broken(Context& context, Trouble trouble, std::uint64_t number);

  VirtualCluster& cluster_;
  NodeId self_;
  bool has_answered_init_ = false;
  bool is_dead_ = false;
  std::uint64_t lines_ = 0;
  std::vector<std::string> early_;   ///< for which it is not ready yet
  std::deque<std::string> to_self_;  ///< bodies
};

/// Something that a node is to hear of.
struct ProgramNews {
  Time time{};
  NodeId node = kNoNode;
  std::string line;
  bool is_flood = false;
  std::optional<host::Exit> exit;
};

class VirtualCluster final : public Cluster, public Outside, public host::HostListener {
 public:
  VirtualCluster(const Book& book, std::uint64_t seed)
      : book_(book), programs_(book.settings().nodes) {
    host::Plan plan = book.settings().host;
    plan.seed = seed;
    for (std::size_t i = 0; i < programs_.size(); ++i) {
      plan.machines.push_back({fmt::format("n{}", i), book.settings().launch.folder});
    }
    plan.machines.push_back({"world", {}});
    host_ = std::make_unique<host::Host>(plan, *this);
  }

  std::unique_ptr<Node> make_node(NodeId id) override {
    if (id < programs_.size()) return std::make_unique<VirtualNode>(*this, id);
    return make_bystander(book_, id, numbers_);
  }
  Outside* outside() override { return this; }
  const Book& book() const { return book_; }

  void begin() override { origin_ = host_->now(); }
  std::string trouble() const override { return trouble_; }

  Happening wait(Time until) override {
    forget_lost();
    if (news_.empty() && trouble_.empty()) {
      const host::HostTime target = origin_ + host::HostTime(until - Time{});
      if (!host_->run_until(std::max(target, host_->now()))) trouble_ = host_->trouble();
      forget_lost();
    }
    if (!news_.empty()) return {news_.front().time, news_.front().node};
    return {world_time(), kNoNode};
  }

  void crashed(NodeId node) override {
    if (node >= programs_.size()) return;
    ProgramState& state = programs_[node];
    if (state.id) host_->kill(*state.id);
    const std::uint32_t lives = state.lives;
    state = {};
    state.lives = lives;
    state.is_down = true;
    std::erase_if(news_, [node](const ProgramNews& news) { return news.node == node; });
  }

  std::vector<Attachment> attachments() override {
    const host::Report report = host_->report();
    std::string text =
        fmt::format("calls    {:016x}\nmessages {:016x}\nstops    {}\nwall     {:.3f} s\n",
                    report.journal.calls_hash(), report.journal.messages_hash(), report.stops,
                    static_cast<double>(report.wall.count()) * 1e-9);
    text += report.doubts.empty() ? "nothing is known against repeatability\n"
                                  : "not proven repeatable:\n";
    for (const std::string& doubt : report.doubts) text += "  " + doubt + "\n";
    for (const std::string& note : report.notes) text += "note: " + note + "\n";
    std::vector<Attachment> files{{"host.txt", text}};
    for (std::size_t i = 0; i < programs_.size(); ++i) {
      files.push_back({fmt::format("nodes/n{}.log", i), logs_[static_cast<NodeId>(i)]});
    }
    return files;
  }

  // For the nodes.

  void start(NodeId node) {
    ProgramState& state = programs_[node];
    state.is_down = false;
    ++state.lives;
    const std::string own = host::to_string(
        host::Endpoint{host::address_of(static_cast<host::MachineId>(programs_.size())), 0});
    host::Program program;
    program.machine = node;
    program.name = book_.name(node);
    program.command = {"/bin/bash", "-c", std::string(kBridge), own.substr(0, own.find(':'))};
    for (const std::string& word : book_.settings().launch.command) program.command.push_back(word);
    program.environment = book_.settings().launch.environment;
    state.id = host_->start(program);
    owners_.resize(std::max<std::size_t>(owners_.size(), *state.id + std::size_t{1}), kNoNode);
    owners_[*state.id] = node;
  }
  void write(NodeId node, const std::string& line) {
    ProgramState& state = programs_[node];
    if (state.connection) {
      host_->deliver(*state.connection, host::Side::connector, line);
    } else {
      state.waiting += line;
    }
  }
  std::uint32_t lives(NodeId node) const { return programs_[node].lives; }
  void end_program(NodeId node) {
    if (programs_[node].id) host_->kill(*programs_[node].id);
    programs_[node].id.reset();
  }
  ProgramNews take_news(NodeId node) {
    DISSENSUS_ASSERT(!news_.empty() && news_.front().node == node,
                     "VirtualCluster : news are told in order");
    ProgramNews news = std::move(news_.front());
    news_.pop_front();
    return news;
  }

 private:
  struct ProgramState {
    std::optional<host::ProgramId> id;
    std::optional<host::ConnectionId> connection;
    std::string waiting;  ///< lines for it, until it is connected
    std::string partial;  ///< of its next line
    std::uint32_t lives = 0;
    bool is_down = false;
  };

  void on_connect(const host::Connection& connection) override {
    const bool is_ours = connection.to_machine == programs_.size() &&
                         connection.from_machine < programs_.size() && connection.to.port == 7 &&
                         !programs_[connection.from_machine].connection;
    host_->answer(connection.id, is_ours);
    if (!is_ours) return;
    ProgramState& state = programs_[connection.from_machine];
    state.connection = connection.id;
    if (!state.waiting.empty()) {
      host_->deliver(connection.id, host::Side::connector, std::exchange(state.waiting, {}));
    }
  }
  void on_bytes(const host::Connection& connection, host::Side from, std::string bytes) override {
    // Nobody is at the other end: what was read makes room for more.
    host_->deliver(connection.id, host::Side::acceptor, bytes);
    const NodeId node = connection.from_machine;
    ProgramState& state = programs_[node];
    if (from != host::Side::connector || state.connection != connection.id) return;
    state.partial += bytes;
    std::size_t at = 0;
    for (std::size_t end; (end = state.partial.find('\n', at)) != std::string::npos; at = end + 1) {
      ProgramNews news;
      news.node = node;
      news.line = state.partial.substr(at, end - at);
      tell(std::move(news));
    }
    state.partial.erase(0, at);
    if (state.partial.size() > book_.settings().limits.line_bytes) {
      state.partial.clear();
      ProgramNews news;
      news.node = node;
      news.is_flood = true;
      tell(std::move(news));
    }
  }
  void on_end(const host::Connection&, host::Side, bool) override {}
  void on_datagram(host::Datagram) override {}
  void on_output(host::ProgramId program, host::Stream, std::string_view bytes) override {
    std::string& log = logs_[owners_.at(program)];
    log.append(bytes.substr(0, kLogBytesMax - std::min(kLogBytesMax, log.size())));
  }
  void on_exit(host::ProgramId program, const host::Exit& exit) override {
    const NodeId node = owners_.at(program);
    if (exit.by_owner || programs_[node].id != program) return;
    ProgramNews news;
    news.node = node;
    news.exit = exit;
    tell(std::move(news));
  }

  void tell(ProgramNews news) {
    news.time = world_time();
    news_.push_back(std::move(news));
    host_->finish_soon();
  }
  void forget_lost() {
    while (!news_.empty() && programs_[news_.front().node].is_down) news_.pop_front();
  }
  Time world_time() const {
    return Time{} + std::chrono::duration_cast<Duration>(host_->now() - origin_);
  }

  const Book& book_;
  std::vector<ProgramState> programs_;
  std::vector<NodeId> owners_;  ///< by program
  std::map<NodeId, std::string> logs_;
  std::deque<ProgramNews> news_;
  SharedNumbers numbers_;
  std::string trouble_;
  host::HostTime origin_{};
  std::unique_ptr<host::Host> host_;  ///< last: it calls this until it is gone
};

void VirtualNode::start(Context& context) {
  cluster_.start(self_);
  cluster_.write(self_, cluster_.book().open_init(self_, {}) + "}\n");
  context.set_timer(Duration(cluster_.book().settings().limits.answer),
                    kInitTimeout + 2 * cluster_.lives(self_));
}

void VirtualNode::timer(Context& context, TimerId, std::uint64_t tag) {
  if (is_dead_) return;
  if (tag == kOwnMessage) {
    tell(cluster_.book().open_line(self_, self_, to_self_.front()));
    to_self_.pop_front();
  } else if (!has_answered_init_ && tag == kInitTimeout + 2 * cluster_.lives(self_)) {
    broken(context, Trouble::silence, lines_);
  }
}

void VirtualNode::receive(Context&, NodeId from, const Message& message) {
  tell(cluster_.book().open_line(from, self_, *message.get<ProcessMessage>()->body));
}

void VirtualNode::tell(std::string line) {
  if (is_dead_) return;
  line += "}\n";
  if (has_answered_init_) {
    cluster_.write(self_, line);
  } else {
    early_.push_back(std::move(line));
  }
}

void VirtualNode::broken(Context& context, Trouble trouble, std::uint64_t number) {
  is_dead_ = true;
  cluster_.end_program(self_);
  context.broken(invariant_of(trouble), number);
}

void VirtualNode::happened(Context& context) {
  const ProgramNews news = cluster_.take_news(self_);
  if (is_dead_) return;
  if (news.exit) {
    const bool is_crash = news.exit->signal != 0;
    broken(context, is_crash ? Trouble::crash : Trouble::exit,
           static_cast<std::uint64_t>(is_crash ? news.exit->signal : news.exit->code));
  } else if (news.is_flood) {
    broken(context, Trouble::flood, lines_);
  } else {
    ++lines_;
    if (carry_out(context, news.line)) return;
    if (context.logging()) context.log(news.line.substr(0, 200));
    broken(context, Trouble::nonsense, lines_);
  }
}

bool VirtualNode::carry_out(Context& context, const std::string& line) {
  const NodeJson parsed = NodeJson::parse(line, nullptr, false);
  if (!parsed.is_object()) return false;
  const auto to = parsed.find("dest");
  const auto body = parsed.find("body");
  if (to == parsed.end() || !to->is_string() || body == parsed.end() || !body->is_object()) {
    return false;
  }
  const auto& name = to->get_ref<const std::string&>();
  if (name == kWorldName) {
    if (member(*body, "type") != "init_ok") return false;
    has_answered_init_ = true;
    for (const std::string& waiting : early_) cluster_.write(self_, waiting);
    early_.clear();
    return true;
  }
  const NodeId id = cluster_.book().find(name);
  if (id == kNoNode) return false;
  if (id == self_) {
    to_self_.push_back(body->dump());
    context.set_timer(Duration{}, kOwnMessage);
  } else {
    cluster_.book().send(context, id, *body);
  }
  return true;
}

}  // namespace

std::unique_ptr<Cluster> make_virtual_cluster(const Book& book, std::uint64_t seed) {
  return std::make_unique<VirtualCluster>(book, seed);
}

}  // namespace dissensus::process
