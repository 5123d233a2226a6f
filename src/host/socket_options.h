// Options of the sockets that are ours: what may be set, and what is then told.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace dissensus::host {

struct SocketKind {
  int family = 0;
  bool is_stream = false;
};

class SocketOptions {
 public:
  /// 0, or the error that Linux answers. ENOPROTOOPT (negative): nobody has thought about it.
  long set(const SocketKind& kind, int level, int option, int value);
  /// What was set, or the default. Nothing: as above.
  std::optional<int> get(const SocketKind& kind, int level, int option) const;
  bool is_on(int level, int option) const;
  /// What a program has asked for, as it is told then.
  std::optional<int> asked(int level, int option) const;

 private:
  std::map<std::pair<int, int>, int> values_;
};

}  // namespace dissensus::host
