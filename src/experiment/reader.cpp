// Reads experiment files. A name that is used must have been declared; every scenario is parsed and
// every search is made once, so that what runs later has no mistakes left.
#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "core/file.h"
#include "core/limits.h"
#include "core/suggestion.h"
#include "core/toml_text.h"
#include "experiment/experiment.h"
#include "hunt/parts.h"
#include "run/scenario_file.h"

namespace dissensus::experiment {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kRepetitionsMax = 100'000;

template <class Kind>
std::vector<Kind> read_outputs(const Options& options, std::string_view key, ExperimentKind kind,
                               std::size_t count) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(to_string(static_cast<Kind>(i)));
  // Which of them a kind of experiment has: the order of the enumerations.
  const auto allowed = [kind](Kind output) {
    if constexpr (std::is_same_v<Kind, TableKind>) {
      if (output == TableKind::evolution || output == TableKind::approach) {
        return kind == ExperimentKind::evolution;
      }
      return (output >= TableKind::sample) == (kind == ExperimentKind::representation) &&
             kind != ExperimentKind::evolution;
    } else {
      if (output == FigureKind::distances) return kind == ExperimentKind::representation;
      const bool evolves = output == FigureKind::trajectory || output == FigureKind::pareto;
      return kind == (evolves ? ExperimentKind::evolution : ExperimentKind::detection);
    }
  };
  std::vector<Kind> result;
  const auto list = options.find(key);
  if (!list) return result;
  for (const OptionValue& value : list->list()) {
    const Kind output = static_cast<Kind>(value.choice(names));
    if (!allowed(output)) {
      value.fail(fmt::format("an experiment of kind '{}' does not have it", to_string(kind)));
    }
    result.push_back(output);
  }
  return result;
}

std::vector<std::string> read_texts(const Options& options, std::string_view key) {
  std::vector<std::string> texts;
  if (const auto list = options.find(key)) {
    for (const OptionValue& value : list->list()) texts.push_back(value.text());
  }
  return texts;
}

std::string required_text(const Options& options, std::string_view key) {
  const OptionValue value = options.at(key);
  const std::string text = value.text();
  if (text.empty()) value.fail("expected a text that is not empty");
  return text;
}

template <class Item>
std::size_t find_name(const OptionValue& value, const std::vector<Item>& items,
                      std::string_view what) {
  const std::string name = value.text();
  std::vector<std::string> known;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].name == name) return i;
    known.push_back(items[i].name);
  }
  value.fail(fmt::format("no {} '{}' in this experiment{} (there is: {})", what, name,
                         suggestion(name, known), fmt::join(known, ", ")));
}

template <class Item>
void refuse_double_name(const Options& options, const std::vector<Item>& items,
                        const std::string& name) {
  for (const Item& item : items) {
    if (item.name == name) options.fail("name", fmt::format("'{}' is there twice", name));
  }
}

class Reader {
 public:
  Reader(const std::string& path, const Registry& registry)
      : path_(path),
        registry_(registry),
        options_(Options::from_toml(read_file(path, kScenarioBytesMax), path)) {}

  Experiment read(bool may_refer) {
    const std::array<std::string_view, 1> formats{kExperimentFormat};
    options_.at("format").choice(formats);
    const std::array<std::string_view, 3> kinds{"detection", "evolution", "representation"};
    if (const auto other = options_.find("runs_of")) {
      read_other(*other, may_refer);
      if (options_.has("kind")) options_.fail("kind", "is that of the file that runs_of names");
    } else {
      experiment_.kind = static_cast<ExperimentKind>(options_.at("kind").choice(kinds));
      read_runs();
    }
    experiment_.name = fs::path(path_).stem().string();
    experiment_.path = path_;
    experiment_.title = required_text(options_, "title");
    experiment_.source = options_.text("source", "");
    experiment_.notes = options_.text("notes", "");
    const ExperimentKind kind = experiment_.kind;
    experiment_.tables = read_outputs<TableKind>(options_, "tables", kind,
                                                 static_cast<std::size_t>(TableKind::scaling) + 1);
    experiment_.figures = read_outputs<FigureKind>(
        options_, "figures", kind, static_cast<std::size_t>(FigureKind::distances) + 1);
    if (experiment_.tables.empty() && experiment_.figures.empty()) {
      options_.fail("tables", "expected at least one table or figure");
    }
    experiment_.published = {};
    read_published(options_.table("published"));
    check_outputs();
    options_.finish();
    return std::move(experiment_);
  }

