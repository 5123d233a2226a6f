// Byte streams of peers: however cut, the same frames; whatever decodes can be written again, and
// validations and transactions keep every byte.
#include "fuzz.h"
#include "systems/live/wire/handshake.h"
#include "systems/live/wire/ledger.h"
#include "systems/live/wire/payment.h"
#include "systems/live/wire/validation.h"

namespace {
using namespace dissensus;
using namespace dissensus::live;

/// Like fuzz::accepts, for what peers send.
template <class Read>
bool peer_accepts(const Read& read) {
  return fuzz::accepts([&] {
    try {
      read();
    } catch (const WireError& error) {
      throw InputError(error.what());
    }
  });
}

std::vector<Frame> read_frames(ByteView stream, std::size_t piece) {
  FrameReader reader(1 << 20);
  std::vector<Frame> frames;
  peer_accepts([&] {
    while (!stream.empty()) {
      const std::size_t size = std::min(piece, stream.size());
      reader.feed(stream.first(size));
      stream = stream.subspan(size);
      while (auto frame = reader.next()) frames.push_back(std::move(*frame));
    }
  });
  return frames;
}

void check(const OtherMessage&) {}

template <class Message>
void check_encoding(const Message& message) {
  DISSENSUS_ASSERT(decode(encode(message)) == WireMessage(message),
                   "fuzz_peer_frame : what was decoded can be written and read again");
}

template <class Message>
void check(const Message& message) {
  check_encoding(message);
}

void check(const Proposal& proposal) {
  check_encoding(proposal);
  verify(proposal);
  suppression_id(proposal);
}

void check(const LedgerData& data) {
  check_encoding(data);
  candidate_transactions(data);
  peer_accepts([&] { ledger_header_of(data); });
}

void check(const TransactionMessage& message) {
  check_encoding(message);
  parse_transaction(message.raw);
  verify_transaction(message.raw);
  DISSENSUS_ASSERT(SerializedObject::parse_prefix(message.raw).serialize() == message.raw,
                   "fuzz_peer_frame : a transaction keeps its bytes");
}

void check(const ValidationMessage& message) {
  check_encoding(message);
  ValidationObject object = ValidationObject::make(1, 2, {}, {});
  if (!peer_accepts([&] { object = ValidationObject::parse(message); })) return;
  DISSENSUS_ASSERT(object.serialise() == message.validation,
                   "fuzz_peer_frame : a validation keeps its bytes");
  object.verify();
  object.set_full(!object.full());
  object.set_cookie(7);
  const auto again = ValidationObject::parse(object.serialise());
  DISSENSUS_ASSERT(again.digest() == object.digest() && again.cookie() == 7,
                   "fuzz_peer_frame : a changed validation can be read");
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView stream(data, size);
  peer_accepts([&] {
    const auto message = parse_upgrade(text_of(stream));
    if (message) verify_identity(*message, {});
  });
  const auto frames = read_frames(stream, size);
  DISSENSUS_ASSERT(read_frames(stream, 1 + size / 3) == frames && read_frames(stream, 7) == frames,
                   "fuzz_peer_frame : cutting the stream makes no difference");
  for (const Frame& frame : frames) {
    WireMessage message;
    if (!peer_accepts([&] { message = decode(frame); })) continue;
    std::visit([](const auto& content) { check(content); }, message);
  }
  return 0;
}
