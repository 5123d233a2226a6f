#include "trace/record_layout.h"

namespace dissensus::trace {
namespace {

constexpr KeySet kAlways = keys(Key::id, Key::time, Key::type);
constexpr KeySet kNode = kAlways | keys(Key::node);
constexpr KeySet kPeer = kNode | keys(Key::peer);
constexpr KeySet kMessage = kPeer | keys(Key::kind, Key::content);
constexpr KeySet kMessageOptional = keys(Key::kind, Key::content, Key::fields);
constexpr KeySet kDecision = kNode | keys(Key::level, Key::instance, Key::value);

/// Allowed everywhere, so that no event loses a part that its type does not usually have.
constexpr KeySet kAnywhere = keys(Key::cause, Key::node, Key::peer, Key::value, Key::text);

constexpr RecordLayout make(KeySet required, KeySet optional = 0, Key number = Key::number,
                            Key detail = Key::detail) {
  RecordLayout layout{required, optional | kAnywhere, number, detail};
  (number == Key::number ? layout.optional : layout.required) |= keys(number);
  (detail == Key::detail ? layout.optional : layout.required) |= keys(detail);
  return layout;
}

constexpr std::array<RecordLayout, kEventTypes> make_layouts() {
  std::array<RecordLayout, kEventTypes> layouts{};
  const auto set = [&layouts](EventType type, const RecordLayout& layout) {
    layouts[static_cast<std::size_t>(type)] = layout;
  };
  set(EventType::start, make(kNode));
  set(EventType::send, make(kMessage, kMessageOptional));
  set(EventType::deliver, make(kMessage));
  set(EventType::drop, make(kMessage, 0, Key::number, Key::reason));
  set(EventType::duplicate, make(kPeer, kMessageOptional));
  set(EventType::timer, make(kNode, 0, Key::tag));
  set(EventType::submit, make(kNode, keys(Key::request)));
  set(EventType::propose, make(kDecision, 0, Key::instance, Key::level));
  set(EventType::decide, make(kDecision, 0, Key::instance, Key::level));
  set(EventType::phase, make(kNode, 0, Key::phase));
  set(EventType::round, make(kNode, 0, Key::round));
  set(EventType::observe, make(kNode, 0, Key::observed, Key::observable));
  set(EventType::crash, make(kNode));
  set(EventType::restart, make(kNode));
  set(EventType::partition, make(kAlways));
  set(EventType::heal, make(kAlways, 0, Key::partition));
  set(EventType::mutate, make(kPeer, kMessageOptional));
  set(EventType::phase_end, make(kAlways));
  set(EventType::log, make(kAlways));
  set(EventType::disk, make(kNode));
  set(EventType::fault, make(kAlways));
  set(EventType::fault_end, make(kAlways, 0, Key::partition));
  set(EventType::broken, make(kNode));
  set(EventType::operation, make(kNode));
  return layouts;
}

constexpr std::array<RecordLayout, kEventTypes> kLayouts = make_layouts();

}  // namespace

const RecordLayout& layout_of(EventType type) {
  return kLayouts[static_cast<std::size_t>(type)];
}

}  // namespace dissensus::trace
