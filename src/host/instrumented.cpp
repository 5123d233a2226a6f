#include "host/instrumented.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include "host/tracee.h"

namespace dissensus::host {

namespace {

bool read_at(int file, std::uint64_t offset, void* to, std::size_t bytes) {
  return pread(file, to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

/// The names of what a program takes from libraries and gives to them.
std::string dynamic_names(int file) {
  Elf64_Ehdr header{};
  if (!read_at(file, 0, &header, sizeof header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_shentsize != sizeof(Elf64_Shdr)) {
    return {};
  }
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  if (!read_at(file, header.e_shoff, sections.data(), sections.size() * sizeof(Elf64_Shdr))) {
    return {};
  }
  constexpr std::uint64_t kBytesMax = 256u << 20;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_DYNSYM || section.sh_link >= sections.size()) continue;
    const Elf64_Shdr& names = sections[section.sh_link];
    std::string text(std::min<std::uint64_t>(names.sh_size, kBytesMax), '\0');
    if (read_at(file, names.sh_offset, text.data(), text.size())) return text;
  }
  return {};
}

}  // namespace

bool is_instrumented(const std::string& path) {
  const Handle file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return false;
  const std::string names = dynamic_names(file.get());
  for (const char* name : {"__asan_init", "__tsan_init", "__msan_init", "__hwasan_init"}) {
    if (names.find(std::string_view(name, std::strlen(name) + 1)) != names.npos) return true;
  }
  return false;
}

}  // namespace dissensus::host
