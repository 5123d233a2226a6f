#include "hosted/cluster.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/assert.h"
#include "host/ends.h"
#include "hosted/death.h"
#include "hosted/kept.h"

namespace dissensus::hosted {

namespace {

constexpr std::size_t kLogBytesMax = 4u << 20;
constexpr host::HostTime kReadyStep = std::chrono::milliseconds(100);
constexpr host::HostTime kPreparationMax = std::chrono::minutes(10);

std::string in_one_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  constexpr std::size_t kBytesMax = 1000;
  if (text.size() > kBytesMax) text = "... " + text.substr(text.size() - kBytesMax);
  for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos; at += 3) {
    text.replace(at, 1, " | ");
  }
  return text;
}

host::Plan host_plan(const Plan& plan, std::uint64_t seed) {
  host::Plan made = plan.host;
  made.seed = seed;
  for (const MachinePlan& machine : plan.machines) {
    made.machines.push_back({machine.name, machine.contents});
  }
  return made;
}

}  // namespace

Cluster::Cluster(const Plan& plan, std::uint64_t seed, StandIns stand_ins, Guest* guest)
    : plan_(plan),
      stand_ins_(std::move(stand_ins)),
      guest_(guest),
      machines_(plan.machines.size()),
      host_(std::make_unique<host::Host>(host_plan(plan, seed),
                                         static_cast<host::HostListener&>(*this))),
      connections_(plan, *host_) {
  for (std::size_t node = 0; node < machines_.size(); ++node) {
    for (const Command& command : plan.machines[node].prepare) {
      prepare(static_cast<NodeId>(node), command);
    }
  }
}

Cluster::~Cluster() = default;

void Cluster::prepare(NodeId node, const Command& command) {
  host::Program program;
  program.name = "prepare";
  program.command = command;
  program.environment = plan_.machines[node].environment;
  const host::ProgramId id = start(node, std::move(program));
  programs_[id].is_preparation = true;
  const host::HostTime limit = host_->now() + kPreparationMax;
  while (!programs_[id].exit && host_->now() < limit) {
    if (!host_->run_until(host_->now() + kReadyStep)) throw OutsideError(host_->trouble());
  }
  const std::optional<host::Exit>& exit = programs_[id].exit;
  if (exit && exit->code == 0 && exit->signal == 0) return;
  throw OutsideError(fmt::format("node {}: {} {}: {}", node, command.front(),
                                 exit ? host::to_string(*exit) : "does not end",
                                 in_one_line(machines_[node].log)));
}

// ---- waiting

void Cluster::begin() {
  origin_ = host_->now();
  news_.clear();
}

Time Cluster::world_time() const {
  return Time{} + std::chrono::duration_cast<Duration>(host_->now() - origin_);
}

void Cluster::forget_lost() {
  while (!news_.empty() && machines_[news_.front().node].is_down) news_.pop_front();
}

Outside::Happening Cluster::wait(Time until) {
  resume_programs();
  forget_lost();
  if (news_.empty() && trouble_.empty() && !death_) {
    host::HostTime target = origin_ + host::HostTime(until - Time{});
    if (std::any_of(machines_.begin(), machines_.end(),
                    [](const Machine& machine) { return !machine.is_ready; })) {
      target = std::min(target, host_->now() + kReadyStep);
    }
    advance(std::max(target, host_->now()));
    look_for_ready();
    forget_lost();
  }
  if (!news_.empty()) return {news_.front().time, news_.front().node};
  // What it said last was told, and rules that speak of it were judged.
  if (death_ && trouble_.empty()) trouble_ = death_->text;
  return {world_time(), kNoNode};
}

void Cluster::advance(host::HostTime until) {
  if (guest_ == nullptr) {
    if (!host_->run_until(until)) trouble_ = host_->trouble();
    return;
  }
  guest_->pass(until, [this] {
    forget_lost();
    return !news_.empty() || death_.has_value();
  });
  trouble_ = host_->trouble();
}

void Cluster::be_ready(Machine& machine) {
  machine.is_ready = machine.has_begun = was_ready_ = true;
}

void Cluster::look_for_ready() {
  if (plan_.ready_port == 0) return;
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    Machine& machine = machines_[i];
    if (machine.is_ready || machine.is_down || !machine.program) continue;
    const auto node = static_cast<NodeId>(i);
    if (!host_->is_listening(node, plan_.ready_port)) continue;
    be_ready(machine);
    News news;
    news.node = node;
    news.is_ready = true;
    tell(std::move(news));
  }
}

void Cluster::tell(News news) {
  news.time = world_time();
  news_.push_back(std::move(news));
  host_->finish_soon();
}

void Cluster::tell(NodeId node, std::any of_guest) {
  News news;
  news.node = node;
  news.of_guest = std::move(of_guest);
  tell(std::move(news));
}

void Cluster::tell(std::vector<Connections::Sending> sendings) {
  for (Connections::Sending& sending : sendings) {
    News news;
    news.node = sending.from;
    news.to = sending.to;
    news.segment = std::move(sending.segment);
    tell(std::move(news));
  }
}

