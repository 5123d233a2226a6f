#include "systems/live/wire/handshake.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "systems/live/wire/hash.h"

namespace dissensus::live {

namespace {
constexpr std::size_t kFinishedBytesMin = 12;
constexpr std::string_view kVersion = "XRPL/2.2";
constexpr std::string_view kLineEnd = "\r\n";

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// What a peer wrote, fit for a line of a log.
std::string printable(std::string_view text) {
  constexpr std::size_t kShown = 200;
  std::string result(text.substr(0, kShown));
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c < 0x20 || c > 0x7e; }, '?');
  return result;
}

/// The elements of a comma list, in lower case.
std::vector<std::string> elements(std::string_view list) {
  std::vector<std::string> result;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view element = trim(list.substr(0, comma));
    if (!element.empty()) result.push_back(lower_case(element));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return result;
}

bool contains(const std::vector<std::string>& list, std::string_view element) {
  return std::find(list.begin(), list.end(), element) != list.end();
}

std::string identity_headers(const HandshakeIdentity& identity, const Hash256& shared) {
  std::string text;
  if (identity.network_id) text += fmt::format("Network-ID: {}\r\n", *identity.network_id);
  text +=
      fmt::format("Public-Key: {}\r\nSession-Signature: {}\r\n\r\n",
                  identity.keys->public_key.node_text(), session_signature(*identity.keys, shared));
  return text;
}

[[noreturn]] void refuse_line(std::string_view what, std::string_view line) {
  throw WireError(fmt::format("HTTP upgrade: {}: '{}'", what, printable(line)));
}

void parse_first_line(std::string_view line, UpgradeMessage& message) {
  constexpr std::string_view kProtocol = "HTTP/1.1";
  if (line.starts_with(kProtocol)) {
    line.remove_prefix(kProtocol.size());
    const std::string_view status = line.substr(0, 4);
    const auto [end, error] =
        std::from_chars(status.data() + 1, status.data() + status.size(), message.status);
    if (status.size() != 4 || status.front() != ' ' || error != std::errc{} ||
        end != status.data() + 4 || message.status < 100) {
      refuse_line("no status in the first line", line);
    }
    message.reason = trim(line.substr(4));
    return;
  }
  constexpr std::string_view kMethod = "GET ";
  const std::size_t target_end = line.rfind(' ');
  if (!line.starts_with(kMethod) || target_end <= kMethod.size() ||
      line.substr(target_end + 1) != kProtocol) {
    refuse_line("first line is neither a GET request nor a response of HTTP/1.1", line);
  }
  message.reason = trim(line.substr(kMethod.size(), target_end - kMethod.size()));
}

void parse_header(std::string_view line, UpgradeMessage& message) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0 ||
      line.substr(0, colon).find_first_of(" \t") != std::string_view::npos) {
    refuse_line("header without a name", line);
  }
  const std::string_view value = trim(line.substr(colon + 1));
  auto [place, fresh] = message.headers.try_emplace(lower_case(line.substr(0, colon)), value);
  if (!fresh) place->second.append(", ").append(value);
}

void check_versions(const UpgradeMessage& message) {
  if (!contains(elements(message.header("connection")), "upgrade")) {
    throw WireError("HTTP upgrade: header Connection does not say Upgrade");
  }
  const auto versions = elements(message.header("upgrade"));
  const bool chosen = message.status == 0 || versions.size() == 1;
  if (!chosen || !contains(versions, lower_case(kVersion))) {
    throw WireError(fmt::format("HTTP upgrade: header Upgrade is '{}', expected {}",
                                printable(message.header("upgrade")), kVersion));
  }
}
}  // namespace

std::optional<Hash256> shared_value(ByteView own_finished, ByteView peer_finished) {
  if (own_finished.size() < kFinishedBytesMin || peer_finished.size() < kFinishedBytesMin) {
    return std::nullopt;
  }
  auto mixed = sha512(own_finished);
  const auto other = sha512(peer_finished);
  if (mixed == other) return std::nullopt;
  for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] ^= other[i];
  return sha512_half(mixed);
}

std::string session_signature(const KeyPair& keys, const Hash256& shared) {
  return encode_base64(sign(keys, shared));
}

std::string upgrade_request(const HandshakeIdentity& identity, const Hash256& shared) {
  return fmt::format(
             "GET / HTTP/1.1\r\nUser-Agent: {}\r\nUpgrade: {}\r\nConnection: Upgrade\r\n"
             "Connect-As: Peer\r\nCrawl: private\r\n",
             identity.user_agent, kVersion) +
         identity_headers(identity, shared);
}

std::string upgrade_response(const HandshakeIdentity& identity, const Hash256& shared) {
  return fmt::format(
             "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: {}\r\n"
             "Connect-As: Peer\r\nServer: {}\r\nCrawl: private\r\n",
             kVersion, identity.user_agent) +
         identity_headers(identity, shared);
}

const std::string& UpgradeMessage::header(const std::string& lower_case_name) const {
  static const std::string kNone;
  const auto found = headers.find(lower_case_name);
  return found == headers.end() ? kNone : found->second;
}

std::optional<UpgradeMessage> parse_upgrade(std::string_view so_far) {
  const std::size_t head = so_far.substr(0, kUpgradeBytesMax).find("\r\n\r\n");
  if (head == std::string_view::npos) {
    if (so_far.size() >= kUpgradeBytesMax) {
      throw WireError(fmt::format("HTTP upgrade: longer than {} bytes", kUpgradeBytesMax));
    }
    return std::nullopt;
  }
  UpgradeMessage message;
  message.bytes = head + 2 * kLineEnd.size();
  std::string_view lines = so_far.substr(0, head);
  bool first = true;
  while (first || !lines.empty()) {
    const std::size_t end = std::min(lines.find(kLineEnd), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + kLineEnd.size(), lines.size()));
    if (line.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos) {
      refuse_line("stray line end", line);
    }
    if (first) {
      parse_first_line(line, message);
    } else {
      parse_header(line, message);
    }
    first = false;
  }
  return message;
}

PublicKey verify_identity(const UpgradeMessage& message, const Hash256& shared) {
  constexpr int kSwitchingProtocols = 101;
  if (message.status != 0 && message.status != kSwitchingProtocols) {
    throw WireError(
        fmt::format("HTTP upgrade: refused with {} {}", message.status, printable(message.reason)));
  }
  check_versions(message);
  if (!contains(elements(message.header("connect-as")), "peer")) {
    throw WireError("HTTP upgrade: header Connect-As does not say Peer");
  }
  const auto key = PublicKey::parse_node(message.header("public-key"));
  if (!key) throw WireError("HTTP upgrade: header Public-Key is missing or no node key");
  const auto signature = decode_base64(message.header("session-signature"));
  if (!signature || signature->empty()) {
    throw WireError("HTTP upgrade: header Session-Signature is missing or not Base64");
  }
  if (!verify(*key, shared, *signature)) {
    throw WireError("HTTP upgrade: Session-Signature does not verify with Public-Key");
  }
  return *key;
}

}  // namespace dissensus::live
