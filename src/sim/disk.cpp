#include "sim/disk.h"

#include <algorithm>

#include "core/assert.h"

namespace dissensus::sim {

SimulatedDisk::SimulatedDisk(DiskHost& host, NodeId node, const DiskModel& model,
                             std::uint64_t seed)
    : host_(host), node_(node), model_(model), random_(seed, "disk", node) {}

/// The first `count` bytes of a write.
void SimulatedDisk::apply(const Write& write, std::size_t count, std::vector<std::byte>& content) {
  if (count == 0) return;
  const std::size_t offset = static_cast<std::size_t>(write.offset);
  if (content.size() < offset + count) content.resize(offset + count);
  std::copy_n(write.bytes.begin(), count, content.begin() + static_cast<std::ptrdiff_t>(offset));
}

void SimulatedDisk::take_time(Duration duration) {
  busy_until_ = std::max(busy_until_, host_.disk_now()) + duration;
}

DiskStatus SimulatedDisk::write_status() {
  trouble_.failed += trouble_.io_errors > 0 ? 1 : 0;
  trouble_.found_full += trouble_.no_space > 0 ? 1 : 0;
  if (trouble_.no_space > 0) return DiskStatus::no_space;
  return trouble_.io_errors > 0 ? DiskStatus::io_error : DiskStatus::ok;
}

Duration SimulatedDisk::extra_time() {
  trouble_.slowed += trouble_.slow > Duration{} ? 1 : 0;
  return trouble_.slow;
}

/// The last thing that an operation does: the node may be down then.
void SimulatedDisk::tell_operated() {
  for (DiskWatcher* const watcher : host_.disk_watchers()) watcher->operated(node_);
}

void SimulatedDisk::change(FileId id, File& file) {
  for (DiskWatcher* const watcher : host_.disk_watchers()) {
    watcher->changes(node_, id, file.durable);
  }
}

DiskStatus SimulatedDisk::write(FileId file, std::uint64_t offset,
                                std::span<const std::byte> bytes) {
  if (down_) return DiskStatus::ok;  // its node crashed in the middle of handling an event
  take_time(model_.write.sample(random_));
  if (const DiskStatus status = write_status(); status != DiskStatus::ok) {
    host_.disk_event(node_, DiskEvent::failed, bytes.size());
    tell_operated();
    return status;
  }
  files_[file].cached.push_back({offset, {bytes.begin(), bytes.end()}});
  tell_operated();
  return DiskStatus::ok;
}

void SimulatedDisk::sync(FileId file, std::uint64_t tag) {
  if (down_) return;
  // One that waits for its turn covers what comes until then, as on a real disk: a slow disk has no
  // endless queue.
  const Duration length = model_.sync.sample(random_) + extra_time();
  if (queued_file_ != file || queued_start_ <= host_.disk_now()) {
    queued_file_ = file;
    queued_start_ = std::max(busy_until_, host_.disk_now());
    take_time(length);
  }
  Sync sync{file, files_[file].cached.size(), tag, DiskStatus::ok, false};
  if (trouble_.io_errors > 0) {
    ++trouble_.failed;
    sync.status = DiskStatus::io_error;
  }
  syncs_.push_back(sync);
  host_.disk_alarm(node_, busy_until_ - host_.disk_now(), first_sync_ + syncs_.size() - 1);
  tell_operated();
}

DiskCompletion SimulatedDisk::complete(std::uint64_t number) {
  DISSENSUS_ASSERT(number >= first_sync_ && number - first_sync_ < syncs_.size(),
                   "SimulatedDisk::complete : a sync under way");
  Sync& sync = syncs_[static_cast<std::size_t>(number - first_sync_)];
  sync.done = true;
  File& file = files_[sync.file];
  std::uint64_t bytes = 0;
  if (sync.status == DiskStatus::ok) {
    const std::size_t covered = std::min(sync.writes, file.cached.size());
    if (covered > 0) change(sync.file, file);
    for (std::size_t i = 0; i < covered; ++i) {
      bytes += file.cached[i].bytes.size();
      apply(file.cached[i], file.cached[i].bytes.size(), file.durable);
    }
    file.cached.erase(file.cached.begin(),
                      file.cached.begin() + static_cast<std::ptrdiff_t>(covered));
    for (Sync& later : syncs_) {
      if (!later.done && later.file == sync.file) later.writes -= std::min(later.writes, covered);
    }
  }
  const DiskCompletion completion{sync.tag, sync.status};
  host_.disk_event(node_, sync.status == DiskStatus::ok ? DiskEvent::synced : DiskEvent::failed,
                   bytes);
  while (!syncs_.empty() && syncs_.front().done) {
    syncs_.erase(syncs_.begin());
    ++first_sync_;
  }
  return completion;
}

DiskStatus SimulatedDisk::write_through(FileId file, std::uint64_t offset,
                                        std::span<const std::byte> bytes) {
  if (down_) return DiskStatus::ok;
  take_time(model_.write.sample(random_) + model_.sync.sample(random_) + extra_time());
  if (const DiskStatus status = write_status(); status != DiskStatus::ok) {
    host_.disk_event(node_, DiskEvent::failed, bytes.size());
    tell_operated();
    return status;
  }
  const Write write{offset, {bytes.begin(), bytes.end()}};
  change(file, files_[file]);
  apply(write, write.bytes.size(), files_[file].durable);
  host_.disk_event(node_, DiskEvent::written_through, bytes.size());
  tell_operated();
  return DiskStatus::ok;
}

std::vector<std::byte> SimulatedDisk::read(FileId file) {
  const auto found = files_.find(file);
  if (found == files_.end()) return {};
  std::vector<std::byte> content = found->second.durable;
  for (const Write& write : found->second.cached) apply(write, write.bytes.size(), content);
  for (DiskWatcher* const watcher : host_.disk_watchers()) watcher->reads(node_, file, content);
  const bool corrupt =
      trouble_.corrupt > 0 || (model_.corrupt_reads > 0 && random_.chance(model_.corrupt_reads));
  if (corrupt && !content.empty()) {
    trouble_.corrupted += trouble_.corrupt > 0 ? 1 : 0;
    const std::uint64_t bit = random_.below(content.size() * 8);
    content[static_cast<std::size_t>(bit / 8)] ^= std::byte{1} << static_cast<int>(bit % 8);
    host_.disk_event(node_, DiskEvent::corrupted, content.size());
  } else {
    host_.disk_event(node_, DiskEvent::read, content.size());
  }
  return content;
}

void SimulatedDisk::remove(FileId file) {
  if (down_) return;
  files_.erase(file);
  for (Sync& sync : syncs_) {
    if (sync.file == file) sync.writes = 0;
  }
  tell_operated();
}

/// Writes up to a point that is drawn, the last of them perhaps in part.
void SimulatedDisk::keep_some(File& file) {
  const std::size_t kept = random_.below(file.cached.size() + 1);
  for (std::size_t i = 0; i < kept; ++i) {
    apply(file.cached[i], file.cached[i].bytes.size(), file.durable);
  }
  if (kept == file.cached.size() || !model_.torn) return;
  const Write& write = file.cached[kept];
  const std::uint64_t first = write.offset / model_.sector;
  const std::uint64_t last = (write.offset + write.bytes.size()) / model_.sector;
  const std::uint64_t cut = (first + random_.below(last - first + 1)) * model_.sector;
  if (cut > write.offset) apply(write, static_cast<std::size_t>(cut - write.offset), file.durable);
}

void SimulatedDisk::crash() {
  down_ = true;
  const double fate = random_.unit();
  std::uint64_t bytes = 0;
  for (auto& [id, file] : files_) {
    if (file.cached.empty()) continue;
    for (const Write& write : file.cached) bytes += write.bytes.size();
    if (fate < model_.keep_all) {
      for (const Write& write : file.cached) apply(write, write.bytes.size(), file.durable);
    } else if (fate >= model_.keep_all + model_.lose_all) {
      keep_some(file);
    }
    file.cached.clear();
  }
  first_sync_ += syncs_.size();
  syncs_.clear();
  busy_until_ = queued_start_ = host_.disk_now();
  if (bytes > 0) host_.disk_event(node_, DiskEvent::lost, bytes);
}

}  // namespace dissensus::sim
