// What a server keeps on its disk: term and vote in a small file of two slots, everything else in a
// journal of checked records, snapshots in files of their own. It knows the disk and no library, so
// that a restart reads what a real one would: the records up to the first that is not whole.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dissensus/disk.h"

#include "systems/libraft/messages.h"

namespace dissensus::libraft {

struct Snapshot {
  std::uint64_t index = 0;
  std::uint64_t term = 0;
  std::uint64_t configuration_index = 0;
  std::vector<Member> members;
  std::vector<std::byte> data;
};

/// What a start finds.
struct Stored {
  std::uint64_t term = 0;
  std::uint64_t vote = 0;
  std::optional<Snapshot> snapshot;
  std::uint64_t first_index = 1;  ///< of entries.front()
  std::vector<Entry> entries;
  bool exists = false;   ///< something was stored before
  bool corrupt = false;  ///< what is there contradicts itself
};

/// One life of a server. What fails is not in the journal, and what comes later may succeed.
class Storage {
 public:
  /// Reads all there is; changes of this life go behind it.
  Stored open(Disk& disk);

  DiskStatus set_term_and_vote(Disk& disk, std::uint64_t term, std::uint64_t vote);
  /// Blocking, before the first start.
  DiskStatus bootstrap(Disk& disk, const Entry& configuration);
  /// The change is in the journal once a sync with this tag has ended.
  DiskStatus append(Disk& disk, std::uint64_t first_index, const std::vector<Entry>& entries,
                    std::uint64_t tag);
  DiskStatus truncate(Disk& disk, std::uint64_t index, std::uint64_t tag);
  /// In two steps, each with a sync: the snapshot's file, then the record that makes it count.
  DiskStatus write_snapshot(Disk& disk, const Snapshot& snapshot, std::uint64_t tag);
  DiskStatus adopt_snapshot(Disk& disk, const Snapshot& snapshot, std::uint32_t trailing,
                            std::uint64_t tag);

 private:
  DiskStatus write_record(Disk& disk, std::span<const std::byte> payload);

  std::uint64_t version_ = 0;  ///< of term and vote
  std::uint64_t epoch_ = 0;    ///< counts lives: a record of an earlier one is not a newer one
  std::uint64_t journal_bytes_ = 0;
  FileId next_snapshot_ = 0;
};

}  // namespace dissensus::libraft
