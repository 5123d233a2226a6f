#include "serve/listen.h"

#include <algorithm>
#include <charconv>

#include <arpa/inet.h>
#include <fmt/format.h>

#include "dissensus/options.h"

namespace dissensus::serve {

namespace {

bool is_v6(const std::string& address) {
  in6_addr ignored;
  return inet_pton(AF_INET6, address.c_str(), &ignored) == 1;
}

bool is_v4(const std::string& address) {
  in_addr ignored;
  return inet_pton(AF_INET, address.c_str(), &ignored) == 1;
}

}  // namespace

ListenAddress parse_listen(const std::string& text) {
  const auto refuse = [&text](const char* what) {
    throw InputError(fmt::format("--listen: '{}': expected {}", text, what));
  };
  ListenAddress listen;
  std::string port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string::npos) refuse("']' behind the address");
    listen.address = text.substr(1, end - 1);
    if (end + 1 < text.size() && text[end + 1] != ':') refuse("':' and a port behind ']'");
    port = text.substr(std::min(end + 2, text.size()));
  } else {
    const std::size_t colon = is_v6(text) ? std::string::npos : text.find(':');
    listen.address = text.substr(0, colon);
    if (colon != std::string::npos) port = text.substr(colon + 1);
    if (colon != std::string::npos && port.empty()) refuse("a port behind ':'");
  }
  if (!is_v4(listen.address) && !is_v6(listen.address)) {
    refuse("an address in numbers, e.g. 127.0.0.1 or 127.0.0.1:8080");
  }
  if (listen.address == "0.0.0.0" || listen.address == "::") {
    refuse("one address of this machine, not all of them");
  }
  if (!port.empty()) {
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), listen.port);
    if (error != std::errc() || end != port.data() + port.size()) refuse("a port from 0 to 65535");
  }
  listen.is_loopback = listen.address.starts_with("127.") || listen.address == "::1";
  return listen;
}

std::vector<std::string> hosts_of(const ListenAddress& listen, std::uint16_t port) {
  std::vector<std::string> hosts{is_v6(listen.address)
                                     ? fmt::format("[{}]:{}", listen.address, port)
                                     : fmt::format("{}:{}", listen.address, port)};
  if (listen.is_loopback) hosts.push_back(fmt::format("localhost:{}", port));
  return hosts;
}

}  // namespace dissensus::serve