News Cluster::take_news(NodeId node) {
  DISSENSUS_ASSERT(!news_.empty() && news_.front().node == node,
                   "Cluster::take_news : news are told in order");
  News news = std::move(news_.front());
  news_.pop_front();
  return news;
}

// ---- programs

host::ProgramId Cluster::start(NodeId node, host::Program program) {
  program.machine = node;
  const host::ProgramId id = host_->start(program);
  programs_.resize(std::max<std::size_t>(programs_.size(), id + 1));
  programs_[id].node = node;
  return id;
}

void Cluster::start_program(NodeId node) {
  const MachinePlan& plan = plan_.machines[node];
  machines_[node].is_down = false;
  machines_[node].is_ready = true;
  if (plan.command.empty()) return;
  host::Program program;
  program.name = plan.name;
  program.command = plan.command;
  program.environment = plan.environment;
  program.is_piped = plan_.speaks_lines;
  start_program(node, std::move(program));
}

void Cluster::start_program(NodeId node, host::Program program) {
  Machine& machine = machines_[node];
  machine.is_down = false;
  machine.is_ready = !plan_.has_readiness();
  machine.exit.reset();
  machine.program = start(node, std::move(program));
}

void Cluster::start_client(NodeId node, const Client& client) {
  host::Program program;
  program.name = "client";
  program.command = client.command;
  program.environment = client.environment;
  program.input = client.input;
  const host::ProgramId id = start(node, std::move(program));
  programs_[id].is_client = true;
  programs_[id].may_fail = client.may_fail;
}

template <class Action>
void Cluster::for_programs_of(NodeId node, Action action) {
  for (host::ProgramId id = 0; id < programs_.size(); ++id) {
    if (programs_[id].node == node && host_->is_running(id)) action(id);
  }
}

void Cluster::set_program_paused(NodeId node, bool is_paused) {
  const Machine& machine = machines_[node];
  if (!machine.program || machine.is_down) return;
  if (is_paused) {
    host_->pause(*machine.program);
  } else {
    host_->resume(*machine.program);
  }
}

void Cluster::write(NodeId node, std::string_view line) {
  if (machines_[node].program) host_->write(*machines_[node].program, line);
}

void Cluster::end_program(NodeId node) {
  if (const auto program = std::exchange(machines_[node].program, {})) host_->kill(*program);
}

void Cluster::on_output(host::ProgramId program, host::Stream stream, std::string_view bytes) {
  programs_.resize(std::max<std::size_t>(programs_.size(), program + 1));
  Running& running = programs_[program];
  if (running.node == kNoNode) return;
  const bool is_speech = plan_.speaks_lines && stream == host::Stream::output;
  if (!is_speech) {
    std::string& log = machines_[running.node].log;
    if (log.size() < kLogBytesMax) log += bytes;
  }
  if (running.is_preparation || (plan_.speaks_lines && !is_speech)) return;
  std::string& line = running.lines.at(static_cast<std::size_t>(stream));
  line += bytes;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = line.find('\n', begin)) != line.npos; begin = end + 1) {
    tell_line(program, line.substr(begin, end - begin));
  }
  line.erase(0, begin);
  if (plan_.line_bytes_max == 0 || line.size() <= plan_.line_bytes_max) return;
  line.clear();
  tell_flood(running.node);
}

void Cluster::tell_flood(NodeId node) {
  News news;
  news.node = node;
  news.has_flooded = true;
  tell(std::move(news));
}

void Cluster::tell_line(host::ProgramId program, std::string line) {
  const Running& running = programs_[program];
  Machine& machine = machines_[running.node];
  News news;
  news.node = running.node;
  news.of_client = running.is_client;
  if (!running.is_client && plan_.ready_line && !machine.is_ready &&
      std::regex_search(line.substr(0, kLineSearchedMax), *plan_.ready_line)) {
    be_ready(machine);
    news.is_ready = true;
  }
  news.line = std::move(line);
  tell(std::move(news));
}

