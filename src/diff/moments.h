// Steps in words.
#pragma once

#include <string>
#include <vector>

#include "diff/difference.h"
#include "diff/steps.h"

namespace dissensus::diff {

/// What was sent, as it was and as it arrived: "ledger: 923f12 -> 7206aa". Empty where it arrived
/// as it was sent.
std::vector<std::string> changed_on_the_way(const Steps& steps, const Step& step);
/// Fields in which two messages of one kind differ.
std::vector<std::string> differing_fields(const trace::Header& header, MessageKind kind,
                                          const std::vector<FieldValue>& before,
                                          const std::vector<FieldValue>& after);
/// The fields of the message that came, as it arrived.
const std::vector<FieldValue>& arrived_fields(const Steps& steps, const Step& step);

/// `next` is the step of the chain that follows, or kNone: sends that are not on the way to it are
/// counted and not listed.
Moment describe_step(const Steps& steps, std::size_t step, std::size_t next);
/// What it did, as Moment::did.
std::vector<std::string> deeds_of(const Steps& steps, std::size_t step, std::size_t next);

/// "2.1 s", to the millisecond.
std::string seconds(Duration duration);

std::vector<Waiting> waiting_nodes(const Steps& failing, const Steps& passing,
                                   const std::vector<std::size_t>& prefixes,
                                   const oracle::Violation& violation);

}  // namespace dissensus::diff
