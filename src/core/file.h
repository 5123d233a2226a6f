// Whole small files in and out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dissensus {

/// Throws InputError when the file cannot be read or is larger than `bytes_max`.
std::string read_file(const std::string& path, std::size_t bytes_max);

/// ", did you mean 'x'?" for a path that leads nowhere, if one with a name or two written a little
/// differently leads somewhere; else nothing.
std::string missing_path_hint(const std::string& path);

/// Writes beside the target and renames, so that a reader sees the old content or the new one.
/// Throws InputError when that fails.
void write_file(const std::string& path, std::string_view content);

}  // namespace dissensus
