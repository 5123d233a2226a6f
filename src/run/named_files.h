// Files that a scenario names: programs and folders in its [system] table, by paths that begin
// where the program was started. A run folder keeps where that was, so that the run can be made
// again from anywhere.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dissensus::run {

struct NamedFiles {
  std::string directory;  ///< where relative paths began
  /// Relative paths, with a digest of each file's content; "" for folders and very large files.
  std::map<std::string, std::string> digests;
};

/// Those that are there, from the working directory on. `starts_here`: its programs start there,
/// too, and not on machines of their own. None: the scenario names no file.
std::optional<NamedFiles> named_files(const std::string& scenario, bool starts_here);

/// The scenario with these paths made absolute where they were recorded; as it is where they are
/// to be found here and not there. Throws InputError, which names `source` and the missing file,
/// where they are in neither place.
std::string with_named_files(const std::string& scenario, const NamedFiles& files,
                             const std::string& source);

/// Those of a run folder that are no longer what they were when it was recorded.
std::vector<std::string> changed_files(const std::string& folder);

/// As `files` of run.json (docs/formats/run-folder.md).
std::string to_json(const NamedFiles& files);
/// Of a run.json's text; none where it has none.
std::optional<NamedFiles> read_named_files(const std::string& run_json, const std::string& path);

}  // namespace dissensus::run
