#include "fidelity/tables.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/page.h"
#include "statistics/markdown.h"

namespace dissensus::fidelity {
namespace {

using Row = std::vector<std::string>;

/// Two or three significant digits, and all of the whole part.
std::string number_text(double value) {
  if (!std::isfinite(value)) return "-";
  const double size = std::abs(value);
  if (size < 0.0995) return fmt::format("{:.2g}", value);
  return fmt::format("{:.{}f}", value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

std::string estimate_text(const Estimate& estimate) {
  std::string text = number_text(estimate.value);
  if (estimate.interval) {
    text += fmt::format(" ({} to {})", number_text(estimate.interval->low),
                        number_text(estimate.interval->high));
  }
  return text;
}

std::string per_cent(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f} %", 100 * share) : "-";
}

std::string share_text(std::uint64_t hits, std::uint64_t trials) {
  if (trials == 0) return "-";
  const Interval interval = wilson_interval(hits, trials);
  return fmt::format("{:.0f} % ({:.0f} to {:.0f} %)",
                     100 * static_cast<double>(hits) / static_cast<double>(trials),
                     100 * interval.low, 100 * interval.high);
}

std::string of_text(const OutcomeCounts& counts) {
  std::string text = fmt::format("{} of {}", counts.fail, counts.judged());
  if (counts.unknown > 0) text += fmt::format(" (+{} unknown)", counts.unknown);
  return text;
}

std::string runs_text(std::size_t count, std::string_view name) {
  return fmt::format("{} {} {}", count, name, count == 1 ? "run" : "runs");
}

std::string mark(const FidelityComparison& comparison, const FidelityTest& test) {
  return statistics::p_value_text(test.adjusted) + (comparison.is_difference(test) ? " *" : "");
}

FidelityTable outcome_table(const FidelityComparison& comparison) {
  FidelityTable table;
  table.id = "outcomes";
  table.title = "Outcomes";
  table.intro = "How many runs of each side kept all properties of the scenario.";
  table.header = {"side", "runs", "pass", "fail", "unknown", "failing, of pass and fail"};
  for (std::size_t side = 0; side < 2; ++side) {
    const OutcomeCounts& counts = comparison.outcomes[side];
    table.rows.push_back({comparison.names[side], std::to_string(counts.runs()),
                          std::to_string(counts.pass), std::to_string(counts.fail),
                          std::to_string(counts.unknown),
                          share_text(counts.fail, counts.judged())});
  }
  if (std::isnan(comparison.outcome_test.p)) {
    table.note = "All judged runs ended alike, or a side has none: there is nothing to test.";
  } else {
    table.note = fmt::format(
        "Fisher's exact test over all runs: p {}, corrected {}. Under the same schedule (runs "
        "dealt to the sides at random): p {}, corrected {}.",
        statistics::p_value_text(comparison.outcome_test.p),
        mark(comparison, comparison.outcome_test),
        statistics::p_value_text(comparison.schedule_test.p),
        mark(comparison, comparison.schedule_test));
  }
  return table;
}

FidelityTable schedule_table(const FidelityComparison& comparison) {
  FidelityTable table;
  table.id = "schedules";
  table.title = "Schedule by schedule";
  table.intro = fmt::format(
      "Failing runs of each schedule, and the longest time that some node waited for a {} (median "
      "over runs).",
      comparison.level_name);
  const auto& names = comparison.names;
  table.header = {"schedule",  names[0] + " failing",  names[1] + " failing",
                  "agreement", names[0] + " wait / s", names[1] + " wait / s"};
  for (const ScheduleComparison& row : comparison.schedules) {
    table.rows.push_back({row.name, of_text(row.outcomes[0]), of_text(row.outcomes[1]),
                          std::string(to_string(row.agreement)), number_text(row.median_gap_s[0]),
                          number_text(row.median_gap_s[1])});
  }
  return table;
}

FidelityTable violation_table(const FidelityComparison& comparison) {
  FidelityTable table;
  table.id = "violations";
  table.title = "What failed";
  table.intro = "Runs with a violation, by property, rule and decision level.";
  table.header = {"violation", comparison.names[0] + " runs", comparison.names[1] + " runs"};
  for (const ViolationComparison& row : comparison.violations) {
    Row cells{row.signature};
    for (std::size_t side = 0; side < 2; ++side) {
      cells.push_back(fmt::format("{} of {}", row.runs[side], comparison.runs[side]));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string ratio_header(const FidelityComparison& comparison) {
  return fmt::format("{}/{}", comparison.names[0], comparison.names[1]);
}

FidelityTable message_table(const FidelityComparison& comparison) {
  FidelityTable table;
  table.id = "messages";
  table.title = fmt::format("Messages per {}", comparison.level_name);
  table.intro = fmt::format(
      "Messages of all nodes in the time in which a node decides one {}, so that longer runs do "
      "not count more. In brackets 95 % intervals.",
      comparison.level_name);
  table.header = {"kind", comparison.names[0], comparison.names[1], ratio_header(comparison),
                  "p",    "corrected p"};
  const auto add = [&](const MessageComparison& row) {
    table.rows.push_back({row.kind, estimate_text(row.per_decision[0]),
                          estimate_text(row.per_decision[1]), estimate_text(row.ratio),
                          statistics::p_value_text(row.test.p), mark(comparison, row.test)});
  };
  for (const MessageComparison& row : comparison.messages) add(row);
  add(comparison.all_messages);
  return table;
}

FidelityTable mix_table(const FidelityComparison& comparison) {
  FidelityTable table;
  table.id = "mix";
  table.title = "Message mix";
  table.intro = "Mean number of messages per run, and the share of each kind in all messages.";
  table.is_detail = true;
  const auto& names = comparison.names;
  table.header = {"kind", names[0] + " per run", names[0] + " share", names[1] + " per run",
                  names[1] + " share"};
  const auto add = [&](const MessageComparison& row) {
    table.rows.push_back({row.kind, estimate_text(row.per_run[0]), per_cent(row.share[0]),
                          estimate_text(row.per_run[1]), per_cent(row.share[1])});
  };
  for (const MessageComparison& row : comparison.messages) add(row);
  add(comparison.all_messages);
  return table;
}

std::string with_unit(const SampleComparison& row) {
  return row.unit.empty() ? row.name : fmt::format("{} / {}", row.name, row.unit);
}

FidelityTable sample_table(const FidelityComparison& comparison) {
  FidelityTable table;
  table.id = "times";
  table.title = "Times, proposals, stalls";
  table.intro =
      "Means with 95 % intervals. The distance is the largest difference of the two distribution "
      "curves: 0 for equal ones, 1 where they do not overlap.";
  table.header = {"quantity",    comparison.names[0], comparison.names[1], ratio_header(comparison),
                  "corrected p", "distance",          "corrected p"};
  for (const SampleComparison& row : comparison.samples) {
    table.rows.push_back({with_unit(row), estimate_text(row.mean[0]), estimate_text(row.mean[1]),
                          estimate_text(row.ratio), mark(comparison, row.test),
                          number_text(row.distance), mark(comparison, row.distance_test)});
  }
  table.note =
      "The first p-value is of the means, the second of the distance. Quantities with one value "
      "per run have the first only.";
  return table;
}

FidelityTable quantile_table(const FidelityComparison& comparison) {
  FidelityTable table;
  table.id = "quantiles";
  table.title = "Distributions";
  table.intro = "The same quantities by quantiles.";
  table.is_detail = true;
  table.header = {"quantity", "side", "values", "least", "10 %", "median", "90 %", "largest"};
  for (const SampleComparison& row : comparison.samples) {
    for (std::size_t side = 0; side < 2; ++side) {
      const std::vector<double>& values = row.values[side];
      Row cells{with_unit(row), comparison.names[side], std::to_string(values.size())};
      for (const double share : {0.0, 0.1, 0.5, 0.9, 1.0}) {
        cells.push_back(number_text(statistics::quantile(values, share)));
      }
      table.rows.push_back(std::move(cells));
    }
  }
  return table;
}

std::string outcome_sentence(const FidelityComparison& comparison) {
  std::string text;
  for (std::size_t side = 0; side < 2; ++side) {
    const OutcomeCounts& counts = comparison.outcomes[side];
    text += fmt::format("{}{} of {} {} runs failed", side == 0 ? "" : ", ", counts.fail,
                        counts.judged(), comparison.names[side]);
    if (counts.unknown > 0) text += fmt::format(" ({} more could not be judged)", counts.unknown);
  }
  const auto having = [&](Agreement agreement) {
    return std::count_if(
        comparison.schedules.begin(), comparison.schedules.end(),
        [agreement](const ScheduleComparison& row) { return row.agreement == agreement; });
  };
  const auto alike = having(Agreement::both_never) + having(Agreement::both_always);
  text += fmt::format(". Under {} of {} schedules the sides agree (all fail or none does)", alike,
                      comparison.schedules.size());
  if (const auto mixed = having(Agreement::sometimes); mixed > 0) {
    text += fmt::format(", under {} some runs fail and some do not", mixed);
  }
  if (const auto opposite = having(Agreement::opposite); opposite > 0) {
    text += fmt::format(", under {} one side always fails and the other never", opposite);
  }
  return text + ".";
}

std::string ratio_words(const FidelityComparison& comparison, const Estimate& ratio) {
  std::string text = fmt::format("{} {}", ratio_header(comparison), number_text(ratio.value));
  if (ratio.interval) {
    text += fmt::format(", {} to {}", number_text(ratio.interval->low),
                        number_text(ratio.interval->high));
  }
  return text;
}

/// Everything that differs beyond chance, in words.
std::vector<std::string> differences(const FidelityComparison& comparison) {
  std::vector<std::string> words;
  const auto add_messages = [&](const MessageComparison& row, const std::string& name) {
    if (!comparison.is_difference(row.test)) return;
    words.push_back(fmt::format("{} per {} ({})", name, comparison.level_name,
                                ratio_words(comparison, row.ratio)));
  };
  for (const MessageComparison& row : comparison.messages) add_messages(row, row.kind);
  add_messages(comparison.all_messages, "all messages");
  for (const SampleComparison& row : comparison.samples) {
    if (!comparison.is_difference(row.test) && !comparison.is_difference(row.distance_test)) {
      continue;
    }
    words.push_back(fmt::format("{} ({}; distance {})", row.name,
                                ratio_words(comparison, row.ratio), number_text(row.distance)));
  }
  if (comparison.is_difference(comparison.outcome_test)) words.emplace_back("how often runs fail");
  if (comparison.is_difference(comparison.schedule_test)) {
    words.emplace_back("which schedules fail");
  }
  return words;
}

std::string difference_sentence(const FidelityComparison& comparison) {
  const std::vector<std::string> words = differences(comparison);
  const std::string level = fmt::format("corrected p at most {:g}", comparison.test_level);
  if (words.empty()) {
    return fmt::format("Nothing differs beyond chance ({}, {} tests).", level, comparison.tests);
  }
  return fmt::format("Beyond chance ({}, {} tests) the sides differ in: {}.", level,
                     comparison.tests, fmt::join(words, "; "));
}

}  // namespace

std::vector<FidelityTable> fidelity_tables(const FidelityComparison& comparison) {
  std::vector<FidelityTable> tables{outcome_table(comparison), schedule_table(comparison)};
  if (!comparison.violations.empty()) tables.push_back(violation_table(comparison));
  tables.push_back(message_table(comparison));
  tables.push_back(mix_table(comparison));
  tables.push_back(sample_table(comparison));
  tables.push_back(quantile_table(comparison));
  return tables;
}

std::vector<std::string> fidelity_findings(const FidelityComparison& comparison) {
  constexpr std::size_t kFewRuns = 10;
  std::vector<std::string> findings{outcome_sentence(comparison), difference_sentence(comparison)};
  const double smallest = comparison.smallest_p * static_cast<double>(comparison.tests);
  if (smallest > comparison.test_level) {
    findings.push_back(fmt::format(
        "So few runs cannot show a difference: the smallest p-value they allow is {}, and {} "
        "after the correction for {} tests. More repetitions or schedules are needed.",
        statistics::p_value_text(comparison.smallest_p),
        statistics::p_value_text(std::min(1.0, smallest)), comparison.tests));
  } else if (std::min(comparison.runs[0], comparison.runs[1]) < kFewRuns) {
    findings.push_back(fmt::format(
        "With {} only large differences can show. Where none is found, the interval of the ratio "
        "tells how large one may still be; intervals from so few runs tend to be too narrow.",
        comparison.runs[0] <= comparison.runs[1]
            ? runs_text(comparison.runs[0], comparison.names[0])
            : runs_text(comparison.runs[1], comparison.names[1])));
  }
  for (std::size_t side = 0; side < 2; ++side) {
    if (comparison.runs_cut[side] == 0) continue;
    findings.push_back(
        fmt::format("The records of {} were cut at limits.trace_bytes: their counts are too small.",
                    runs_text(comparison.runs_cut[side], comparison.names[side])));
  }
  if (comparison.runs_left_out > 0) {
    findings.push_back(fmt::format(
        "{} of schedules that only one side ran {} left out.",
        comparison.runs_left_out == 1 ? "1 run" : fmt::format("{} runs", comparison.runs_left_out),
        comparison.runs_left_out == 1 ? "is" : "are"));
  }
  return findings;
}

std::string fidelity_method(const FidelityComparison& comparison) {
  return fmt::format(
      "A p-value answers: if both sides behaved alike, how often would chance alone make them "
      "differ as much as they did? To find out, the runs of each schedule are dealt to the two "
      "sides at random again and again; runs stay whole, since what happens within one run hangs "
      "together. The mean of each run is compared by its rank among the runs of the same schedule, "
      "what has many values per run also by the distance of the distributions, and failing by "
      "Fisher's exact test. Of {} p-values some come out small by chance: the corrected column "
      "(Holm) allows "
      "for that, and a star marks what is at most {:g} there. Intervals come from drawing runs "
      "again (bootstrap, three runs and more). A small p-value says that there is a difference, "
      "the ratio says whether it matters.",
      comparison.tests, comparison.test_level);
}

std::string to_text(const FidelityTable& table) {
  std::vector<std::size_t> widths(table.header.size());
  const auto widen = [&widths](const Row& row) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  };
  widen(table.header);
  for (const Row& row : table.rows) widen(row);
  const auto line = [&widths](const Row& row) {
    std::string text;
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += i + 1 == row.size() ? row[i] : fmt::format("{:<{}}  ", row[i], widths[i]);
    }
    return "  " + text + "\n";
  };
  std::string text = table.title + "\n" + line(table.header);
  for (const Row& row : table.rows) text += line(row);
  if (!table.note.empty()) text += "  " + table.note + "\n";
  return text;
}

std::string to_markdown(const FidelityTable& table) {
  statistics::MarkdownTable markdown(table.header);
  for (const Row& row : table.rows) markdown.add(row);
  std::string text = fmt::format("## {}\n\n{}\n\n{}\n", table.title, table.intro, markdown.text());
  if (!table.note.empty()) text += table.note + "\n\n";
  return text;
}

std::string to_html(const FidelityTable& table) {
  report::Table html;
  html.header = table.header;
  for (const Row& row : table.rows) {
    Row cells;
    for (const std::string& cell : row) cells.push_back(report::escape(cell));
    html.rows.push_back(std::move(cells));
  }
  return report::to_html(html);
}

}  // namespace dissensus::fidelity
