// Loopback addresses for a network of servers.
//
// Node i of a network has 127.BLOCK.N.(11+i) to itself; N is the first number whose ports are all
// free. While a network has a number, it keeps a listening socket on 127.BLOCK.N.10, so that
// networks of other processes choose another one; the kernel gives it back when we die, however we
// die.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "dissensus/ids.h"

namespace dissensus::live {

/// Below the range from which Linux takes ports of outgoing connections.
inline constexpr std::uint16_t kPeerPort = 12459;
inline constexpr std::uint16_t kWebSocketPort = 16006;
/// Nobody listens here: servers are told that fixed peers live there, and fail to dial them.
inline constexpr std::uint16_t kDeadPort = 1;
inline constexpr std::size_t kServersMax = 240;

class AddressBlock {
 public:
  /// Takes the first free number of the block, or exactly `number`. Throws LiveError with the
  /// address in use when there is none.
  AddressBlock(std::uint8_t block, std::optional<std::uint8_t> number, std::size_t nodes);
  ~AddressBlock();
  AddressBlock(const AddressBlock&) = delete;
  AddressBlock& operator=(const AddressBlock&) = delete;

  std::string address(NodeId node) const;
  std::uint8_t number() const { return number_; }

 private:
  /// Empty, or the address that is in use.
  std::string try_number(std::uint8_t number, std::size_t nodes);

  std::uint8_t block_;
  std::uint8_t number_ = 0;
  int claim_ = -1;
};

}  // namespace dissensus::live
