// Structure-aware mutation: changes one field of a message, by what the field means. The system's
// setters keep identities and signatures consistent with the new content.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/description.h"
#include "dissensus/message.h"
#include "dissensus/random.h"
#include "dissensus/schedule.h"

namespace dissensus::faults {

/// Who signed a message that `from` sends: its author field, or the sender itself.
NodeId author_of(const Message& message, NodeId from, const SystemDescription& description);

/// Values and hashes that messages of a run carried, by type of message and field, oldest first:
/// digests, or texts where the system shows them as such. Liars choose from them: a value that
/// somebody has seen can be obtained and acted upon.
class SeenValues {
 public:
  explicit SeenValues(const SystemDescription& description);
  void note(const Message& message);
  const std::vector<FieldValue>& of(std::size_t payload, std::size_t field) const {
    return seen_[payload][field];
  }

 private:
  const SystemDescription& description_;
  std::vector<std::vector<std::vector<FieldValue>>> seen_;  ///< [payload][field]
  Digest last_noted_{};
};

struct Mutation {
  Message message;   ///< empty: nothing could be changed
  std::string text;  ///< for people: "ledger_seq: 6 -> 7"
};

struct MutationOrder {
  MutationScope scope = MutationScope::small;
  std::uint64_t seed = 0;
  std::string_view field{};  ///< empty: the seed chooses
  std::size_t nodes = 0;
};

/// The same order changes equal messages equally.
Mutation mutate(const Message& message, const MutationOrder& order, const SeenValues& seen,
                const SystemDescription& description, MessagePool& pool);

}  // namespace dissensus::faults
