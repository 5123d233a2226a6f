// Shapes by kind and by sequence number within a link: which messages of a kind, counted link by
// link, are late. A schedule of genes delays all of them alike, so that none overtakes another;
// here the first, every other or some in the middle are late and those after them overtake them, in
// any system. What is drawn is a scheduler; its decisions are recorded, message by message.
#pragma once

#include <memory>

#include "dissensus/search.h"

namespace dissensus::search {

/// Where nothing but faults varies it draws plans alone.
std::unique_ptr<Search> make_sequence(const SearchContext& context, const Options& options);

}  // namespace dissensus::search
