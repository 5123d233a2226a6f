// Questions about the events of a run, in words close to how people ask them
// (docs/formats/api.md): "proposals of node 3 for ledger 7", "decide node 2 not preceded by
// validation from node 4".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "serve/loaded_run.h"

namespace dissensus::serve {

struct QueryAnswer {
  std::vector<std::size_t> records;  ///< ascending
  std::string understood;            ///< the question as it was taken, so that nobody has to guess
};

/// Throws InputError that names the word which was not understood.
QueryAnswer ask(const LoadedRun& run, std::string_view question);

}  // namespace dissensus::serve
