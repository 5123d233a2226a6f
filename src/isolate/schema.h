// What is known of the messages of a set of runs before any run is read: kinds, fields with their
// semantic types, who trusts whom, and the names of the labels. Predicates follow from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/description.h"

namespace dissensus::isolate {

/// A set of nodes, one bit each; runs of more nodes are refused by the readers.
using NodeMask = std::uint64_t;
inline constexpr std::size_t kNodesMax = 64;

struct Field {
  std::string name;
  SemanticType type = SemanticType::number;
  /// Fields of equal domain can be compared with each other, e.g. the ledger that a validation
  /// names and the previous ledger of a proposal.
  std::string domain;
};

struct Kind {
  std::string name;
  std::vector<Field> fields;
};

struct Schema {
  std::string origin;  ///< the file that declares it, for error messages; empty: none
  std::vector<Kind> kinds;
  std::size_t nodes = 0;
  /// Per node: the senders whose messages it looks at.
  std::vector<NodeMask> trusted;
  /// A predicate counts the nodes on which it holds per group and takes the largest count.
  std::vector<NodeMask> groups;
  /// Names of root causes or violated properties, where runs are labelled.
  std::vector<std::string> labels;
  /// Fields that the reference implementation leaves out of its ranking.
  std::vector<std::string> ignored_fields;

  /// The size of the largest group.
  std::size_t group_size() const;
  /// Everybody trusts everybody, one group.
  void trust_everybody();
};

}  // namespace dissensus::isolate
