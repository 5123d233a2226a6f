#include "systems/live/servers/virtual_servers.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <arpa/inet.h>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include "dissensus/random.h"

#include "systems/live/wire/error.h"

namespace dissensus::live {

namespace {

using ErrorCode = boost::system::error_code;

/// Time 0 of programs; some way from the clock's own zero, so that nothing before it is negative.
constexpr LoopTime kBeginning{std::chrono::hours(1)};
/// After which a program hears that nobody listens where it wants to connect to.
constexpr auto kRefusalDelay = std::chrono::milliseconds(1);

/// Servers make an RSA key when they start, and how long that takes is luck. With these streams of
/// random bytes, the quickest twenty of 240 that were tried once each with rippled 1.7.2 and
/// OpenSSL 3.0, a server starts in two thirds of the usual computation or less
/// (docs/results/live.md); with other versions they are as good as any. Each run draws its own of
/// them.
constexpr std::array<std::uint64_t, 20> kQuickStreams{
    116, 68, 57, 155, 140, 152, 111, 14, 189, 9, 154, 84, 163, 157, 106, 24, 22, 64, 108, 50};

std::uint32_t ip_of(const std::string& text) {
  in_addr address{};
  if (inet_pton(AF_INET, text.c_str(), &address) != 1) return INADDR_LOOPBACK;
  return ntohl(address.s_addr);
}

std::string text_of_ip(std::uint32_t ip) {
  const std::string text = host::to_string(host::Endpoint{ip, 0});
  return text.substr(0, text.find(':'));
}

host::HostTime to_host_time(LoopTime time) {
  return std::chrono::duration_cast<host::HostTime>(time - kBeginning);
}

}  // namespace

// ---- connections

class VirtualServers::Connection final : public VirtualConnection {
 public:
  explicit Connection(VirtualServers& owner) : owner_(owner) {}
  ~Connection() override { close(); }

  void connect(const std::string& source, const std::string& address, std::uint16_t port,
               Connected done) override {
    if (owner_.next_port_ == UINT16_MAX) owner_.next_port_ = 50'000;
    const host::Endpoint from{ip_of(source), owner_.next_port_++};
    const std::uint32_t to = ip_of(address);
    for (std::size_t machine = 0; owner_.cluster_ && machine < owner_.cluster_plan_.machines.size();
         ++machine) {
      const auto number = static_cast<host::MachineId>(machine);
      if (host::address_of(number) == to) id_ = owner_.cluster_->host().dial(from, number, port);
    }
    if (id_) owner_.connections_[*id_] = this;
    const ErrorCode error = id_ ? ErrorCode() : boost::asio::error::connection_refused;
    boost::asio::post(owner_.io_, [done = std::move(done), error] { done(error); });
  }

  void read_some(boost::asio::mutable_buffer to, Moved done) override {
    wanted_ = to;
    reader_ = std::move(done);
    serve();
  }

  void write_some(boost::asio::const_buffer from, Moved done) override {
    ErrorCode error;
    if (!id_ || is_gone_) {
      error = boost::asio::error::broken_pipe;
    } else {
      owner_.cluster_->host().deliver(*id_, host::Side::acceptor,
                                      {static_cast<const char*>(from.data()), from.size()});
    }
    const std::size_t bytes = error ? 0 : from.size();
    boost::asio::post(owner_.io_, [done = std::move(done), error, bytes] { done(error, bytes); });
  }

  void close() override {
    if (id_) {
      owner_.connections_.erase(*id_);
      if (!is_gone_) owner_.cluster_->host().deliver_end(*id_, host::Side::acceptor, true);
      id_.reset();
    }
    is_gone_ = true;
    if (reader_) answer(boost::asio::error::operation_aborted, 0);
  }

  void arrived(std::string_view bytes) {
    unread_ += bytes;
    serve();
  }
  void ended(bool is_gone) {
    has_ended_ = true;
    is_gone_ = is_gone_ || is_gone;
    serve();
  }

 private:
  void serve() {
    if (!reader_) return;
    if (!unread_.empty() || wanted_.size() == 0) {
      const std::size_t bytes = std::min(unread_.size(), wanted_.size());
      // Whoever wants nothing has no place for it either.
      if (bytes > 0) std::memcpy(wanted_.data(), unread_.data(), bytes);
      unread_.erase(0, bytes);
      answer({}, bytes);
    } else if (has_ended_ || is_gone_) {
      answer(boost::asio::error::eof, 0);
    }
  }
  void answer(ErrorCode error, std::size_t bytes) {
    boost::asio::post(owner_.io_,
                      [done = std::exchange(reader_, {}), error, bytes] { done(error, bytes); });
  }

