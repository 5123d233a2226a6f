// A new folder that goes with its owner.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "systems/live/wire/error.h"

namespace dissensus::live {

class TemporaryFolder {
 public:
  /// Throws LiveError.
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "dissensus-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw LiveError(name + ": cannot be made");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace dissensus::live
