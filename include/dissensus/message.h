// Messages in flight: immutable, shared, pooled.
//
// A message type is any copyable struct with a kind() that says which described kind it is:
//
//   struct Proposal {
//     static constexpr MessageKind kind() { return 0; }
//     std::uint64_t value;
//     std::uint32_t round;
//   };
//
// Optional members: `Digest digest() const` (content identity; by default computed from the bytes
// where the type has no padding, else from its described fields) and
// `std::uint32_t wire_bytes() const` (size on a real network; default sizeof).
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "dissensus/description.h"
#include "dissensus/digest.h"
#include "dissensus/ids.h"

namespace dissensus {

class MessagePool;

namespace internal {
struct Payload;

/// What the pool must know of a message type.
struct PayloadOperations {
  const void* type_tag;
  std::uint32_t bytes;
  void (*destroy)(void* object) noexcept;
  void (*copy)(const void* from, void* to);
  /// Sets kind, digest and wire_bytes from the content.
  void (*fill)(Payload& payload, const SystemDescription& description);
};

/// Header in front of each message object in the pool.
struct alignas(16) Payload {
  const PayloadOperations* operations;
  MessagePool* pool;
  Digest digest;
  std::uint32_t references;
  std::uint32_t wire_bytes;
  MessageKind kind;
  std::uint16_t size_class;

  void* object() { return this + 1; }
  const void* object() const { return this + 1; }
};

Digest digest_of_object(const void* object, std::size_t bytes, MessageKind kind);
Digest digest_of_fields(const void* object, MessageKind kind, const SystemDescription& description);

template <class T>
void fill_payload(Payload& payload, const SystemDescription& description) {
  const T& content = *static_cast<const T*>(payload.object());
  payload.kind = content.kind();
  if constexpr (requires {
                  { content.digest() } -> std::convertible_to<Digest>;
                }) {
    payload.digest = content.digest();
  } else if constexpr (std::has_unique_object_representations_v<T> && sizeof(T) % 8 == 0) {
    payload.digest = digest_of_object(&content, sizeof(T), payload.kind);
  } else {
    payload.digest = digest_of_fields(&content, payload.kind, description);
  }
  if constexpr (requires { content.wire_bytes(); }) {
    payload.wire_bytes = content.wire_bytes();
  } else {
    payload.wire_bytes = static_cast<std::uint32_t>(sizeof(T));
  }
}

template <class T>
inline constexpr PayloadOperations payload_operations{
    type_tag<T>(), static_cast<std::uint32_t>(sizeof(T)),
    [](void* object) noexcept { static_cast<T*>(object)->~T(); },
    [](const void* from, void* to) { new (to) T(*static_cast<const T*>(from)); }, &fill_payload<T>};
}  // namespace internal

/// A shared handle to an immutable message. Belongs to one simulation and one thread; it must not
/// outlive the pool (that is, the run) it came from.
class Message {
 public:
  Message() = default;
  Message(const Message& other) noexcept : payload_(other.payload_) {
    if (payload_ != nullptr) ++payload_->references;
  }
  Message(Message&& other) noexcept : payload_(std::exchange(other.payload_, nullptr)) {}
  Message& operator=(Message other) noexcept {
    std::swap(payload_, other.payload_);
    return *this;
  }
  ~Message() { release(); }

  explicit operator bool() const { return payload_ != nullptr; }
  MessageKind kind() const { return payload_->kind; }
  /// Identity of the content: equal contents of one kind have equal digests.
  const Digest& digest() const { return payload_->digest; }
  std::uint32_t wire_bytes() const { return payload_->wire_bytes; }

  /// The content if it is of type T, else null.
  template <class T>
  const T* get() const {
    return payload_->operations->type_tag == internal::type_tag<T>()
               ? static_cast<const T*>(payload_->object())
               : nullptr;
  }
  const void* object() const { return payload_->object(); }
  bool same_object(const Message& other) const { return payload_ == other.payload_; }

 private:
  friend class MessagePool;
  explicit Message(internal::Payload* payload) : payload_(payload) {}
  inline void release() noexcept;

  internal::Payload* payload_ = nullptr;
};

/// Makes messages for one simulation; memory is recycled in size classes. Not thread-safe.
class MessagePool {
 public:
  MessagePool() = default;
  MessagePool(const MessagePool&) = delete;
  MessagePool& operator=(const MessagePool&) = delete;
  ~MessagePool();

  /// `description` is used for the digest of types that have neither digest() nor plain bytes.
  template <class T>
  Message make(T content, const SystemDescription& description) {
    static_assert(alignof(T) <= alignof(internal::Payload));
    internal::Payload* payload = allocate(sizeof(T));
    new (payload->object()) T(std::move(content));
    payload->operations = &internal::payload_operations<T>;
    payload->operations->fill(*payload, description);
    return Message(payload);
  }

  /// A copy of `original` with one described field replaced: kind, digest and size follow.
  Message with_field(const Message& original, const SystemDescription& description,
                     std::size_t field, const FieldValue& value);

  std::size_t live_messages() const { return live_; }

 private:
  friend class Message;
  static constexpr std::array<std::uint32_t, 5> kClassBytes{32, 64, 128, 256, 512};

  internal::Payload* allocate(std::size_t bytes);
  void recycle(internal::Payload* payload) noexcept;

  std::array<std::vector<internal::Payload*>, kClassBytes.size()> free_;
  std::vector<std::unique_ptr<std::byte[]>> slabs_;
  std::size_t live_ = 0;
};

inline void Message::release() noexcept {
  if (payload_ != nullptr && --payload_->references == 0) payload_->pool->recycle(payload_);
  payload_ = nullptr;
}

}  // namespace dissensus
