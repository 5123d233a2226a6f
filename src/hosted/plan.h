// Programs as nodes: what runs on which machine, and how what it says is read. Every kind of system
// whose nodes are programs fills one of these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "dissensus/time.h"

#include "host/host.h"
#include "hosted/protocols/protocol.h"

namespace dissensus::hosted {

/// Expressions are searched in so much of a line: the search goes as deep as the line is long, and
/// what a program writes must not end us.
inline constexpr std::size_t kLineSearchedMax = 4096;

using Command = std::vector<std::string>;

struct MachinePlan {
  std::string name;
  std::string contents;          ///< a folder that is copied to /node first; empty: nothing
  Command command;               ///< of its program; empty: programs come when they are asked for
  std::vector<Command> prepare;  ///< before the run, in order
  std::vector<std::string> environment;
  std::string log_file;  ///< of the run's folder: what its programs wrote
};

enum class Framing : std::uint8_t { none, lines, length_u32, json, http2 };

/// A kind of message, told by its content.
struct MessageKindPattern {
  std::string name;
  std::regex expression;
};

struct Plan {
  std::vector<MachinePlan> machines;                 ///< a node each
  std::string threads_file = "servers/threads.txt";  ///< of the run's folder

  /// Standard input and output are all that programs speak by, in lines; their stand-ins judge how
  /// they end. Otherwise they speak by the network, and what they write is for people.
  bool speaks_lines = false;
  std::size_t line_bytes_max = 0;  ///< of such a line; 0: any

  Framing framing = Framing::none;
  const protocols::Protocol* protocol = nullptr;  ///< instead of framing
  std::vector<MessageKindPattern> kinds;
  Duration retransmit = std::chrono::milliseconds(400);

  std::uint16_t ready_port = 0;
  std::optional<std::regex> ready_line;
  bool may_exit = false;       ///< a program that ends by itself with a code is no finding
  bool has_history = false;    ///< clients write events of a history
  bool is_power_lost = false;  ///< a crash of the schedule takes what was not synced

  std::vector<std::string> keep;  ///< patterns of files of nodes that the run's folder gets

  host::Plan host;  ///< without seed, machines and spin sites

  /// Whether programs say when they are ready.
  bool has_readiness() const { return ready_port != 0 || ready_line; }
};

/// Programs from elsewhere have to be seen; those of the system are.
void show_programs(Plan& plan);

}  // namespace dissensus::hosted