 private:
  std::string beside(const std::string& file) const {
    return (fs::path(path_).parent_path() / file).lexically_normal().string();
  }

  /// The runs are those of another file; only what is made of them differs.
  void read_other(const OptionValue& value, bool may_refer) {
    const std::string file = value.text();
    if (!may_refer) value.fail("the other file names a file itself; name that one");
    std::error_code ignored;
    if (!fs::exists(beside(file), ignored)) {
      value.fail(fmt::format("no file {}", beside(file)));
    }
    experiment_ = Reader(beside(file), registry_).read(false);
  }

  void read_runs() {
    read_seeds();
    if (experiment_.kind == ExperimentKind::representation) {
      read_rows();
      return;
    }
    experiment_.repetitions =
        static_cast<std::size_t>(options_.at("repetitions").integer(1, kRepetitionsMax));
    experiment_.repeats = static_cast<std::size_t>(options_.integer("repeats", 1, 1, 1000));
    read_budget(options_.at("budget"));
    experiment_.fingerprint_time = options_.duration("fingerprint", experiment_.fingerprint_time);
    if (experiment_.fingerprint_time <= Duration{}) {
      options_.fail("fingerprint", "expected a duration above 0s");
    }
    if (experiment_.kind == ExperimentKind::evolution) read_evolution();
    for (const Options& table : options_.tables("case")) read_case(table);
    if (experiment_.cases.empty()) options_.fail("case", "expected at least one [[case]]");
    for (const Options& table : options_.tables("search")) read_search(table);
    if (experiment_.searches.empty()) options_.fail("search", "expected at least one [[search]]");
    if (const auto baseline = options_.find("baseline")) {
      experiment_.baseline = find_name(*baseline, experiment_.searches, "search");
    }
  }

  void read_seeds() {
    constexpr std::int64_t kSeedMax = std::numeric_limits<std::int64_t>::max();
    const auto seeds = options_.find("seeds");
    if (!seeds) {
      experiment_.seeds = {static_cast<std::uint64_t>(options_.integer("seed", 1, 0, kSeedMax))};
      return;
    }
    if (options_.has("seed")) options_.fail("seed", "expected either seed or seeds");
    experiment_.seeds.clear();
    for (const OptionValue& value : seeds->list()) {
      const auto seed = static_cast<std::uint64_t>(value.integer(0, kSeedMax));
      if (std::find(experiment_.seeds.begin(), experiment_.seeds.end(), seed) !=
          experiment_.seeds.end()) {
        value.fail(fmt::format("{} is there twice", seed));
      }
      experiment_.seeds.push_back(seed);
    }
    if (experiment_.seeds.empty()) seeds->fail("expected at least one seed");
  }

  void read_budget(const OptionValue& value) {
    experiment_.budget_text = value.text();
    try {
      experiment_.budget = hunt::parse_budget(experiment_.budget_text, "budget");
    } catch (const InputError& error) {
      value.fail(after_option(error.what()));
    }
    if (experiment_.kind == ExperimentKind::evolution && experiment_.budget.runs == SIZE_MAX) {
      value.fail("an evolution has a fixed length: expected runs, such as 500runs");
    }
  }

  void read_evolution() {
    experiment_.population =
        static_cast<std::size_t>(options_.integer("population", 10, 1, 1'000'000));
    experiment_.last_generations =
        static_cast<std::size_t>(options_.integer("last_generations", 20, 1, 1'000'000));
    experiment_.milestone =
        static_cast<std::size_t>(options_.integer("milestone", 5, 1, 1'000'000));
    if (experiment_.budget.runs % experiment_.population != 0) {
      options_.fail("population", fmt::format("expected a divisor of the budget of {} runs",
                                              experiment_.budget.runs));
    }
  }

  void read_case(const Options& table) {
    ExperimentCase result;
    result.name = required_text(table, "name");
    refuse_double_name(table, experiment_.cases, result.name);
    result.scenario = beside(required_text(table, "scenario"));
    result.set = read_texts(table, "set");
    result.finding = read_texts(table, "finding");
    result.control = table.boolean("control", false);
    // Read for its mistakes, which then carry the scenario's own file and line.
    run::load_scenario(result.scenario, registry_.systems);
    make_scenario(result, {}, table, "set");
    experiment_.cases.push_back(std::move(result));
  }

