#include "systems/libraft/system.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/node_key.h"
#include "systems/libraft/heap.h"
#include "systems/libraft/settings.h"
#include "systems/libraft/steps.h"
#include "systems/libraft/witness.h"

namespace dissensus::libraft {

namespace {

constexpr std::array<std::string_view, kOperations> kOperationNames{
    "command", "read", "add", "assign", "remove", "transfer"};
constexpr std::array<std::string_view, 3> kRoleNames{"standby", "voter", "spare"};

/// The servers of one run: what they share is memory, and a witness that none of them asks.
class RaftCluster final : public Cluster {
 public:
  explicit RaftCluster(const Settings& settings) : settings_(settings) {}
  std::unique_ptr<Node> make_node(NodeId id) override {
    return make_server(id, settings_, witness_, heap_);
  }

 private:
  const Settings& settings_;
  Heap heap_;
  Witness witness_;
};

class RaftSystem final : public System {
 public:
  explicit RaftSystem(const Options& options) {
    install_heap();
    read_timers(options);
    read_clients(options.table("clients"));
    is_forked_ = options.boolean("forked", true);
    describe();
  }

  const SystemDescription& description() const override { return description_; }
  std::size_t node_count() const override { return settings_.servers; }
  std::unique_ptr<Cluster> make_cluster(std::uint64_t) const override {
    return std::make_unique<RaftCluster>(settings_);
  }
  SystemTraits traits() const override {
    SystemTraits traits;
    traits.may_end_the_process = is_forked_;
    return traits;
  }

  std::shared_ptr<const Request> make_request(const Options& options) const override {
    const auto operation = static_cast<Operation>(options.choice("do", kOperationNames, 0));
    std::uint64_t argument = 0;
    if (operation != Operation::command && operation != Operation::read) {
      const auto most = static_cast<std::int64_t>(settings_.servers) - 1;
      const auto server = static_cast<NodeId>(options.at("server").integer(0, most));
      const std::size_t role = options.choice("role", kRoleNames, 1);
      argument = server_of(server) << 8 | role;
    }
    return std::make_shared<WorkloadRequest>(operation, argument);
  }

 private:
  void read_timers(const Options& options) {
    settings_.servers =
        static_cast<std::size_t>(options.integer(node_key(options, "servers"), 5, 1, 64));
    settings_.voters = static_cast<std::size_t>(
        options.integer("voters", static_cast<std::int64_t>(settings_.servers), 1,
                        static_cast<std::int64_t>(settings_.servers)));
    const auto timer = [&options](std::string_view key, Duration fallback) {
      const Duration value = options.duration(key, fallback);
      if (value < std::chrono::milliseconds(1) || value > std::chrono::hours(1)) {
        options.fail(key, "expected 1ms to 1h");
      }
      return value;
    };
    settings_.election_timeout = timer("election_timeout", settings_.election_timeout);
    settings_.heartbeat = timer("heartbeat", settings_.heartbeat);
    settings_.supervisor = timer("supervisor", settings_.supervisor);
    settings_.pre_vote = options.boolean("pre_vote", settings_.pre_vote);
    const auto count = [&options](std::string_view key, std::uint32_t fallback) {
      return static_cast<std::uint32_t>(options.integer(key, fallback, 1, 1'000'000));
    };
    settings_.snapshot_threshold = count("snapshot_threshold", settings_.snapshot_threshold);
    settings_.snapshot_trailing = count("snapshot_trailing", settings_.snapshot_trailing);
    settings_.snapshot_work = options.duration("snapshot_work", settings_.snapshot_work);
  }

  void read_clients(const Options& options) {
    settings_.client_every = options.duration("every", Duration{});
    settings_.client_timeout = options.duration("timeout", settings_.client_timeout);
    if (settings_.client_timeout < std::chrono::milliseconds(2)) {
      options.fail("timeout", "expected at least 2ms");
    }
    settings_.change_founders = options.boolean("change_founders", false);
    double total = 0;
    for (std::size_t i = 0; i < kOperations; ++i) {
      settings_.weights[i] = options.number(kOperationNames[i], settings_.weights[i], 0, 1e6);
      total += settings_.weights[i];
    }
    if (total <= 0) options.fail("expected a weight above 0 for at least one operation");
  }

  void describe() {
    description_.name = "libraft";
    description_.summary = "Debian's C Raft library, unmodified";
    describe_messages(description_);
    describe_invariants(description_);
    // After a restart a server applies again what its log holds.
    description_.levels = {{.name = "entry", .repeatable = true},
                           {.name = "leader", .validity = false, .repeatable = true}};
    description_.phases = {"unavailable", "follower", "candidate", "leader"};
    description_.observables = {"commit_index", "vote"};
    description_.steps = describe_steps();
    description_.anchors = {kLeader};
    description_.time_scale = settings_.election_timeout;
  }

  Settings settings_;
  SystemDescription description_;
  bool is_forked_ = true;
};

}  // namespace

std::vector<std::pair<std::string, FieldValue>> WorkloadRequest::fields() const {
  std::vector<std::pair<std::string, FieldValue>> result;
  result.emplace_back("do", std::string(kOperationNames[static_cast<std::size_t>(operation_)]));
  if (argument_ != 0) {
    result.emplace_back("server", std::uint64_t{node_of(argument_ >> 8)});
    result.emplace_back("role",
                        std::string(kRoleNames[std::min<std::size_t>(argument_ & 0xFF, 2)]));
  }
  return result;
}

SystemEntry libraft_entry() {
  return {"libraft", "Debian's C Raft library, unmodified, with disks and crashes",
          [](const Options& options) { return std::make_unique<RaftSystem>(options); }};
}

}  // namespace dissensus::libraft
