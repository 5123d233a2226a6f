// A portfolio whose bandit chooses among single shapes, schedulers and stories, not among whole
// searches, and which looks less far ahead while it has seen little.
#pragma once

#include <memory>

#include "dissensus/search.h"

namespace dissensus::search {

std::unique_ptr<Search> make_adaptive(const SearchContext& context, const Options& options);

}  // namespace dissensus::search
