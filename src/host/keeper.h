// The first process of the sandbox: builds what programs see and starts them. It is a fork of this
// program that never becomes another one, so it touches as little of it as possible.
#pragma once

#include <string>
#include <vector>

#include <linux/filter.h>

#include "host/host.h"

namespace dissensus::host {

/// What the keeper must know; made before the fork.
struct KeeperPlan {
  std::vector<std::string> machines;
  std::vector<std::string> visible;
  std::vector<sock_filter> filter;
  std::uint64_t memory_bytes = 0;
  std::uint64_t folder_bytes = 0;
  bool has_user_namespace = false;
};

/// The user of programs in their namespace.
inline constexpr unsigned kUser = 1000;
/// Outside, where we are root and there is no user namespace, or to map it to.
inline constexpr unsigned kNobody = 65534;

/// In a fork of this program; never returns. Makes the namespaces and, as a further fork, the
/// keeper. `channel` carries requests. The first message on it says whether there is a user
/// namespace, which waits for its map; the second is the descriptor of the memory file system, or a
/// line that says what could not be done.
[[noreturn]] void enter_namespaces(KeeperPlan plan, int channel);
inline constexpr char kHasUserNamespace = 'U';
inline constexpr char kNoUserNamespace = 'N';

/// A request to start a program: machine, "limited" or "any" (addresses), number of arguments,
/// arguments, environment, each ended by a zero; with four descriptors: the standard ones and a
/// socket for control.
inline constexpr std::size_t kRequestBytesMax = 128 * 1024;

}  // namespace dissensus::host
