#include "systems/live/servers/configuration.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/suggestion.h"
#include "systems/live/wire/error.h"
#include "systems/live/wire/hash.h"

namespace dissensus::live {

namespace {

/// Nobody listens here: servers are told that fixed peers live there, and fail to dial them.
constexpr std::uint16_t kDeadPort = 1;
constexpr std::uint64_t kOwnerReserve = 2'000'000;  // drops per object of an account
constexpr std::uint64_t kReferenceFee = 10;
constexpr const char* kKeyFile = "peer-key.pem";
constexpr const char* kCertificateFile = "peer-certificate.pem";
/// Messages for us that a server queues before it cuts the connection; its own default is 100.
constexpr int kSendQueue = 20'000;

[[noreturn]] void fail_file(const std::string& path, int error) {
  throw NoPlaceForServers(fmt::format("{}: cannot be written: {}", path, std::strerror(error)));
}

void write_private(const std::string& path, std::string_view content) {
  ::unlink(path.c_str());  // a file of an earlier start may have another mode
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) fail_file(path, errno);
  while (!content.empty()) {
    const ssize_t count = ::write(file, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int error = count < 0 ? errno : ENOSPC;
      ::close(file);
      fail_file(path, error);
    }
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::close(file) != 0) fail_file(path, errno);
}

std::string validators_text(const ServerConfiguration& configuration) {
  std::string text = "[validators]\n";
  for (const PublicKey& key : configuration.trusted) text += key.node_text() + "\n";
  return text;
}

std::string certificate_lines(const ServerConfiguration& configuration) {
  if (!configuration.certificate) return {};
  return fmt::format("ssl_key = {0}/{1}\nssl_cert = {0}/{2}\n", configuration.seen(), kKeyFile,
                     kCertificateFile);
}

/// A configuration in its parts: the name of each section with all of its text, heading included.
/// What stands before the first one has no name.
std::vector<std::pair<std::string, std::string>> sections_of(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> sections;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin != std::string::npos && line[begin] == '[') {
      const std::size_t end = line.find(']', begin);
      sections.emplace_back(
          line.substr(begin + 1, end == std::string::npos ? end : end - begin - 1), "");
    } else if (sections.empty()) {
      sections.emplace_back();
    }
    sections.back().second += line + "\n";
  }
  return sections;
}

/// By these a network holds together, or is watched.
constexpr std::string_view kOurSections[] = {
    "server",       "port_peer",       "port_ws",       "ips",           "ips_fixed",
    "peer_private", "node_db",         "database_path", "debug_logfile", "validators",
    "ssl_verify",   "validators_file", "compression"};
constexpr std::string_view kSecretSections[] = {"node_seed", "validation_seed", "validator_token",
                                                "validator_key_revocation"};

template <class List>
bool contains(const List& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// Ours without the sections that the user has written as well, and then the user's.
std::string with_more(const std::string& ours, const std::string& more) {
  std::vector<std::string> theirs;
  for (const auto& [name, text] : sections_of(more)) theirs.push_back(name);
  std::string result;
  for (const auto& [name, text] : sections_of(ours)) {
    if (!contains(theirs, name)) result += text;
  }
  return result + "\n" + more + (more.ends_with('\n') ? "" : "\n");
}

void keep_previous(const std::string& folder, std::string_view name) {
  const std::string current = fmt::format("{}/{}.log", folder, name);
  // There is none at the first start.
  ::rename(current.c_str(), fmt::format("{}/{}.previous.log", folder, name).c_str());
}

}  // namespace

