// Frames: what a peer link carries after the upgrade (xrpl/peer-protocol.md 5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "systems/live/wire/bytes.h"
#include "systems/live/wire/error.h"

namespace dissensus::live {

inline constexpr std::size_t kFramePayloadMax = std::size_t{64} * 1024 * 1024;
inline constexpr std::size_t kFrameHeaderBytes = 6;

/// Other values than these are legal; servers ignore them.
enum class FrameType : std::uint16_t {
  manifests = 2,
  ping = 3,
  cluster = 5,
  endpoints = 15,
  transaction = 30,
  get_ledger = 31,
  ledger_data = 32,
  propose_ledger = 33,
  status_change = 34,
  have_set = 35,
  validation = 41,
  get_objects = 42,
  get_peer_shard_info = 52,
  peer_shard_info = 53,
  validator_list = 54,
  squelch = 55,
  validator_list_collection = 56,
  proof_path_request = 57,
  proof_path_response = 58,
  replay_delta_request = 59,
  replay_delta_response = 60,
  get_peer_shard_info_v2 = 61,
  peer_shard_info_v2 = 62,
  have_transactions = 63,
  transactions = 64,
};

/// "propose_ledger"; "type 99" for types without a name here.
std::string frame_type_text(FrameType type);

struct Frame {
  FrameType type{};
  Bytes bytes;  ///< header and payload, verbatim

  ByteView payload() const { return ByteView(bytes).subspan(kFrameHeaderBytes); }
  friend bool operator==(const Frame&, const Frame&) = default;
};

/// Throws WireError if the payload has no place in a frame.
Frame make_frame(FrameType type, ByteView payload);

/// Cuts the byte stream of one direction of a link into frames. Memory grows with what was fed, not
/// with what a header announces.
class FrameReader {
 public:
  explicit FrameReader(std::size_t payload_max = kFramePayloadMax) : payload_max_(payload_max) {}

  void feed(ByteView bytes);

  /// The next whole frame. Throws WireError on a header that is no header, on compressed frames
  /// (never negotiated by us) and on payloads above the limit; from then on it always throws.
  std::optional<Frame> next();

  /// Bytes fed that no frame has taken yet.
  std::size_t pending() const { return buffer_.size() - taken_; }

 private:
  void check_header() const;

  std::size_t payload_max_;
  Bytes buffer_;
  std::size_t taken_ = 0;
};

}  // namespace dissensus::live
