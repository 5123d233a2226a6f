// Quint models: the JSON that `quint compile --target=json` writes, as TLA+
// (docs/formats/quint.md).
#pragma once

#include <memory>
#include <string>

#include "tla/linking/spec.h"
#include "tla/syntax/config.h"

namespace dissensus::conform {

/// The TLA+ module of a Quint model: `init` becomes Init, `step` becomes Next, the other
/// definitions keep their names as far as TLA+ allows. `main_module` may be empty: then the one
/// that the file names, or its only one. Definitions that have no counterpart (runs, tests) are
/// left out with a comment. Throws InputError.
std::string quint_to_tla(const std::string& json, const std::string& path,
                         const std::string& main_module);

/// True for the names that Quint models have here: *.json.
bool is_quint(const std::string& path);

/// A TLA+ specification or a Quint model, by the name of the file.
std::shared_ptr<const tla::Spec> load_specification(const std::string& path,
                                                    const tla::Config& config,
                                                    tla::SpecOptions options);

}  // namespace dissensus::conform
