#include "systems/dag/messages.h"

namespace dissensus::dag {

Digest Vertex::digest() const {
  return DigestBuilder{}
      .add(epoch)
      .add(round)
      .add(creator)
      .add(parents)
      .add(payload)
      .add(variant)
      .finish();
}

Digest Seal::digest() const {
  DigestBuilder builder;
  builder.add(epoch).add(waves.size());
  for (const std::uint32_t wave : waves) builder.add(wave);
  for (const Digest& block : blocks) builder.add(block);
  return builder.finish();
}

Digest Fetch::digest() const {
  DigestBuilder builder;
  builder.add(epoch).add(round);
  for (const Mask mask : missing) builder.add(mask);
  return builder.finish();
}

namespace {

FieldValue nodes_of(Mask mask) {
  NodeSet nodes;
  for_each_node(mask, [&](NodeId node) { nodes.push_back(node); });
  return nodes;
}

Mask mask_of_nodes(const FieldValue& value) {
  Mask mask = 0;
  for (const NodeId node : std::get<NodeSet>(value)) {
    if (node < kDagNodesMax) mask |= mask_of(node);
  }
  return mask;
}

/// Fields of Echo and Ready, which a liar may change as it likes: their sender signs them.
template <class T>
void describe_vote(SystemDescription& description, const char* name) {
  description.message<T>(name)
      .field(
          "epoch", SemanticType::sequence,
          [](const T& vote) { return FieldValue{std::uint64_t{vote.place.epoch}}; },
          [](T& vote, const FieldValue& value) {
            internal::from_field_value(vote.place.epoch, value);
          })
      .field(
          "round", SemanticType::round,
          [](const T& vote) { return FieldValue{std::uint64_t{vote.place.round}}; },
          [](T& vote, const FieldValue& value) {
            internal::from_field_value(vote.place.round, value);
          })
      .field(
          "creator", SemanticType::node,
          [](const T& vote) { return FieldValue{std::uint64_t{vote.place.creator}}; },
          [](T& vote, const FieldValue& value) {
            internal::from_field_value(vote.place.creator, value);
          })
      .field("vertex", SemanticType::hash, &T::vertex)
      .small_scope({"round", "vertex"});
}

}  // namespace

void describe_messages(SystemDescription& description) {
  description.message<Vertex>("vertex")
      .field("epoch", SemanticType::sequence, &Vertex::epoch)
      .field("round", SemanticType::round, &Vertex::round)
      .field("creator", SemanticType::node, &Vertex::creator)
      .field(
          "parents", SemanticType::node_set,
          [](const Vertex& vertex) { return nodes_of(vertex.parents); },
          [](Vertex& vertex, const FieldValue& value) { vertex.parents = mask_of_nodes(value); })
      .field("payload", SemanticType::number, &Vertex::payload)
      .field("variant", SemanticType::number, &Vertex::variant)
      .author("creator")
      .small_scope({"round", "parents", "payload"});
  describe_vote<Echo>(description, "echo");
  describe_vote<Ready>(description, "ready");
  description.message<Seal>("seal")
      .field("epoch", SemanticType::sequence, &Seal::epoch)
      .field("waves", SemanticType::number,
             [](const Seal& seal) { return FieldValue{std::uint64_t{seal.waves.size()}}; })
      .field(
          "last_block", SemanticType::hash,
          [](const Seal& seal) {
            return FieldValue{seal.blocks.empty() ? Digest{} : seal.blocks.back()};
          },
          [](Seal& seal, const FieldValue& value) {
            if (!seal.blocks.empty()) seal.blocks.back() = std::get<Digest>(value);
          });
  description.message<Fetch>("fetch")
      .field("epoch", SemanticType::sequence, &Fetch::epoch)
      .field("round", SemanticType::round, &Fetch::round)
      .field("rounds", SemanticType::number,
             [](const Fetch& fetch) { return FieldValue{std::uint64_t{fetch.missing.size()}}; });
}

}  // namespace dissensus::dag
