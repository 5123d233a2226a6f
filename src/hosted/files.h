// The files that the programs of a run used, by digest, so that a finding says what it is about and
// a replay says what differs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dissensus::hosted {

struct UsedFile {
  std::string digest;  ///< SHA-256, in hexadecimal digits
  std::uint64_t bytes = 0;
  std::string path;  ///< of this machine; or "n0:/node/...", what a node's folder held at the start
  friend bool operator==(const UsedFile&, const UsedFile&) = default;
};

/// Of the run's folder.
inline constexpr const char* kFilesFile = "host.files";

/// SHA-256 of a file, in hexadecimal digits; empty where it cannot be read. The digest of a file
/// that has not changed is not made twice.
std::string file_digest(const std::string& path);

/// Those that can be read.
std::vector<UsedFile> used_files(const std::vector<std::string>& paths);
/// The files of a folder that a machine of this name begins with.
std::vector<UsedFile> files_of_contents(const std::string& machine, const std::string& folder);

/// A line each, "DIGEST BYTES PATH".
std::string to_text(const std::vector<UsedFile>& files);
/// Of such a text; lines that are none are passed over.
std::vector<UsedFile> files_in(std::string_view text);

/// The first file of this machine that is not as it was, in one line; empty: all are.
std::string first_changed(const std::vector<UsedFile>& before);
/// The first file of both that differs, in one line; empty: none does.
std::string first_difference(const std::vector<UsedFile>& before,
                             const std::vector<UsedFile>& after);

}  // namespace dissensus::hosted
