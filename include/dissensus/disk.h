// A node's disk, a part of the world: what it holds survives a crash of its node, as far as it had
// been synced. Times, losses and failures are drawn from the seed, so the same seed gives the same
// disk everywhere.
//
//   context.disk().write(kLog, offset, bytes);   // in the cache: gone if the node crashes now
//   context.disk().sync(kLog, request);          // Node::disk_done(context, {request, status})
//
// A fresh node after a crash (Node::restart) reads back what is left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dissensus {

enum class DiskStatus : std::uint8_t { ok, io_error, no_space };

/// A sync has ended (Node::disk_done).
struct DiskCompletion {
  std::uint64_t tag = 0;  ///< what the sync was called with
  DiskStatus status = DiskStatus::ok;
};

/// A file's number; nodes choose what it stands for. A file that was never written is empty.
using FileId = std::uint32_t;

class Disk {
 public:
  virtual ~Disk() = default;

  /// Puts bytes into the cache, at once; the file grows where they end behind it. What was written
  /// reaches the medium with the next sync: a crash before its end may lose it, in whole or from
  /// some point on, or tear it at a sector. Where it fails nothing is written.
  virtual DiskStatus write(FileId file, std::uint64_t offset, std::span<const std::byte> bytes) = 0;
  /// Makes all that was written to this file before durable. Takes time; syncs end in the order in
  /// which they began. After a failed one nothing is known of the writes that it covered: they stay
  /// in the cache, and only what a later sync covers is sure.
  virtual void sync(FileId file, std::uint64_t tag) = 0;
  /// Writes and syncs in one blocking step, as with O_DSYNC: durable if the answer is ok. The time
  /// that it takes delays what this disk does next, not the node.
  virtual DiskStatus write_through(FileId file, std::uint64_t offset,
                                   std::span<const std::byte> bytes) = 0;
  /// The whole file as a program sees it now, unsynced writes included. Where the scenario allows
  /// it, a bit of it may be wrong.
  virtual std::vector<std::byte> read(FileId file) = 0;
  /// Durable at once, like a journaled file system's unlink followed by a sync of the folder.
  virtual void remove(FileId file) = 0;
};

}  // namespace dissensus
