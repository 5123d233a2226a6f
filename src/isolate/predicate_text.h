// Predicates for people: in the paper's notation, in the reference's names, and in words.
#pragma once

#include <string>

#include "isolate/predicate_space.h"

namespace dissensus::isolate {

/// The name that the reference implementation prints, e.g.
/// "Predicate(at least 2 Validation -> Validation where ledger_hash ne ledger_hash)" > 2
std::string reference_name(const PredicateSpace& space, const Candidate& candidate);

/// Close to the paper's notation:
/// 2 x Validation -> Validation, more than 2 nodes: ledger_hash(l) != ledger_hash(r)
std::string notation(const PredicateSpace& space, const Candidate& candidate);

/// A sentence: "On more than 2 nodes of one group, the same Validation came from 2 senders and
/// then..."
std::string words(const PredicateSpace& space, const Candidate& candidate);

}  // namespace dissensus::isolate
