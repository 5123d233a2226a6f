// Schedules in words, for people: one short sentence per line.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dissensus/description.h"
#include "dissensus/schedule.h"
#include "dissensus/time.h"

#include "faults/speech.h"

namespace dissensus::faults {

/// "messages LedgerData from 3 to 1 and 2 arrive 5.4 s late". Genes of equal delay share a sentence
/// where their senders, receivers or kinds can be listed together; so do lost and doubled messages.
/// An empty schedule gives one sentence that says so.
std::vector<std::string> in_words(const Schedule& schedule, const SystemDescription& description,
                                  std::size_t nodes);
/// The same in one line, of the same numbers: "delays on 13 of 260 genes (kind of message, sender,
/// receiver), up to 4 s, 2 faults"; "none" for an empty schedule.
std::string summary(const Schedule& schedule);
/// The longest delay that its scheduler gives.
Duration longest_delay(const Schedule& schedule);
/// One fault.
std::string in_words(const Fault& fault, const SystemDescription& description, std::size_t nodes);

/// Genes that stand out of the natural order, in which the first gene has the highest priority: as
/// few as possible such that the others keep it. Ascending.
std::vector<std::size_t> out_of_order(const PrioritySchedule& schedule);

}  // namespace dissensus::faults
