#include "experiment/pages.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <sys/resource.h>

#include "dissensus/digest.h"
#include "dissensus/options.h"

#include "core/document.h"
#include "core/file.h"
#include "core/limits.h"
#include "experiment/figures.h"
#include "experiment/report.h"
#include "experiment/store.h"
#include "experiment/tables.h"

namespace dissensus::experiment {

namespace {

constexpr std::string_view kBegin = "<!-- table ";
constexpr std::string_view kMarkEnd = " -->\n";
constexpr std::string_view kBuild = "*Build `";
constexpr std::string_view kStamp = "<!-- build: ";
constexpr std::size_t kFingerprintDigits = 8;

int line_of(const std::string& page, std::size_t position) {
  return 1 + static_cast<int>(std::count(
                 page.begin(), page.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
}

template <class Kind>
std::optional<Kind> kind_named(std::string_view word, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (to_string(static_cast<Kind>(i)) == word) return static_cast<Kind>(i);
  }
  return std::nullopt;
}

std::optional<FigureKind> figure_named(std::string_view word) {
  return kind_named<FigureKind>(word, static_cast<std::size_t>(FigureKind::distances) + 1);
}

/// One word of a mark, after the file.
bool read_word(const std::string& word, PageSection& section) {
  constexpr std::string_view kFigure = "figure:";
  constexpr std::string_view kRepetitions = "repetitions=";
  if (word.starts_with(kFigure)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) return false;
    const auto kind =
        figure_named(std::string_view(word).substr(kFigure.size(), equals - kFigure.size()));
    if (!kind) return false;
    section.figures.emplace_back(*kind, word.substr(equals + 1));
    return true;
  }
  if (word.starts_with(kRepetitions)) {
    std::size_t count = 0;
    const char* const first = word.data() + kRepetitions.size();
    const auto [stop, error] = std::from_chars(first, word.data() + word.size(), count);
    if (error != std::errc{} || stop != word.data() + word.size() || count == 0) return false;
    section.repetitions = count;
    return true;
  }
  const auto kind = kind_named<TableKind>(word, static_cast<std::size_t>(TableKind::scaling) + 1);
  if (kind) section.tables.push_back(*kind);
  return kind.has_value();
}

PageSection read_mark(const std::string& mark, const std::string& path, int line) {
  const auto fail = [&](const std::string& what) { internal::fail_at(path, line, "table", what); };
  PageSection section;
  std::istringstream words(mark);
  words >> section.name >> section.file;
  if (section.name.size() < 2 || section.name.back() != ':' || section.file.empty()) {
    fail(fmt::format("expected 'NAME: FILE TABLE...', found '{}'", mark));
  }
  section.name.pop_back();
  for (std::string word; words >> word;) {
    if (!read_word(word, section)) {
      fail(fmt::format("expected a table, figure:KIND=IMAGE or repetitions=N, found '{}'", word));
    }
  }
  if (section.tables.empty() && section.figures.empty()) fail("expected at least one table");
  return section;
}

/// For a fingerprint: a small part of everything.
void make_small(Experiment& experiment) {
  experiment.repetitions = std::min<std::size_t>(experiment.repetitions, 2);
  experiment.seeds.resize(1);
  if (experiment.kind == ExperimentKind::evolution) {
    experiment.population = std::min<std::size_t>(experiment.population, 10);
    experiment.budget.runs = 2 * experiment.population;
    experiment.last_generations = 1;
  } else {
    experiment.budget.virtual_time =
        std::min(experiment.budget.virtual_time, experiment.fingerprint_time);
  }
  experiment.budget_text = "small";
  for (RepresentationRow& row : experiment.rows) {
    row.options.genotypes = 2;
    row.options.neighbours = 2;
    row.options.random_genotypes = 4;
  }
}

std::string short_text(const Digest& digest) {
  return fmt::format("{:016x}", digest.high).substr(0, kFingerprintDigits);
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec) / 1e6;
}

}  // namespace

std::vector<PageSection> find_sections(const std::string& page, const std::string& path) {
  std::vector<PageSection> sections;
  std::size_t from = 0;
  while ((from = page.find(kBegin, from)) != std::string::npos) {
    const int line = line_of(page, from);
    const std::size_t mark_end = page.find(kMarkEnd, from);
    if (mark_end == std::string::npos) internal::fail_at(path, line, "table", "no end of the mark");
    PageSection section =
        read_mark(page.substr(from + kBegin.size(), mark_end - from - kBegin.size()), path, line);
    section.begin = mark_end + kMarkEnd.size();
    section.end = page.find(fmt::format("<!-- end {} -->", section.name), section.begin);
    if (section.end == std::string::npos) {
      internal::fail_at(path, line, "table",
                        fmt::format("expected a line '<!-- end {} -->' after it", section.name));
    }
    const std::size_t build = page.find(kBuild, section.begin);
    if (build != std::string::npos && build < section.end) {
      section.fingerprint = page.substr(build + kBuild.size(), kFingerprintDigits);
    }
    from = section.end;
    sections.push_back(std::move(section));
  }
  return sections;
}

std::vector<RepresentationResult> PageRenewal::represent(const Experiment& experiment) {
  std::vector<RepresentationResult> rows;
  for (const RepresentationRow& row : experiment.rows) {
    rows.push_back(study_representation(*row.scenario, row.options, experiment.seeds, jobs_, {}));
  }
  return rows;
}

