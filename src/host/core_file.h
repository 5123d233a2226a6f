// A core file of a program that stands still, for a debugger: nobody but the supervisor can attach
// to it while it is supervised.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace dissensus::host {

/// All these threads, the first of which gives its number to the process, are stopped by the
/// caller. False: the file could not be written.
/// `numbers` are those by which the program knows them, as its thread library does.
bool write_core_file(const std::vector<pid_t>& tids, const std::vector<pid_t>& numbers,
                     const std::string& path);

}  // namespace dissensus::host
