// What the two programs of the same name differ in. One has what hunts need and is built in two
// thirds of the time; the other has every verb. The first hands to the second what it lacks, so
// that nobody needs to know which one he called.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/verb.h"
#include "run/state_source.h"

namespace dissensus::cli {

/// Adds the verbs that this program has.
std::vector<Verb> add_verbs(CLI::App& program);
/// For the end of --help: which verbs are elsewhere; empty where none is.
std::string note_on_verbs();
/// Goes on as the whole program if the words ask for what this one lacks; comes back if they do
/// not, or if there is no whole program. Throws InputError for a verb that would be found there.
void hand_over(const std::vector<Verb>& verbs, int argc, char** argv);
/// conform::make_model_states, or an InputError that says which program has it.
std::unique_ptr<run::StateSource> make_model_states(const std::string& mapping,
                                                    const run::Scenario& scenario);

}  // namespace dissensus::cli
