// Where to listen, and under which names the place is known.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dissensus::serve {

struct ListenAddress {
  std::string address;
  std::uint16_t port = 0;  ///< 0: a free one
  bool is_loopback = true;
};

/// "127.0.0.1", "127.0.0.1:8080", "[::1]:8080". All addresses at once ("0.0.0.0") are refused: who
/// asks under which name would not be known. Throws InputError.
ListenAddress parse_listen(const std::string& text);
/// What a Host header may say; the first one is for the address that is printed.
std::vector<std::string> hosts_of(const ListenAddress& listen, std::uint16_t port);

}  // namespace dissensus::serve
