// Who may ask, and for what: the token, the Host and Origin headers, and the shape of paths. A page
// of somebody else's, open in the same browser, can send requests to loopback; it must get nothing.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http_server.h"

namespace dissensus::serve {

/// 128 random bits as text, from the operating system.
std::string new_token();

struct GuardRules {
  std::string token;
  /// What a Host header may say, "127.0.0.1:8080"; an Origin is one of these with "http://".
  std::vector<std::string> hosts;
};

/// "/TOKEN/api/runs/1?q=send" as parts and values, decoded.
struct Target {
  std::vector<std::string> parts;  ///< behind the token
  std::map<std::string, std::string> query;
};

/// Sets `target` where the request may be answered; else says why not.
std::optional<Response> refuse(const Request& request, const GuardRules& rules, Target& target);

/// None: not well formed, or with parts that mean another folder ("..", "."), or with control
/// characters.
std::optional<Target> parse_target(std::string_view text);

}  // namespace dissensus::serve
