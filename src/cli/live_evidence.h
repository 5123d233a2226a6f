// What the folder of a run of real servers says about them: for pages, stores and commands.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/plugins.h"
#include "hunt/store.h"
#include "report/report.h"
#include "run/scenario.h"

namespace dissensus::cli {

/// "reliable: all 3 repetitions fail", "flaky: 1 of 3 repetitions fails".
std::string reliability(std::size_t same, std::size_t repetitions);
/// The same of what a folder knows (confirm.json); empty where nobody has asked.
std::string reliability_of(const std::string& folder);
void write_reliability(const std::string& folder, const std::string& signature, std::size_t same,
                       std::size_t repetitions);

/// Versions, binaries, punctuality and logs; nothing where the run had no servers.
std::optional<report::Servers> servers_of(const std::string& folder);

/// The words that a replay of the folder needs: those of the command, and the recorded binary where
/// the command names none.
std::string replay_words_of(const std::string& folder, const PluginOptions& plugins);

/// Puts the binaries of the servers into what a store keeps of a hunt: their results depend on
/// them.
void name_servers(const run::Scenario& scenario, hunt::HuntRecord& record);

/// "path (sha256 0123456789ab...)" of each binary of a scenario's servers.
std::string binary_words(const run::Scenario& scenario);

}  // namespace dissensus::cli
