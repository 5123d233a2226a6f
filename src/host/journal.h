// What a run did, call by call and message by message, in a form that two runs can be compared by.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dissensus {
class ByteReader;
}

namespace dissensus::host {

/// An instruction of a loop that waits for memory to change: PAUSE, at this offset of this file.
struct SpinSite {
  std::string file;
  std::uint64_t offset = 0;
  friend auto operator<=>(const SpinSite&, const SpinSite&) = default;
};

/// A hash that goes on from entry to entry.
class RollingHash {
 public:
  RollingHash() = default;
  /// Goes on from here.
  explicit RollingHash(std::uint64_t value) : value_(value) {}
  void add(std::uint64_t word);
  void add(std::string_view bytes);
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0x9E3779B97F4A7C15ULL;
};

/// One call of one thread, or one message.
struct JournalEntry {
  std::int64_t time_ns = 0;
  std::uint64_t hash = 0;  ///< of all entries up to this one
  std::uint32_t program = 0;
  std::uint16_t process = 0;
  std::uint16_t thread = 0;
  std::int32_t call = 0;  ///< number of the system call; kMessage...
};

/// Entries that are no system calls.
inline constexpr std::int32_t kMessageEntry = -1;
inline constexpr std::int32_t kOutputEntry = -2;
inline constexpr std::int32_t kSignalEntry = -3;
inline constexpr std::int32_t kInstructionEntry = -4;
inline constexpr std::int32_t kExitEntry = -5;

/// A moment between two moves of the clock, when no thread could run.
struct Step {
  std::int64_t time_ns = 0;
  std::uint64_t entries = 0;   ///< up to here
  std::uint64_t calls = 0;     ///< rolling hash of calls
  std::uint64_t messages = 0;  ///< rolling hash of messages
  friend bool operator==(const Step&, const Step&) = default;
};

class Journal {
 public:
  /// The first `entries_max` entries are kept; hashes go on without limit.
  explicit Journal(std::size_t entries_max = 4'000'000) : entries_max_(entries_max) {}

  /// `what` is a hash of all that belongs to the entry.
  void add(JournalEntry entry, std::uint64_t what);
  void end_step(std::int64_t time_ns);

  std::uint64_t calls_hash() const { return calls_.value(); }
  std::uint64_t messages_hash() const { return messages_.value(); }
  /// Of everything.
  std::uint64_t hash() const;
  std::uint64_t count() const { return count_; }
  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<JournalEntry>& entries() const { return entries_; }

  /// For a file beside the run: what first_difference needs, some ten bytes for an entry. Only a
  /// half of each hash is kept, so the journal that is read from it compares with others of its
  /// kind.
  std::string to_bytes() const;
  /// Nothing if these are other bytes, or a part of them.
  static std::optional<Journal> from_bytes(std::string_view bytes);

 private:
  void read(ByteReader& reader);

  std::size_t entries_max_;
  std::uint64_t count_ = 0;
  RollingHash calls_;
  RollingHash messages_;
  std::vector<JournalEntry> entries_;
  std::vector<Step> steps_;
};

/// Where two runs part: "step 812 at 13.350000 s: program 1 process 0 thread 3: epoll_pwait (the
/// other: futex)". Nothing: they are equal.
std::optional<std::string> first_difference(const Journal& one, const Journal& other);

/// "epoll_wait", "call 555" where there is no name.
std::string call_name(std::int32_t number);

}  // namespace dissensus::host
