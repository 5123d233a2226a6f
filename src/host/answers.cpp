#include "host/answers.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>

namespace dissensus::host {

namespace {

constexpr std::uint64_t kPage = 4096;
/// Room for the gates of one part of the address space.
constexpr std::uint64_t kRoomBytes = 4 * kPage;
constexpr std::size_t kGateBytes = 32;
/// Between the stack and where the kernel begins to place mappings, downwards: never used by it.
constexpr std::uint64_t kHighRoom = 0x7fff'f900'0000;
constexpr std::uint64_t kLibraries = 0x7fff'8000'0000;

bool map_page(pid_t tid, std::uint64_t address, std::uint64_t bytes, int protection) {
  constexpr std::uint64_t kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
  return static_cast<std::uint64_t>(inject_call(tid, SYS_mmap, address, bytes,
                                                static_cast<std::uint64_t>(protection), kFlags,
                                                ~0ULL, 0)) == address;
}

/// Numbers of calls that can be answered inside.
constexpr bool is_answered(unsigned number) {
  switch (number) {
    case SYS_read:
    case SYS_write:
    case SYS_pwrite64:
    case SYS_accept:
    case SYS_accept4:
    case SYS_sendto:
    case SYS_recvfrom:
    case SYS_sendmsg:
    case SYS_recvmsg:
    case SYS_futex:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_open:
    case SYS_openat:
    case SYS_timerfd_settime:
      return true;
    default:
      return false;
  }
}

/// How many bytes before a SYSCALL at `at` can be moved elsewhere; 0: none that are known. Nothing
/// jumps between these instructions and SYSCALL, and SYSCALL itself stays where it is.
std::size_t movable_before(std::span<const unsigned char> code, std::size_t at) {
  const auto is = [&](std::initializer_list<unsigned char> bytes) {
    return at >= bytes.size() &&
           std::equal(bytes.begin(), bytes.end(),
                      code.begin() + static_cast<std::ptrdiff_t>(at - bytes.size()));
  };
  // mov $number, %eax; not part of a longer instruction
  if (at >= 6 && code[at - 5] == 0xb8 && (code[at - 6] & 0xf0) != 0x40 && code[at - 2] == 0 &&
      code[at - 1] == 0 && is_answered(code[at - 4] | unsigned{code[at - 3]} << 8)) {
    return 5;
  }
  // mov 8(%rsp), %edi; xor %eax, %eax: the C library's read
  if (is({0x8b, 0x7c, 0x24, 0x08, 0x31, 0xc0})) return 6;
  // mov %rcx, %rsi; mov %rbx, %rdi: Go, for all calls
  if (is({0x48, 0x89, 0xce, 0x48, 0x89, 0xdf})) return 6;
  return 0;
}

template <class T>
void put(std::vector<unsigned char>& code, const T& value) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(&value);
  code.insert(code.end(), bytes, bytes + sizeof value);
}

/// What was there; then the program's SYSCALL into rcx, and on.
std::vector<unsigned char> make_gate(std::span<const unsigned char> before, std::uint64_t syscall) {
  std::vector<unsigned char> code(before.begin(), before.end());
  code.insert(code.end(), {0x48, 0xb9});
  put(code, syscall);
  code.insert(code.end(), {0x49, 0xbb});
  put(code, kAnswerCodeAddress);
  code.insert(code.end(), {0x41, 0xff, 0xe3});
  code.resize(kGateBytes, 0xcc);
  return code;
}

/// Where gates for this mapping can be, near enough for a jump, where the kernel puts nothing by
/// itself: other mappings of the program are where they would be without.
std::uint64_t room_for(const Mapping& mapping) {
  if (mapping.begin >= kLibraries) return kHighRoom;
  const std::uint64_t begin = mapping.begin - std::min(mapping.begin, mapping.offset);
  const std::uint64_t room = (begin & ~0xffffULL) - 16 * kRoomBytes;
  return begin < 32 * kRoomBytes ? 0 : room;
}

}  // namespace

