// Random faults, as a scenario's [schedule.faults] asks for: so many of each kind, each part of
// them drawn from the range that the table names for it, and as usual where it names none. What
// ByzzFuzz and its relatives draw, round by round of a few liars, is a table within it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/options.h"
#include "dissensus/random.h"
#include "dissensus/schedule.h"

#include "faults/part.h"

namespace dissensus::faults {

/// Which faults are drawn. Numbers are the most per plan.
struct FaultSpace {
  /// Kinds that are asked for by one key, such as partitions and cuts.
  struct Family {
    std::string key;
    std::vector<const FaultKind*> kinds;
    std::uint32_t most = 0;
    std::vector<Range> ranges;  ///< by part of its one kind; empty: all as usual
    /// Why a drawn fault is none of this family; null: all are.
    std::function<std::optional<std::string>(const Fault&)> mistake;
  };
  /// Which words of some part are drawn (Setting in kinds.h).
  struct Words {
    std::string_view part;
    std::vector<std::size_t> admitted;
  };
  /// In how many rounds liars do something, or the network does; which liars; and what.
  struct Liars {
    struct Row {
      const FaultKind* kind;
      std::uint32_t most;
      std::vector<Range> ranges;  ///< by part
    };
    std::vector<Row> rows;          ///< in the order in which a plan is drawn
    NodeSet nodes;                  ///< who may lie
    std::uint32_t faulty = 1;       ///< how many of them do, in faults of families as well
    std::uint64_t first_round = 1;  ///< protocol rounds, both included
    std::uint64_t last_round = 10;
    std::optional<Duration> twins_apart{};  ///< until when sides of twins do not hear each other

    /// Draws beyond those of the rows: plans with twins kept apart have always been drawn from
    /// more faults than they admit, so that few are without any.
    std::size_t spare = 0;

    bool empty() const { return rows.empty(); }
    /// How many faults of a kind a plan may hold.
    std::size_t most(const FaultKind& kind) const;
  };
  std::vector<Family> families;  ///< those that are asked for
  std::vector<Words> words;
  Duration scale = std::chrono::seconds(1);     ///< of the system's own timers
  Duration horizon = std::chrono::seconds(10);  ///< no fault begins or lasts beyond this
  std::vector<std::uint32_t> anchors;           ///< phases that faults may wait for
  double anchored = 0.5;                        ///< share of the faults that do
  std::uint32_t nth_max = 8;                    ///< how often such a phase is waited for, at most
  std::uint32_t victims_max = 0;                ///< nodes that crash or pause together, at most
  Liars liars;

  /// Of faults of the families.
  std::uint32_t total() const;
  /// The most faults that a plan can hold.
  std::size_t plan_size_max() const;
  bool has_families() const { return !families.empty(); }
  bool empty() const { return families.empty() && liars.empty(); }
};

/// Reads [schedule.faults]; throws InputError. The first `exposed` of the nodes may be hit.
FaultSpace read_fault_space(const Options& options, const SystemDescription& description,
                            std::size_t nodes, std::size_t exposed);
/// Reads the table of liars alone.
FaultSpace::Liars read_liars(const Options& options, const SystemDescription& description,
                             std::size_t nodes);
/// [schedule.faults] as a JSON schema.
std::string fault_space_schema();

/// Why no fault of a family with ranges can be drawn; none: they can.
std::optional<std::string> why_nothing_fits(const FaultSpace& space,
                                            const FaultSpace::Family& family, std::size_t nodes);

/// Of the families.
Fault random_fault(const FaultSpace& space, std::size_t nodes, Random& random);
/// A neighbour of a fault of the space: it begins or ends at another moment, waits for another one,
/// or hits others.
Fault varied_fault(const Fault& fault, const FaultSpace& space, std::size_t nodes, Random& random);

/// What liars do in one plan. Rounds are drawn with repetition, and what falls on the same round of
/// the same kind of fault is one fault, as in the public tool; so a plan may hold fewer faults than
/// asked for.
std::vector<Fault> random_lies(const FaultSpace::Liars& liars, std::size_t nodes, Random& random);
/// One fault of such a plan.
Fault random_lie(const FaultSpace::Liars& liars, std::size_t nodes, Random& random);

/// What liars do, and a number of faults that have nothing to do with each other.
std::vector<Fault> random_plan(const FaultSpace& space, std::size_t nodes, std::size_t exposed,
                               Random& random);
/// Faults of the families in the order of a story. Chains: each time that a phase is entered,
/// whoever entered it is cut off or goes down with some others, for about as long as the next one
/// takes. Relays: the same, but one trouble ends as the next begins, so that nobody is kept away
/// for long. Waves: by the clock, trouble and calm take turns. Else as in random_plan.
enum class Story : std::uint8_t { independent, chain, waves, relay };
inline constexpr std::size_t kStories = 4;
std::vector<Fault> random_story(const FaultSpace& space, std::size_t nodes, Story story,
                                Random& random);

/// The faults, in their order, that the space admits beside those before them: no more of a kind
/// and no more liars than a drawn plan would have; what liars do in rounds comes first. More liars
/// than that would prove nothing. Everything where the space is empty: a strategy of the user's own
/// draws.
std::vector<Fault> admitted(const std::vector<Fault>& plan, const FaultSpace& space);

}  // namespace dissensus::faults
