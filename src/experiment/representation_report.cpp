#include "experiment/representation_report.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/assert.h"
#include "statistics/markdown.h"
#include "statistics/plot.h"
#include "statistics/samples.h"

namespace dissensus::experiment {
namespace {

struct Published {
  double mean;
  double deviation;
};
/// Thesis Table 4.1.
struct PublishedType {
  std::string_view name;
  Published priority;
  Published delay;
};
constexpr std::array<PublishedType, 7> kTable41{
    {{"ProposeSet", {0.213, 0.040}, {0.116, 0.025}},
     {"StatusChange", {0.078, 0.014}, {0.046, 0.010}},
     {"Validation", {0.124, 0.024}, {0.075, 0.017}},
     {"Transaction", {0.044, 0.001}, {0.021, 0.006}},
     {"HaveTransactionSet", {0.050, 0.001}, {0.025, 0.008}},
     {"GetLedger", {0.259, 0.053}, {0.380, 0.049}},
     {"LedgerData", {0.232, 0.049}, {0.337, 0.051}}}};
/// Thesis 4.1.1: normalised distance of neighbours. The lists that its program stored give 0.209
/// for delays, with the same deviation.
constexpr Published kDelayLocality{0.2003, 0.0292};
constexpr Published kPriorityLocality{0.1961, 0.0204};

std::string text(std::span<const double> sample, int digits) {
  return fmt::format("{:.{}f} ({:.{}f})", statistics::mean(sample), digits,
                     statistics::standard_deviation(sample), digits);
}
std::string text(const Published& published, int digits) {
  return fmt::format("{:.{}f} ({:.{}f})", published.mean, digits, published.deviation, digits);
}
std::string share_text(std::size_t count, std::size_t all) {
  if (all == 0) return "-";
  return fmt::format("{:.1f} %", 100 * static_cast<double>(count) / static_cast<double>(all));
}

std::string published_locality(Representation representation) {
  return text(representation == Representation::delay ? kDelayLocality : kPriorityLocality, 4);
}

void add_pairs(statistics::MarkdownTable& table, const RepresentationResult& result,
               std::string what, const PairSample& pairs, std::string published) {
  table.add({result.name, std::move(what), std::to_string(pairs.pairs()), text(pairs.hausdorff, 4),
             text(pairs.hausdorff_content, 4), text(pairs.hausdorff_disjoint, 4),
             text(pairs.edit_path, 4), text(pairs.program, 4),
             share_text(pairs.same_trace, pairs.pairs()), share_text(pairs.same_run, pairs.pairs()),
             std::move(published)});
}

statistics::MarkdownTable pairs_table() {
  return statistics::MarkdownTable({"representation", "pairs of runs", "n", "Hausdorff",
                                    "with contents", "disjoint labels", "edit path",
                                    "as programmed", "same trace", "same run", "thesis"});
}

}  // namespace

std::string published_share(std::string_view type, Representation representation) {
  const auto found = std::find_if(kTable41.begin(), kTable41.end(),
                                  [&](const PublishedType& row) { return row.name == type; });
  if (found == kTable41.end()) return "";
  return text(representation == Representation::delay ? found->delay : found->priority, 3);
}

std::string sample_table(std::span<const RepresentationResult> results) {
  statistics::MarkdownTable table({"representation", "genes", "vertices", "edges", "runs", "d_m",
                                   "d_m per pair", "distinct traces of random genotypes"});
  for (const RepresentationResult& result : results) {
    const auto neighbours = static_cast<double>(result.steps.front().pairs.pairs()) /
                            static_cast<double>(result.seeds.size());
    table.add({result.name, std::to_string(result.genes), text(result.vertices, 0),
               text(result.edges, 0), std::to_string(result.runs),
               fmt::format("{:.1f}", result.locality_sum),
               fmt::format("{:.2f}", result.locality_sum / neighbours),
               fmt::format("{} of {}", result.distinct_traces, result.random_genotypes)});
  }
  return table.text();
}

std::string locality_table(std::span<const RepresentationResult> results) {
  statistics::MarkdownTable table = pairs_table();
  for (const RepresentationResult& result : results) {
    for (const StepResult& step : result.steps) {
      add_pairs(table, result, fmt::format("genotypes {} apart", step.step), step.pairs,
                step.step == 1 ? published_locality(result.representation) : "");
    }
    add_pairs(table, result,
              fmt::format("genotypes {:.3f} to {:.3f} of the maximum apart", result.apart_min,
                          result.apart_max),
              result.unrelated, "");
  }
  return table.text();
}

std::string noise_table(std::span<const RepresentationResult> results) {
  statistics::MarkdownTable table = pairs_table();
  for (const RepresentationResult& result : results) {
    for (const NoiseResult& noise : result.noise) {
      add_pairs(table, result, noise.noise.name + ": same genotype", noise.same_schedule, "");
      add_pairs(table, result, noise.noise.name + ": neighbours", noise.neighbours,
                published_locality(result.representation));
    }
  }
  return table.text();
}

std::string scaling_table(std::span<const RepresentationResult> results) {
  statistics::MarkdownTable table({"representation", "message type", "share of messages", "thesis",
                                   "edit path of a redrawn gene", "no effect at all"});
  for (const RepresentationResult& result : results) {
    for (const TypeResult& type : result.types) {
      table.add({result.name, type.name, text(type.shares, 3),
                 published_share(type.name, result.representation),
                 text(type.influence.edit_path, 3),
                 share_text(type.influence.same_run, type.influence.pairs())});
    }
  }
  return table.text();
}

std::string distance_figure(std::span<const RepresentationResult> results,
                            const std::string& caption) {
  statistics::BarFigure figure;
  figure.title = "How far runs lie apart (edit path, share of the maximum)";
  figure.y_label = "normalised distance, mean and standard deviation";
  figure.caption = caption;
  figure.groups.push_back("one step");
  for (const NoiseResult& noise : results.front().noise) {
    figure.groups.push_back(noise.noise.name);
  }
  figure.groups.push_back("unrelated");
  for (const RepresentationResult& result : results) {
    statistics::BarSeries series;
    series.name = result.name;
    const auto add = [&](const PairSample& pairs) {
      series.values.push_back(statistics::mean(pairs.edit_path));
      series.deviations.push_back(statistics::standard_deviation(pairs.edit_path));
    };
    add(result.steps.front().pairs);
    for (const NoiseResult& noise : result.noise) add(noise.same_schedule);
    add(result.unrelated);
    DISSENSUS_ASSERT(series.values.size() == figure.groups.size(),
                     "distance_figure : results with the same kinds of noise");
    figure.series.push_back(std::move(series));
  }
  return statistics::bar_figure(figure);
}

}  // namespace dissensus::experiment
