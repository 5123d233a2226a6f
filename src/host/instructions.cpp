#include "host/instructions.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <span>

#include <cpuid.h>
#include <fmt/format.h>
#include <sys/syscall.h>

namespace dissensus::host {

namespace {

constexpr std::uint64_t kArchCpuidSet = 0x1012;

/// Whether code that starts here looks at the carry flag soon, as all users of RDRAND do.
bool uses_carry(std::span<const unsigned char> code) {
  for (std::size_t i = 0; i + 1 < code.size(); ++i) {
    const unsigned char byte = code[i];
    const unsigned char next = code[i + 1];
    if (byte == 0x72 || byte == 0x73) return true;  // jc, jnc
    if (byte == 0x0f && (next == 0x82 || next == 0x83 || next == 0x92 || next == 0x93 ||
                         next == 0x42 || next == 0x43)) {
      return true;  // jc, setc, cmovc and their opposites
    }
    if ((byte == 0x19 || byte == 0x1b || byte == 0x11 || byte == 0x13) && next >= 0xc0) {
      return true;  // sbb, adc between registers
    }
    if (byte == 0x83 && next >= 0xd0 && next <= 0xdf) return true;  // adc, sbb of a number
  }
  return false;
}

/// Whether the bytes at `offset` are the end of another instruction: of a call or jump to somewhere
/// in this code, or of one that addresses memory relative to itself.
bool is_displacement(std::span<const unsigned char> code, std::size_t offset, std::int64_t below,
                     std::int64_t above) {
  constexpr std::size_t kBytes = 4;
  for (std::size_t back = 1; back <= std::min(kBytes, offset); ++back) {
    const std::size_t at = offset - back;
    if (at + 1 + kBytes > code.size()) continue;
    const unsigned char byte = code[at];
    const unsigned char before = at > 0 ? code[at - 1] : 0;
    std::int32_t distance = 0;
    std::memcpy(&distance, &code[at + 1], sizeof distance);
    const std::int64_t target = static_cast<std::int64_t>(at + 1 + kBytes) + distance;
    const bool is_jump =
        byte == 0xe8 || byte == 0xe9 || (before == 0x0f && byte >= 0x80 && byte <= 0x8f);
    if (is_jump && target >= -below && target < above) return true;
    const bool is_memory =
        before == 0x8d || before == 0x8b || before == 0x89 || before == 0x3b || before == 0x39;
    if (is_memory && (byte & 0xc7) == 0x05) return true;
  }
  return false;
}

unsigned long long* register_of(Registers& registers, unsigned number) {
  unsigned long long* const table[16] = {
      &registers.rax, &registers.rcx, &registers.rdx, &registers.rbx,
      &registers.rsp, &registers.rbp, &registers.rsi, &registers.rdi,
      &registers.r8,  &registers.r9,  &registers.r10, &registers.r11,
      &registers.r12, &registers.r13, &registers.r14, &registers.r15};
  return table[number & 15];
}

/// RDRAND and RDSEED: a number, and carry for success.
void give_random(Registers& registers, std::span<const unsigned char> instruction,
                 std::uint64_t value) {
  std::size_t at = 0;
  bool is_short = false;
  unsigned char prefix = 0;
  if (instruction[at] == 0x66) {
    is_short = true;
    ++at;
  }
  if ((instruction[at] & 0xf0) == 0x40) prefix = instruction[at++];
  const unsigned number = (instruction[at + 2] & 7U) | ((prefix & 1U) << 3);
  unsigned long long* target = register_of(registers, number);
  if ((prefix & 8U) != 0) {
    *target = value;
  } else if (is_short) {
    *target = (*target & ~0xffffULL) | (value & 0xffff);
  } else {
    *target = value & 0xffffffff;
  }
  constexpr unsigned long long kArithmeticFlags = 0x8d5;
  registers.eflags = (registers.eflags & ~kArithmeticFlags) | 1;
  registers.rip += instruction.size();
}

void give_identity(Registers& registers) {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  const auto leaf = static_cast<unsigned>(registers.rax);
  const auto part = static_cast<unsigned>(registers.rcx);
  __cpuid_count(leaf, part, a, b, c, d);
  if (leaf == 1) {
    c &= ~(1U << 30);   // RDRAND
    b &= 0x00ff'ffffU;  // number of this processor
  } else if (leaf == 7 && part == 0) {
    b &= ~(1U << 18 | 1U << 11 | 1U << 4);  // RDSEED, RTM, HLE
    c &= ~(1U << 22);                       // RDPID
  } else if (leaf == 0xb || leaf == 0x1f || leaf == 0x8000'001eU) {
    d = 0;
    if (leaf == 0x8000'001eU) a = 0;
  }
  registers.rax = a;
  registers.rbx = b;
  registers.rcx = c;
  registers.rdx = d;
  registers.rip += 2;
}

}  // namespace

bool Instructions::trap_cpuid(pid_t tid) {
  return inject_call(tid, SYS_arch_prctl, kArchCpuidSet, 0) == 0;
}

Instructions::Found Instructions::find_random(pid_t tid, const Mapping& mapping) {
  Found found;
  constexpr std::size_t kPiece = 1 << 20;
  constexpr std::size_t kTail = 32;  // pieces overlap, so that nothing lies between two
  std::vector<unsigned char> code(kPiece + kTail);
  for (std::uint64_t begin = mapping.begin; begin < mapping.end; begin += kPiece) {
    const std::size_t size = std::min<std::uint64_t>(kPiece + kTail, mapping.end - begin);
    if (!read_memory(tid, begin, code.data(), size)) break;
    const unsigned char* const end = code.data() + size;
    for (const unsigned char* at = code.data();
         (at = static_cast<const unsigned char*>(
              std::memchr(at, 0x0f, static_cast<std::size_t>(end - at)))) != nullptr;
         ++at) {
      if (end - at < 3) break;
      if (at[1] != 0xc7 || at[2] < 0xf0) continue;
      const auto offset = static_cast<std::size_t>(at - code.data());
      if (offset >= kPiece) break;
      std::size_t first = offset;
      if (first > 0 && (code[first - 1] & 0xf0) == 0x40) --first;
      if (first > 0 && code[first - 1] == 0x66) --first;
      if (is_displacement({code.data(), size}, offset,
                          static_cast<std::int64_t>(begin - mapping.begin),
                          static_cast<std::int64_t>(mapping.end - begin))) {
        continue;
      }
      if (!uses_carry(
              {at + 3, static_cast<std::size_t>(std::min<std::ptrdiff_t>(end - at - 3, 24))})) {
        continue;
      }
      found.emplace_back(
          begin + first - mapping.begin,
          std::vector<unsigned char>(code.begin() + static_cast<std::ptrdiff_t>(first),
                                     code.begin() + static_cast<std::ptrdiff_t>(offset + 3)));
    }
  }
  return found;
}

void Instructions::look_through(std::uint32_t process, pid_t tid, const Mapping& mapping) {
  const std::string key = fmt::format("{}:{}:{}:{}", mapping.device, mapping.inode, mapping.offset,
                                      mapping.end - mapping.begin);
  auto known = cache_.find(key);
  if (known == cache_.end()) known = cache_.emplace(key, find_random(tid, mapping)).first;
  for (const auto& [offset, bytes] : known->second) {
    patch(process, tid, mapping.begin + offset, {Kind::random, bytes});
  }
  for (const SpinSite& site : spin_sites_) {
    if (site.file != mapping.path || site.offset < mapping.offset ||
        site.offset - mapping.offset >= mapping.end - mapping.begin) {
      continue;
    }
    patch(process, tid, mapping.begin + site.offset - mapping.offset, {Kind::spin, {0xf3, 0x90}});
  }
}

void Instructions::patch(std::uint32_t process, pid_t tid, std::uint64_t address, Site site) {
  std::vector<unsigned char> present(site.bytes.size());
  if (!read_memory(tid, address, present.data(), present.size()) || present != site.bytes) return;
  constexpr std::array<unsigned char, 2> kUndefined{0x0f, 0x0b};
  if (overwrite_memory(tid, address, kUndefined)) sites_[{process, address}] = std::move(site);
}

void Instructions::forget(std::uint32_t process) {
  sites_.erase(sites_.lower_bound({process, 0}), sites_.lower_bound({process + 1, 0}));
}

void Instructions::copy(std::uint32_t from, std::uint32_t to) {
  std::vector<std::pair<std::uint64_t, Site>> copied;
  for (auto site = sites_.lower_bound({from, 0}); site != sites_.end() && site->first.first == from;
       ++site) {
    copied.emplace_back(site->first.second, site->second);
  }
  for (auto& [address, site] : copied) sites_[{to, address}] = std::move(site);
}

Instructions::Kind Instructions::carry_out(std::uint32_t process, pid_t tid, int signal,
                                           std::uint64_t clock, Random& random,
                                           Registers& registers) {
  registers = read_registers(tid);
  if (signal == SIGILL) {
    const auto site = sites_.find({process, registers.rip});
    if (site == sites_.end()) return Kind::none;
    if (site->second.kind == Kind::random) {
      give_random(registers, site->second.bytes, random.next());
    } else {
      registers.rip += 2;
    }
    write_registers(tid, registers);
    return site->second.kind;
  }
  const auto code = read_value<std::array<unsigned char, 2>>(tid, registers.rip);
  if (!code || (*code)[0] != 0x0f) return Kind::none;
  Kind kind = Kind::clock;
  if ((*code)[1] == 0x31) {  // RDTSC
    registers.rip += 2;
  } else if ((*code)[1] == 0xa2) {
    give_identity(registers);
    kind = Kind::identity;
  } else if ((*code)[1] == 0x01) {  // RDTSCP, if the third byte says so
    const auto third = read_value<unsigned char>(tid, registers.rip + 2);
    if (!third || *third != 0xf9) return Kind::none;
    registers.rip += 3;
    registers.rcx = 0;
  } else {
    return Kind::none;
  }
  if (kind == Kind::clock) {
    registers.rax = clock & 0xffffffff;
    registers.rdx = clock >> 32;
  }
  write_registers(tid, registers);
  return kind;
}

SpinSite Instructions::stop_spinning(std::uint32_t process, pid_t tid, std::uint64_t address) {
  constexpr std::uint64_t kReach = 128;
  std::array<unsigned char, 2 * kReach> code{};
  if (!read_memory(tid, address - kReach, code.data(), code.size())) return {};
  std::uint64_t best = 0;
  std::uint64_t distance = kReach;
  for (std::uint64_t i = 0; i + 1 < code.size(); ++i) {
    if (code[i] != 0xf3 || code[i + 1] != 0x90) continue;
    const std::uint64_t away = i > kReach ? i - kReach : kReach - i;
    if (away >= distance) continue;
    best = address - kReach + i;
    distance = away;
  }
  if (best == 0) return {};
  for (const Mapping& mapping : read_mappings(tid)) {
    if (best < mapping.begin || best >= mapping.end) continue;
    patch(process, tid, best, {Kind::spin, {0xf3, 0x90}});
    return {mapping.path, best - mapping.begin + mapping.offset};
  }
  return {};
}

}  // namespace dissensus::host
