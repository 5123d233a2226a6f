// What the library asks of its I/O interface, but for sending: term and vote, log, snapshots, time.
#include <algorithm>
#include <chrono>

#include "systems/libraft/library_values.h"
#include "systems/libraft/server.h"

namespace dissensus::libraft {

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
        std::chrono::duration_cast<std::chrono::milliseconds>(self(io).context_->now() - Time{})
            .count());
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
  if (lives_++ > 0) steps_.loaded(snapshot_ ? snapshot_->index : 0);
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
  for (std::size_t i = 0; i < copied.size(); ++i) {
    store(first + i, copied[i]);
    steps_.stored(first + i, raft_.commit_index);
  }
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
      trailing == 0 ? steps_.installed(snapshot.index) : steps_.compacted(snapshot.index);
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

}  // namespace dissensus::libraft
