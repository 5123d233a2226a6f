// A disk that never fails and loses nothing, for nodes that a model drives: its syncs end when the
// node has done what it was doing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "dissensus/disk.h"

namespace dissensus::conform {

class InstantDisk final : public Disk {
 public:
  DiskStatus write(FileId file, std::uint64_t offset, std::span<const std::byte> bytes) override {
    std::vector<std::byte>& content = files_[file];
    content.resize(std::max<std::size_t>(content.size(), offset + bytes.size()));
    std::copy(bytes.begin(), bytes.end(), content.begin() + static_cast<std::ptrdiff_t>(offset));
    return DiskStatus::ok;
  }
  void sync(FileId, std::uint64_t tag) override { ended_.push_back(tag); }
  DiskStatus write_through(FileId file, std::uint64_t offset,
                           std::span<const std::byte> bytes) override {
    return write(file, offset, bytes);
  }
  std::vector<std::byte> read(FileId file) override { return files_[file]; }
  void remove(FileId file) override { files_.erase(file); }

  /// Tags of the syncs that ended since the last call.
  std::vector<std::uint64_t> take_ended() { return std::exchange(ended_, {}); }

 private:
  std::map<FileId, std::vector<std::byte>> files_;
  std::vector<std::uint64_t> ended_;
};

}  // namespace dissensus::conform
