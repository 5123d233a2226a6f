// For protocols whose directions are values, one after another.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hosted/protocols/protocol.h"

namespace dissensus::protocols {

class StreamReader : public ConnectionReader {
 public:
  std::vector<Part> add(bool to_acceptor, std::string_view bytes) final;
  std::string rest(bool to_acceptor) final { return std::exchange(of(to_acceptor).buffer, {}); }

 protected:
  /// There is no value at the beginning.
  static constexpr std::size_t kNone = std::string_view::npos;
  /// How long the first value is; 0: it is not complete. Says its kind and what it says.
  virtual std::size_t take(bool to_acceptor, std::string_view bytes, Part& part) = 0;

 private:
  struct Direction {
    std::string buffer;
    bool is_opaque = false;  ///< what comes is something else
  };
  Direction& of(bool to_acceptor) { return directions_[to_acceptor ? 0 : 1]; }

  std::array<Direction, 2> directions_;
};

}  // namespace dissensus::protocols
