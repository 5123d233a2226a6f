// The folder in which one pool keeps the folders of its networks. Whose program is killed leaves it
// behind; the next one takes it away.
#pragma once

#include <cstddef>
#include <string>

namespace dissensus::live {

/// Marks the folder of a network that is kept on purpose, because something went wrong with it.
inline constexpr const char* kKeptMark = "kept";

class SessionFolder {
 public:
  /// Nothing is made before begin().
  explicit SessionFolder(const std::string& parent);
  /// Removes the folder, and the one above it, where they are empty by now.
  ~SessionFolder();
  SessionFolder(const SessionFolder&) = delete;
  SessionFolder& operator=(const SessionFolder&) = delete;

  const std::string& folder() const { return folder_; }
  /// Makes the folder and says that it has an owner. The second call does nothing. Throws
  /// NoPlaceForServers.
  void begin();

 private:
  std::string folder_;
  int owner_ = -1;
};

/// Removes what sessions below `parent` have left whose owner is dead, but for the folders that
/// were kept on purpose. Returns of how many sessions something was removed.
std::size_t remove_dead_sessions(const std::string& parent);

}  // namespace dissensus::live
