#include "systems/live/session_folder.h"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "systems/live/servers/configuration.h"

namespace dissensus::live {

namespace fs = std::filesystem;

namespace {

/// Locked by the owner for as long as it lives, wherever it lives.
constexpr const char* kOwnerFile = "owner.lock";

/// Other programs, and other pools of this one, may keep servers below the same folder.
std::string session_name() {
  static std::atomic<unsigned> pools{0};
  const auto now =
      std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  const unsigned number = pools++;
  const std::string name = fmt::format("{:%Y-%m-%dT%H-%M-%S}-{}", now, getpid());
  return number == 0 ? name : fmt::format("{}-{}", name, number);
}

/// The owner's number in the name of a session; nothing for other folders.
std::optional<pid_t> owner_in(const std::string& name) {
  constexpr std::string_view kTime = "2026-01-01T00-00-00-";
  if (name.size() <= kTime.size() || name[10] != 'T' || name[19] != '-') return std::nullopt;
  pid_t owner = 0;
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + kTime.size(), end, owner);
  if (error != std::errc() || (rest != end && *rest != '-')) return std::nullopt;
  return owner;
}

bool is_dead(const fs::path& session, pid_t owner) {
  const int file = ::open((session / kOwnerFile).c_str(), O_RDWR | O_CLOEXEC);
  // Made by an older program, or killed before it was there.
  if (file < 0) return ::kill(owner, 0) != 0 && errno == ESRCH;
  const bool is_free = ::flock(file, LOCK_EX | LOCK_NB) == 0;
  ::close(file);
  return is_free;
}

/// All but what was kept on purpose; true: there was something.
bool clear_session(const fs::path& session) {
  bool is_changed = false;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(session, error)) {
    if (fs::exists(entry.path() / kKeptMark, error)) continue;
    is_changed = fs::remove_all(entry.path(), error) > 0 || is_changed;
  }
  return fs::remove(session, error) || is_changed;
}

}  // namespace

SessionFolder::SessionFolder(const std::string& parent) : folder_(parent + '/' + session_name()) {}

SessionFolder::~SessionFolder() {
  if (owner_ < 0) return;
  std::error_code ignored;
  fs::remove(fs::path(folder_) / kOwnerFile, ignored);
  ::close(owner_);
  if (fs::remove(folder_, ignored)) fs::remove(fs::path(folder_).parent_path(), ignored);
}

void SessionFolder::begin() {
  if (owner_ >= 0) return;
  make_folder(folder_);
  owner_ = ::open((fs::path(folder_) / kOwnerFile).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  // A file system without locks costs the next one's cleaning, nothing else.
  if (owner_ >= 0) ::flock(owner_, LOCK_EX | LOCK_NB);
}

std::size_t remove_dead_sessions(const std::string& parent) {
  std::size_t removed = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, error)) {
    const std::optional<pid_t> owner = owner_in(entry.path().filename().string());
    if (!owner || !entry.is_directory(error) || !is_dead(entry.path(), *owner)) continue;
    removed += clear_session(entry.path()) ? 1 : 0;
  }
  return removed;
}

}  // namespace dissensus::live
