// The disks of a world. A disk knows bytes and times; the world tells its node when a sync ended.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "dissensus/disk.h"
#include "dissensus/random.h"
#include "dissensus/time.h"

#include "sim/link.h"

namespace dissensus::sim {

/// What the disks of a scenario are like ([disk]).
struct DiskModel {
  Latency write{};  ///< per write, before the sync that covers it can end
  Latency sync{};   ///< per sync
  std::uint32_t sector = 512;
  /// What becomes of unsynced writes at a crash: the shares of crashes that keep all of them and
  /// that lose all; the others keep a part, up to a point that is drawn.
  double keep_all = 1.0 / 3;
  double lose_all = 1.0 / 3;
  bool torn = true;          ///< that point may lie within a write, at a sector of the disk
  double corrupt_reads = 0;  ///< probability that a read returns one wrong bit
  friend bool operator==(const DiskModel&, const DiskModel&) = default;
};

/// What faults make of a disk for a while; several add up.
struct DiskTrouble {
  std::uint32_t io_errors = 0;  ///< faults under which writes and syncs fail
  std::uint32_t no_space = 0;   ///< faults under which writes fail
  std::uint32_t corrupt = 0;    ///< faults under which every read has a wrong bit
  Duration slow{};              ///< added to every sync
  // How often something came of these.
  std::uint64_t failed = 0;
  std::uint64_t found_full = 0;
  std::uint64_t corrupted = 0;
  std::uint64_t slowed = 0;
};

/// What happened to a disk, as the trace has it (EventType::disk).
enum class DiskEvent : std::uint8_t { synced, written_through, failed, read, corrupted, lost };
inline constexpr std::size_t kDiskEvents = 6;

/// Is shown what disks do, and may change what they answer. Twins have disks of their own, under
/// numbers above those of the nodes.
class DiskWatcher {
 public:
  virtual ~DiskWatcher() = default;
  /// The node has had its disk write, sync or remove, which is done or under way.
  virtual void operated(NodeId /*node*/) {}
  /// What a file holds durably is about to change.
  virtual void changes(NodeId /*node*/, FileId /*file*/,
                       const std::vector<std::byte>& /*durable*/) {}
  /// This is what a read answers.
  virtual void reads(NodeId /*node*/, FileId /*file*/, std::vector<std::byte>& /*content*/) {}
};

/// What a disk asks of the world.
class DiskHost {
 public:
  virtual ~DiskHost() = default;
  virtual Time disk_now() const = 0;
  /// Calls SimulatedDisk::complete(sync) after `delay`, unless the node has crashed by then.
  virtual void disk_alarm(NodeId node, Duration delay, std::uint64_t sync) = 0;
  virtual void disk_event(NodeId node, DiskEvent event, std::uint64_t bytes) = 0;
  virtual std::span<DiskWatcher* const> disk_watchers() const { return {}; }
};

class SimulatedDisk final : public Disk {
 public:
  SimulatedDisk(DiskHost& host, NodeId node, const DiskModel& model, std::uint64_t seed);

  DiskStatus write(FileId file, std::uint64_t offset, std::span<const std::byte> bytes) override;
  void sync(FileId file, std::uint64_t tag) override;
  DiskStatus write_through(FileId file, std::uint64_t offset,
                           std::span<const std::byte> bytes) override;
  std::vector<std::byte> read(FileId file) override;
  void remove(FileId file) override;

  /// The sync of that number ends now.
  DiskCompletion complete(std::uint64_t sync);
  /// The node goes down: unsynced writes meet their fate, and nothing is written until restart().
  void crash();
  void restart() { down_ = false; }
  DiskTrouble& trouble() { return trouble_; }

 private:
  struct Write {
    std::uint64_t offset = 0;
    std::vector<std::byte> bytes;
  };
  struct File {
    std::vector<std::byte> durable;
    std::vector<Write> cached;  ///< unsynced, in order
  };
  struct Sync {
    FileId file = 0;
    std::size_t writes = 0;  ///< of the file's cached ones
    std::uint64_t tag = 0;
    DiskStatus status = DiskStatus::ok;
    bool done = false;
  };

  static void apply(const Write& write, std::size_t count, std::vector<std::byte>& content);
  void keep_some(File& file);
  void take_time(Duration duration);
  /// What comes of a write now, and what a sync takes longer.
  DiskStatus write_status();
  void tell_operated();
  void change(FileId id, File& file);
  Duration extra_time();

  DiskHost& host_;
  NodeId node_;
  const DiskModel& model_;
  Random random_;
  std::map<FileId, File> files_;
  std::vector<Sync> syncs_;       ///< since the last crash
  std::uint64_t first_sync_ = 0;  ///< number of syncs_.front()
  Time busy_until_{};
  FileId queued_file_ = 0;  ///< of the sync that was asked for last
  Time queued_start_{};     ///< and when it begins
  DiskTrouble trouble_;
  bool down_ = false;
};

}  // namespace dissensus::sim