bool prepare_answers(pid_t tid) {
  return map_page(tid, kAnswerPageAddress, kPage, PROT_READ | PROT_WRITE) &&
         map_page(tid, kAnswerCodeAddress, kPage, PROT_READ | PROT_EXEC) &&
         overwrite_memory(tid, kAnswerCodeAddress, answer_code());
}

void Gates::copy(std::uint32_t from, std::uint32_t to) {
  if (const auto found = used_.find(from); found != used_.end()) {
    const auto rooms = found->second;
    used_[to] = rooms;
  }
}

std::vector<Gates::Site> Gates::find(pid_t tid, const Mapping& mapping) {
  std::vector<Site> found;
  constexpr std::size_t kPiece = 1 << 20;
  constexpr std::size_t kHead = 16;  // pieces overlap, so that nothing lies between two
  std::vector<unsigned char> code(kPiece + kHead);
  for (std::uint64_t begin = mapping.begin; begin < mapping.end; begin += kPiece) {
    const std::size_t head = begin == mapping.begin ? 0 : kHead;
    const std::size_t size = std::min<std::uint64_t>(kPiece + head, mapping.end - begin + head);
    if (!read_memory(tid, begin - head, code.data(), size)) break;
    const std::span<const unsigned char> all(code.data(), size);
    // A call whose SYSCALL ends in the next piece is found there.
    for (std::size_t at = head > 0 ? head - 1 : 0; at + 1 < size; ++at) {
      const auto* next =
          static_cast<const unsigned char*>(std::memchr(code.data() + at, 0x0f, size - 1 - at));
      if (next == nullptr) break;
      at = static_cast<std::size_t>(next - code.data());
      if (code[at + 1] != 0x05) continue;
      const std::size_t length = movable_before(all, at);
      if (length == 0) continue;
      const std::uint64_t offset = begin - head + at - length - mapping.begin;
      if (!found.empty() && found.back().offset >= offset) continue;
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(at - length);
      found.push_back({offset, {first, first + static_cast<std::ptrdiff_t>(length)}});
    }
  }
  return found;
}

void Gates::look_through(std::uint32_t process, pid_t tid, const Mapping& mapping) {
  const std::string key = fmt::format("{}:{}:{}:{}", mapping.device, mapping.inode, mapping.offset,
                                      mapping.end - mapping.begin);
  auto known = cache_.find(key);
  if (known == cache_.end()) known = cache_.emplace(key, find(tid, mapping)).first;
  if (known->second.empty()) return;
  const std::uint64_t room = room_for(mapping);
  if (room == 0) return;
  auto& rooms = used_[process];
  if (!rooms.contains(room)) {
    if (!map_page(tid, room, kRoomBytes, PROT_READ | PROT_EXEC)) {
      if (rooms.empty()) used_.erase(process);
      return;
    }
    rooms[room] = 0;
  }
  if (!is_open_) return;
  std::size_t& used = rooms[room];
  for (const Site& site : known->second) {
    const std::uint64_t address = mapping.begin + site.offset;
    const std::uint64_t gate = room + used;
    const auto distance = static_cast<std::int64_t>(gate - (address + 5));
    std::vector<unsigned char> present(site.before.size());
    if (used + kGateBytes > kRoomBytes || distance != static_cast<std::int32_t>(distance) ||
        !read_memory(tid, address, present.data(), present.size()) || present != site.before) {
      continue;
    }
    std::vector<unsigned char> jump{0xe9};
    put(jump, static_cast<std::int32_t>(distance));
    jump.resize(site.before.size(), 0x90);
    if (!overwrite_memory(tid, gate, make_gate(site.before, address + site.before.size())) ||
        !overwrite_memory(tid, address, jump)) {
      continue;
    }
    used += kGateBytes;
  }
}

}  // namespace dissensus::host
