#include "systems/pbft/settings.h"

#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/node_key.h"
#include "core/suggestion.h"

namespace dissensus::pbft {

namespace {
constexpr std::array<BugDescription, 16> kBugs{{
    {"small-quorum", "2f replicas are a quorum, one less than it takes"},
    {"votes-repeated",
     "messages are counted, not those who sent them: prepares, commits, view changes"},
    {"commit-any-request", "commits for a number count whatever they are for, prepared or not"},
    {"view-change-forgets", "view changes leave out what was prepared"},
    {"oldest-certificate", "of two prepared requests for a number a new view keeps the older"},
    {"new-view-unchecked", "backups propose again what the new primary says, unchecked"},
    {"constant-timeout", "the time until the next view change does not double"},
    {"early-collection", "a replica's log goes with its own checkpoint, before that is stable"},
    {"sequence-reuse", "a new primary counts from the stable checkpoint, not from what is in use"},
    {"first-reply", "a client believes the first reply it gets, not f + 1 equal ones"},
    {"first-checkpoint", "a new view starts from the stable checkpoint of whoever is named first"},
    {"own-certificates", "a new view keeps what its primary has prepared, and nobody else's"},
    {"votes-after-leaving", "who has left a view goes on voting in it"},
    {"forgets-older-views",
     "what a new view proposes again is no longer prepared until it is anew"},
    {"prepares-any-request", "prepares for a number count whatever they are for"},
    {"skips-gaps", "a new view leaves numbers that nobody prepared to those who had them"},
}};

Duration positive(const Options& options, std::string_view key, Duration fallback) {
  const Duration value = options.duration(key, fallback);
  if (value <= Duration{}) options.fail(key, "expected more than zero");
  return value;
}
}  // namespace

std::span<const BugDescription> bugs() {
  return kBugs;
}

Settings::Settings(const Options& options) {
  nodes =
      static_cast<std::size_t>(options.integer(node_key(options, "replicas"), 4, 4, kReplicasMax));
  read_clients(options);
  think = positive(options, "think", think);
  client_timeout = positive(options, "client_timeout", client_timeout);
  view_timeout = positive(options, "view_timeout", view_timeout);
  status_interval = positive(options, "status_interval", status_interval);
  checkpoint_interval =
      static_cast<std::uint64_t>(options.integer("checkpoint_interval", 4, 1, 1'000));
  window = static_cast<std::uint64_t>(
      options.integer("window", 2 * static_cast<std::int64_t>(checkpoint_interval), 1, 4'000));
  if (window < checkpoint_interval) {
    options.fail("window",
                 fmt::format("expected at least checkpoint_interval, {}", checkpoint_interval));
  }
  read_bugs(options);
}

void Settings::read_clients(const Options& options) {
  const auto list = options.find("clients");
  if (!list) {
    clients = nodes == kReplicasMax ? ~Mask{0} : mask_of(static_cast<NodeId>(nodes)) - 1;
    return;
  }
  for (const OptionValue& value : list->list()) {
    const auto node = static_cast<NodeId>(value.integer(0, static_cast<std::int64_t>(nodes) - 1));
    if (is_client(node)) value.fail(fmt::format("node {} is named twice, expected once", node));
    clients |= mask_of(node);
  }
}

void Settings::read_bugs(const Options& options) {
  const auto list = options.find("bugs");
  if (!list) return;
  std::vector<std::string> known;
  for (const BugDescription& bug : kBugs) known.emplace_back(bug.name);
  for (const OptionValue& value : list->list()) {
    std::size_t index = 0;
    while (index < kBugs.size() && kBugs[index].name != value.text()) ++index;
    if (index == kBugs.size()) {
      value.fail(fmt::format("no such bug '{}'{} (known: {})", value.text(),
                             suggestion(value.text(), known), fmt::join(known, ", ")));
    }
    bug_mask |= 1u << index;
  }
}

}  // namespace dissensus::pbft