  std::shared_ptr<const run::Scenario> make_scenario(const ExperimentCase& test_case,
                                                     const std::vector<std::string>& more,
                                                     const Options& table, std::string_view key) {
    std::vector<std::string> changes = test_case.set;
    changes.insert(changes.end(), more.begin(), more.end());
    try {
      TomlText text(run::read_scenario(test_case.scenario), test_case.scenario);
      for (const std::string& change : changes) text.merge(change, change);
      return std::make_shared<run::Scenario>(
          run::parse_scenario(text.text(), test_case.scenario, registry_.systems));
    } catch (const InputError& error) {
      table.fail(key, fmt::format("no scenario with these changes: {}", error.what()));
    }
  }

  void read_search(const Options& table) {
    ExperimentSearch result;
    result.name = required_text(table, "name");
    refuse_double_name(table, experiment_.searches, result.name);
    result.search = required_text(table, "search");
    result.group = table.text("group", "");
    result.published_as = table.text("published_as", "");
    result.paper_name = table.text("paper_name", "");
    result.fitness = read_texts(table, "fitness");
    result.novelty = table.text("novelty", "");
    result.set = read_texts(table, "set");
    if (experiment_.kind == ExperimentKind::evolution && result.fitness.empty()) {
      table.fail("fitness", "expected at least one fitness function: an evolution is told in them");
    }
    if (const auto list = table.find("parameters")) {
      for (const OptionValue& value : list->list()) {
        try {
          result.parameters += hunt::parameter_line(value.text());
        } catch (const InputError& error) {
          value.fail(after_option(error.what()));
        }
      }
    }
    const Options& harness = table.has("harness") ? table : options_;
    if (harness.has("harness")) {
      const Options options = harness.table("harness");
      result.harness = discotest::read_harness(options);
      if (experiment_.kind != ExperimentKind::detection) {
        harness.fail("harness", "only an experiment of kind 'detection' can have one");
      }
    }
    experiment_.searches.push_back(result);
    // By case, then search: rebuilt while searches are added.
    const std::size_t searches = experiment_.searches.size();
    for (std::size_t i = 0; i < experiment_.cases.size(); ++i) {
      auto scenario = make_scenario(experiment_.cases[i], result.set, table, "set");
      check_search(*scenario, result, table);
      const auto at =
          experiment_.scenarios.begin() + static_cast<std::ptrdiff_t>(i * searches + searches - 1);
      experiment_.scenarios.insert(at, std::move(scenario));
    }
  }

  void check_search(const run::Scenario& scenario, const ExperimentSearch& search,
                    const Options& table) {
    hunt::HuntOptions hunt;
    hunt.search = search.search;
    hunt.parameters = search.parameters;
    hunt.fitness = search.fitness;
    hunt.novelty = search.novelty;
    try {
      if (search.harness) discotest::check_scenario(scenario);
      hunt::make_parts(scenario, registry_, hunt);
    } catch (const InputError& error) {
      const std::string_view text = error.what();
      const bool about_fitness = text.starts_with("--fitness");
      const bool about_parameters = text.starts_with("--parameter");
      const bool about_novelty = text.starts_with("--novelty");
      const std::string_view key = about_fitness      ? "fitness"
                                   : about_novelty    ? "novelty"
                                   : about_parameters ? "parameters"
                                                      : "search";
      table.fail(key, after_option(text));
    }
  }

  /// What hunts complain about begins with the option of the command line.
  static std::string after_option(std::string_view text) {
    const std::size_t colon = text.find(": ");
    return std::string(colon == std::string_view::npos ? text : text.substr(colon + 2));
  }

