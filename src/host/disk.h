// What writing to files costs, and what a loss of power takes back.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dissensus/random.h"

#include "host/model.h"

namespace dissensus::host {

class Disk {
 public:
  Disk(const DiskModel& model, std::uint64_t seed) : model_(model), random_(seed, "disk") {}

  const DiskModel& model() const { return model_; }
  HostTime sync_cost(Process& process) const;
  /// Every sync of this machine takes so much longer from now on.
  void slow(MachineId machine, HostTime extra) { slow_[machine] = extra; }

  /// A write of `length` bytes at `offset` is about to happen; remembers what it replaces.
  void before_write(MachineId machine, const Descriptor& file, std::uint64_t offset,
                    std::uint64_t length);
  void before_truncate(MachineId machine, const Descriptor& file, std::uint64_t size);
  /// What was written to this file is safe from now on.
  void synced(const Descriptor& file);
  void all_synced(MachineId machine);
  /// Takes back, per file, the writes from a point on that the seed draws. Returns how many.
  std::size_t lose(MachineId machine);

 private:
  struct Replaced {
    std::uint64_t offset = 0;
    std::uint64_t size_before = 0;
    std::string bytes;
  };
  struct File {
    MachineId machine = 0;
    Handle handle;
    std::vector<Replaced> writes;
  };
  File* file_of(MachineId machine, const Descriptor& descriptor);

  DiskModel model_;
  Random random_;
  std::map<MachineId, HostTime> slow_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, File> files_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> order_;  ///< of first write
};

}  // namespace dissensus::host
