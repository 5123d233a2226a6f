#include "host/disk.h"

#include <algorithm>
#include <chrono>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dissensus::host {

HostTime Disk::sync_cost(Process& process) const {
  HostTime cost = model_.sync;
  if (const auto slow = slow_.find(process.machine); slow != slow_.end()) cost += slow->second;
  if (model_.bytes_per_second != 0) {
    const double seconds =
        static_cast<double>(process.unsynced_bytes) / static_cast<double>(model_.bytes_per_second);
    cost += std::chrono::duration_cast<HostTime>(std::chrono::duration<double>(seconds));
  }
  process.unsynced_bytes = 0;
  return cost;
}

Disk::File* Disk::file_of(MachineId machine, const Descriptor& descriptor) {
  const auto key = std::make_pair(descriptor.info.st_dev, descriptor.info.st_ino);
  const auto [found, is_new] = files_.try_emplace(key);
  if (is_new) {
    const std::string path = "/proc/self/fd/" + std::to_string(descriptor.handle.get());
    found->second.machine = machine;
    found->second.handle = Handle(open(path.c_str(), O_RDWR | O_CLOEXEC));
    order_.push_back(key);
  }
  return found->second.handle ? &found->second : nullptr;
}

void Disk::before_write(MachineId machine, const Descriptor& descriptor, std::uint64_t offset,
                        std::uint64_t length) {
  if (!model_.keeps_unsynced || !S_ISREG(descriptor.info.st_mode)) return;
  File* file = file_of(machine, descriptor);
  if (file == nullptr) return;
  Replaced replaced;
  replaced.offset = offset;
  replaced.size_before = static_cast<std::uint64_t>(descriptor.info.st_size);
  if (offset < replaced.size_before) {
    replaced.bytes.resize(std::min(length, replaced.size_before - offset));
    const ssize_t got = pread(file->handle.get(), replaced.bytes.data(), replaced.bytes.size(),
                              static_cast<off_t>(offset));
    replaced.bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  }
  file->writes.push_back(std::move(replaced));
}

void Disk::before_truncate(MachineId machine, const Descriptor& descriptor, std::uint64_t size) {
  const auto present = static_cast<std::uint64_t>(descriptor.info.st_size);
  before_write(machine, descriptor, size, present > size ? present - size : 0);
}

void Disk::synced(const Descriptor& descriptor) {
  const auto key = std::make_pair(descriptor.info.st_dev, descriptor.info.st_ino);
  if (files_.erase(key) != 0) std::erase(order_, key);
}

void Disk::all_synced(MachineId machine) {
  std::erase_if(order_, [&](const auto& key) {
    const auto file = files_.find(key);
    if (file->second.machine != machine) return false;
    files_.erase(file);
    return true;
  });
}

std::size_t Disk::lose(MachineId machine) {
  std::size_t lost = 0;
  for (const auto& key : order_) {
    File& file = files_.at(key);
    if (file.machine != machine) continue;
    const std::size_t kept = random_.below(file.writes.size() + 1);
    while (file.writes.size() > kept) {
      const Replaced& last = file.writes.back();
      if (!last.bytes.empty() && pwrite(file.handle.get(), last.bytes.data(), last.bytes.size(),
                                        static_cast<off_t>(last.offset)) < 0) {
        break;
      }
      if (ftruncate(file.handle.get(), static_cast<off_t>(last.size_before)) != 0) break;
      file.writes.pop_back();
      ++lost;
    }
  }
  all_synced(machine);
  return lost;
}

}  // namespace dissensus::host