void Cluster::on_exit(host::ProgramId program, const host::Exit& exit) {
  programs_.resize(std::max<std::size_t>(programs_.size(), program + 1));
  Running& running = programs_[program];
  running.exit = exit;
  if (running.is_preparation || running.node == kNoNode || exit.by_owner) return;
  // What it said last needs no end of a line, where people are to read it.
  for (std::string& line : running.lines) {
    if (!line.empty() && !plan_.speaks_lines) tell_line(program, std::exchange(line, {}));
  }
  Machine& machine = machines_[running.node];
  if (machine.program == program) {
    machine.program.reset();
    machine.exit = exit;
    if (!death_ && !plan_.speaks_lines)
      death_ = death_of(running.node, exit, machine.log, plan_.may_exit);
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

void Cluster::on_spin(host::ProgramId program) {
  const Running& running = programs_.at(program);
  if (running.is_preparation || running.is_client || running.node == kNoNode) return;
  if (plan_.speaks_lines) return;
  News news;
  news.node = running.node;
  news.has_spun = true;
  tell(std::move(news));
}

// ---- what a schedule does to machines

void Cluster::crashed(NodeId node) {
  if (node >= machines_.size()) return;
  if (guest_ != nullptr) guest_->crashed(node);
  machines_[node].is_down = true;
  if (plan_.is_power_lost) {
    host_->power_loss(node);
  } else {
    for_programs_of(node, [this](host::ProgramId id) { host_->kill(id); });
  }
  machines_[node].program.reset();
  std::erase_if(news_, [node](const News& news) { return news.node == node; });
  // The kernel of a machine whose programs end tells the other ends.
  for (const auto& [connection, other] : connections_.of(node)) {
    News news;
    news.node = other;
    news.reset = connection;
    if (other != kNoNode) tell(std::move(news));
  }
}

void Cluster::paused(NodeId node, bool is_paused) {
  if (node >= machines_.size()) return;
  std::erase(resumed_, node);
  if (!is_paused) {
    resumed_.push_back(node);
    return;
  }
  for_programs_of(node, [this](host::ProgramId id) { host_->pause(id); });
}

void Cluster::resume_programs() {
  for (const NodeId node : std::exchange(resumed_, {})) {
    for_programs_of(node, [this](host::ProgramId id) { host_->resume(id); });
  }
}

void Cluster::disk_slowed(NodeId node, Duration extra) {
  if (node < machines_.size()) host_->slow_disk(node, host::HostTime(extra));
}

// ---- connections

void Cluster::on_connect(const host::Connection& connection) {
  if (guest_ != nullptr) return guest_->on_connect(connection);
  if (plan_.speaks_lines) {
    host_->answer(connection.id, false);
  } else {
    tell(connections_.opened(connection));
  }
}

void Cluster::on_bytes(const host::Connection& connection, host::Side from, std::string bytes) {
  if (guest_ != nullptr) return guest_->on_bytes(connection.id, std::move(bytes));
  auto sendings = connections_.wrote(connection, from, bytes);
  for (const Connections::Sending& sending : sendings) {
    if (sending.from != kNoNode) note_begun(sending.from);
  }
  tell(std::move(sendings));
}

void Cluster::on_end(const host::Connection& connection, host::Side from, bool gone) {
  if (guest_ != nullptr) return guest_->on_end(connection.id, gone);
  tell(connections_.ended(connection, from, gone));
}

void Cluster::on_datagram(host::Datagram datagram) {
  if (plan_.speaks_lines || guest_ != nullptr) return;
  if (datagram.from_machine != kNoNode) note_begun(datagram.from_machine);
  tell({Connections::datagram(std::move(datagram))});
}

// ---- what is kept

void Cluster::miss(std::string what) {
  if (missed_count_++ == 0) missed_ = std::move(what);
}

std::string Cluster::unjudged() const {
  std::vector<std::string> all;
  if (missed_count_ > 0) all.push_back(missed_);
  if (missed_count_ > 1) all.back() += fmt::format(", and {} more of that", missed_count_ - 1);
  const auto half = std::find_if(programs_.begin(), programs_.end(), [](const Running& running) {
    return running.is_client && !running.lines.front().empty();
  });
  if (plan_.has_history && half != programs_.end()) {
    all.push_back(fmt::format("a line of a client has no end: {}", half->lines.front()));
  }
  if (plan_.has_readiness() && !was_ready_) {
    all.emplace_back("no server was ever ready (system.ready)");
  }
  return fmt::format("{}", fmt::join(all, "; "));
}

std::vector<Outside::Remark> Cluster::remarks() {
  return host::remarks_of(host_->lost_processes(), origin_, [this](host::ProgramId id) {
    return id < programs_.size() && !programs_[id].is_preparation ? programs_[id].node : kNoNode;
  });
}

std::vector<UsedFile> Cluster::used_here(const std::vector<std::string>& paths) const {
  std::vector<UsedFile> used = used_files(paths);
  for (const MachinePlan& machine : plan_.machines) {
    if (machine.contents.empty()) continue;
    const std::vector<UsedFile> own = files_of_contents(machine.name, machine.contents);
    used.insert(used.end(), own.begin(), own.end());
  }
  return used;
}

std::vector<Outside::Attachment> Cluster::attachments() {
  const host::Report report = host_->report();
  std::vector<Attachment> files{{host::kReportFile, host::to_text(report)},
                                {host::kJournalFile, report.journal.to_bytes()}};
  files.push_back({kFilesFile, to_text(used_here(report.files))});
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    files.push_back({plan_.machines[i].log_file, machines_[i].log});
    const auto node = static_cast<NodeId>(i);
    for (Attachment& file : kept_files(node, host_->folder(node), plan_.keep)) {
      files.push_back(std::move(file));
    }
  }
  files.push_back({plan_.threads_file, host::to_text(host_->threads())});
  if (guest_ == nullptr) return files;
  for (Attachment& file : guest_->attachments()) files.push_back(std::move(file));
  return files;
}

}  // namespace dissensus::hosted
