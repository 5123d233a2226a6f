#include "experiment/report.h"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>

#include "core/file.h"
#include "experiment/figures.h"
#include "report/page.h"
#include "statistics/samples.h"

extern char** environ;  // NOLINT: the standard way to pass it on

namespace dissensus::experiment {

namespace {

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') quoted += '"';
  }
  return quoted + "\"";
}

/// A Markdown table as HTML. Cells hold no bars and no markup.
std::string table_html(const std::string& markdown) {
  report::Table table;
  std::size_t at = 0;
  for (std::size_t line = 0; at < markdown.size(); ++line) {
    const std::size_t end = std::min(markdown.find('\n', at), markdown.size());
    const std::string text = markdown.substr(at, end - at);
    at = end + 1;
    if (line == 1 || text.size() < 4) continue;  // the rule under the header
    std::vector<std::string> cells;
    const std::string inner = text.substr(2, text.size() - 4);
    for (std::size_t from = 0;;) {
      const std::size_t bar = inner.find(" | ", from);
      cells.push_back(report::escape(inner.substr(from, bar - from)));
      if (bar == std::string::npos) break;
      from = bar + 3;
    }
    if (line == 0) {
      table.header = std::move(cells);
    } else {
      table.rows.push_back(std::move(cells));
    }
  }
  return report::to_html(table);
}

std::string status_words(const ArrangedResults& results) {
  std::string words;
  for (const auto& [cell, error] : results.errors) {
    words += fmt::format(
        "- {}, {}, repetition {}, seed {}: {}\n", results.experiment.cases[cell.test_case].name,
        results.experiment.searches[cell.search].name, cell.repetition + 1, cell.seed, error);
  }
  if (!words.empty()) words = "Configurations that failed, and are in no table:\n\n" + words + "\n";
  if (results.missing > 0) {
    words += fmt::format("{} hunts were not run; the tables are incomplete.\n\n", results.missing);
  }
  return words;
}

// Only comfort: the page is complete without it.
constexpr std::string_view kFilterScript = R"(<style>td { white-space: nowrap; }</style>
<script>
for (const box of document.querySelectorAll('#filter input')) {
  box.addEventListener('change', () => {
    for (const mark of document.querySelectorAll('[data-series]')) {
      if (mark.dataset.series === box.value) mark.style.display = box.checked ? '' : 'none';
    }
    const hidden = new Set([...document.querySelectorAll('#filter input')]
      .filter(other => !other.checked).map(other => other.value));
    for (const row of document.querySelectorAll('tbody tr')) {
      row.hidden = [...row.cells].some(cell => hidden.has(cell.textContent));
    }
  });
}
</script>
)";

std::string filter_html(const Experiment& experiment) {
  if (experiment.searches.size() < 2) return {};
  std::string html = "<p id=\"filter\">Show: ";
  for (const ExperimentSearch& search : experiment.searches) {
    html += fmt::format("<label><input type=\"checkbox\" value=\"{0}\" checked> {0}</label> ",
                        report::escape(search.name));
  }
  return html + "</p>\n";
}

/// The SVG within HTML: without the line that only a file has.
std::string inline_svg(const std::string& svg) {
  const std::size_t start = svg.find("<svg");
  return start == std::string::npos ? svg : svg.substr(start);
}

std::string report_html(const ArrangedResults& results, const std::vector<StudyTable>& tables,
                        const std::vector<StudyFigure>& figures) {
  const Experiment& experiment = results.experiment;
  std::string body = fmt::format("<h1>{}</h1>\n", report::escape(experiment.title));
  if (!experiment.source.empty()) {
    body += fmt::format("<p class=\"over\">{}</p>\n", report::escape(experiment.source));
  }
  body += fmt::format("<p>{}</p>\n", report::escape(run_words(experiment)));
  if (!experiment.notes.empty()) {
    body += fmt::format("<p>{}</p>\n", report::escape(experiment.notes));
  }
  const std::string status = status_words(results);
  if (!status.empty())
    body += fmt::format("<pre class=\"fail\">{}</pre>\n", report::escape(status));
  body += filter_html(experiment);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    body +=
        report::section(fmt::format("table-{}", i + 1), tables[i].title,
                        table_html(tables[i].text) + fmt::format("<p class=\"quiet\">{}</p>\n",
                                                                 report::escape(tables[i].note)));
  }
  for (const StudyFigure& figure : figures) {
    body += report::section("figure-" + figure.name, figure.title,
                            report::figure(inline_svg(figure.svg), ""));
  }
  body +=
      report::section("again", "Repeat it",
                      report::command(fmt::format("dissensus study {} --seed {}", experiment.path,
                                                  fmt::join(experiment.seeds, ","))));
  body += kFilterScript;
  return report::page(experiment.title, body);
}

