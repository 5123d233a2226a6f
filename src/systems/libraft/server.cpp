// A server: an instance of the library, its I/O interface over the world, its state machine and its
// clients.
//
// Everything that the library asks for and that must not be answered from within the call (sends,
// loads of snapshots, failures) waits in `later_` until the event that is being handled is over.
#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "core/assert.h"
#include "systems/libraft/client.h"
#include "systems/libraft/heap.h"
#include "systems/libraft/raft.h"
#include "systems/libraft/settings.h"
#include "systems/libraft/storage.h"
#include "systems/libraft/witness.h"

namespace dissensus::libraft {

namespace {

using std::chrono::milliseconds;

enum Timer : std::uint64_t { kTickTimer, kClientTimer, kReviveTimer, kWorkTimer };

unsigned milliseconds_of(Duration duration) {
  return static_cast<unsigned>(std::chrono::duration_cast<milliseconds>(duration).count());
}

int code_of(DiskStatus status) {
  switch (status) {
    case DiskStatus::ok:
      return 0;
    case DiskStatus::io_error:
      return RAFT_IOERR;
    case DiskStatus::no_space:
      return RAFT_NOSPACE;
  }
  return RAFT_IOERR;
}

std::vector<Member> members_of(const raft_configuration& configuration) {
  std::vector<Member> members;
  for (unsigned i = 0; i < configuration.n; ++i) {
    members.push_back({configuration.servers[i].id, configuration.servers[i].role});
  }
  return members;
}

/// Fails the library's way: with its own error code.
int fill(raft_configuration& configuration, const std::vector<Member>& members) {
  raft_configuration_init(&configuration);
  for (const Member& member : members) {
    const std::string address = fmt::to_string(member.server);
    const int result =
        raft_configuration_add(&configuration, member.server, address.c_str(), member.role);
    if (result != 0) return result;
  }
  return 0;
}

raft_buffer copy(const std::vector<std::byte>& bytes) {
  raft_buffer buffer{raft_malloc(std::max<std::size_t>(bytes.size(), 1)), bytes.size()};
  if (!bytes.empty()) std::memcpy(buffer.base, bytes.data(), bytes.size());
  return buffer;
}

std::vector<std::byte> bytes_of(const raft_buffer& buffer) {
  const auto* const first = static_cast<const std::byte*>(buffer.base);
  return {first, first + buffer.len};
}

/// Entries as the library wants them from the network and the disk: one piece of memory for all of
/// their data.
raft_entry* batch_of(const std::vector<Entry>& entries) {
  if (entries.empty()) return nullptr;
  std::size_t bytes = 0;
  for (const Entry& entry : entries) bytes += (entry.data.size() + 7) / 8 * 8;
  auto* const batch = static_cast<std::byte*>(raft_malloc(std::max<std::size_t>(bytes, 8)));
  auto* const result = static_cast<raft_entry*>(raft_calloc(entries.size(), sizeof(raft_entry)));
  std::size_t offset = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::vector<std::byte>& data = entries[i].data;
    if (!data.empty()) std::memcpy(batch + offset, data.data(), data.size());
    result[i].term = entries[i].term;
    result[i].type = entries[i].type;
    result[i].buf = {batch + offset, data.size()};
    result[i].batch = batch;
    offset += (data.size() + 7) / 8 * 8;
  }
  return result;
}

std::vector<Entry> entries_of(const raft_entry* entries, unsigned count) {
  std::vector<Entry> result(count);
  for (unsigned i = 0; i < count; ++i) {
    result[i] = {entries[i].term, entries[i].type, bytes_of(entries[i].buf)};
  }
  return result;
}

raft_snapshot* library_snapshot(const Snapshot& snapshot) {
  auto* const result = static_cast<raft_snapshot*>(raft_calloc(1, sizeof(raft_snapshot)));
  result->index = snapshot.index;
  result->term = snapshot.term;
  fill(result->configuration, snapshot.members);
  result->configuration_index = snapshot.configuration_index;
  result->bufs = static_cast<raft_buffer*>(raft_calloc(1, sizeof(raft_buffer)));
  result->bufs[0] = copy(snapshot.data);
  result->n_bufs = 1;
  return result;
}

Snapshot snapshot_of(const raft_snapshot& snapshot) {
  Snapshot result{snapshot.index,
                  snapshot.term,
                  snapshot.configuration_index,
                  members_of(snapshot.configuration),
                  {}};
  for (unsigned i = 0; i < snapshot.n_bufs; ++i) {
    const std::vector<std::byte> bytes = bytes_of(snapshot.bufs[i]);
    result.data.insert(result.data.end(), bytes.begin(), bytes.end());
  }
  return result;
}

/// What the replicated state machine is: a chain over all commands, and how many they were.
struct State {
  Digest chain{};
  std::uint64_t commands = 0;
  std::uint64_t index = 0;  ///< of the last command
};

class Server final : public Node {
 public:
  Server(NodeId id, const Settings& settings, Witness& witness, Heap& heap)
      : id_(id),
        settings_(settings),
        witness_(witness),
        heap_(heap),
        client_(settings, witness),
        address_(fmt::to_string(server_of(id))) {}