  void read_rows() {
    for (const Options& table : options_.tables("row")) {
      RepresentationRow row;
      RepresentationOptions& options = row.options;
      options.name = required_text(table, "name");
      row.paper_name = table.text("paper_name", "");
      const std::array<std::string_view, 3> names{"delay", "priority", "priority-by-position"};
      options.representation = static_cast<Representation>(table.at("type").choice(names));
      options.genotypes = static_cast<std::size_t>(table.integer("genotypes", 10, 2, 64));
      options.neighbours = static_cast<std::size_t>(table.integer("neighbours", 10, 1, 1000));
      options.random_genotypes =
          static_cast<std::size_t>(table.integer("random_genotypes", 500, 1, 100'000));
      ExperimentCase source;
      source.scenario = beside(required_text(table, "scenario"));
      source.set = read_texts(table, "set");
      run::load_scenario(source.scenario, registry_.systems);
      row.scenario = make_scenario(source, {}, table, "set");
      experiment_.rows.push_back(std::move(row));
    }
    if (experiment_.rows.empty()) options_.fail("row", "expected at least one [[row]]");
  }

  void read_published(const Options& published) {
    Published& result = experiment_.published;
    for (const Options& table : published.tables("success")) {
      PublishedSuccess entry;
      entry.test_case = find_name(table.at("case"), experiment_.cases, "case");
      entry.search = find_name(table.at("search"), experiment_.searches, "search");
      entry.of = static_cast<std::uint64_t>(table.at("of").integer(1, kRepetitionsMax));
      entry.found = static_cast<std::uint64_t>(
          table.at("found").integer(0, static_cast<std::int64_t>(entry.of)));
      result.success.push_back(entry);
    }
    read_tests(published, "success_test", "odds_ratio", result.success_test);
    read_tests(published, "time_test", "a12", result.time_test);
    for (const Options& table : published.tables("groups")) {
      PublishedGroup entry;
      entry.group = table.at("group").text();
      if (!has_group(entry.group)) table.fail("group", "no search of this experiment is in it");
      entry.found = static_cast<std::uint64_t>(table.at("found").integer(0));
      entry.not_found = static_cast<std::uint64_t>(table.at("not_found").integer(0));
      result.groups.push_back(entry);
    }
    if (const auto runs = published.find("runs")) {
      result.runs =
          read_published_runs(beside(runs->text()), experiment_.budget_seconds(), experiment_);
      if (result.runs.empty()) runs->fail("no search of this experiment is published_as one of it");
    }
    for (const Options& table : published.tables("evolution")) {
      PublishedEvolution entry;
      entry.test_case = find_name(table.at("case"), experiment_.cases, "case");
      entry.search = find_name(table.at("search"), experiment_.searches, "search");
      entry.total = table.at("total").number(0);
      entry.last = table.at("last").number(0);
      if (const auto milestone = table.find("milestone")) entry.milestone = milestone->number(0);
      entry.mean_objective = table.at("mean_objective").number();
      result.evolution.push_back(entry);
    }
  }

  void read_tests(const Options& published, std::string_view key, std::string_view effect,
                  std::vector<PublishedTest>& tests) {
    for (const Options& table : published.tables(key)) {
      PublishedTest entry;
      entry.test_case = find_name(table.at("case"), experiment_.cases, "case");
      entry.first = find_name(table.at("first"), experiment_.searches, "search");
      entry.second = find_name(table.at("second"), experiment_.searches, "search");
      if (entry.first == entry.second) table.fail("second", "expected another search than first");
      entry.p = table.at("p").number(0, 1);
      entry.effect = table.at(effect).number(0);
      tests.push_back(entry);
    }
  }

  bool has_group(const std::string& group) const {
    return std::any_of(experiment_.searches.begin(), experiment_.searches.end(),
                       [&](const ExperimentSearch& search) { return search.group == group; });
  }

  void check_outputs() {
    const auto wants = [this](TableKind table) {
      return std::find(experiment_.tables.begin(), experiment_.tables.end(), table) !=
             experiment_.tables.end();
    };
    if (wants(TableKind::groups)) {
      std::set<std::string> groups;
      for (const ExperimentSearch& search : experiment_.searches) groups.insert(search.group);
      if (groups.size() != 2 || groups.contains("")) {
        options_.fail("tables", "groups needs searches in two groups (search.group)");
      }
    }
    if (wants(TableKind::mix)) {
      for (const ExperimentSearch& search : experiment_.searches) {
        if (!search.harness) options_.fail("tables", "mix needs searches with a harness");
      }
    }
    const auto& figures = experiment_.figures;
    if (std::find(figures.begin(), figures.end(), FigureKind::pareto) == figures.end()) return;
    for (const ExperimentSearch& search : experiment_.searches) {
      if (search.fitness.size() != 2) {
        options_.fail("figures",
                      fmt::format("pareto needs two fitness functions, search '{}' has {}",
                                  search.name, search.fitness.size()));
      }
    }
  }

  std::string path_;
  const Registry& registry_;
  Options options_;
  Experiment experiment_;
};

}  // namespace

Experiment load_experiment(const std::string& path, const Registry& registry) {
  return Reader(path, registry).read(true);
}

}  // namespace dissensus::experiment
