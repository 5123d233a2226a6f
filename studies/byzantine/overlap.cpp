// Two groups of validators, each with a UNL of ten. The UNLs share some validators, half of which
// follow either UNL. The network is cut between the groups, which is the worst that can happen to
// it; twins are shared validators that talk with both sides.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dissensus/faults.h"
#include "dissensus/schedule.h"

#include "byzantine_studies.h"
#include "core/file.h"
#include "core/parallel.h"
#include "run/runner.h"
#include "run/scenario.h"
#include "statistics/markdown.h"
#include "statistics/plot.h"
#include "systems/simulated/simulated.h"

namespace dissensus::studies {
namespace {

constexpr std::size_t kUnl = 10;
constexpr std::size_t kTwinsMax = 2;

/// Nodes 0 to u-o-1 are of the first group only, then come the o shared ones, then the others.
struct Layout {
  std::size_t shared;
  std::size_t own() const { return kUnl - shared; }
  std::size_t nodes() const { return 2 * kUnl - shared; }
  bool is_first(std::size_t node) const { return node < own() + (shared + 1) / 2; }
};

std::string unl_text(const Layout& layout) {
  std::vector<std::string> lists;
  for (std::size_t node = 0; node < layout.nodes(); ++node) {
    const std::size_t first = layout.is_first(node) ? 0 : layout.own();
    std::vector<std::size_t> unl;
    for (std::size_t i = 0; i < kUnl; ++i) {
      if (first + i != node) unl.push_back(first + i);
    }
    lists.push_back(fmt::format("[{}]", fmt::join(unl, ", ")));
  }
  return fmt::format("[{}]", fmt::join(lists, ", "));
}

run::Scenario scenario_of(const Layout& layout) {
  return run::parse_scenario(fmt::format(R"(format = "dissensus-scenario/1"
name = "xrpl-unl-overlap"
[system]
kind = "xrpl"
nodes = {}
profile = "2.4.0"
unl = {}
first_close = "900ms"
accounts = {{ alice = "290.0001", bob = "210.0001", carol = "210.0001" }}
[[workload]]
at = "3s"
node = 0
from = "alice"
to = "bob"
amount = 80
sequence = "same"
[[workload]]
at = "3s"
node = {}
from = "alice"
to = "carol"
amount = 80
sequence = "same"
[network]
latency = {{ uniform = ["500us", "2500us"] }}
[limits]
virtual_time = "25s"
)",
                                         layout.nodes(), unl_text(layout), layout.nodes() - 1),
                             "overlap.toml", simulated_systems());
}

/// The cut, and the first `twins` shared validators doubled.
faults::Schedule cut(const Layout& layout, std::size_t twins) {
  faults::Schedule schedule;
  NodeSet first;
  NodeSet second;
  // Twins are taken from both halves in turn, so that the sides stay as equal as they can be.
  const std::size_t half = (layout.shared + 1) / 2;
  NodeSet doubled;
  for (std::size_t i = 0; i < twins && i < layout.shared; ++i) {
    const std::size_t node = layout.own() + (i % 2 == 0 ? i / 2 : half + i / 2);
    doubled.push_back(static_cast<NodeId>(node));
  }
  for (std::size_t node = 0; node < layout.nodes(); ++node) {
    const auto id = static_cast<NodeId>(node);
    if (std::find(doubled.begin(), doubled.end(), id) != doubled.end()) continue;
    (layout.is_first(node) ? first : second).push_back(id);
  }
  if (doubled.empty()) {
    schedule.faults.emplace_back(faults::PartitionFault{{first, second}, {}});
  }
  for (const NodeId node : doubled) {
    schedule.faults.emplace_back(faults::TwinsFault{node, first, second, std::chrono::hours(1)});
  }
  return schedule;
}

struct Cell {
  std::size_t forks = 0;
  std::size_t runs = 0;
};

}  // namespace

void study_overlap(const ByzantineStudyOptions& options) {
  std::vector<std::vector<Cell>> cells(kTwinsMax + 1, std::vector<Cell>(kUnl + 1));
  for (std::size_t shared = 0; shared <= kUnl; ++shared) {
    const Layout layout{shared};
    const run::Scenario scenario = scenario_of(layout);
    for (std::size_t twins = 0; twins <= std::min(kTwinsMax, shared); ++twins) {
      const faults::Schedule schedule = cut(layout, twins);
      Cell& cell = cells[twins][shared];
      for_each_in_order(
          options.divisions, options.jobs, [] { return std::make_unique<run::Runner>(); },
          [&](run::Runner& runner, std::size_t index) {
            const std::uint64_t seed = derive_seed(options.seed, "overlap", index) >> 11;
            const run::RunResult result = runner.run(scenario, schedule, seed);
            return std::any_of(
                result.verdict.violations.begin(), result.verdict.violations.end(),
                [](const oracle::Violation& found) { return found.property == "agreement"; });
          },
          [&](std::size_t, bool forked) {
            ++cell.runs;
            cell.forks += forked ? 1 : 0;
            return true;
          });
    }
  }
  statistics::MarkdownTable table(
      {"overlap", "(2.1) >= 20 %", "(2.2), (2.3) > 40 %", "no twin", "1 twin", "2 twins"});
  statistics::BarFigure figure;
  figure.title = "Runs that fork, by overlap of two UNLs of ten";
  figure.y_label = "forked runs (%)";
  figure.caption =
      "The network is cut between the UNLs. The thesis's bounds: (2.1) calls 20 % enough, (2.2) "
      "and "
      "(2.3) demand more than 40 %.";
  for (std::size_t twins = 0; twins <= kTwinsMax; ++twins) {
    figure.series.push_back({fmt::format("{} twin{}", twins, twins == 1 ? "" : "s"), {}, {}});
  }
  for (std::size_t shared = 0; shared <= kUnl; ++shared) {
    const std::size_t percent = 100 * shared / kUnl;
    figure.groups.push_back(fmt::format("{} %", percent));
    std::vector<std::string> row{fmt::format("{} %", percent), percent >= 20 ? "safe" : "unsafe",
                                 percent > 40 ? "safe" : "unsafe"};
    for (std::size_t twins = 0; twins <= kTwinsMax; ++twins) {
      const Cell& cell = cells[twins][shared];
      row.push_back(cell.runs == 0 ? "-" : fmt::format("{} of {}", cell.forks, cell.runs));
      figure.series[twins].values.push_back(cell.runs == 0
                                                ? 0
                                                : 100.0 * static_cast<double>(cell.forks) /
                                                      static_cast<double>(cell.runs));
    }
    table.add(std::move(row));
  }
  if (!options.dry) {
    write_file(options.docs + "/images/unl-overlap.svg", statistics::bar_figure(figure));
  }
  write_section(options, "overlap",
                table.text() + "\n![Forked runs by overlap](../images/unl-overlap.svg)\n");
}

}  // namespace dissensus::studies
