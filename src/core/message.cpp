#include "dissensus/message.h"

#include <cstring>

#include "core/assert.h"

namespace dissensus {

namespace internal {

Digest digest_of_object(const void* object, std::size_t bytes, MessageKind kind) {
  DigestBuilder builder;
  builder.add(kind);
  const auto* data = static_cast<const std::byte*>(object);
  for (std::size_t offset = 0; offset < bytes; offset += 8) {
    std::uint64_t word;
    std::memcpy(&word, data + offset, 8);
    builder.add(word);
  }
  return builder.finish();
}

namespace {
void add_value(DigestBuilder& builder, const FieldValue& value) {
  builder.add(value.index());
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    builder.add(static_cast<std::uint64_t>(*number));
  } else if (const auto* unsigned_number = std::get_if<std::uint64_t>(&value)) {
    builder.add(*unsigned_number);
  } else if (const auto* digest = std::get_if<Digest>(&value)) {
    builder.add(*digest);
  } else if (const auto* nodes = std::get_if<NodeSet>(&value)) {
    builder.add(nodes->size());
    for (const NodeId node : *nodes) builder.add(node);
  } else {
    builder.add(std::string_view(std::get<std::string>(value)));
  }
}
}  // namespace

Digest digest_of_fields(const void* object, MessageKind kind,
                        const SystemDescription& description) {
  DISSENSUS_ASSERT(kind < description.kinds.size(), "digest_of_fields : kind() is described");
  const PayloadDescription& payload = description.payloads[description.kinds[kind].payload];
  DigestBuilder builder;
  builder.add(kind);
  for (const auto& getter : payload.getters) add_value(builder, getter(object));
  return builder.finish();
}

}  // namespace internal

namespace {
constexpr std::uint16_t kOversized = 0xFFFF;
constexpr std::size_t kSlabMessages = 64;
}  // namespace

MessagePool::~MessagePool() {
  DISSENSUS_ASSERT(live_ == 0, "MessagePool : no message outlives its run");
}

internal::Payload* MessagePool::allocate(std::size_t bytes) {
  ++live_;
  std::uint16_t size_class = 0;
  while (size_class < kClassBytes.size() && kClassBytes[size_class] < bytes) ++size_class;
  internal::Payload* payload = nullptr;
  if (size_class == kClassBytes.size()) {
    payload = static_cast<internal::Payload*>(::operator new (
        sizeof(internal::Payload) + bytes, std::align_val_t{alignof(internal::Payload)}));
    size_class = kOversized;
  } else {
    auto& available = free_[size_class];
    if (available.empty()) {
      const std::size_t stride = sizeof(internal::Payload) + kClassBytes[size_class];
      // operator new[] aligns to 16 bytes, which is what a payload needs.
      static_assert(alignof(internal::Payload) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
      std::byte* slab = slabs_.emplace_back(new std::byte[stride * kSlabMessages]).get();
      for (std::size_t i = kSlabMessages; i-- > 0;) {
        available.push_back(reinterpret_cast<internal::Payload*>(slab + i * stride));
      }
    }
    payload = available.back();
    available.pop_back();
  }
  payload->pool = this;
  payload->references = 1;
  payload->size_class = size_class;
  return payload;
}

void MessagePool::recycle(internal::Payload* payload) noexcept {
  payload->operations->destroy(payload->object());
  --live_;
  if (payload->size_class == kOversized) {
    ::operator delete (payload, std::align_val_t{alignof(internal::Payload)});
  } else {
    free_[payload->size_class].push_back(payload);
  }
}

Message MessagePool::with_field(const Message& original, const SystemDescription& description,
                                std::size_t field, const FieldValue& value) {
  const internal::PayloadOperations& operations = *original.payload_->operations;
  const PayloadDescription& described =
      description.payloads[description.kinds[original.kind()].payload];
  DISSENSUS_ASSERT(described.type_tag == operations.type_tag,
                   "MessagePool::with_field : kind() fits the described type");
  DISSENSUS_ASSERT(field < described.setters.size() && described.setters[field],
                   "MessagePool::with_field : the field can be replaced");
  internal::Payload* payload = allocate(operations.bytes);
  operations.copy(original.object(), payload->object());
  payload->operations = &operations;
  described.setters[field](payload->object(), value);
  operations.fill(*payload, description);
  return Message(payload);
}

}  // namespace dissensus