/// True when rsvg-convert has written the file.
bool write_png(const std::string& svg, const std::string& png) {
  std::vector<std::string> words{"rsvg-convert", "--zoom", "1.5", "--output", png, svg};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawnp(&child, "rsvg-convert", nullptr, nullptr, arguments.data(), environ) != 0) {
    return false;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string representation_csv(const std::vector<RepresentationResult>& representation) {
  std::string csv = "representation,seed,quantity,n,mean,standard_deviation\n";
  const auto add = [&csv](const RepresentationResult& row, const std::string& quantity,
                          const std::vector<double>& sample) {
    csv += fmt::format("{},{},{},{},{},{}\n", csv_text(row.name), fmt::join(row.seeds, " "),
                       csv_text(quantity), sample.size(), statistics::mean(sample),
                       statistics::standard_deviation(sample));
  };
  for (const RepresentationResult& row : representation) {
    add(row, "vertices", row.vertices);
    add(row, "edges", row.edges);
    for (const StepResult& step : row.steps) {
      add(row, fmt::format("hausdorff, step {}", step.step), step.pairs.hausdorff);
      add(row, fmt::format("edit path, step {}", step.step), step.pairs.edit_path);
    }
    for (const TypeResult& type : row.types) add(row, "share of " + type.name, type.shares);
    for (const NoiseResult& noise : row.noise) {
      add(row, "edit path, same schedule, " + noise.noise.name, noise.same_schedule.edit_path);
      add(row, "edit path, neighbours, " + noise.noise.name, noise.neighbours.edit_path);
    }
  }
  return csv;
}

/// A column per objective, since a program that reads tables knows no lists; genes are one text.
std::string evaluations_csv(const ArrangedResults& results) {
  const Experiment& experiment = results.experiment;
  std::size_t objectives = 0;
  for (const ExperimentSearch& search : experiment.searches) {
    objectives = std::max(objectives, search.fitness.size());
  }
  std::string csv = "case,search,repetition,seed,evaluation,generation,found";
  for (std::size_t k = 0; k < objectives; ++k) csv += fmt::format(",objective_{}", k + 1);
  csv += ",genes\n";
  for (const Cell& cell : cells_of(experiment)) {
    const auto found = results.by_key.find(cell.key);
    if (found == results.by_key.end()) continue;
    const std::vector<EvaluationPoint>& points = found->second->points;
    for (std::size_t n = 0; n < points.size(); ++n) {
      csv += fmt::format("{},{},{},{},{},{},{}", csv_text(experiment.cases[cell.test_case].name),
                         csv_text(experiment.searches[cell.search].name), cell.repetition + 1,
                         cell.seed, n + 1, n / experiment.population + 1, points[n].failed ? 1 : 0);
      for (std::size_t k = 0; k < objectives; ++k) {
        csv += ',';
        if (k < points[n].objectives.size()) csv += fmt::format("{}", points[n].objectives[k]);
      }
      csv += fmt::format(",{}\n", fmt::join(points[n].genes, " "));
    }
  }
  return csv;
}

}  // namespace

std::string results_csv(const ArrangedResults& results) {
  const Experiment& experiment = results.experiment;
  std::string csv =
      "case,search,repetition,seed,found,evaluations,virtual_seconds,signature,failed,unknown,"
      "error\n";
  auto error = results.errors.begin();
  for (const Cell& cell : cells_of(experiment)) {
    const std::string start = fmt::format(
        "{},{},{},{}", csv_text(experiment.cases[cell.test_case].name),
        csv_text(experiment.searches[cell.search].name), cell.repetition + 1, cell.seed);
    if (error != results.errors.end() && error->first.key == cell.key) {
      csv += fmt::format("{},,,,,,,{}\n", start, csv_text(error->second));
      ++error;
      continue;
    }
    const auto found = results.by_key.find(cell.key);
    if (found == results.by_key.end()) continue;
    const CellResult& result = *found->second;
    csv += fmt::format("{},{},{},{},{},{},{},\n", start, result.found ? 1 : 0, result.evaluations,
                       result.virtual_seconds, csv_text(result.signature), result.failed,
                       result.unknown);
  }
  return csv;
}

std::string tables_markdown(const ArrangedResults& results,
                            const std::vector<RepresentationResult>& representation) {
  const Experiment& experiment = results.experiment;
  std::string text = fmt::format("# {}\n\n", experiment.title);
  if (!experiment.source.empty()) text += experiment.source + "\n\n";
  text += run_words(experiment) + "\n\n";
  if (!experiment.notes.empty()) text += experiment.notes + "\n\n";
  text += status_words(results);
  for (const TableKind kind : experiment.tables) {
    const StudyTable table = make_table(kind, results, representation);
    text += fmt::format("## {}\n\n{}\n", table.title, table.text);
    if (!table.note.empty()) text += table.note + "\n\n";
  }
  return text;
}

WrittenStudy write_study(const std::string& folder, const ArrangedResults& results,
                         const std::vector<RepresentationResult>& representation) {
  const Experiment& experiment = results.experiment;
  WrittenStudy written;
  const auto write = [&](const std::string& name, const std::string& content) {
    write_file(folder + "/" + name, content);
    written.files.push_back(name);
  };
  const bool is_representation = experiment.kind == ExperimentKind::representation;
  write("results.csv",
        is_representation ? representation_csv(representation) : results_csv(results));
  if (experiment.kind == ExperimentKind::evolution) {
    write("evaluations.csv", evaluations_csv(results));
  }
  write("tables.md", tables_markdown(results, representation));
  std::vector<StudyTable> tables;
  for (const TableKind kind : experiment.tables) {
    tables.push_back(make_table(kind, results, representation));
  }
  std::vector<StudyFigure> figures;
  for (const FigureKind kind : experiment.figures) {
    figures.push_back(make_figure(kind, results, representation));
    const StudyFigure& figure = figures.back();
    write(figure.name + ".svg", figure.svg);
    const std::string base = folder + "/" + figure.name;
    const bool has_png = write_png(base + ".svg", base + ".png");
    if (has_png) written.files.push_back(figure.name + ".png");
    written.png = written.png && has_png;
  }
  write("report.html", report_html(results, tables, figures));
  return written;
}

}  // namespace dissensus::experiment
