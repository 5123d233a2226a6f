#include "host/image.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>

#include <asm/prctl.h>
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

// What programs run instead of the vDSO. Reads of the clock are counted; beyond the page's limit
// they are system calls, so that a program that waits for the clock is seen.
asm(R"(
.pushsection .rodata
.balign 16
.globl dissensus_clock_code, dissensus_clock_code_end
.globl dissensus_code_gettime, dissensus_code_timeofday, dissensus_code_time
.globl dissensus_code_getcpu, dissensus_code_getres, dissensus_code_getrandom
dissensus_clock_code:
dissensus_code_gettime:
  movabs $0x7ffff8100000, %rax
  cmp $11, %edi
  ja 3f
  mov $0x821, %ecx            # REALTIME, REALTIME_COARSE, TAI
  bt %edi, %ecx
  jc 1f
  mov $0x0d2, %ecx            # MONOTONIC, RAW, MONOTONIC_COARSE, BOOTTIME
  bt %edi, %ecx
  jc 2f
3: mov $228, %eax
  syscall
  ret
1: mov 40(%rax), %rdx
  inc %rdx
  mov %rdx, 40(%rax)
  cmp 48(%rax), %rdx
  ja 3b
  mov (%rax), %rdx
  mov %rdx, (%rsi)
  mov 8(%rax), %rdx
  mov %rdx, 8(%rsi)
  xor %eax, %eax
  ret
2: mov 40(%rax), %rdx
  inc %rdx
  mov %rdx, 40(%rax)
  cmp 48(%rax), %rdx
  ja 3b
  mov 24(%rax), %rdx
  mov %rdx, (%rsi)
  mov 32(%rax), %rdx
  mov %rdx, 8(%rsi)
  xor %eax, %eax
  ret
.balign 16
dissensus_code_timeofday:
  movabs $0x7ffff8100000, %rax
  test %rdi, %rdi
  je 3f
  test %rsi, %rsi
  jne 3f
  mov 40(%rax), %rdx
  inc %rdx
  mov %rdx, 40(%rax)
  cmp 48(%rax), %rdx
  ja 3f
  mov (%rax), %rdx
  mov %rdx, (%rdi)
  mov 16(%rax), %rdx
  mov %rdx, 8(%rdi)
  xor %eax, %eax
  ret
3: mov $96, %eax
  syscall
  ret
.balign 16
dissensus_code_time:
  movabs $0x7ffff8100000, %rax
  mov 40(%rax), %rdx
  inc %rdx
  mov %rdx, 40(%rax)
  cmp 48(%rax), %rdx
  ja 3f
  mov (%rax), %rax
  test %rdi, %rdi
  je 1f
  mov %rax, (%rdi)
1: ret
3: mov $201, %eax
  syscall
  ret
.balign 16
dissensus_code_getcpu:
  xor %eax, %eax
  test %rdi, %rdi
  je 1f
  mov %eax, (%rdi)
1: test %rsi, %rsi
  je 2f
  mov %eax, (%rsi)
2: ret
.balign 16
dissensus_code_getres:
  mov $229, %eax
  syscall
  ret
.balign 16
dissensus_code_getrandom:
  mov $-38, %rax              # ENOSYS: the caller makes the system call instead
  ret
dissensus_clock_code_end:
.popsection
)");

extern "C" {
extern const unsigned char dissensus_clock_code[], dissensus_clock_code_end[];
extern const unsigned char dissensus_code_gettime[], dissensus_code_timeofday[];
extern const unsigned char dissensus_code_time[], dissensus_code_getcpu[];
extern const unsigned char dissensus_code_getres[], dissensus_code_getrandom[];
}