  void start(Context& context) override {
    const Entered entered(*this, context);
    launch();
    if (settings_.client_every > Duration{}) arm_client(true);
  }
  void restart(Context& context, const Node&) override { start(context); }
  void receive(Context& context, NodeId from, const Message& message) override;
  void timer(Context& context, TimerId timer, std::uint64_t tag) override;
  void submit(Context& context, const Request& request) override;
  void disk_done(Context& context, const DiskCompletion& completion) override;

 private:
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
};

// ---- life and death

void Server::launch() {
  storage_ = {};
  state_ = {};
  later_.clear();
  syncs_.clear();
  pending_.clear();
  log_.clear();
  snapshot_.reset();
  applied_ = commit_ = 0;
  started_ = false;
  raft_ = {};
  io_ = {};
  fsm_ = {};
  install_io();
  install_fsm();
  running_ = true;
  phase_ = ~std::uint32_t{0};
  ++life_;
  int result = raft_init(&raft_, &io_, &fsm_, server_of(id_), address_.c_str());
  if (result == 0) {
    raft_set_election_timeout(&raft_, milliseconds_of(settings_.election_timeout));
    raft_set_heartbeat_timeout(&raft_, milliseconds_of(settings_.heartbeat));
    raft_set_pre_vote(&raft_, settings_.pre_vote);
    raft_set_snapshot_threshold(&raft_, settings_.snapshot_threshold);
    raft_set_snapshot_trailing(&raft_, settings_.snapshot_trailing);
    result = raft_start(&raft_);
  }
  if (result != 0) {
    if (context_->logging())
      context_->log(fmt::format("does not start: {}", raft_strerror(result)));
    give_up();
  }
}

/// The instance is of no use any more: a supervisor starts another one later.
void Server::give_up() {
  if (!running_) return;
  running_ = false;
  context_->phase(kUnavailable);
  phase_ = kUnavailable;
  context_->set_timer(settings_.supervisor, kReviveTimer | life_ << 8);
}

void Server::arm_client(bool first) {
  const auto period = static_cast<std::uint64_t>(settings_.client_every.count());
  const Duration delay{static_cast<std::int64_t>(
      first ? context_->random().below(period) : period / 2 + context_->random().below(period))};
  context_->set_timer(delay, kClientTimer);
}

// ---- events

void Server::timer(Context& context, TimerId, std::uint64_t tag) {
  const Entered entered(*this, context);
  if (tag >> 8 != 0 && tag >> 8 != life_) return;
  switch (tag & 0xFF) {
    case kTickTimer:
      if (!running_) return;
      arm_tick(settings_.heartbeat);
      tick_(&io_);
      break;
    case kClientTimer:
      if (settings_.client_every > Duration{}) {
        if (client_.idle()) client_.draw(context);
        arm_client(false);
      } else if (!client_.idle()) {
        context.set_timer(settings_.client_timeout / 4, kClientTimer);
      }
      call_leader();
      break;
    case kReviveTimer:
      launch();
      break;
    case kWorkTimer: {
      if (!running_ || work_.first == nullptr) return;
      const auto [request, done] = std::exchange(work_, {});
      done(request, request->work(request));
      break;
    }
    default:
      break;
  }
}

void Server::submit(Context& context, const Request& request) {
  const Entered entered(*this, context);
  const auto& asked = dynamic_cast<const WorkloadRequest&>(request);
  client_.add(asked.operation(), asked.argument());
  call_leader();
  if (settings_.client_every == Duration{}) {
    // Without a client of its own a server asks again until the time is up.
    context.set_timer(settings_.client_timeout / 4, kClientTimer);
  }
}

void Server::disk_done(Context& context, const DiskCompletion& completion) {
  const Entered entered(*this, context);
  const auto found = syncs_.find(completion.tag);
  if (found == syncs_.end()) return;  // of an instance that gave up
  const SyncDone done = std::move(found->second);
  syncs_.erase(found);
  if (running_) done(code_of(completion.status));
}

raft_message Server::envelope(NodeId from, unsigned short type) {
  static thread_local std::string address;
  address = fmt::to_string(server_of(from));
  raft_message message{};
  message.type = type;
  message.server_id = server_of(from);
  message.server_address = address.c_str();
  return message;
}

void Server::receive_entries(NodeId from, const AppendEntries& message) {
  raft_message received = envelope(from, RAFT_IO_APPEND_ENTRIES);
  received.append_entries = {message.term,
                             message.prev_log_index,
                             message.prev_log_term,
                             message.leader_commit,
                             batch_of(*message.entries),
                             static_cast<unsigned>(message.entries->size())};
  recv_(&io_, &received);
}

void Server::receive_snapshot(NodeId from, const InstallSnapshot& message) {
  raft_message received = envelope(from, RAFT_IO_INSTALL_SNAPSHOT);
  received.install_snapshot.term = message.term;
  received.install_snapshot.last_index = message.last_index;
  received.install_snapshot.last_term = message.last_term;
  fill(received.install_snapshot.conf, *message.members);
  received.install_snapshot.conf_index = message.configuration_index;
  received.install_snapshot.data = copy(*message.data);
  recv_(&io_, &received);
}

void Server::receive(Context& context, NodeId from, const Message& message) {
  const Entered entered(*this, context);
  if (const auto* request = message.get<ClientRequest>()) {
    execute(from, *request);
    return;
  }
  if (const auto* reply = message.get<ClientReply>()) {
    client_.answered(context, *reply);
    return;
  }
  if (!running_ || !started_) return;
  if (const auto* entries = message.get<AppendEntries>()) {
    receive_entries(from, *entries);
  } else if (const auto* result = message.get<AppendResult>()) {
    raft_message received = envelope(from, RAFT_IO_APPEND_ENTRIES_RESULT);
    received.append_entries_result = {result->term, result->rejected, result->last_log_index};
    recv_(&io_, &received);
  } else if (const auto* vote = message.get<RequestVote>()) {
    raft_message received = envelope(from, RAFT_IO_REQUEST_VOTE);
    received.request_vote = {vote->term,          vote->candidate,      vote->last_log_index,
                             vote->last_log_term, vote->disrupt_leader, vote->pre_vote};
    recv_(&io_, &received);
  } else if (const auto* answer_to_vote = message.get<VoteResult>()) {
    raft_message received = envelope(from, RAFT_IO_REQUEST_VOTE_RESULT);
    received.request_vote_result = {answer_to_vote->term, answer_to_vote->granted,
                                    static_cast<raft_tribool>(answer_to_vote->pre_vote)};
    recv_(&io_, &received);
  } else if (const auto* snapshot = message.get<InstallSnapshot>()) {
    receive_snapshot(from, *snapshot);
  } else if (const auto* now = message.get<TimeoutNow>()) {
    raft_message received = envelope(from, RAFT_IO_TIMEOUT_NOW);
    received.timeout_now = {now->term, now->last_log_index, now->last_log_term};
    recv_(&io_, &received);
  }
}

// ---- the library's I/O interface

void Server::install_io() {
  io_.version = 2;
  io_.impl = this;
  io_.init = [](raft_io*, raft_id, const char*) { return 0; };
  io_.close = [](raft_io* io, raft_io_close_cb done) { done(io); };
  io_.load = [](raft_io* io, raft_term* term, raft_id* vote, raft_snapshot** snapshot,
                raft_index* start, raft_entry** entries, std::size_t* count) {
    return self(io).load(term, vote, snapshot, start, entries, count);
  };
  io_.start = [](raft_io* io, unsigned, raft_io_tick_cb tick, raft_io_recv_cb recv) {
    Server& server = self(io);
    server.tick_ = tick;
    server.recv_ = recv;
    server.started_ = true;
    // Servers do not tick in step.
    const auto period = static_cast<std::uint64_t>(server.settings_.heartbeat.count());
    server.arm_tick(Duration{static_cast<std::int64_t>(server.context_->random().below(period))});
    return 0;
  };
  io_.bootstrap = [](raft_io* io, const raft_configuration* configuration) {
    return self(io).bootstrap(*configuration);
  };
  io_.recover = [](raft_io*, const raft_configuration*) -> int { return RAFT_IOERR; };
  io_.set_term = [](raft_io* io, raft_term term) { return self(io).set_term(term); };
  io_.set_vote = [](raft_io* io, raft_id vote) { return self(io).set_vote(vote); };
  io_.send = [](raft_io* io, raft_io_send* request, const raft_message* message,
                raft_io_send_cb done) { return self(io).send(request, *message, done); };
  io_.append = [](raft_io* io, raft_io_append* request, const raft_entry entries[], unsigned count,
                  raft_io_append_cb done) {
    return self(io).append(request, entries, count, done);
  };
  io_.truncate = [](raft_io* io, raft_index index) { return self(io).truncate(index); };
  io_.snapshot_put = [](raft_io* io, unsigned trailing, raft_io_snapshot_put* request,
                        const raft_snapshot* snapshot, raft_io_snapshot_put_cb done) {
    return self(io).snapshot_put(trailing, request, *snapshot, done);
  };
  io_.snapshot_get = [](raft_io* io, raft_io_snapshot_get* request, raft_io_snapshot_get_cb done) {
    return self(io).snapshot_get(request, done);
  };
  io_.time = [](raft_io* io) {
    return static_cast<raft_time>(
        std::chrono::duration_cast<milliseconds>(self(io).context_->now() - Time{}).count());
  };
  io_.random = [](raft_io* io, int min, int max) {
    const auto range = static_cast<std::uint64_t>(std::max(max - min, 1));
    return min + static_cast<int>(self(io).context_->random().below(range));
  };
  io_.async_work = [](raft_io* io, raft_io_async_work* request, raft_io_async_work_cb done) {
    return self(io).async_work(request, done);
  };
}

int Server::load(raft_term* term, raft_id* vote, raft_snapshot** snapshot, raft_index* start,
                 raft_entry** entries, std::size_t* count) {
  Stored stored = storage_.open(context_->disk());
  if (stored.corrupt) return RAFT_CORRUPT;
  if (!stored.exists && id_ < settings_.voters) {
    // The first life: all first members know each other.
    std::vector<Member> members;
    for (std::size_t i = 0; i < settings_.voters; ++i) {
      members.push_back({server_of(static_cast<NodeId>(i)), RAFT_VOTER});
    }
    raft_configuration configuration;
    fill(configuration, members);
    const int result = bootstrap(configuration);
    raft_configuration_close(&configuration);
    if (result != 0) return result;
    storage_ = {};
    stored = storage_.open(context_->disk());
  }
  stored_term_ = stored.term;
  *term = stored.term;
  *vote = stored.vote;
  *snapshot = stored.snapshot ? library_snapshot(*stored.snapshot) : nullptr;
  *start = stored.first_index;
  *entries = batch_of(stored.entries);
  *count = stored.entries.size();
  snapshot_ = std::move(stored.snapshot);
  first_index_ = stored.first_index;
  before_first_term_ =
      snapshot_ && snapshot_->index + 1 == stored.first_index ? snapshot_->term : 0;
  for (const Entry& entry : stored.entries) {
    const Digest content = digest_of(entry.type, entry.data.data(), entry.data.size());
    context_->proposed(kEntryLevel, first_index_ + log_.size(), content);
    log_.push_back({entry.term, entry.type, content});
  }
  return 0;
}

int Server::bootstrap(const raft_configuration& configuration) {
  raft_buffer encoded{};
  const int result = raft_configuration_encode(&configuration, &encoded);
  if (result != 0) return result;
  const Entry entry{1, RAFT_CHANGE, bytes_of(encoded)};
  raft_free(encoded.base);
  return code_of(storage_.bootstrap(context_->disk(), entry));
}

int Server::set_term(raft_term term) {
  // The library takes a term over only after it is stored, so its own is still the old one.
  stored_term_ = term;
  return code_of(storage_.set_term_and_vote(context_->disk(), term, 0));
}

int Server::set_vote(raft_id vote) {
  const DiskStatus status = storage_.set_term_and_vote(context_->disk(), stored_term_, vote);
  if (status == DiskStatus::ok && vote != 0 && !witness_.voted(id_, stored_term_, vote)) {
    context_->broken(kOneVotePerTerm, stored_term_);
  }
  return code_of(status);
}

int Server::send(raft_io_send* request, const raft_message& message, raft_io_send_cb done) {
  const NodeId to = node_of(message.server_id);
  if (to >= settings_.servers || to == id_) return RAFT_NOCONNECTION;
  switch (message.type) {
    case RAFT_IO_APPEND_ENTRIES: {
      const raft_append_entries& content = message.append_entries;
      context_->send(to, AppendEntries{content.term, content.prev_log_index, content.prev_log_term,
                                       content.leader_commit,
                                       std::make_shared<const std::vector<Entry>>(
                                           entries_of(content.entries, content.n_entries))});
      break;
    }
    case RAFT_IO_APPEND_ENTRIES_RESULT: {
      const raft_append_entries_result& content = message.append_entries_result;
      context_->send(to, AppendResult{content.term, content.rejected, content.last_log_index});
      break;
    }
    case RAFT_IO_REQUEST_VOTE: {
      const raft_request_vote& content = message.request_vote;
      context_->send(to,
                     RequestVote{content.term, content.candidate_id, content.last_log_index,
                                 content.last_log_term, content.disrupt_leader, content.pre_vote});
      break;
    }
    case RAFT_IO_REQUEST_VOTE_RESULT: {
      const raft_request_vote_result& content = message.request_vote_result;
      context_->send(to, VoteResult{content.term, content.vote_granted,
                                    static_cast<std::uint8_t>(content.pre_vote)});
      break;
    }
    case RAFT_IO_INSTALL_SNAPSHOT: {
      const raft_install_snapshot& content = message.install_snapshot;
      context_->send(
          to,
          InstallSnapshot{content.term, content.last_index, content.last_term, content.conf_index,
                          std::make_shared<const std::vector<Member>>(members_of(content.conf)),
                          std::make_shared<const std::vector<std::byte>>(bytes_of(content.data))});
      break;
    }
    case RAFT_IO_TIMEOUT_NOW: {
      const raft_timeout_now& content = message.timeout_now;
      context_->send(to, TimeoutNow{content.term, content.last_log_index, content.last_log_term});
      break;
    }
    default:
      return RAFT_INVALID;
  }
  if (done != nullptr) later_.push_back([request, done] { done(request, 0); });
  return 0;
}

std::uint64_t Server::await_sync(SyncDone done) {
  syncs_.emplace(next_sync_, std::move(done));
  return next_sync_++;
}

void Server::store(std::uint64_t index, const Entry& entry) {
  const Digest content = digest_of(entry.type, entry.data.data(), entry.data.size());
  const std::uint64_t previous = term_at(index - 1);
  log_.push_back({entry.term, entry.type, content});
  context_->proposed(kEntryLevel, index, content);
  if (previous != 0 && !witness_.stored(index, entry.term, previous, content)) {
    context_->broken(kLogMatching, index);
  }
}

int Server::append(raft_io_append* request, const raft_entry* entries, unsigned count,
                   raft_io_append_cb done) {
  const std::vector<Entry> copied = entries_of(entries, count);
  // The library has put them into its log already. What it took out again, because storing it
  // failed, it does not tell.
  const std::uint64_t first = raft_last_index(&raft_) - count + 1;
  if (first >= first_index_ && first - first_index_ < log_.size()) {
    log_.resize(static_cast<std::size_t>(first - first_index_));
  }
  for (std::size_t i = 0; i < copied.size(); ++i) store(first + i, copied[i]);
  const std::uint64_t tag = await_sync([request, done](int status) { done(request, status); });
  const DiskStatus status = storage_.append(context_->disk(), first, copied, tag);
  if (status == DiskStatus::ok) return 0;
  syncs_.erase(tag);
  later_.push_back([request, done, status] { done(request, code_of(status)); });
  return 0;
}

int Server::truncate(raft_index index) {
  if (raft_.state == RAFT_LEADER) context_->broken(kLeaderAppendOnly, index);
  const std::uint64_t from = std::max<std::uint64_t>(index, first_index_);
  if (from - first_index_ < log_.size()) log_.resize(static_cast<std::size_t>(from - first_index_));
  const std::uint64_t tag = await_sync([](int) {});
  const DiskStatus status = storage_.truncate(context_->disk(), index, tag);
  if (status != DiskStatus::ok) syncs_.erase(tag);
  return code_of(status);
}

int Server::snapshot_put(unsigned trailing, raft_io_snapshot_put* request,
                         const raft_snapshot& snapshot, raft_io_snapshot_put_cb done) {
  const auto copied = std::make_shared<const Snapshot>(snapshot_of(snapshot));
  const std::uint64_t tag = await_sync([this, trailing, copied, request, done](int status) {
    if (status != 0) {
      done(request, status);
    } else {
      adopt_snapshot(trailing, *copied, request, done);
    }
  });
  const DiskStatus status = storage_.write_snapshot(context_->disk(), *copied, tag);
  if (status != DiskStatus::ok) {
    syncs_.erase(tag);
    later_.push_back([request, done, status] { done(request, code_of(status)); });
  }
  return 0;
}

/// The snapshot's file is on the disk; now it counts, and entries that it replaces go.
void Server::adopt_snapshot(unsigned trailing, const Snapshot& snapshot,
                            raft_io_snapshot_put* request, raft_io_snapshot_put_cb done) {
  const std::uint64_t tag = await_sync([this, trailing, snapshot, request, done](int status) {
    if (status == 0) {
      snapshot_ = snapshot;
      if (trailing == 0) {
        log_.clear();
        first_index_ = snapshot.index + 1;
        before_first_term_ = snapshot.term;
      }
    }
    done(request, status);
  });
  const DiskStatus status = storage_.adopt_snapshot(context_->disk(), snapshot, trailing, tag);
  if (status == DiskStatus::ok) return;
  syncs_.erase(tag);
  done(request, code_of(status));
}

int Server::snapshot_get(raft_io_snapshot_get* request, raft_io_snapshot_get_cb done) {
  later_.push_back([this, request, done] {
    if (snapshot_) {
      done(request, library_snapshot(*snapshot_), 0);
    } else {
      done(request, nullptr, RAFT_NOTFOUND);
    }
  });
  return 0;
}

int Server::async_work(raft_io_async_work* request, raft_io_async_work_cb done) {
  work_ = {request, done};
  context_->set_timer(settings_.snapshot_work, kWorkTimer | life_ << 8);
  return 0;
}

// ---- the state machine

void Server::install_fsm() {
  fsm_.version = 3;
  fsm_.data = this;
  fsm_.apply = [](raft_fsm* fsm, const raft_buffer* command, void** result) {
    *result = nullptr;
    return self(fsm).apply(*command);
  };
  // The state as of now is copied at once; what takes time is done by snapshot_async.
  fsm_.snapshot = [](raft_fsm* fsm, raft_buffer** buffers, unsigned* count) {
    return self(fsm).make_snapshot(buffers, count);
  };
  fsm_.restore = [](raft_fsm* fsm, raft_buffer* data) { return self(fsm).restore(data); };
  fsm_.snapshot_finalize = [](raft_fsm*, raft_buffer** buffers, unsigned* count) {
    for (unsigned i = 0; *buffers != nullptr && i < *count; ++i) raft_free((*buffers)[i].base);
    raft_free(*buffers);
    *buffers = nullptr;
    *count = 0;
    return 0;
  };
  fsm_.snapshot_async = [](raft_fsm*, raft_buffer**, unsigned*) { return 0; };
}

int Server::apply(const raft_buffer& command) {
  report_applied();  // up to here, so that everything is told in order
  state_.index = raft_.last_applied + 1;
  const Digest content = digest_of(RAFT_COMMAND, command.base, command.len);
  state_.chain = DigestBuilder().add(state_.chain).add(content).finish();
  ++state_.commands;
  // What the state machine gets is what counts, whatever the log says.
  if (state_.index == applied_ + 1) {
    ++applied_;
    context_->decided(kEntryLevel, state_.index, content);
    witness_.applied(state_.index, term_at(state_.index), raft_.current_term);
  }
  witness_.state_after(state_.index, state_.chain);
  return 0;
}

int Server::make_snapshot(raft_buffer** buffers, unsigned* count) {
  static_assert(std::is_trivially_copyable_v<State>);
  *count = 1;
  *buffers = static_cast<raft_buffer*>(raft_malloc(sizeof(raft_buffer)));
  (*buffers)[0] = {raft_malloc(sizeof(State)), sizeof(State)};
  std::memcpy((*buffers)[0].base, &state_, sizeof(State));
  return 0;
}

int Server::restore(raft_buffer* data) {
  if (data->len != sizeof(State)) return RAFT_MALFORMED;
  std::memcpy(&state_, data->base, sizeof(State));
  raft_free(data->base);
  if (state_.commands > 0 && !witness_.state_after(state_.index, state_.chain)) {
    context_->broken(kSnapshotState, state_.index);
  }
  return 0;
}

// ---- clients

std::uint64_t Server::leader() {
  if (!running_ || !started_) return 0;
  raft_id id = 0;
  const char* address = nullptr;
  raft_leader(&raft_, &id, &address);
  return id;
}

void Server::call_leader() {
  const std::optional<Client::Call> call = client_.next(*context_, leader());
  if (!call) return;
  const NodeId to = node_of(call->server);
  if (to == id_) {
    execute(id_, call->request);
  } else {
    context_->send(to, call->request);
  }
}

void Server::answer(NodeId client, const ClientReply& reply) {
  if (client == id_) {
    client_.answered(*context_, reply);
  } else {
    context_->send(client, reply);
  }
}

void Server::execute(NodeId client, const ClientRequest& request) {
  if (!running_ || !started_ || raft_state(&raft_) != RAFT_LEADER) {
    const std::uint64_t hint = leader();
    answer(client, {request.number, 0, hint == server_of(id_) ? 0 : hint, RAFT_NOTLEADER});
    return;
  }
  auto owned = std::make_unique<Pending>();
  Pending& pending = *owned;
  pending.server = this;
  pending.client = client;
  pending.number = request.number;
  pending.operation = request.operation;
  pending_.emplace(&pending, std::move(owned));
  const int result = submit_to_library(pending, request.argument);
  if (result != 0) complete(&pending, result, 0);
}

int Server::submit_to_library(Pending& pending, std::uint64_t argument) {
  const raft_id server = argument >> 8;
  const auto changed = [](raft_change* change, int status) {
    auto* const done = static_cast<Pending*>(change->data);
    done->server->complete(done, status, 0);
  };
  switch (pending.operation) {
    case Operation::command: {
      pending.apply = {};
      pending.apply.data = &pending;
      raft_buffer command{raft_malloc(sizeof argument), sizeof argument};
      std::memcpy(command.base, &argument, sizeof argument);
      const int result = raft_apply(&raft_, &pending.apply, &command, 1,
                                    [](struct raft_apply* apply, int status, void*) {
                                      auto* const done = static_cast<Pending*>(apply->data);
                                      done->server->complete(done, status, apply->index);
                                    });
      if (result != 0) raft_free(command.base);
      return result;
    }
    case Operation::read:
      pending.barrier = {};
      pending.barrier.data = &pending;
      return raft_barrier(&raft_, &pending.barrier, [](struct raft_barrier* barrier, int status) {
        auto* const done = static_cast<Pending*>(barrier->data);
        done->server->complete(done, status, done->server->state_.index);
      });
    case Operation::add:
      pending.change = {&pending, nullptr};
      return raft_add(&raft_, &pending.change, server, fmt::to_string(server).c_str(), changed);
    case Operation::assign:
      pending.change = {&pending, nullptr};
      return raft_assign(&raft_, &pending.change, server, static_cast<int>(argument & 0xFF),
                         changed);
    case Operation::remove:
      pending.change = {&pending, nullptr};
      return raft_remove(&raft_, &pending.change, server, changed);
    case Operation::transfer:
      pending.transfer = {};
      pending.transfer.data = &pending;
      return raft_transfer(&raft_, &pending.transfer, server, [](struct raft_transfer* transfer) {
        auto* const done = static_cast<Pending*>(transfer->data);
        done->server->complete(done, 0, 0);
      });
  }
  return RAFT_INVALID;
}

void Server::complete(Pending* pending, int status, std::uint64_t index) {
  const auto found = pending_.find(pending);
  if (found == pending_.end()) return;
  const std::unique_ptr<Pending> done = std::move(found->second);
  pending_.erase(found);
  // Only "not leader" and "leadership lost" are worth another try elsewhere; what the library
  // refuses for good, such as a second change at a time, is over.
  const bool retry = status == RAFT_NOTLEADER || status == RAFT_LEADERSHIPLOST;
  const bool change = done->operation != Operation::command && done->operation != Operation::read;
  answer(done->client, {done->number, index, 0, change && !retry ? 0 : status});
}

// ---- reports

std::uint64_t Server::term_at(std::uint64_t index) const {
  if (index + 1 == first_index_) return before_first_term_;
  if (index < first_index_ || index - first_index_ >= log_.size()) return 0;
  return log_[static_cast<std::size_t>(index - first_index_)].term;
}

/// The event has been handled; what had to wait for that comes now, and then what is to be told.
void Server::finish() {
  for (int rounds = 0; running_ && !later_.empty(); ++rounds) {
    DISSENSUS_ASSERT(rounds < 1'000'000, "libraft : a server answers itself without end");
    const std::function<void()> next = std::move(later_.front());
    later_.pop_front();
    next();
  }
  if (running_ && started_) report();
}

void Server::report() {
  if (raft_.current_term != term_) {
    term_ = raft_.current_term;
    context_->round(term_);
  }
  if (raft_.voted_for != vote_) {
    vote_ = raft_.voted_for;
    context_->observe(kVote, static_cast<std::int64_t>(vote_));
  }
  if (raft_.state != phase_) {
    phase_ = raft_.state;
    context_->phase(phase_);
    if (phase_ == kLeader) became_leader();
  }
  if (raft_.commit_index != commit_) {
    commit_ = raft_.commit_index;
    context_->observe(kCommitIndex, static_cast<std::int64_t>(commit_));
  }
  report_applied();
  if (raft_.state == RAFT_UNAVAILABLE) give_up();
}

void Server::became_leader() {
  context_->decided(kLeaderLevel, term_, Digest{server_of(id_)});
  const std::uint64_t missing =
      witness_.missing(term_, first_index_, [this](std::uint64_t index) { return term_at(index); });
  if (missing != 0) context_->broken(kLeaderCompleteness, missing);
}

/// Entries that the state machine does not see: configurations and barriers, and what a snapshot
/// stands for.
void Server::report_applied() {
  if (applied_ + 1 < first_index_ && raft_.last_applied + 1 >= first_index_) {
    applied_ = first_index_ - 1;
  }
  while (applied_ < raft_.last_applied) {
    const std::uint64_t index = ++applied_;
    if (index < first_index_ || index - first_index_ >= log_.size()) continue;
    const LogEntry& entry = log_[static_cast<std::size_t>(index - first_index_)];
    if (entry.type == RAFT_COMMAND) continue;  // told when it was applied
    context_->decided(kEntryLevel, index, entry.content);
    witness_.applied(index, entry.term, raft_.current_term);
  }
}

}  // namespace

std::unique_ptr<Node> make_server(NodeId id, const Settings& settings, Witness& witness,
                                  Heap& heap) {
  return std::make_unique<Server>(id, settings, witness, heap);
}

}  // namespace dissensus::libraft
