#include "faults/kinds.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "core/assert.h"

namespace dissensus::faults {

namespace {

constexpr std::string_view kSpanOfTime = "a span of time (from, until)";
constexpr std::string_view kSlowOnly = "slow, where they have a disk";

constexpr std::array<FaultKind, 26> kRows{{
    {"drop", "type", {}, ""},
    {"delay", "type", {}, ""},
    {"duplicate", "type", {}, ""},
    {"partition", "type", {}, ""},
    {"cut", "type", {}, ""},
    {"links", "type", {}, ""},
    {"silence", "type", {}, ""},
    {"noise: drop", "drop", {}, ""},
    {"crash", "type", {}, ""},
    {"outage", "type", {}, ""},
    {"pause", "type", {Offer::pause}, "outage"},
    {"skew", "type", {Offer::clock}, "pause"},
    {"disk: slow", "trouble", {Offer::slow_disk}, "pause"},
    {"disk: error", "trouble", {Offer::bad_disk}, kSlowOnly},
    {"disk: no-space", "trouble", {Offer::bad_disk}, kSlowOnly},
    {"disk: corrupt", "trouble", {Offer::bad_disk}, kSlowOnly},
    {"twins", "type", {Offer::twins}, "partition"},
    {"noise: corrupt", "corrupt", {Offer::fields}, "drop"},
    {"mutate", "type", {Offer::fields, Offer::rounds}, "noise, drop"},
    {"replay", "type", {Offer::rounds}, "duplicate"},
    {"round-partition", "type", {Offer::rounds}, "partition"},
    {"silence: round", "round", {Offer::rounds}, kSpanOfTime},
    {"rounds", "rounds", {Offer::rounds}, kSpanOfTime},
    {"crash: at_round", "at_round", {Offer::rounds}, "at"},
    {"after: round", "after", {Offer::rounds}, kSpanOfTime},
    {"after: phase", "after", {Offer::phases}, kSpanOfTime},
}};

std::string_view lack_of(Offer offer) {
  switch (offer) {
    case Offer::rounds:
      return "report no rounds";
    case Offer::phases:
      return "report no phases";
    case Offer::fields:
      return "send no message with a field to change";
    case Offer::pause:
      return "cannot be held";
    case Offer::slow_disk:
      return "have no disk that schedules know";
    case Offer::bad_disk:
      return "have no disk whose calls can fail";
    case Offer::clock:
      return "have a clock of their own";
    case Offer::twins:
      return "exist once";
  }
  return "";
}

/// The first of what a row needs that is not offered.
std::optional<Offer> lacking(const FaultKind& kind, const Offers& offers) {
  for (std::size_t i = 0; i < kOffers; ++i) {
    const auto offer = static_cast<Offer>(i);
    if (kind.needs.has(offer) && !offers.has(offer)) return offer;
  }
  return std::nullopt;
}

const FaultKind& row(std::string_view name) {
  const auto* const found = std::find_if(
      kRows.begin(), kRows.end(), [name](const FaultKind& kind) { return kind.name == name; });
  DISSENSUS_ASSERT(found != kRows.end(), "faults::row : a kind of fault that is in the table");
  return *found;
}

using Rows = std::vector<std::string_view>;

Rows rows_of(const Window& window) {
  Rows rows;
  if (window.by_round()) rows.emplace_back("rounds");
  if (window.after && window.after->round) rows.emplace_back("after: round");
  if (window.after && window.after->phase) rows.emplace_back("after: phase");
  return rows;
}

/// The rows of the table that a fault is of, but for its window.
struct RowsOf {
  Rows operator()(const DropFault&) const { return {"drop"}; }
  Rows operator()(const DelayFault&) const { return {"delay"}; }
  Rows operator()(const DuplicateFault&) const { return {"duplicate"}; }
  Rows operator()(const PartitionFault&) const { return {"partition"}; }
  Rows operator()(const CutFault&) const { return {"cut"}; }
  Rows operator()(const LinkFault&) const { return {"links"}; }
  Rows operator()(const OutageFault&) const { return {"outage"}; }
  Rows operator()(const PauseFault&) const { return {"pause"}; }
  Rows operator()(const SkewFault&) const { return {"skew"}; }
  Rows operator()(const TwinsFault&) const { return {"twins"}; }
  Rows operator()(const MutateFault&) const { return {"mutate"}; }
  Rows operator()(const ReplayFault&) const { return {"replay"}; }
  Rows operator()(const RoundPartitionFault&) const { return {"round-partition"}; }
  Rows operator()(const CrashFault& fault) const {
    return {fault.at_round ? "crash: at_round" : "crash"};
  }
  Rows operator()(const SilenceFault& fault) const {
    return {fault.round ? "silence: round" : "silence"};
  }
  Rows operator()(const NoiseFault& fault) const {
    if (fault.corrupt > 0) return {"noise: corrupt"};
    return {"noise: drop"};
  }
  Rows operator()(const DiskFault& fault) const {
    switch (fault.trouble) {
      case DiskFault::Trouble::slow:
        return {"disk: slow"};
      case DiskFault::Trouble::error:
        return {"disk: error"};
      case DiskFault::Trouble::no_space:
        return {"disk: no-space"};
      case DiskFault::Trouble::corrupt:
        return {"disk: corrupt"};
    }
    return {};
  }
};

std::optional<Obstacle> obstacle_to(const FaultKind& kind, const SystemDescription& description) {
  const std::optional<Offer> lack = lacking(kind, offers_of(description));
  if (!lack) return std::nullopt;
  return Obstacle{kind.key, fmt::format("'{}' is not possible: {} {}; possible: {}", kind.name,
                                        dissensus::offers_of(description.nodes).in_full,
                                        lack_of(*lack), kind.instead)};
}

/// What the table cannot say: it depends on which message, or which node.
std::optional<Obstacle> obstacle_to_particular(const Fault& fault,
                                               const SystemDescription& description) {
  if (const auto* duplicate = std::get_if<DuplicateFault>(&fault)) {
    const auto& kind = duplicate->messages.kind;
    if (kind && description.kinds.at(*kind).once) {
      return Obstacle{
          "message", fmt::format("'duplicate' is not possible: receivers pass over a second {}, as "
                                 "over all pieces of connections; possible: datagrams, or delay",
                                 description.kinds.at(*kind).name)};
    }
  }
  const auto* disk = std::get_if<DiskFault>(&fault);
  if (disk != nullptr && disk->node >= description.disks) {
    return Obstacle{"node", fmt::format("node {} has no disk, expected 0 to {}", disk->node,
                                        description.disks - 1)};
  }
  return std::nullopt;
}

}  // namespace

std::span<const FaultKind> fault_kinds() {
  return kRows;
}

bool is_possible(const FaultKind& kind, const Offers& offers) {
  return !lacking(kind, offers);
}

Offers offers_of(const SystemDescription& description) {
  Offers offers = dissensus::offers_of(description.nodes).offers;
  if (description.phases.empty()) offers = offers.without(Offer::phases);
  const bool can_change = std::any_of(description.payloads.begin(), description.payloads.end(),
                                      [](const auto& payload) {
                                        for (std::size_t i = 0; i < payload.setters.size(); ++i) {
                                          if (payload.setters[i] && i != payload.author)
                                            return true;
                                        }
                                        return false;
                                      });
  return can_change ? offers : offers.without(Offer::fields);
}

std::optional<Obstacle> obstacle_to(const Fault& fault, const SystemDescription& description) {
  Rows rows = std::visit(RowsOf{}, fault);
  std::visit(
      [&rows](const auto& known) {
        if constexpr (requires { known.when; }) {
          for (const std::string_view name : rows_of(known.when)) rows.push_back(name);
        }
      },
      fault);
  for (const std::string_view name : rows) {
    if (auto obstacle = obstacle_to(row(name), description)) return obstacle;
  }
  return obstacle_to_particular(fault, description);
}

std::optional<Obstacle> obstacle_to_kind(std::string_view name,
                                         const SystemDescription& description) {
  return obstacle_to(row(name), description);
}

std::string kinds_table() {
  std::string text = "| fault |";
  std::string line = "|---|";
  for (const NodeKindOffers& nodes : kNodeKindOffers) {
    text += fmt::format(" {} |", nodes.name);
    line += "---|";
  }
  text += "\n" + line + "\n";
  for (const FaultKind& kind : kRows) {
    text += fmt::format("| {} |", kind.name);
    for (const NodeKindOffers& nodes : kNodeKindOffers) {
      text += is_possible(kind, nodes.offers) ? " yes |" : " refused |";
    }
    text += "\n";
  }
  return text;
}

}  // namespace dissensus::faults
