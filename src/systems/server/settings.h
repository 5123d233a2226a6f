// The [system] table of kind = "server" (docs/formats/server.md).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "dissensus/description.h"
#include "dissensus/ids.h"
#include "dissensus/node.h"
#include "dissensus/options.h"

#include "hosted/plan.h"

namespace dissensus::server {

/// A pattern in what a program writes, line by line.
struct Pattern {
  std::regex expression;
  bool of_clients = false;  ///< what clients write, instead of servers
};

/// A number to watch: the first group of the pattern, or how often it matched.
struct Observable {
  std::string name;
  Pattern pattern;
  bool is_count = false;
};

/// A decision: which instance of a level got which value.
struct Decision {
  std::size_t level = 0;
  Pattern pattern;
  std::size_t instance_group = 0;  ///< 0: the matches of a node are numbered
  std::size_t value_group = 0;
};

struct Settings {
  std::size_t nodes = 0;  ///< with a server; behind them those with clients only
  hosted::Plan plan;
  std::vector<std::string> environment;
  std::vector<Observable> observables;
  std::vector<Decision> decisions;
  std::vector<LevelDescription> levels;
};

Settings read_settings(const Options& options);
/// UsesPrograms::missing_programs.
std::vector<std::string> missing_programs(const hosted::Plan& plan);

/// "{address}", "{address:2}", "{addresses}" (of all servers, with spaces between them), "{node}",
/// "{name}", "{folder}" in an argument.
std::string fill_in(const std::string& text, NodeId node, std::size_t servers);
hosted::Command fill_in(hosted::Command command, NodeId node, std::size_t servers);

/// A [[workload]] table: a client program, or a pause of the node's server.
class ClientRequest final : public Request {
 public:
  explicit ClientRequest(const Options& options);
  std::vector<std::pair<std::string, FieldValue>> fields() const override;

  const hosted::Command& command() const { return command_; }
  const std::string& input() const { return input_; }
  /// Not zero: the server gets no processor for this long.
  Duration pause() const { return pause_; }
  /// That it ends with a code other than 0 tells nothing.
  bool may_fail() const { return may_fail_; }

 private:
  hosted::Command command_;
  std::string input_;
  Duration pause_{};
  bool may_fail_ = false;
};

// Numbers of observables that every system of this kind has.
inline constexpr std::uint32_t kDied = 0;
inline constexpr std::uint32_t kClientsDone = 1;
inline constexpr std::uint32_t kClientsFailed = 2;
inline constexpr std::uint32_t kSpun = 3;
inline constexpr std::uint32_t kFirstOwn = 4;

}  // namespace dissensus::server
