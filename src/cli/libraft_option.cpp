#include "cli/libraft_option.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include "dissensus/options.h"

namespace dissensus::cli {

namespace {

namespace files = std::filesystem;
constexpr std::string_view kOption = "--libraft";
constexpr const char* kPathVariable = "LD_LIBRARY_PATH";

/// Takes `--libraft PATH` or `--libraft=PATH` out.
std::optional<std::string> take_option(int& argc, char** argv) {
  std::optional<std::string> value;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == kOption) {
      if (i + 1 == argc) throw InputError("--libraft: expected the prefix of an installed libraft");
      value = argv[++i];
    } else if (word.starts_with("--libraft=")) {
      value = word.substr(kOption.size() + 1);
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  argv[kept] = nullptr;
  return value;
}

/// The file of the library that is loaded.
files::path loaded_library() {
  void* const symbol = dlsym(RTLD_DEFAULT, "raft_init");
  Dl_info info{};
  if (symbol == nullptr || dladdr(symbol, &info) == 0 || info.dli_fname == nullptr) {
    throw InputError("--libraft: this program was built without the system libraft");
  }
  return info.dli_fname;
}

/// Where the prefix has a library of that name.
files::path folder_of(const std::string& prefix, const files::path& name) {
  std::vector<files::path> folders{files::path(prefix) / "lib", files::path(prefix)};
  std::error_code none;
  for (const auto& entry : files::directory_iterator(folders.front(), none)) {
    if (entry.is_directory()) folders.push_back(entry.path());  // multiarch
  }
  for (const files::path& folder : folders) {
    if (files::exists(folder / name, none)) return files::canonical(folder);
  }
  throw InputError(
      fmt::format("--libraft {}: no lib/{}; a library of another name needs a build of its own "
                  "(cmake -DDISSENSUS_LIBRAFT={})",
                  prefix, name.string(), prefix));
}

}  // namespace

void use_named_libraft(int& argc, char** argv) {
  const std::vector<char*> words(argv, argv + argc);
  const std::optional<std::string> prefix = take_option(argc, argv);
  if (!prefix) return;
  const files::path loaded = loaded_library();
  const files::path folder = folder_of(*prefix, loaded.filename());
  if (files::canonical(loaded.parent_path()) == folder) return;

  const char* const before = std::getenv(kPathVariable);
  if (before != nullptr && std::string_view(before).starts_with(folder.string())) {
    throw InputError(
        fmt::format("--libraft {}: {} is loaded all the same", *prefix, loaded.string()));
  }
  const std::string path = before == nullptr ? folder.string() : folder.string() + ":" + before;
  setenv(kPathVariable, path.c_str(), 1);
  std::vector<char*> again = words;
  again.push_back(nullptr);
  execv("/proc/self/exe", again.data());
  throw InputError(fmt::format("--libraft {}: {}", *prefix, std::strerror(errno)));
}

}  // namespace dissensus::cli
