#include "serve/guard.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <sys/random.h>

#include "dissensus/options.h"

namespace dissensus::serve {

namespace {

Response refusal(unsigned status, std::string_view why) {
  Response response;
  response.status = status;
  response.body = fmt::format("{{\"error\":\"{}\"}}\n", why);
  return response;
}

int hex_digit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  return -1;
}

bool decode(std::string_view text, bool plus_is_blank, std::string& decoded) {
  decoded.clear();
  for (std::size_t at = 0; at < text.size(); ++at) {
    char letter = text[at];
    if (letter == '%') {
      if (at + 2 >= text.size()) return false;
      const int high = hex_digit(text[at + 1]);
      const int low = hex_digit(text[at + 2]);
      if (high < 0 || low < 0) return false;
      letter = static_cast<char>(high * 16 + low);
      at += 2;
    } else if (letter == '+' && plus_is_blank) {
      letter = ' ';
    }
    const auto code = static_cast<unsigned char>(letter);
    if (code < 0x20 || code == 0x7F) return false;
    decoded += letter;
  }
  return true;
}

bool decode_part(std::string_view text, std::string& part) {
  return decode(text, false, part) && part != ".." && part != "." &&
         part.find_first_of("/\\") == std::string::npos;
}

bool parse_query(std::string_view text, std::map<std::string, std::string>& query) {
  std::string key;
  std::string value;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    const std::size_t sign = std::min(pair.find('='), pair.size());
    if (!decode(pair.substr(0, sign), true, key)) return false;
    if (!decode(pair.substr(std::min(sign + 1, pair.size())), true, value)) return false;
    query[key] = value;
  }
  return true;
}

/// Takes the same time wherever the first difference is.
bool is_same(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned>(a[i] ^ b[b.empty() ? 0 : i % b.size()]);
  }
  return difference == 0;
}

bool is_known(const std::vector<std::string>& hosts, std::string_view host) {
  return std::find(hosts.begin(), hosts.end(), host) != hosts.end();
}

}  // namespace

std::string new_token() {
  unsigned char bytes[16];
  for (std::size_t got = 0; got < sizeof bytes;) {
    const ssize_t more = getrandom(bytes + got, sizeof bytes - got, 0);
    if (more < 0 && errno != EINTR) {
      throw InputError(fmt::format("no random numbers for a token: {}", std::strerror(errno)));
    }
    if (more > 0) got += static_cast<std::size_t>(more);
  }
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

std::optional<Target> parse_target(std::string_view text) {
  if (text.empty() || text.front() != '/') return std::nullopt;
  Target target;
  const std::size_t question = std::min(text.find('?'), text.size());
  std::string_view path = text.substr(1, question - 1);
  std::string part;
  for (;;) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    if (!decode_part(path.substr(0, slash), part)) return std::nullopt;
    target.parts.push_back(part);
    if (slash == path.size()) break;
    path.remove_prefix(slash + 1);
  }
  const std::string_view query = text.substr(std::min(question + 1, text.size()));
  if (!parse_query(query, target.query)) return std::nullopt;
  return target;
}

std::optional<Response> refuse(const Request& request, const GuardRules& rules, Target& target) {
  if (!is_known(rules.hosts, request.host)) {
    return refusal(403, "this address is not the one that is served (Host)");
  }
  constexpr std::string_view kScheme = "http://";
  if (!request.origin.empty() &&
      (!request.origin.starts_with(kScheme) ||
       !is_known(rules.hosts, std::string_view(request.origin).substr(kScheme.size())))) {
    return refusal(403, "a page of another origin may not ask");
  }
  if (request.method != "GET" && request.method != "POST") {
    return refusal(405, "expected GET or POST");
  }
  auto parsed = parse_target(request.target);
  if (!parsed) return refusal(400, "not a path of this server");
  if (!is_same(parsed->parts.front(), rules.token)) {
    return refusal(403, "the token is missing; use the address that dissensus serve printed");
  }
  // Browsers let pages of others send forms and plain text without asking, but not JSON.
  if (request.method == "POST" && !request.content_type.starts_with("application/json")) {
    return refusal(415, "expected a body of type application/json");
  }
  parsed->parts.erase(parsed->parts.begin());
  target = std::move(*parsed);
  return std::nullopt;
}

}  // namespace dissensus::serve
