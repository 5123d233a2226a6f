#include "host/core_file.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/procfs.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <unistd.h>

#include "host/image.h"
#include "host/tracee.h"

namespace dissensus::host {

namespace {

constexpr std::size_t kCorePage = 4096;

std::string read_whole(const std::string& path) {
  const Handle file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> piece{};
  for (ssize_t got = 0; file && (got = read(file.get(), piece.data(), piece.size())) > 0;) {
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return text;
}

template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

void add_note(std::string& notes, const std::string& owner, unsigned type,
              const std::string& content) {
  const Elf64_Nhdr header{static_cast<Elf64_Word>(owner.size() + 1),
                          static_cast<Elf64_Word>(content.size()), type};
  notes += bytes_of(header) + owner;
  notes.append(4 - owner.size() % 4, '\0');
  notes += content;
  notes.append((4 - content.size() % 4) % 4, '\0');
}

void add_thread_notes(std::string& notes, pid_t tid, pid_t number) {
  elf_prstatus status{};
  status.pr_pid = number;
  const Registers registers = read_registers(tid);
  static_assert(sizeof status.pr_reg == sizeof registers);
  std::memcpy(&status.pr_reg, &registers, sizeof registers);
  add_note(notes, "CORE", NT_PRSTATUS, bytes_of(status));
  user_fpregs_struct floating{};
  ptrace(PTRACE_GETFPREGS, tid, nullptr, &floating);
  add_note(notes, "CORE", NT_FPREGSET, bytes_of(floating));
}

std::string process_note(pid_t pid, pid_t number) {
  elf_prpsinfo info{};
  info.pr_pid = number;
  info.pr_sname = 'T';
  const auto copy = [](char* to, std::size_t room, std::string text) {
    std::replace(text.begin(), text.end(), '\0', ' ');
    std::memcpy(to, text.data(), std::min(room - 1, text.size()));
  };
  std::string name = read_whole(fmt::format("/proc/{}/comm", pid));
  if (!name.empty() && name.back() == '\n') name.pop_back();
  copy(info.pr_fname, sizeof info.pr_fname, name);
  copy(info.pr_psargs, sizeof info.pr_psargs, read_whole(fmt::format("/proc/{}/cmdline", pid)));
  return bytes_of(info);
}

/// Which parts of which files are mapped where: a debugger reads from there what is not in the
/// core.
std::string file_note(const std::vector<Mapping>& mappings) {
  std::string table;
  std::string names;
  std::uint64_t count = 0;
  for (const Mapping& mapping : mappings) {
    if (mapping.inode == 0 || !mapping.path.starts_with('/')) continue;
    const std::array<std::uint64_t, 3> row{mapping.begin, mapping.end, mapping.offset / kCorePage};
    table += bytes_of(row);
    names += mapping.path + '\0';
    ++count;
  }
  const std::array<std::uint64_t, 2> head{count, kCorePage};
  return bytes_of(head) + table + names;
}

/// How much of a mapping is in the file: all but the code of mapped files. What can only be read
/// may have been written before that: the list of libraries is such a place.
std::uint64_t kept_bytes(const Mapping& mapping) {
  if (mapping.permissions.find('r') == mapping.permissions.npos || mapping.path == "[vvar]") {
    return 0;
  }
  const bool is_code = mapping.permissions.find('x') != mapping.permissions.npos;
  return is_code && mapping.inode != 0 ? 0 : mapping.end - mapping.begin;
}

/// Pages of zeros become holes.
bool copy_memory(int memory, const Mapping& mapping, std::uint64_t bytes, int file,
                 std::uint64_t at) {
  std::array<char, 16 * kCorePage> piece;
  static constexpr std::array<char, kCorePage> kZeros{};
  for (std::uint64_t done = 0; done < bytes; done += piece.size()) {
    const std::size_t wanted = std::min<std::uint64_t>(piece.size(), bytes - done);
    const ssize_t got =
        pread(memory, piece.data(), wanted, static_cast<off_t>(mapping.begin + done));
    for (std::size_t page = 0;
         page + kCorePage <= static_cast<std::size_t>(std::max<ssize_t>(got, 0));
         page += kCorePage) {
      if (std::memcmp(piece.data() + page, kZeros.data(), kCorePage) == 0) continue;
      if (pwrite(file, piece.data() + page, kCorePage, static_cast<off_t>(at + done + page)) !=
          static_cast<ssize_t>(kCorePage)) {
        return false;
      }
    }
  }
  return true;
}

Elf64_Ehdr core_header(std::size_t segments) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_CORE;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof header;
  header.e_ehsize = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = static_cast<Elf64_Half>(segments);
  return header;
}

std::uint32_t flags_of(const Mapping& mapping) {
  const auto has = [&](char c) { return mapping.permissions.find(c) != mapping.permissions.npos; };
  return (has('r') ? PF_R : 0U) | (has('w') ? PF_W : 0U) | (has('x') ? PF_X : 0U);
}

}  // namespace

bool write_core_file(const std::vector<pid_t>& tids, const std::vector<pid_t>& numbers,
                     const std::string& path) {
  const pid_t pid = tids.front();
  std::vector<Mapping> mappings = read_mappings(pid);
  std::erase_if(mappings, [](const Mapping& mapping) { return mapping.path == "[vsyscall]"; });
  mappings.resize(std::min<std::size_t>(mappings.size(), PN_XNUM - 2));
  std::string notes;
  add_note(notes, "CORE", NT_PRPSINFO, process_note(pid, numbers.front()));
  for (std::size_t i = 0; i < tids.size(); ++i) add_thread_notes(notes, tids[i], numbers[i]);
  add_note(notes, "CORE", NT_AUXV, read_whole(fmt::format("/proc/{}/auxv", pid)));
  add_note(notes, "CORE", NT_FILE, file_note(mappings));

  std::vector<Elf64_Phdr> segments(mappings.size() + 1);
  std::uint64_t at = sizeof(Elf64_Ehdr) + segments.size() * sizeof(Elf64_Phdr);
  segments[0].p_type = PT_NOTE;
  segments[0].p_offset = at;
  segments[0].p_filesz = notes.size();
  at = (at + notes.size() + kCorePage - 1) / kCorePage * kCorePage;
  for (std::size_t i = 0; i < mappings.size(); ++i) {
    Elf64_Phdr& segment = segments[i + 1];
    segment.p_type = PT_LOAD;
    segment.p_flags = flags_of(mappings[i]);
    segment.p_offset = at;
    segment.p_vaddr = mappings[i].begin;
    segment.p_memsz = mappings[i].end - mappings[i].begin;
    segment.p_filesz = kept_bytes(mappings[i]);
    segment.p_align = kCorePage;
    at += segment.p_filesz;
  }
  std::string head = bytes_of(core_header(segments.size()));
  for (const Elf64_Phdr& segment : segments) head += bytes_of(segment);
  head += notes;
  const Handle file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  const Handle memory(open(fmt::format("/proc/{}/mem", pid).c_str(), O_RDONLY | O_CLOEXEC));
  if (!file || !memory || ftruncate(file.get(), static_cast<off_t>(at)) != 0 ||
      pwrite(file.get(), head.data(), head.size(), 0) != static_cast<ssize_t>(head.size())) {
    return false;
  }
  for (std::size_t i = 0; i < mappings.size(); ++i) {
    const Elf64_Phdr& segment = segments[i + 1];
    if (!copy_memory(memory.get(), mappings[i], segment.p_filesz, file.get(), segment.p_offset)) {
      return false;
    }
  }
  return true;
}

}  // namespace dissensus::host