std::string PageRenewal::fingerprint(const std::string& file) {
  const auto known = fingerprints_.find(file);
  if (known != fingerprints_.end()) return known->second;
  Experiment experiment = load_experiment(file, registry_);
  make_small(experiment);
  CellResults results;
  std::vector<RepresentationResult> rows;
  if (experiment.kind == ExperimentKind::representation) {
    rows = represent(experiment);
  } else {
    StudyRunner runner;
    runner.jobs = jobs_;
    run_cells(experiment, registry_, runner, results);
  }
  const ArrangedResults arranged = arrange(experiment, results);
  DigestBuilder digest;
  digest.add(tables_markdown(arranged, rows));
  if (rows.empty()) digest.add(results_csv(arranged));
  std::string text = short_text(digest.finish());
  fingerprints_.emplace(file, text);
  return text;
}

std::string PageRenewal::section_fingerprint(const std::string& file) {
  const Experiment experiment = load_experiment(file, registry_);
  if (experiment.seeds.size() == 1) return fingerprint(file);
  return short_text(DigestBuilder().add(fingerprint(file)).add(run_words(experiment)).finish());
}

void PageRenewal::stamp(const std::string& path, const std::string& file) {
  std::string page = read_file(path, kScenarioBytesMax);
  const std::size_t old = page.find(kStamp);
  if (old != std::string::npos) page.erase(old);
  page += fmt::format("{}{} {} -->\n", kStamp, file, fingerprint(file));
  write_file(path, page);
}

std::vector<std::string> PageRenewal::poor_sections(const std::string& path) {
  std::vector<std::string> poor;
  for (const PageSection& section : find_sections(read_file(path, kScenarioBytesMax), path)) {
    if (load_experiment(section.file, registry_).seeds.size() < kSeedsOfAPage) {
      poor.push_back(section.name);
    }
  }
  return poor;
}

std::vector<std::string> PageRenewal::stale_sections(const std::string& path) {
  std::vector<std::string> stale;
  const std::string page = read_file(path, kScenarioBytesMax);
  for (const PageSection& section : find_sections(page, path)) {
    if (section.fingerprint != section_fingerprint(section.file)) stale.push_back(section.name);
  }
  if (const std::size_t at = page.find(kStamp); at != std::string::npos) {
    std::istringstream words(page.substr(at + kStamp.size()));
    std::string file;
    std::string made_by;
    words >> file >> made_by;
    if (made_by != fingerprint(file)) stale.emplace_back("build");
  }
  return stale;
}

bool PageRenewal::run_hunts(const Experiment& experiment, const std::string& store_path) {
  ExperimentStore store(store_path);
  for (auto& [key, result] : store.load()) results_.emplace(key, result);
  StudyRunner runner;
  runner.jobs = jobs_;
  runner.on_result = [&](const Cell& cell, const CellResult& result) {
    store.add(experiment, cell, result);
  };
  bool is_all_new = true;
  runner.on_progress = [&](const StudyProgress& progress) {
    is_all_new = is_all_new && progress.known == 0;
  };
  run_cells(experiment, registry_, runner, results_);
  return is_all_new;
}

std::string PageRenewal::content_of(const PageSection& section, const std::string& images,
                                    const std::string& kept) {
  Experiment experiment = load_experiment(section.file, registry_);
  if (section.repetitions) experiment.repetitions = *section.repetitions;
  const double start = cpu_seconds();
  bool is_measured = true;
  std::vector<RepresentationResult> rows;
  if (experiment.kind == ExperimentKind::representation) {
    auto& known = representation_[section.file];
    if (known.empty()) known = represent(experiment);
    rows = known;
  } else {
    std::filesystem::create_directories(kept);
    is_measured =
        run_hunts(experiment, fmt::format("{}/{}.sqlite", kept, section_fingerprint(section.file)));
  }
  const double spent = cpu_seconds() - start;
  const ArrangedResults arranged = arrange(experiment, results_);
  if (!arranged.errors.empty()) {
    throw InputError(fmt::format("{}: {} cells failed: {}", section.file, arranged.errors.size(),
                                 arranged.errors.front().second));
  }
  std::string command = "dissensus study " + section.file;
  if (section.repetitions) command += fmt::format(" --repetitions {}", *section.repetitions);
  std::string text =
      fmt::format("\n{}{}`, `{}`", kBuild, section_fingerprint(section.file), command);
  if (is_measured && spent >= 0.5) text += fmt::format(", {:.0f} s of CPU time", spent);
  text += ".*\n";
  for (const TableKind kind : section.tables) {
    const StudyTable table = make_table(kind, arranged, rows);
    text += "\n" + table.text;
    if (!table.note.empty()) text += "\n" + table.note + "\n";
  }
  for (const auto& [kind, image] : section.figures) {
    const StudyFigure figure = make_figure(kind, arranged, rows);
    write_file(fmt::format("{}/{}.svg", images, image), figure.svg);
    text += fmt::format("\n![{}](../images/{}.svg)\n", figure.title, image);
  }
  return text + "\n";
}

std::vector<std::string> PageRenewal::renew(const std::string& path, const std::string& images,
                                            const std::string& kept, bool all) {
  std::string page = read_file(path, kScenarioBytesMax);
  std::vector<std::string> renewed;
  std::vector<PageSection> sections = find_sections(page, path);
  // From the last one on, so that places stay what they are.
  std::reverse(sections.begin(), sections.end());
  for (const PageSection& section : sections) {
    if (!all && section.fingerprint == section_fingerprint(section.file)) continue;
    page.replace(section.begin, section.end - section.begin, content_of(section, images, kept));
    renewed.push_back(section.name);
  }
  if (!renewed.empty()) write_file(path, page);
  std::reverse(renewed.begin(), renewed.end());
  return renewed;
}

}  // namespace dissensus::experiment
