#include "systems/vsr/settings.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/node_key.h"
#include "core/suggestion.h"

namespace dissensus::vsr {

namespace {
struct MistakeDescription {
  std::string_view name;
  std::string_view what;
};
/// Indexed by Mistake.
constexpr std::array<MistakeDescription, kMistakes> kDescriptions{{
    {"forgetful-restart", "a replica that restarts takes part at once, with an empty log"},
    {"forgets-view", "a restart does not know the view it had promised to enter (the 2012 paper)"},
    {"one-recovery-answer", "as forgets-view, and the answer of any primary ends the recovery"},
    {"any-recovery-log", "recovery takes the longest log of a majority, the primary's or not"},
    {"nonce-ignored", "answers to an earlier recovery count for this one"},
    {"longest-log", "a new primary takes the longest log, whatever view it is from"},
    {"small-view-change", "a view begins with the logs of one replica too few"},
    {"small-commit", "an operation is committed with one acknowledgement too few"},
    {"acks-in-view-change", "operations of the old view are acknowledged during a view change"},
    {"old-prepares", "operations of an old view's primary are taken into the log of a new one"},
    {"transfer-forgets", "who hears of a new view drops its tail before it has the new log"},
    {"keeps-tail", "a longer log than that of the new view keeps its end"},
    {"stale-acks", "acknowledgements of an earlier view count in the new one"},
    {"no-client-table", "a request that a client repeats is executed again"},
    {"most-committed", "a new primary takes the log of which most is known to be committed"},
    {"fills-gaps", "an operation that comes too early is appended where the log ends"},
    {"acks-gaps", "an operation that comes too early is acknowledged, and asked for afterwards"},
    {"transfer-keeps-tail",
     "who hears of a new view keeps all of its log and asks for what follows"},
    {"returns-to-view", "who has left a view takes part in it again when its primary is heard"},
    {"view-as-normal", "a view that was never entered counts as the last normal one"},
    {"commits-new-log", "all of a new view's log is executed as it comes"},
    {"commits-any-view", "a commit number of another view counts for the log at hand"},
    {"tells-in-view-change", "who changes views tells its old log as that of the new view"},
    {"old-changes", "logs that were sent for an earlier view count for this one"},
    {"repeats-view", "the beginning of a view that is late replaces what the view has done since"},
    {"transfer-not-normal", "a view that was entered by state transfer does not count as normal"},
    {"own-log", "a new primary keeps its own log, whatever the others sent"},
}};

Duration read_timer(const Options& options, std::string_view key, Duration fallback) {
  const Duration value = options.duration(key, fallback);
  if (value < std::chrono::milliseconds(1) || value > std::chrono::hours(1)) {
    options.fail(key, "expected 1ms to 1h");
  }
  return value;
}

std::size_t find_mistake(const OptionValue& name) {
  std::vector<std::string> known;
  for (const MistakeDescription& mistake : kDescriptions) {
    if (mistake.name == name.text()) return known.size();
    known.emplace_back(mistake.name);
  }
  name.fail(fmt::format("no mistake '{}'{} (known: {})", name.text(),
                        suggestion(name.text(), known), fmt::join(known, ", ")));
}
}  // namespace

Settings::Settings(const Options& options) {
  replicas = static_cast<std::size_t>(options.integer(node_key(options, "replicas"), 5, 1, 63));
  if (replicas % 2 == 0) options.fail("nodes", "expected an odd number of replicas");
  heartbeat = read_timer(options, "heartbeat", heartbeat);
  view_timeout = read_timer(options, "view_timeout", view_timeout);
  client_every = read_timer(options, "client_every", client_every);
  client_timeout = read_timer(options, "client_timeout", client_timeout);
  if (const auto list = options.find("mistakes")) {
    for (const OptionValue& name : list->list()) mistaken[find_mistake(name)] = true;
  }
}

}  // namespace dissensus::vsr
