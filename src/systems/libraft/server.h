// A server: an instance of the library, its I/O interface over the world, its state machine and its
// clients. What it does is in four files: life and events (server.cpp), the I/O interface
// (server_io.cpp), messages (server_messages.cpp), state machine and clients (server_requests.cpp).
//
// Everything that the library asks for and that must not be answered from within the call (sends,
// loads of snapshots, failures) waits in `later_` until the event that is being handled is over.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systems/libraft/client.h"
#include "systems/libraft/heap.h"
#include "systems/libraft/raft.h"
#include "systems/libraft/settings.h"
#include "systems/libraft/steps.h"
#include "systems/libraft/storage.h"
#include "systems/libraft/witness.h"

namespace dissensus::libraft {

/// What the replicated state machine is: a chain over all commands, and how many they were.
struct State {
  Digest chain{};
  std::uint64_t commands = 0;
  std::uint64_t index = 0;  ///< of the last command
};

class Server final : public Node {
 public:
  Server(NodeId id, const Settings& settings, Witness& witness, Heap& heap);

  void start(Context& context) override {
    const Entered entered(*this, context);
    if (context.stepping()) steps_.listen();
    launch();
    if (settings_.client_every > Duration{}) arm_client(true);
  }
  void restart(Context& context, const Node&) override {
    lives_ = 1;
    start(context);
  }
  void receive(Context& context, NodeId from, const Message& message) override;
  void timer(Context& context, TimerId timer, std::uint64_t tag) override;
  void submit(Context& context, const Request& request) override;
  void disk_done(Context& context, const DiskCompletion& completion) override;
  StateValue::Record state() const override { return steps_.state(); }

 private:
  enum Timer : std::uint64_t { kTickTimer, kClientTimer, kReviveTimer, kWorkTimer };

  /// An event is handled: the context is there, and afterwards all that had to wait is done.
  class Entered {
   public:
    Entered(Server& server, Context& context) : server_(server), use_(server.heap_) {
      server.context_ = &context;
    }
    ~Entered() {
      server_.finish();
      server_.context_ = nullptr;
    }

   private:
    Server& server_;
    Heap::Use use_;
  };
  /// What the library was asked to do for somebody.
  struct Pending {
    Server* server;
    NodeId client;
    std::uint64_t number;
    Operation operation;
    union {
      struct raft_apply apply;
      struct raft_barrier barrier;
      raft_change change;
      struct raft_transfer transfer;
    };
  };
  struct LogEntry {
    std::uint64_t term;
    std::uint16_t type;
    Digest content;
  };
  using SyncDone = std::function<void(int status)>;

  // Life and death of the instance.
  void launch();
  void give_up();
  void arm_tick(Duration delay) { context_->set_timer(delay, kTickTimer | life_ << 8); }
  void arm_client(bool first);

  // The library's I/O interface.
  void install_io();
  void install_fsm();
  static Server& self(raft_io* io) { return *static_cast<Server*>(io->impl); }
  static Server& self(raft_fsm* fsm) { return *static_cast<Server*>(fsm->data); }
  int load(raft_term* term, raft_id* vote, raft_snapshot** snapshot, raft_index* start,
           raft_entry** entries, std::size_t* count);
  int bootstrap(const raft_configuration& configuration);
  int set_term(raft_term term);
  int set_vote(raft_id vote);
  int send(raft_io_send* request, const raft_message& message, raft_io_send_cb done);
  int append(raft_io_append* request, const raft_entry* entries, unsigned count,
             raft_io_append_cb done);
  int truncate(raft_index index);
  int snapshot_put(unsigned trailing, raft_io_snapshot_put* request, const raft_snapshot& snapshot,
                   raft_io_snapshot_put_cb done);
  int snapshot_get(raft_io_snapshot_get* request, raft_io_snapshot_get_cb done);
  int async_work(raft_io_async_work* request, raft_io_async_work_cb done);
  std::uint64_t await_sync(SyncDone done);
  void adopt_snapshot(unsigned trailing, const Snapshot& snapshot, raft_io_snapshot_put* request,
                      raft_io_snapshot_put_cb done);

  // The state machine.
  int apply(const raft_buffer& command);
  int make_snapshot(raft_buffer** buffers, unsigned* count);
  int restore(raft_buffer* data);

  // Messages.
  /// Valid until the next one is made.
  raft_message envelope(NodeId from, unsigned short type);
  void receive_entries(NodeId from, const AppendEntries& message);
  void receive_snapshot(NodeId from, const InstallSnapshot& message);

  // Clients.
  void call_leader();
  void execute(NodeId client, const ClientRequest& request);
  int submit_to_library(Pending& pending, std::uint64_t argument);
  void answer(NodeId client, const ClientReply& reply);
  void complete(Pending* pending, int status, std::uint64_t index);
  std::uint64_t leader();

  // What is reported.
  void finish();
  void report();
  void report_applied();
  void became_leader();
  ServerView view() const;
  void store(std::uint64_t index, const Entry& entry);
  std::uint64_t term_at(std::uint64_t index) const;

  const NodeId id_;
  const Settings& settings_;
  Witness& witness_;
  Heap& heap_;
  Client client_;
  std::string address_;
  Context* context_ = nullptr;
  std::uint64_t life_ = 0;  ///< counts instances: a timer of an earlier one means nothing
  bool running_ = false;
  bool started_ = false;  ///< raft_start is done: ticks and messages may come

  raft raft_{};
  std::string sender_address_;  ///< of the last envelope: the library keeps a pointer to it
  raft_io io_{};
  raft_fsm fsm_{};
  raft_io_tick_cb tick_ = nullptr;
  raft_io_recv_cb recv_ = nullptr;
  Storage storage_;
  State state_;
  std::deque<std::function<void()>> later_;
  std::map<std::uint64_t, SyncDone> syncs_;
  std::uint64_t next_sync_ = 1;
  std::map<Pending*, std::unique_ptr<Pending>> pending_;
  std::optional<Snapshot> snapshot_;  ///< the newest that is on the disk
  std::pair<raft_io_async_work*, raft_io_async_work_cb> work_{};

  // The log as the library had it stored, for reports.
  std::uint64_t first_index_ = 1;
  std::uint64_t before_first_term_ = 0;  ///< of the entry before the first; 0: there is none
  std::vector<LogEntry> log_;
  std::uint64_t stored_term_ = 0;
  std::uint64_t applied_ = 0;
  std::uint64_t term_ = 0;
  std::uint64_t vote_ = 0;
  std::uint64_t commit_ = 0;
  std::uint32_t phase_ = ~std::uint32_t{0};

  // For conformance checks alone.
  Steps steps_;
  std::uint64_t lives_ = 0;  ///< of this server so far
};

}  // namespace dissensus::libraft
