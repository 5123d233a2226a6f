// A single run of a store, found by its number without reading the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "run/runner.h"

namespace dissensus::hunt {

/// How to make run `number` of hunt `hunt` again; both count from 1, as in STORE#2/17. `name`
/// stands for it in errors. Throws InputError where there is none.
run::Recipe recipe_of_row(const std::string& store, std::size_t hunt, std::uint64_t number,
                          const std::string& name, const SystemRegistry& systems);

}  // namespace dissensus::hunt
