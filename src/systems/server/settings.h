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

#include "host/host.h"
#include "systems/server/protocols/protocol.h"

namespace dissensus::server {

/// Expressions are searched in so much of a line: the search goes as deep as the line is long, and
/// what a server writes must not end us.
inline constexpr std::size_t kLineSearchedMax = 4096;

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

/// A kind of message, told by its content.
struct MessageKindPattern {
  std::string name;
  std::regex expression;
};

enum class Framing : std::uint8_t { none, lines, length_u32, json, http2 };

struct Settings {
  std::size_t nodes = 0;                           ///< with a server
  std::size_t client_nodes = 0;                    ///< after those, with clients only
  bool has_history = false;                        ///< clients write events of a history
  std::vector<std::vector<std::string>> commands;  ///< per node
  std::vector<std::vector<std::vector<std::string>>> prepare;  ///< per node, in order
  std::vector<std::string> environment;
  std::string contents;  ///< of every node's folder
  std::uint16_t ready_port = 0;
  std::optional<std::regex> ready_line;
  Framing framing = Framing::none;
  const protocols::Protocol* protocol = nullptr;  ///< instead of framing
  std::vector<MessageKindPattern> kinds;
  std::vector<Observable> observables;
  std::vector<Decision> decisions;
  std::vector<LevelDescription> levels;
  bool may_exit = false;       ///< a server that ends by itself with a code is no finding
  bool is_power_lost = false;  ///< a crash of the schedule takes what was not synced
  Duration retransmit = std::chrono::milliseconds(400);
  host::Plan host;  ///< without seed, machines and spin sites
};

Settings read_settings(const Options& options);
/// UsesPrograms::missing_programs.
std::vector<std::string> missing_programs(const Settings& settings);

/// "{address}", "{address:2}", "{addresses}" (of all servers, with spaces between them), "{node}",
/// "{name}", "{folder}" in an argument.
std::string fill_in(const std::string& text, NodeId node, std::size_t servers);

/// A [[workload]] table: a client program, or a pause of the node's server.
class ClientRequest final : public Request {
 public:
  explicit ClientRequest(const Options& options);
  std::vector<std::pair<std::string, FieldValue>> fields() const override;

  const std::vector<std::string>& command() const { return command_; }
  const std::string& input() const { return input_; }
  /// Not zero: the server gets no processor for this long.
  Duration pause() const { return pause_; }
  /// That it ends with a code other than 0 tells nothing.
  bool may_fail() const { return may_fail_; }

 private:
  std::vector<std::string> command_;
  std::string input_;
  Duration pause_{};
  bool may_fail_ = false;
};

// Numbers of what every system of this kind has.
inline constexpr MessageKind kConnect = 0;
inline constexpr MessageKind kAnswer = 1;
inline constexpr MessageKind kEnd = 2;
inline constexpr MessageKind kDatagram = 3;
inline constexpr MessageKind kData = 4;  ///< then those of the scenario, then the protocol's
inline constexpr std::uint32_t kDied = 0;
inline constexpr std::uint32_t kClientsDone = 1;
inline constexpr std::uint32_t kClientsFailed = 2;
inline constexpr std::uint32_t kSpun = 3;
inline constexpr std::uint32_t kFirstOwn = 4;

}  // namespace dissensus::server
