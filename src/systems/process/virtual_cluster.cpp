#include "systems/process/virtual_cluster.h"

#include <algorithm>
#include <deque>
#include <optional>

#include <fmt/format.h>

#include "dissensus/machines.h"

#include "core/assert.h"
#include "host/ends.h"
#include "host/host.h"
#include "systems/process/bystander.h"
#include "systems/process/plain_node.h"

namespace dissensus::process {

namespace {

constexpr std::size_t kLogBytesMax = 4u << 20;

/// Standard input and output become a connection, whose other end is ours: then lines arrive when
/// the world says so. The shell is there in every sandbox.
constexpr std::string_view kBridge = R"(exec 3<>"/dev/tcp/$0/7" && exec "$@" <&3 >&3 3>&-)";

class VirtualCluster final : public Cluster,
                             public Outside,
                             public Programs,
                             public Machines,
                             public host::HostListener {
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
    if (id < programs_.size()) return std::make_unique<PlainNode>(*this, id);
    return make_bystander(book_, id, numbers_);
  }
  Outside* outside() override { return this; }
  const Book& book() const override { return book_; }

  void begin() override { origin_ = host_->now(); }
  std::string trouble() const override { return trouble_; }

  Happening wait(Time until) override {
    resume_programs();
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

  std::vector<Remark> remarks() override {
    return host::remarks_of(host_->lost_processes(), origin_,
                            [this](host::ProgramId id) { return owners_.at(id); });
  }

  void paused(NodeId node, bool is_paused) override {
    if (node >= programs_.size()) return;
    std::erase(resumed_, node);
    if (!is_paused) {
      resumed_.push_back(node);
    } else if (programs_[node].id) {
      host_->pause(*programs_[node].id);
    }
  }
  void disk_slowed(NodeId node, Duration extra) override {
    if (node < programs_.size()) host_->slow_disk(node, host::HostTime(extra));
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

  void start_program(NodeId node) override {
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
  void write(NodeId node, const std::string& line) override {
    ProgramState& state = programs_[node];
    if (state.connection) {
      host_->deliver(*state.connection, host::Side::connector, line);
    } else {
      state.waiting += line;
    }
  }
  std::uint32_t lives(NodeId node) const override { return programs_[node].lives; }
  void end_program(NodeId node) override {
    if (programs_[node].id) host_->kill(*programs_[node].id);
    programs_[node].id.reset();
  }
  ProgramNews take_news(NodeId node) override {
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
      news.trouble = Trouble::flood;
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
    news.trouble = exit.signal != 0 ? Trouble::crash : Trouble::exit;
    news.status = exit.signal != 0 ? exit.signal : exit.code;
    tell(std::move(news));
  }

  void tell(ProgramNews news) {
    news.time = world_time();
    news_.push_back(std::move(news));
    host_->finish_soon();
  }
  /// What arrived during the pause is there first.
  void resume_programs() {
    for (const NodeId node : std::exchange(resumed_, {})) {
      if (programs_[node].id) host_->resume(*programs_[node].id);
    }
  }
  void forget_lost() {
    while (!news_.empty() && programs_[news_.front().node].is_down) news_.pop_front();
  }
  Time world_time() const {
    return Time{} + std::chrono::duration_cast<Duration>(host_->now() - origin_);
  }

  const Book& book_;
  std::vector<ProgramState> programs_;
  std::vector<NodeId> owners_;   ///< by program
  std::vector<NodeId> resumed_;  ///< whose pause is over
  std::map<NodeId, std::string> logs_;
  std::deque<ProgramNews> news_;
  SharedNumbers numbers_;
  std::string trouble_;
  host::HostTime origin_{};
  std::unique_ptr<host::Host> host_;  ///< last: it calls this until it is gone
};

}  // namespace

std::unique_ptr<Cluster> make_virtual_cluster(const Book& book, std::uint64_t seed) {
  return std::make_unique<VirtualCluster>(book, seed);
}

}  // namespace dissensus::process
