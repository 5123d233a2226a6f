// What a server reads at start: its configuration file and its list of trusted validators.
// Facts: the peer protocol reference, sections 9 and 12.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systems/live/wire/certificate.h"
#include "systems/live/wire/keys.h"

namespace dissensus::live {

struct ServerConfiguration {
  std::string folder;         ///< absolute; everything of this server is in it
  std::string seen_folder{};  ///< under which the server finds it; empty: the same
  std::string address;
  std::uint16_t peer_port = 0;
  std::uint16_t websocket_port = 0;
  std::vector<std::string> fixed_peers;  ///< addresses whose connections are welcome
  Seed validation_seed;
  Seed node_seed;
  std::vector<PublicKey> trusted;
  std::string log_level;                       ///< trace, debug, info, warning, error or fatal
  std::uint64_t account_reserve = 10'000'000;  ///< what a new account needs, in drops
  std::optional<Certificate> certificate{};    ///< for the peer port; none: it makes one itself
  /// Sections of the user's own. They take the place of ours of the same name.
  std::string more{};

  std::string file() const { return folder + "/rippled.cfg"; }
  std::string seen_file() const { return seen() + "/rippled.cfg"; }
  const std::string& seen() const { return seen_folder.empty() ? folder : seen_folder; }
  std::string log_file() const { return folder + "/debug.log"; }
};

/// The same on both tried versions (1.7.2, 2.4.0). Holds secrets.
std::string configuration_text(const ServerConfiguration& configuration);

/// The same with every secret left out, for people.
std::string without_secrets(const std::string& configuration);

/// Why a user's own text cannot be a part of a configuration: the section that is ours, or that
/// holds a secret; empty: it can.
std::string obstacle_in(const std::string& more);

/// Writes rippled.cfg (readable by its owner only), validators.txt and the certificate, makes an
/// empty db folder, and keeps the logs of an earlier start as *.previous.log. Throws LiveError:
/// folder not writable, disk full.
void write_configuration(const ServerConfiguration& configuration);

/// Makes the folder and its parents. Throws LiveError.
void make_folder(const std::string& path);

/// Throws LiveError unless it is a level that servers know.
void check_log_level(const std::string& level);

/// A seed that follows from a number and a text, so that keys are the same on every start.
Seed derived_seed(std::uint64_t seed, std::string_view purpose);

}  // namespace dissensus::live
