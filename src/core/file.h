// Whole small files in and out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

#include "dissensus/outside.h"

namespace dissensus {

/// The machine does not give what is needed: no room on the disk, no memory, too many open files.
class EnvironmentError : public OutsideError {
 public:
  using OutsideError::OutsideError;
};
/// Whether an error number is the machine's fault, not that of a path that somebody wrote.
bool is_of_environment(int error_number);
/// Throws "`what`: the error" as an EnvironmentError, or as an InputError.
[[noreturn]] void fail_with(const std::string& what, const std::error_code& error);

/// Throws InputError when the file cannot be read or is larger than `bytes_max`.
std::string read_file(const std::string& path, std::size_t bytes_max);

/// ", did you mean 'x'?" for a path that leads nowhere, if one with a name or two written a little
/// differently leads somewhere; else nothing.
std::string missing_path_hint(const std::string& path);

/// Whether this can be started: a path, which may begin at `folder`, or a name that is in PATH.
bool is_program(const std::string& name, const std::string& folder = "");

/// Writes beside the target and renames, so that a reader sees the old content or the new one.
/// Throws EnvironmentError or InputError when that fails.
void write_file(const std::string& path, std::string_view content);

/// Makes a folder, and those above it, unless they are there. Throws like write_file.
void make_folders(const std::string& folder);

}  // namespace dissensus
