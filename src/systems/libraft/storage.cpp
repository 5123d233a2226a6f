#include "systems/libraft/storage.h"

#include <algorithm>

#include "dissensus/digest.h"

#include "core/bytes.h"

namespace dissensus::libraft {

template <class Visit>
constexpr void fields_of(const Member*, const Visit& visit) {
  visit("server", &Member::server, Form::fixed);
  visit("role", &Member::role, Form::fixed);
}

namespace {

constexpr FileId kMeta = 0;
constexpr FileId kJournal = 1;
constexpr FileId kFirstSnapshot = 16;
constexpr std::uint64_t kMetaSlot = 512;

enum class RecordType : std::uint8_t { entry = 1, truncate, snapshot };

/// Texts of a disk: 32 bits of length, then what there is.
void write_bytes(ByteWriter& writer, std::span<const std::byte> bytes) {
  writer.fixed(static_cast<std::uint32_t>(bytes.size()));
  writer.text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}
std::vector<std::byte> read_bytes(ByteReader& reader) {
  const auto size = reader.fixed<std::uint32_t>();
  const auto bytes = std::as_bytes(std::span(reader.text(size)));
  return {bytes.begin(), bytes.end()};
}

ByteReader reader_of(std::span<const std::byte> bytes) {
  return {{reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "a disk"};
}
std::span<const std::byte> bytes_of(const ByteWriter& writer) {
  return std::as_bytes(std::span(writer.bytes()));
}

std::uint64_t checksum(std::span<const std::byte> bytes) {
  return digest_of_bytes(bytes).low;
}

/// Header of a record: length of its payload, epoch, checksum of both and the payload.
constexpr std::size_t kHeader = 20;

std::uint64_t record_checksum(std::uint64_t epoch, std::span<const std::byte> payload) {
  return mix64(checksum(payload), epoch);
}

struct Meta {
  std::uint64_t version = 0;
  std::uint64_t epoch = 0;
  std::uint64_t term = 0;
  std::uint64_t vote = 0;
};
template <class Visit>
constexpr void fields_of(const Meta*, const Visit& visit) {
  visit("version", &Meta::version, Form::fixed);
  visit("epoch", &Meta::epoch, Form::fixed);
  visit("term", &Meta::term, Form::fixed);
  visit("vote", &Meta::vote, Form::fixed);
}

ByteWriter encode(const Meta& meta) {
  ByteWriter writer;
  put(writer, meta);
  writer.fixed(checksum(bytes_of(writer)));
  return writer;
}

std::optional<Meta> decode(std::span<const std::byte> file, std::uint64_t slot) {
  constexpr std::size_t kBytes = 4 * sizeof(std::uint64_t);
  if (file.size() < slot + kBytes + sizeof(std::uint64_t)) return std::nullopt;
  const std::span<const std::byte> bytes = file.subspan(static_cast<std::size_t>(slot));
  ByteReader reader = reader_of(bytes);
  Meta meta;
  take(reader, meta);
  if (reader.fixed<std::uint64_t>() != checksum(bytes.first(kBytes)) || meta.version == 0) {
    return std::nullopt;
  }
  return meta;
}

ByteWriter encode(const Snapshot& snapshot) {
  ByteWriter content;
  content.fixed(snapshot.index);
  content.fixed(snapshot.term);
  content.fixed(snapshot.configuration_index);
  content.fixed(static_cast<std::uint32_t>(snapshot.members.size()));
  for (const Member& member : snapshot.members) put(content, member);
  write_bytes(content, snapshot.data);
  ByteWriter whole;
  whole.fixed(checksum(bytes_of(content)));
  write_bytes(whole, bytes_of(content));
  return whole;
}

Snapshot read_snapshot(ByteReader reader) {
  Snapshot snapshot;
  snapshot.index = reader.fixed<std::uint64_t>();
  snapshot.term = reader.fixed<std::uint64_t>();
  snapshot.configuration_index = reader.fixed<std::uint64_t>();
  snapshot.members.resize(std::min<std::uint32_t>(reader.fixed<std::uint32_t>(), 1000));
  for (Member& member : snapshot.members) take(reader, member);
  snapshot.data = read_bytes(reader);
  return snapshot;
}

std::optional<Snapshot> decode_snapshot(std::span<const std::byte> file) try {
  ByteReader whole = reader_of(file);
  const auto sum = whole.fixed<std::uint64_t>();
  const std::vector<std::byte> bytes = read_bytes(whole);
  if (checksum(bytes) != sum) return std::nullopt;
  return read_snapshot(reader_of(bytes));
} catch (const InputError&) {  // not all of it is there
  return std::nullopt;
}

void drop_from(Stored& stored, std::uint64_t index) {
  if (index < stored.first_index) index = stored.first_index;
  const std::size_t kept = static_cast<std::size_t>(index - stored.first_index);
  if (kept < stored.entries.size()) stored.entries.resize(kept);
}

void drop_below(Stored& stored, std::uint64_t index) {
  if (index <= stored.first_index) return;
  const auto count = std::min<std::uint64_t>(index - stored.first_index, stored.entries.size());
  stored.entries.erase(stored.entries.begin(),
                       stored.entries.begin() + static_cast<std::ptrdiff_t>(count));
  stored.first_index = index;
}

/// Carries out one record; false where it does not fit what came before. Throws InputError where it
/// is not whole.
bool replay(Disk& disk, ByteReader reader, Stored& stored, FileId& next_snapshot) {
  switch (reader.fixed<RecordType>()) {
    case RecordType::entry: {
      const auto index = reader.fixed<std::uint64_t>();
      Entry entry;
      entry.term = reader.fixed<std::uint64_t>();
      entry.type = reader.fixed<std::uint16_t>();
      entry.data = read_bytes(reader);
      // One that is there already is replaced, with all behind it: the library took it back.
      if (index > stored.first_index + stored.entries.size()) return false;
      drop_from(stored, index);
      if (index < stored.first_index) return true;  // a snapshot stands for it
      stored.entries.push_back(std::move(entry));
      return true;
    }
    case RecordType::truncate:
      drop_from(stored, reader.fixed<std::uint64_t>());
      return true;
    case RecordType::snapshot: {
      const auto file = reader.fixed<FileId>();
      const auto trailing = reader.fixed<std::uint32_t>();
      stored.snapshot = decode_snapshot(disk.read(file));
      next_snapshot = file + 1;
      if (!stored.snapshot) return false;
      const std::uint64_t index = stored.snapshot->index;
      if (trailing == 0 || index >= stored.first_index + stored.entries.size()) {
        stored.entries.clear();
        stored.first_index = index + 1;
      } else if (index > trailing) {
        drop_below(stored, index - trailing + 1);
      }
      return true;
    }
  }
  return false;
}

/// The same for bytes of a disk: what is not whole does not fit either.
bool replay_bytes(Disk& disk, std::span<const std::byte> payload, Stored& stored,
                  FileId& next_snapshot) try {
  return replay(disk, reader_of(payload), stored, next_snapshot);
} catch (const InputError&) {
  return false;
}

}  // namespace

Stored Storage::open(Disk& disk) {
  Stored stored;
  const std::vector<std::byte> file = disk.read(kMeta);
  const std::optional<Meta> first = decode(file, 0);
  const std::optional<Meta> second = decode(file, kMetaSlot);
  if (first || second) {
    const Meta& meta = !second || (first && first->version > second->version) ? *first : *second;
    stored.exists = true;
    stored.term = meta.term;
    stored.vote = meta.vote;
    version_ = meta.version;
    epoch_ = meta.epoch;
  } else if (!file.empty()) {
    stored.corrupt = true;
    return stored;
  }
  next_snapshot_ = kFirstSnapshot;
  const std::vector<std::byte> journal = disk.read(kJournal);
  std::uint64_t newest_epoch = 0;
  while (journal.size() - journal_bytes_ >= kHeader) {
    const std::span rest = std::span(journal).subspan(static_cast<std::size_t>(journal_bytes_));
    ByteReader header = reader_of(rest);
    const auto length = header.fixed<std::uint32_t>();
    const auto epoch = header.fixed<std::uint64_t>();
    const auto sum = header.fixed<std::uint64_t>();
    if (length == 0 || rest.size() < kHeader + length || epoch < newest_epoch) break;
    const std::span payload = rest.subspan(kHeader, length);
    if (record_checksum(epoch, payload) != sum) break;
    newest_epoch = epoch;
    if (!replay_bytes(disk, payload, stored, next_snapshot_)) {
      stored.corrupt = true;
      break;
    }
    journal_bytes_ += kHeader + length;
  }
  epoch_ = std::max(epoch_, newest_epoch) + 1;
  return stored;
}

DiskStatus Storage::set_term_and_vote(Disk& disk, std::uint64_t term, std::uint64_t vote) {
  ++version_;
  const ByteWriter meta = encode(Meta{version_, epoch_, term, vote});
  return disk.write_through(kMeta, version_ % 2 * kMetaSlot, bytes_of(meta));
}

namespace {

/// With its header before it.
ByteWriter framed(std::span<const std::byte> payload, std::uint64_t epoch) {
  ByteWriter record;
  record.fixed(static_cast<std::uint32_t>(payload.size()));
  record.fixed(epoch);
  record.fixed(record_checksum(epoch, payload));
  record.text({reinterpret_cast<const char*>(payload.data()), payload.size()});
  return record;
}

ByteWriter entry_record(std::uint64_t index, const Entry& entry) {
  ByteWriter writer;
  writer.fixed(RecordType::entry);
  writer.fixed(index);
  writer.fixed(entry.term);
  writer.fixed(entry.type);
  write_bytes(writer, entry.data);
  return writer;
}

}  // namespace

DiskStatus Storage::write_record(Disk& disk, std::span<const std::byte> payload) {
  const ByteWriter record = framed(payload, epoch_);
  const DiskStatus status = disk.write(kJournal, journal_bytes_, bytes_of(record));
  if (status == DiskStatus::ok) journal_bytes_ += record.bytes().size();
  return status;
}

DiskStatus Storage::bootstrap(Disk& disk, const Entry& configuration) {
  const ByteWriter payload = entry_record(1, configuration);
  const ByteWriter record = framed(bytes_of(payload), epoch_);
  const DiskStatus status = disk.write_through(kJournal, 0, bytes_of(record));
  if (status != DiskStatus::ok) return status;
  journal_bytes_ = record.bytes().size();
  return set_term_and_vote(disk, 1, 0);
}

DiskStatus Storage::append(Disk& disk, std::uint64_t first_index, const std::vector<Entry>& entries,
                           std::uint64_t tag) {
  for (const Entry& entry : entries) {
    const DiskStatus status = write_record(disk, bytes_of(entry_record(first_index++, entry)));
    if (status != DiskStatus::ok) return status;
  }
  disk.sync(kJournal, tag);
  return DiskStatus::ok;
}

DiskStatus Storage::truncate(Disk& disk, std::uint64_t index, std::uint64_t tag) {
  ByteWriter writer;
  writer.fixed(RecordType::truncate);
  writer.fixed(index);
  const DiskStatus status = write_record(disk, bytes_of(writer));
  if (status == DiskStatus::ok) disk.sync(kJournal, tag);
  return status;
}

DiskStatus Storage::write_snapshot(Disk& disk, const Snapshot& snapshot, std::uint64_t tag) {
  const DiskStatus status = disk.write(next_snapshot_, 0, bytes_of(encode(snapshot)));
  if (status == DiskStatus::ok) disk.sync(next_snapshot_, tag);
  return status;
}

DiskStatus Storage::adopt_snapshot(Disk& disk, const Snapshot& /*snapshot*/, std::uint32_t trailing,
                                   std::uint64_t tag) {
  ByteWriter writer;
  writer.fixed(RecordType::snapshot);
  writer.fixed(next_snapshot_++);
  writer.fixed(trailing);
  const DiskStatus status = write_record(disk, bytes_of(writer));
  if (status == DiskStatus::ok) disk.sync(kJournal, tag);
  return status;
}

}  // namespace dissensus::libraft