  VirtualServers& owner_;
  std::optional<host::ConnectionId> id_;
  std::string unread_;
  boost::asio::mutable_buffer wanted_;
  Moved reader_;
  bool has_ended_ = false;
  bool is_gone_ = false;
};

std::unique_ptr<VirtualConnection> VirtualServers::make_connection() {
  return std::make_unique<Connection>(*this);
}

/// Servers reach each other through us only.
void VirtualServers::on_connect(const host::Connection& connection) {
  agenda::add(io_, now() + kRefusalDelay,
              [this, id = connection.id] { cluster_->host().answer(id, false); });
  cluster_->host().finish_soon();
}

void VirtualServers::on_bytes(host::ConnectionId connection, std::string bytes) {
  const auto found = connections_.find(connection);
  if (found == connections_.end()) return;
  found->second->arrived(bytes);
  cluster_->host().finish_soon();
}

void VirtualServers::on_end(host::ConnectionId connection, bool gone) {
  const auto found = connections_.find(connection);
  if (found == connections_.end()) return;
  found->second->ended(gone);
  cluster_->host().finish_soon();
}

// ---- servers

VirtualServers::VirtualServers(boost::asio::io_context& io, const Plan& plan)
    : io_(io), plan_(plan) {
  put_into(io, *this);
}

VirtualServers::~VirtualServers() = default;

std::vector<std::string> VirtualServers::addresses(std::size_t nodes) {
  std::vector<std::string> result;
  for (std::size_t node = 0; node < nodes; ++node) {
    result.push_back(text_of_ip(host::address_of(static_cast<host::MachineId>(node))));
  }
  return result;
}

void VirtualServers::prepare(const std::vector<std::string>& programs,
                             const std::vector<std::string>& folders) {
  cluster_plan_ = {};
  host::Plan& host = cluster_plan_.host;
  host.order = plan_.order;
  host.has_own_uptimes = false;  // servers start at different moments
  host.visible = programs;
  std::sort(host.visible.begin(), host.visible.end());
  host.visible.erase(std::unique(host.visible.begin(), host.visible.end()), host.visible.end());
  host.limits.wall_time = std::chrono::hours(1);
  for (std::size_t node = 0; node < folders.size(); ++node) {
    hosted::MachinePlan& machine = cluster_plan_.machines.emplace_back();
    machine.name = fmt::format("n{}", node);
    machine.contents = folders[node];
    machine.log_file = fmt::format("servers/{}.out", node);
  }
  hosted::Guest* const self = this;  // private: make_unique may not convert
  cluster_ = std::make_unique<hosted::Cluster>(cluster_plan_, plan_.seed, nullptr, self);
}

std::uint64_t VirtualServers::next_stream() {
  std::vector<std::uint64_t> order(kQuickStreams.begin(), kQuickStreams.end());
  Random random(plan_.seed, "streams", started_ / order.size());
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    std::swap(order[i], order[i + random.below(order.size() - i)]);
  }
  return order[started_++ % order.size()];
}

void VirtualServers::start(NodeId node, const hosted::Command& command,
                           const std::vector<std::string>& environment) {
  host::Program program;
  program.name = cluster_plan_.machines[node].name;
  program.command = command;
  program.environment = environment;
  program.random_seed = next_stream();
  cluster_->start_program(node, std::move(program));
}

void VirtualServers::crashed(NodeId node) {
  if (owner_.crashed) owner_.crashed(node);
}

std::vector<Outside::Attachment> VirtualServers::attachments() {
  return owner_.attachments ? owner_.attachments() : std::vector<Outside::Attachment>{};
}

// ---- time

void VirtualServers::pass(host::HostTime until, const std::function<bool()>& stop) {
  drive(io_, kBeginning + std::chrono::duration_cast<LoopTime::duration>(until), stop);
}

LoopTime VirtualServers::now() const {
  if (!cluster_) return kBeginning;
  return kBeginning + std::chrono::duration_cast<LoopTime::duration>(cluster_->host().now());
}

bool VirtualServers::advance(LoopTime until) {
  if (!cluster_) return false;
  host::Host& host = cluster_->host();
  return host.run_until(std::max(to_host_time(until), host.now()));
}

void VirtualServers::push_calendars(std::chrono::seconds by) {
  pushed_ += by;
  for (std::size_t machine = 0; machine < cluster_plan_.machines.size(); ++machine) {
    cluster_->host().set_calendar_offset(static_cast<host::MachineId>(machine), pushed_);
  }
}

}  // namespace dissensus::live
