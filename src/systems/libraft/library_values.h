// Between the library's structures and values of our own. What is given to the library is
// allocated as it expects, from the heap in use.
#pragma once

#include <cstddef>
#include <vector>

#include "dissensus/disk.h"

#include "systems/libraft/messages.h"
#include "systems/libraft/raft.h"
#include "systems/libraft/storage.h"

namespace dissensus::libraft {

int code_of(DiskStatus status);

std::vector<Member> members_of(const raft_configuration& configuration);
/// Fails the library's way: with its own error code.
int fill(raft_configuration& configuration, const std::vector<Member>& members);

raft_buffer copy(const std::vector<std::byte>& bytes);
std::vector<std::byte> bytes_of(const raft_buffer& buffer);

/// Entries as the library wants them from the network and the disk: one piece of memory for all of
/// their data.
raft_entry* batch_of(const std::vector<Entry>& entries);
std::vector<Entry> entries_of(const raft_entry* entries, unsigned count);

raft_snapshot* library_snapshot(const Snapshot& snapshot);
Snapshot snapshot_of(const raft_snapshot& snapshot);

}  // namespace dissensus::libraft
