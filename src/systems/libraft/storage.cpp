#include "systems/libraft/storage.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "dissensus/digest.h"

namespace dissensus::libraft {

namespace {

constexpr FileId kMeta = 0;
constexpr FileId kJournal = 1;
constexpr FileId kFirstSnapshot = 16;
constexpr std::uint64_t kMetaSlot = 512;

enum class RecordType : std::uint8_t { entry = 1, truncate, snapshot };

class Writer {
 public:
  template <class Integer>
  Writer& add(Integer value) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof value);
    return *this;
  }
  Writer& add_bytes(std::span<const std::byte> bytes) {
    add(static_cast<std::uint32_t>(bytes.size()));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads what is there; zeros once something is missing.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class Integer>
  Integer get() {
    Integer value{};
    if (bytes_.size() < sizeof value) {
      good_ = false;
      return value;
    }
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_ = bytes_.subspan(sizeof value);
    return value;
  }
  std::vector<std::byte> get_bytes() {
    const auto size = get<std::uint32_t>();
    if (bytes_.size() < size) {
      good_ = false;
      return {};
    }
    std::vector<std::byte> result(bytes_.begin(), bytes_.begin() + size);
    bytes_ = bytes_.subspan(size);
    return result;
  }
  bool good() const { return good_; }

 private:
  std::span<const std::byte> bytes_;
  bool good_ = true;
};

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

std::vector<std::byte> encode(const Meta& meta) {
  Writer writer;
  writer.add(meta.version).add(meta.epoch).add(meta.term).add(meta.vote);
  std::vector<std::byte> bytes = writer.take();
  const std::uint64_t sum = checksum(bytes);
  const auto* const tail = reinterpret_cast<const std::byte*>(&sum);
  bytes.insert(bytes.end(), tail, tail + sizeof sum);
  return bytes;
}

std::optional<Meta> decode(std::span<const std::byte> file, std::uint64_t slot) {
  constexpr std::size_t kBytes = 4 * sizeof(std::uint64_t);
  if (file.size() < slot + kBytes + sizeof(std::uint64_t)) return std::nullopt;
  const std::span<const std::byte> bytes = file.subspan(static_cast<std::size_t>(slot), kBytes);
  Reader reader(file.subspan(static_cast<std::size_t>(slot)));
  Meta meta;
  meta.version = reader.get<std::uint64_t>();
  meta.epoch = reader.get<std::uint64_t>();
  meta.term = reader.get<std::uint64_t>();
  meta.vote = reader.get<std::uint64_t>();
  if (reader.get<std::uint64_t>() != checksum(bytes) || meta.version == 0) return std::nullopt;
  return meta;
}

std::vector<std::byte> encode(const Snapshot& snapshot) {
  Writer writer;
  writer.add(snapshot.index).add(snapshot.term).add(snapshot.configuration_index);
  writer.add(static_cast<std::uint32_t>(snapshot.members.size()));
  for (const Member& member : snapshot.members) writer.add(member.server).add(member.role);
  writer.add_bytes(snapshot.data);
  std::vector<std::byte> bytes = writer.take();
  Writer whole;
  whole.add(checksum(bytes));
  whole.add_bytes(bytes);
  return whole.take();
}

std::optional<Snapshot> decode_snapshot(std::span<const std::byte> file) {
  Reader whole(file);
  const auto sum = whole.get<std::uint64_t>();
  const std::vector<std::byte> bytes = whole.get_bytes();
  if (!whole.good() || checksum(bytes) != sum) return std::nullopt;
  Reader reader(bytes);
  Snapshot snapshot;
  snapshot.index = reader.get<std::uint64_t>();
  snapshot.term = reader.get<std::uint64_t>();
  snapshot.configuration_index = reader.get<std::uint64_t>();
  snapshot.members.resize(std::min<std::uint32_t>(reader.get<std::uint32_t>(), 1000));
  for (Member& member : snapshot.members) {
    member.server = reader.get<std::uint64_t>();
    member.role = reader.get<std::int32_t>();
  }
  snapshot.data = reader.get_bytes();
  return reader.good() ? std::optional(std::move(snapshot)) : std::nullopt;
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

/// Carries out one record; false where it does not fit what came before.
bool replay(Disk& disk, std::span<const std::byte> payload, Stored& stored, FileId& next_snapshot) {
  Reader reader(payload);
  switch (static_cast<RecordType>(reader.get<std::uint8_t>())) {
    case RecordType::entry: {
      const auto index = reader.get<std::uint64_t>();
      Entry entry;
      entry.term = reader.get<std::uint64_t>();
      entry.type = reader.get<std::uint16_t>();
      entry.data = reader.get_bytes();
      // One that is there already is replaced, with all behind it: the library took it back.
      if (!reader.good() || index > stored.first_index + stored.entries.size()) return false;
      drop_from(stored, index);
      if (index < stored.first_index) return true;  // a snapshot stands for it
      stored.entries.push_back(std::move(entry));
      return true;
    }
    case RecordType::truncate:
      drop_from(stored, reader.get<std::uint64_t>());
      return reader.good();
    case RecordType::snapshot: {
      const auto file = reader.get<FileId>();
      const auto trailing = reader.get<std::uint32_t>();
      stored.snapshot = decode_snapshot(disk.read(file));
      next_snapshot = file + 1;
      if (!reader.good() || !stored.snapshot) return false;
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
    Reader header(rest);
    const auto length = header.get<std::uint32_t>();
    const auto epoch = header.get<std::uint64_t>();
    const auto sum = header.get<std::uint64_t>();
    if (length == 0 || rest.size() < kHeader + length || epoch < newest_epoch) break;
    const std::span payload = rest.subspan(kHeader, length);
    if (record_checksum(epoch, payload) != sum) break;
    newest_epoch = epoch;
    if (!replay(disk, payload, stored, next_snapshot_)) {
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
  const DiskStatus status = disk.write_through(kMeta, version_ % 2 * kMetaSlot,
                                               encode(Meta{version_, epoch_, term, vote}));
  return status;
}

DiskStatus Storage::write_record(Disk& disk, const std::vector<std::byte>& payload) {
  Writer writer;
  writer.add(static_cast<std::uint32_t>(payload.size())).add(epoch_);
  writer.add(record_checksum(epoch_, payload));
  std::vector<std::byte> record = writer.take();
  record.insert(record.end(), payload.begin(), payload.end());
  const DiskStatus status = disk.write(kJournal, journal_bytes_, record);
  if (status == DiskStatus::ok) journal_bytes_ += record.size();
  return status;
}

namespace {
std::vector<std::byte> entry_record(std::uint64_t index, const Entry& entry) {
  Writer writer;
  writer.add(RecordType::entry).add(index).add(entry.term).add(entry.type).add_bytes(entry.data);
  return writer.take();
}
}  // namespace

DiskStatus Storage::bootstrap(Disk& disk, const Entry& configuration) {
  const std::vector<std::byte> payload = entry_record(1, configuration);
  Writer writer;
  writer.add(static_cast<std::uint32_t>(payload.size())).add(epoch_);
  writer.add(record_checksum(epoch_, payload));
  std::vector<std::byte> record = writer.take();
  record.insert(record.end(), payload.begin(), payload.end());
  const DiskStatus status = disk.write_through(kJournal, 0, record);
  if (status != DiskStatus::ok) return status;
  journal_bytes_ = record.size();
  return set_term_and_vote(disk, 1, 0);
}

DiskStatus Storage::append(Disk& disk, std::uint64_t first_index, const std::vector<Entry>& entries,
                           std::uint64_t tag) {
  for (const Entry& entry : entries) {
    const DiskStatus status = write_record(disk, entry_record(first_index++, entry));
    if (status != DiskStatus::ok) return status;
  }
  disk.sync(kJournal, tag);
  return DiskStatus::ok;
}

DiskStatus Storage::truncate(Disk& disk, std::uint64_t index, std::uint64_t tag) {
  Writer writer;
  writer.add(RecordType::truncate).add(index);
  const DiskStatus status = write_record(disk, writer.take());
  if (status == DiskStatus::ok) disk.sync(kJournal, tag);
  return status;
}

DiskStatus Storage::write_snapshot(Disk& disk, const Snapshot& snapshot, std::uint64_t tag) {
  const DiskStatus status = disk.write(next_snapshot_, 0, encode(snapshot));
  if (status == DiskStatus::ok) disk.sync(next_snapshot_, tag);
  return status;
}

DiskStatus Storage::adopt_snapshot(Disk& disk, const Snapshot& /*snapshot*/, std::uint32_t trailing,
                                   std::uint64_t tag) {
  Writer writer;
  writer.add(RecordType::snapshot).add(next_snapshot_++).add(trailing);
  const DiskStatus status = write_record(disk, writer.take());
  if (status == DiskStatus::ok) disk.sync(kJournal, tag);
  return status;
}

}  // namespace dissensus::libraft
