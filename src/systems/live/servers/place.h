// Where servers run: on this machine in real time, or elsewhere.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "dissensus/ids.h"

#include "systems/live/servers/process.h"

namespace dissensus::live {

/// One server. It ends with this object.
class ServerProcess {
 public:
  virtual ~ServerProcess() = default;
  /// True until poll() or kill() has seen the end.
  virtual bool running() const = 0;
  /// -1 where it has none that means anything here.
  virtual pid_t pid() const = 0;
  /// The wait status, at the call that notices the end.
  virtual std::optional<int> poll() = 0;
  /// Asks it to end; does not wait.
  virtual void terminate() = 0;
  /// Ends it. The wait status, unless the end was seen before.
  virtual std::optional<int> kill() = 0;
};

class ServerPlace {
 public:
  virtual ~ServerPlace() = default;
  /// One for each server. Throws LiveError.
  virtual std::vector<std::string> addresses(std::size_t nodes) = 0;
  /// Under which path a server sees its folder, which is `folder` for us.
  virtual std::string seen_folder(const std::string& folder) const = 0;
  /// Configurations are written into these folders; start() of these programs may follow.
  virtual void prepared(const std::vector<std::string>& programs,
                        const std::vector<std::string>& folders) = 0;
  /// Throws LiveError.
  virtual std::unique_ptr<ServerProcess> start(NodeId node, const Command& command) = 0;
  /// Where we find a file that a server writes into its folder.
  virtual std::string file_of(NodeId node, const std::string& folder,
                              const std::string& name) const = 0;
  /// False where no disk can fill up but our own memory.
  virtual bool has_disk() const = 0;
};

/// This machine: processes that die with us, loopback addresses 127.BLOCK.N.(11+node).
std::unique_ptr<ServerPlace> make_local_place(std::uint8_t address_block,
                                              std::optional<std::uint8_t> address_number);

}  // namespace dissensus::live
