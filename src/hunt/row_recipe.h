// A single run of a store, found by its number without reading the others.
#pragma once

#include <cstdint>
#include <string>

#include "hunt/store.h"
#include "run/remake.h"
#include "run/runner.h"

namespace dissensus::hunt {

/// The hunt with this number, as in STORE#2/17; 0: the first. `shown` stands for the store in
/// errors. Throws InputError where there is none.
HuntRecord hunt_of_row(StoreReader& reader, std::uint64_t number, const std::string& shown);

/// How to make run `number` of the hunt again, counted from 1; `name` stands for the scenario in
/// errors. Throws InputError where there is none.
run::Recipe recipe_of_row(StoreReader& reader, const HuntRecord& hunt, std::uint64_t number,
                          const std::string& shown, const std::string& name,
                          const SystemRegistry& systems);

/// What the store says of this run, which must be there; `name` stands for it in errors.
run::Recorded recorded_row(StoreReader& reader, const HuntRecord& hunt, std::uint64_t number,
                           const std::string& name);

}  // namespace dissensus::hunt
