#include "host/host.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "host/core_file.h"
#include "host/supervisor.h"

namespace dissensus::host {

Host::Host(const Plan& plan, HostListener& listener)
    : supervisor_(std::make_unique<Supervisor>(plan, listener)) {}
Host::~Host() = default;

HostTime Host::now() const {
  return supervisor_->now();
}
bool Host::run_until(HostTime until) {
  return supervisor_->run_until(until);
}
void Host::finish_soon() {
  supervisor_->finish_soon();
}
std::string Host::trouble() const {
  return supervisor_->trouble();
}
ProgramId Host::start(const Program& program) {
  return supervisor_->start(program);
}
bool Host::is_running(ProgramId program) const {
  return !supervisor_->program(program).is_done;
}
void Host::kill(ProgramId program) {
  supervisor_->kill(program);
}
void Host::power_loss(MachineId machine) {
  supervisor_->power_loss(machine);
}
void Host::slow_disk(MachineId machine, HostTime extra) {
  supervisor_->disk().slow(machine, extra);
}
void Host::pause(ProgramId program) {
  supervisor_->set_paused(program, true);
}
void Host::resume(ProgramId program) {
  supervisor_->set_paused(program, false);
}
void Host::signal(ProgramId program, int number) {
  supervisor_->signal(program, number);
}
void Host::write(ProgramId program, std::string_view bytes) {
  supervisor_->pipes().write(program, bytes);
}
void Host::set_calendar_offset(MachineId machine, std::chrono::nanoseconds offset) {
  supervisor_->set_calendar_offset(machine, offset);
}
bool Host::knock(ConnectionId connection) {
  return supervisor_->network().knock(connection);
}
void Host::answer(ConnectionId connection, bool accepted) {
  supervisor_->network().answer(connection, accepted);
}
void Host::give_up(ConnectionId connection) {
  supervisor_->network().give_up(connection);
}
void Host::deliver(ConnectionId connection, Side to, std::string_view bytes) {
  supervisor_->network().deliver(connection, to, bytes);
}
void Host::deliver_end(ConnectionId connection, Side to, bool gone) {
  supervisor_->network().deliver_end(connection, to, gone);
}
void Host::deliver(const Datagram& datagram) {
  supervisor_->network().deliver(datagram);
}
std::optional<ConnectionId> Host::dial(const Endpoint& from, MachineId machine,
                                       std::uint16_t port) {
  return supervisor_->network().dial(from, machine, port);
}
bool Host::is_listening(MachineId machine, std::uint16_t port) const {
  return supervisor_->network().is_listening(machine, port);
}
std::string Host::folder(MachineId machine) const {
  return supervisor_->folder(machine);
}
std::vector<LostProcess> Host::lost_processes() const {
  return supervisor_->lost_processes();
}
std::vector<ThreadView> Host::threads() const {
  return supervisor_->threads();
}
std::vector<ProcessView> Host::processes() const {
  return supervisor_->process_views();
}
std::vector<std::string> Host::write_cores(const std::string& folder) const {
  std::vector<std::string> files;
  std::filesystem::create_directories(folder);
  for (const ProcessView& process : processes()) {
    std::string file = fmt::format("{}/{}.{}.core", folder, process.name, process.inner_pid);
    std::replace(file.begin() + static_cast<std::ptrdiff_t>(folder.size()), file.end(), ' ', '-');
    if (write_core_file(process.tids, process.inner_tids, file)) files.push_back(file);
  }
  return files;
}
void Host::excuse(std::chrono::nanoseconds real_time) {
  supervisor_->excuse(real_time);
}
Report Host::report() const {
  return supervisor_->report();
}

std::string to_string(const Exit& exit) {
  if (exit.signal == 0) return fmt::format("exited with code {}", exit.code);
  return fmt::format("{} by signal {} ({})", exit.by_owner ? "ended" : "killed", exit.signal,
                     strsignal(exit.signal));
}

}  // namespace dissensus::host
