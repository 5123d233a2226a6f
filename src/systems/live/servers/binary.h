// Which programs the servers of a network are, so that a finding can say so.
#pragma once

#include <string>
#include <vector>

#include "dissensus/ids.h"

namespace dissensus::live {

struct ServerBinary {
  std::string path;                   ///< absolute
  std::string digest;                 ///< SHA-256 of the file, in hexadecimal digits
  std::string version = {};           ///< what it says of itself; empty: it was not asked yet
  std::vector<NodeId> nodes = {};     ///< that are started with it
  std::vector<NodeId> restarts = {};  ///< that are started again with it, where that is another one
};

/// The path of the server program: `named` if it holds a slash, else what PATH has under that name
/// ("rippled" where `named` is empty). Throws NoServerProgram when there is no such executable
/// file.
std::string find_rippled(const std::string& named);

/// What "PROGRAM --version" says after "rippled version ". Throws NoServerProgram when the program
/// does not end, or says something else; OutsideError where programs cannot be run.
std::string server_version(const std::string& program);

/// Each binary once. Throws NoServerProgram where one cannot be read. `programs` and
/// `restart_programs` are paths by node.
std::vector<ServerBinary> list_binaries(const std::vector<std::string>& programs,
                                        const std::vector<std::string>& restart_programs);

/// The programs that servers are started with: `binaries` where it names one per node, else
/// `rippled`. Throws NoServerProgram; `key` says where the names are from.
std::vector<std::string> find_binaries(const std::vector<std::string>& binaries,
                                       const std::string& rippled, std::size_t nodes,
                                       std::string_view key);

}  // namespace dissensus::live
