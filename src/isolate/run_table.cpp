#include "isolate/run_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "isolate/inbox_reducer.h"
#include "isolate/parallel_slices.h"
#include "isolate/sender_traits.h"

namespace dissensus::isolate {
namespace {

/// Runs that are in memory at once.
constexpr std::size_t kBatch = 256;

struct Reduced {
  std::vector<Profile> profiles;
  std::vector<Profile> beginnings;
  std::vector<std::uint8_t> traits;
};

Reduced reduce(const Run& run, const PredicateSpace& space, InboxReducer& reducer) {
  Reduced reduced;
  const std::size_t nodes = run.inboxes.size();
  const std::size_t parts = run.failing ? space.options().parts : 1;
  reduced.beginnings.resize((parts - 1) * nodes);
  std::vector<Profile> of_node;
  for (std::size_t node = 0; node < nodes; ++node) {
    reduced.profiles.push_back(reducer.reduce(run.inboxes[node], node, parts, of_node));
    for (std::size_t part = 0; part + 1 < parts; ++part)
      reduced.beginnings[part * nodes + node] = std::move(of_node[part]);
  }
  reduced.traits = sender_traits(space, run);
  return reduced;
}

}  // namespace

void require_both_outcomes(const std::string& name, std::size_t runs, std::size_t failing) {
  if (runs < 2)
    throw InputError(fmt::format("{}: runs: {}, expected failing and successful ones", name, runs));
  if (failing == 0)
    throw InputError(fmt::format("{}: runs: none of {} fails, expected at least one", name, runs));
  if (failing == runs)
    throw InputError(
        fmt::format("{}: runs: none of {} succeeds, expected at least one", name, runs));
}

std::uint32_t RunTable::intern(const Profile& profile) {
  DigestBuilder digest;
  for (const Sighting& sighting : profile)
    digest.add(std::uint64_t{sighting.code} << 8 | sighting.threshold);
  const auto [place, is_new] =
      index_.emplace(digest.finish(), static_cast<std::uint32_t>(profile_ends_.size()));
  if (is_new) {
    sightings_.insert(sightings_.end(), profile.begin(), profile.end());
    profile_ends_.push_back(sightings_.size());
  }
  return place->second;
}

std::uint32_t RunTable::intern(const Sign& sign) {
  const auto [place, is_new] =
      sign_index_.emplace(sign.words, static_cast<std::uint32_t>(signs_.size()));
  if (is_new) signs_.push_back(sign);
  return place->second;
}

bool RunTable::shows(const RunSummary& run, const std::string& words) const {
  const auto sign = sign_index_.find(words);
  return sign != sign_index_.end() &&
         std::binary_search(run.signs.begin(), run.signs.end(), sign->second);
}

void RunTable::add(const Run& run, std::span<const Profile> profiles,
                   std::span<const Profile> beginnings, std::vector<std::uint8_t> traits) {
  RunSummary& summary = runs_.emplace_back();
  summary.name = run.name;
  summary.link = run.link;
  if (!run.symptom.empty()) {
    summary.signs.push_back(intern(Sign{
        std::string(kWayOfFailing), fmt::format("It fails with {}.", run.symptom), run.symptom}));
  }
  for (const Sign& sign : run.signs) summary.signs.push_back(intern(sign));
  std::sort(summary.signs.begin(), summary.signs.end());
  summary.failing = run.failing;
  summary.labels = run.labels;
  summary.traits = std::move(traits);
  failing_ += run.failing ? 1 : 0;
  for (const Profile& profile : profiles) summary.profiles.push_back(intern(profile));
  for (const Profile& profile : beginnings) summary.beginnings.push_back(intern(profile));
}

std::span<const Sighting> RunTable::profile(std::uint32_t index) const {
  const std::size_t begin = index == 0 ? 0 : profile_ends_[index - 1];
  return {sightings_.data() + begin, profile_ends_[index] - begin};
}

std::size_t RunTable::bytes() const {
  constexpr std::size_t kIndexEntry = sizeof(Digest) + 4 * sizeof(void*);
  const std::size_t nodes = space_->schema().nodes;
  const std::size_t per_run =
      sizeof(RunSummary) + nodes * (sizeof(std::uint32_t) + space_->traits().size());
  return sightings_.size() * sizeof(Sighting) +
         profile_ends_.size() * (sizeof(std::size_t) + kIndexEntry) + runs_.size() * per_run;
}

RunTable read_runs(RunSource& source, const PredicateSpace& space, std::size_t jobs) {
  RunTable table(space);
  std::vector<Run> batch(kBatch);
  std::vector<Reduced> reduced(kBatch);
  std::vector<InboxReducer> reducers;
  for (std::size_t job = 0; job < std::max<std::size_t>(1, jobs); ++job)
    reducers.emplace_back(space);
  for (bool more = true; more;) {
    std::size_t count = 0;
    while (count < kBatch && (more = source.next(batch[count]))) ++count;
    for_each_slice(count, reducers.size(),
                   [&](std::size_t job, std::size_t begin, std::size_t end) {
                     for (std::size_t run = begin; run < end; ++run) {
                       reduced[run] = reduce(batch[run], space, reducers[job]);
                     }
                   });
    for (std::size_t run = 0; run < count; ++run)
      table.add(batch[run], reduced[run].profiles, reduced[run].beginnings,
                std::move(reduced[run].traits));
  }
  require_both_outcomes(source.name(), table.runs().size(), table.failing());
  return table;
}

RunTable table_of(const Run& run, const PredicateSpace& space) {
  RunTable table(space);
  InboxReducer reducer(space);
  Reduced reduced = reduce(run, space, reducer);
  table.add(run, reduced.profiles, reduced.beginnings, std::move(reduced.traits));
  return table;
}

}  // namespace dissensus::isolate
