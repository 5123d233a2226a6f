#include "systems/libraft/library_values.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace dissensus::libraft {

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

}  // namespace dissensus::libraft