std::string configuration_text(const ServerConfiguration& configuration) {
  const std::string& folder = configuration.seen();
  std::string text = fmt::format(
      "[server]\nport_peer\nport_ws\n\n"
      "[port_peer]\nip = {0}\nport = {1}\nprotocol = peer\n{4}\n"
      "[port_ws]\nip = {0}\nport = {2}\nprotocol = ws\nadmin = 127.0.0.1\n"
      "send_queue_limit = {3}\n\n",
      configuration.address, configuration.peer_port, configuration.websocket_port, kSendQueue,
      certificate_lines(configuration));
  text += "[peer_private]\n1\n\n[ips_fixed]\n";
  for (const std::string& peer : configuration.fixed_peers) {
    text += fmt::format("{} {}\n", peer, kDeadPort);
  }
  text += fmt::format(
      "\n[node_size]\ntiny\n\n[node_db]\ntype = Memory\npath = {0}/db\n\n"
      "[database_path]\n{0}/db\n\n[debug_logfile]\n{1}\n\n[validators_file]\n{0}/"
      "validators.txt\n\n",
      folder, folder + "/debug.log");
  text +=
      "[ssl_verify]\n0\n\n[compression]\n0\n\n[ledger_history]\n256\n\n[path_search_max]\n0\n\n";
  // The first two are for versions that do not take the reserve of a fresh ledger from [voting].
  text += fmt::format(
      "[fee_account_reserve]\n{0}\n\n[fee_owner_reserve]\n{1}\n\n"
      "[voting]\nreference_fee = {2}\naccount_reserve = {0}\nowner_reserve = {1}\n\n",
      configuration.account_reserve, kOwnerReserve, kReferenceFee);
  text += fmt::format("[rpc_startup]\n{{\"command\": \"log_level\", \"severity\": \"{}\"}}\n\n",
                      configuration.log_level);
  text += fmt::format("[node_seed]\n{}\n\n[validation_seed]\n{}\n", configuration.node_seed.text(),
                      configuration.validation_seed.text());
  return configuration.more.empty() ? text : with_more(text, configuration.more);
}

std::string without_secrets(const std::string& configuration) {
  std::string result;
  for (const auto& [name, text] : sections_of(configuration)) {
    result += contains(kSecretSections, name) ? "[" + name + "]\n(left out)\n\n" : text;
  }
  return result;
}

std::string obstacle_in(const std::string& more) {
  for (const auto& [name, text] : sections_of(more)) {
    if (name.empty() && text.find_first_not_of(" \t\n") != std::string::npos) {
      return "expected sections, each beginning with [its name]";
    }
    if (contains(kOurSections, name)) {
      return fmt::format("[{}]: this section is written by Dissensus", name);
    }
    if (contains(kSecretSections, name)) {
      return fmt::format("[{}]: keys are made by Dissensus", name);
    }
  }
  return {};
}

void write_configuration(const ServerConfiguration& configuration) {
  make_folder(configuration.folder);
  std::error_code error;
  std::filesystem::remove_all(configuration.folder + "/db", error);
  make_folder(configuration.folder + "/db");
  keep_previous(configuration.folder, "debug");
  keep_previous(configuration.folder, "output");
  write_private(configuration.folder + "/validators.txt", validators_text(configuration));
  write_private(configuration.file(), configuration_text(configuration));
  if (!configuration.certificate) return;
  write_private(fmt::format("{}/{}", configuration.folder, kKeyFile),
                configuration.certificate->key);
  write_private(fmt::format("{}/{}", configuration.folder, kCertificateFile),
                configuration.certificate->certificate);
}

void make_folder(const std::string& path) {
  // Servers read a '#' as the start of a comment.
  if (path.find_first_of("#\n\r") != std::string::npos) {
    throw NoPlaceForServers(
        fmt::format("{}: a folder of servers must not have '#' in its path", path));
  }
  std::error_code error;
  // A network that ends beside this one removes the folder above where it seems empty.
  for (int tries = 0; tries < 10; ++tries) {
    std::filesystem::create_directories(path, error);
    if (error != std::errc::no_such_file_or_directory) break;
  }
  if (error) {
    throw NoPlaceForServers(fmt::format("{}: folder cannot be made: {}", path, error.message()));
  }
  if (::access(path.c_str(), W_OK | X_OK) != 0) fail_file(path, errno);
}

void check_log_level(const std::string& level) {
  static const std::vector<std::string> kLevels = {"trace",   "debug", "info",
                                                   "warning", "error", "fatal"};
  if (std::find(kLevels.begin(), kLevels.end(), level) != kLevels.end()) return;
  throw LiveError(
      fmt::format("log level '{}': expected trace, debug, info, warning, error or fatal{}", level,
                  suggestion(level, kLevels)));
}

Seed derived_seed(std::uint64_t seed, std::string_view purpose) {
  const std::string text = fmt::format("dissensus live {} {}", seed, purpose);
  const Hash256 hash =
      sha512_half(ByteView(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
  Seed result;
  std::copy_n(hash.begin(), result.bytes.size(), result.bytes.begin());
  return result;
}

}  // namespace dissensus::live
