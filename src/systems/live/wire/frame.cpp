#include "systems/live/wire/frame.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace dissensus::live {

namespace {
constexpr std::uint8_t kCompressedBit = 0x80;
constexpr std::uint8_t kReservedBits = 0x7C;
// The length field has 26 bits.
constexpr std::uint32_t kLengthMax = (1U << 26) - 1;

constexpr std::array<std::pair<FrameType, std::string_view>, 25> kNames{{
    {FrameType::manifests, "manifests"},
    {FrameType::ping, "ping"},
    {FrameType::cluster, "cluster"},
    {FrameType::endpoints, "endpoints"},
    {FrameType::transaction, "transaction"},
    {FrameType::get_ledger, "get_ledger"},
    {FrameType::ledger_data, "ledger_data"},
    {FrameType::propose_ledger, "propose_ledger"},
    {FrameType::status_change, "status_change"},
    {FrameType::have_set, "have_set"},
    {FrameType::validation, "validation"},
    {FrameType::get_objects, "get_objects"},
    {FrameType::get_peer_shard_info, "get_peer_shard_info"},
    {FrameType::peer_shard_info, "peer_shard_info"},
    {FrameType::validator_list, "validator_list"},
    {FrameType::squelch, "squelch"},
    {FrameType::validator_list_collection, "validator_list_collection"},
    {FrameType::proof_path_request, "proof_path_request"},
    {FrameType::proof_path_response, "proof_path_response"},
    {FrameType::replay_delta_request, "replay_delta_request"},
    {FrameType::replay_delta_response, "replay_delta_response"},
    {FrameType::get_peer_shard_info_v2, "get_peer_shard_info_v2"},
    {FrameType::peer_shard_info_v2, "peer_shard_info_v2"},
    {FrameType::have_transactions, "have_transactions"},
    {FrameType::transactions, "transactions"},
}};
}  // namespace

std::string frame_type_text(FrameType type) {
  const auto found = std::find_if(kNames.begin(), kNames.end(),
                                  [&](const auto& entry) { return entry.first == type; });
  if (found != kNames.end()) return std::string(found->second);
  return fmt::format("type {}", static_cast<unsigned>(type));
}

Frame make_frame(FrameType type, ByteView payload) {
  if (payload.size() > kLengthMax) {
    throw WireError(fmt::format("frame: a payload of {} bytes does not fit", payload.size()));
  }
  Frame frame{type, {}};
  frame.bytes.reserve(kFrameHeaderBytes + payload.size());
  append_number(frame.bytes, static_cast<std::uint32_t>(payload.size()));
  append_number(frame.bytes, static_cast<std::uint16_t>(type));
  append(frame.bytes, payload);
  return frame;
}

void FrameReader::feed(ByteView bytes) {
  if (taken_ == buffer_.size()) {
    buffer_.clear();
    taken_ = 0;
  } else if (taken_ > buffer_.size() / 2) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
  }
  append(buffer_, bytes);
}

void FrameReader::check_header() const {
  const std::uint8_t first = buffer_[taken_];
  if ((first & kCompressedBit) != 0) {
    throw WireError("frame: compressed, which was not negotiated");
  }
  if ((first & kReservedBits) != 0) {
    throw WireError(fmt::format("frame: first byte is 0x{:02X}, expected 0x00 to 0x03", first));
  }
}

std::optional<Frame> FrameReader::next() {
  if (pending() == 0) return std::nullopt;
  check_header();
  if (pending() < kFrameHeaderBytes) return std::nullopt;
  const ByteView rest = ByteView(buffer_).subspan(taken_);
  const std::size_t payload = read_number<std::uint32_t>(rest);
  const auto type = static_cast<FrameType>(read_number<std::uint16_t>(rest.subspan(4)));
  if (payload > payload_max_) {
    throw WireError(fmt::format("frame: {} with {} bytes, at most {} are accepted",
                                frame_type_text(type), payload, payload_max_));
  }
  const std::size_t whole = kFrameHeaderBytes + payload;
  if (rest.size() < whole) return std::nullopt;
  const ByteView bytes = rest.first(whole);
  taken_ += whole;
  return Frame{type, Bytes(bytes.begin(), bytes.end())};
}

}  // namespace dissensus::live
