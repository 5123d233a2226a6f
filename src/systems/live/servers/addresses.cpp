#include "systems/live/servers/addresses.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "systems/live/wire/error.h"

namespace dissensus::live {

namespace {

constexpr unsigned kClaimHost = 10;
constexpr unsigned kFirstHost = 11;

/// A listening socket, or -1 with errno. Linux lets nobody else listen there meanwhile.
int listen_on(const std::string& address, std::uint16_t port) {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  // As the servers do: connections in TIME_WAIT do not count.
  const int yes = 1;
  ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  ::inet_pton(AF_INET, address.c_str(), &place.sin_addr);
  if (::bind(descriptor, reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0 &&
      ::listen(descriptor, 1) == 0) {
    return descriptor;
  }
  const int error = errno;
  ::close(descriptor);
  errno = error;
  return -1;
}

std::string address_text(std::uint8_t block, std::uint8_t number, unsigned host) {
  return fmt::format("127.{}.{}.{}", block, number, host);
}

}  // namespace

AddressBlock::AddressBlock(std::uint8_t block, std::optional<std::uint8_t> number,
                           std::size_t nodes)
    : block_(block) {
  if (nodes == 0 || nodes > kServersMax) {
    throw LiveError(fmt::format("a network of {} servers: expected 1 to {}", nodes, kServersMax));
  }
  if (number) {
    const std::string problem = try_number(*number, nodes);
    if (!problem.empty()) throw LiveError(problem);
    return;
  }
  std::string problem;
  for (unsigned candidate = 0; candidate < 256; ++candidate) {
    problem = try_number(static_cast<std::uint8_t>(candidate), nodes);
    if (problem.empty()) return;
  }
  throw LiveError(fmt::format("127.{}.*.*: no free loopback addresses; the last problem was: {}",
                              block, problem));
}

AddressBlock::~AddressBlock() {
  if (claim_ >= 0) ::close(claim_);
}

std::string AddressBlock::address(NodeId node) const {
  return address_text(block_, number_, kFirstHost + node);
}

std::string AddressBlock::try_number(std::uint8_t number, std::size_t nodes) {
  const auto problem = [](const std::string& address, std::uint16_t port) {
    const char* const reason = errno == EADDRINUSE ? "port in use" : std::strerror(errno);
    return fmt::format("{}:{}: {}", address, port, reason);
  };
  const std::string claim_address = address_text(block_, number, kClaimHost);
  const int claim = listen_on(claim_address, kPeerPort);
  if (claim < 0) return problem(claim_address, kPeerPort);
  for (std::size_t node = 0; node < nodes; ++node) {
    const std::string address =
        address_text(block_, number, kFirstHost + static_cast<unsigned>(node));
    for (const std::uint16_t port : {kPeerPort, kWebSocketPort}) {
      const int descriptor = listen_on(address, port);
      if (descriptor < 0) {
        std::string text = problem(address, port);
        ::close(claim);
        return text;
      }
      ::close(descriptor);
    }
  }
  claim_ = claim;
  number_ = number;
  return {};
}

}  // namespace dissensus::live