namespace dissensus::host {

static_assert(offsetof(ClockPage, reads) == 40 && offsetof(ClockPage, reads_max) == 48);

long inject_call(pid_t tid, long number, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                 std::uint64_t d, std::uint64_t e, std::uint64_t f) {
  const Registers saved = read_registers(tid);
  const auto text = read_value<std::array<unsigned char, 2>>(tid, saved.rip);
  constexpr std::array<unsigned char, 2> kSyscall{0x0f, 0x05};
  if (!text || !overwrite_memory(tid, saved.rip, kSyscall)) return -EFAULT;
  Registers call = saved;
  call.orig_rax = ~0ULL;
  call.rax = static_cast<unsigned long long>(number);
  call.rdi = a;
  call.rsi = b;
  call.rdx = c;
  call.r10 = d;
  call.r8 = e;
  call.r9 = f;
  write_registers(tid, call);
  // Two stops of the call itself; the filter may add one between them.
  for (int seen = 0; seen < 2;) {
    ptrace(PTRACE_SYSCALL, tid, nullptr, nullptr);
    const Stop stop = wait_for_stop(tid);
    if (stop.kind == StopKind::gone) return -ESRCH;
    if (stop.kind == StopKind::call_exit) ++seen;
  }
  const long result = static_cast<long>(read_registers(tid).rax);
  overwrite_memory(tid, saved.rip, *text);
  Registers restored = saved;
  restored.orig_rax = ~0ULL;
  write_registers(tid, restored);
  return result;
}

namespace {

std::map<std::uint64_t, std::uint64_t> read_auxiliary(pid_t pid) {
  const std::string path = fmt::format("/proc/{}/auxv", pid);
  const Handle file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<Elf64_auxv_t, 64> entries{};
  const ssize_t got = file ? read(file.get(), entries.data(), sizeof entries) : 0;
  std::map<std::uint64_t, std::uint64_t> result;
  for (std::size_t i = 0;
       i < static_cast<std::size_t>(std::max<ssize_t>(got, 0)) / sizeof entries[0]; ++i) {
    result[entries[i].a_type] = entries[i].a_un.a_val;
  }
  return result;
}

struct Replacement {
  std::string_view symbol;
  const unsigned char* code;
};

/// A jump to our code at the beginning of each function of the vDSO that tells time.
bool replace_vdso(pid_t tid, std::uint64_t base) {
  constexpr std::size_t kPage = 4096;
  std::vector<unsigned char> image;
  for (std::size_t pages = 0; pages < 8; ++pages) {
    image.resize(image.size() + kPage);
    if (!read_memory(tid, base + pages * kPage, image.data() + pages * kPage, kPage)) {
      image.resize(image.size() - kPage);
      break;
    }
  }
  const Replacement replacements[] = {{"__vdso_clock_gettime", dissensus_code_gettime},
                                      {"__vdso_gettimeofday", dissensus_code_timeofday},
                                      {"__vdso_time", dissensus_code_time},
                                      {"__vdso_getcpu", dissensus_code_getcpu},
                                      {"__vdso_clock_getres", dissensus_code_getres},
                                      {"__vdso_getrandom", dissensus_code_getrandom}};
  const auto at = [&]<class T>(std::uint64_t offset, T& value) {
    if (offset + sizeof value > image.size()) return false;
    std::memcpy(&value, image.data() + offset, sizeof value);
    return true;
  };
  Elf64_Ehdr header{};
  if (!at(0, header)) return false;
  for (unsigned section = 0; section < header.e_shnum; ++section) {
    Elf64_Shdr symbols{};
    Elf64_Shdr names{};
    if (!at(header.e_shoff + section * sizeof symbols, symbols)) return false;
    if (symbols.sh_type != SHT_DYNSYM) continue;
    if (!at(header.e_shoff + symbols.sh_link * sizeof names, names)) return false;
    for (std::uint64_t i = 0; i < symbols.sh_size / sizeof(Elf64_Sym); ++i) {
      Elf64_Sym symbol{};
      if (!at(symbols.sh_offset + i * sizeof symbol, symbol)) return false;
      const std::uint64_t name = names.sh_offset + symbol.st_name;
      if (name >= image.size()) return false;
      const std::string_view text(reinterpret_cast<const char*>(image.data() + name));
      for (const Replacement& replacement : replacements) {
        if (replacement.symbol != text) continue;
        std::array<unsigned char, 12> jump{0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
        const std::uint64_t target =
            kClockCodeAddress + static_cast<std::uint64_t>(replacement.code - dissensus_clock_code);
        std::memcpy(jump.data() + 2, &target, sizeof target);
        if (!overwrite_memory(tid, base + symbol.st_value, jump)) return false;
      }
    }
    return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> prepare_image(pid_t tid, Random& random) {
  std::vector<std::string> troubles;
  constexpr std::uint64_t kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
  const auto map = [&](std::uint64_t address, int protection) {
    return static_cast<std::uint64_t>(inject_call(tid, SYS_mmap, address, 4096,
                                                  static_cast<std::uint64_t>(protection), kFlags,
                                                  ~0ULL, 0)) == address;
  };
  const std::span<const unsigned char> code(dissensus_clock_code, dissensus_clock_code_end);
  if (!map(kClockPageAddress, PROT_READ | PROT_WRITE) ||
      !map(kClockCodeAddress, PROT_READ | PROT_EXEC) ||
      !overwrite_memory(tid, kClockCodeAddress, code)) {
    troubles.emplace_back("the clock page could not be mapped");
    return troubles;
  }
  const auto auxiliary = read_auxiliary(tid);
  if (const auto vdso = auxiliary.find(AT_SYSINFO_EHDR); vdso != auxiliary.end()) {
    if (!replace_vdso(tid, vdso->second)) troubles.emplace_back("the vDSO could not be replaced");
  }
  if (const auto bytes = auxiliary.find(AT_RANDOM); bytes != auxiliary.end()) {
    const std::array<std::uint64_t, 2> seeded{random.next(), random.next()};
    write_memory(tid, bytes->second, seeded.data(), sizeof seeded);
  }
  if (inject_call(tid, SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV) != 0) {
    troubles.emplace_back("the time stamp counter can be read");
  }
  return troubles;
}

std::vector<Mapping> read_mappings(pid_t pid) {
  std::vector<Mapping> mappings;
  const std::string path = fmt::format("/proc/{}/maps", pid);
  const Handle file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 16384> piece{};
  for (ssize_t got = 0; file && (got = read(file.get(), piece.data(), piece.size())) > 0;) {
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    Mapping mapping;
    std::array<char, 8> permissions{};
    std::array<char, 32> device{};
    int name = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %7s %lx %31s %lu %n", &mapping.begin, &mapping.end,
                    permissions.data(), &mapping.offset, device.data(), &mapping.inode,
                    &name) < 6) {
      continue;
    }
    mapping.permissions = permissions.data();
    mapping.device = device.data();
    mapping.path = line.substr(std::min(static_cast<std::size_t>(name), line.size()));
    mappings.push_back(std::move(mapping));
  }
  return mappings;
}

}  // namespace dissensus::host
