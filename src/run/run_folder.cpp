#include "run/run_folder.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "core/limits.h"
#include "run/named_files.h"
#include "run/recording.h"
#include "run/scenario_file.h"
#include "trace/exporters.h"
#include "trace/trace_file.h"

namespace dissensus::run {

namespace fs = std::filesystem;

// Some 10 MB of text; more is neither drawn nor read by anybody.
constexpr std::size_t kGraphDeliveriesMax = 50'000;

std::string create_run_folder(const std::string& parent, const std::string& name) {
  make_folders(parent);
  std::error_code error;
  const auto now =
      std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  const std::string stem = fmt::format("{}/{:%Y-%m-%dT%H-%M-%S}-{}", parent, now, name);
  for (int attempt = 1; attempt < 10'000; ++attempt) {
    const std::string folder = attempt == 1 ? stem : fmt::format("{}-{}", stem, attempt);
    if (fs::create_directory(folder, error)) return folder;
    if (error) fail_with(folder + ": cannot be created", error);
  }
  throw InputError(fmt::format("{}: too many runs in one second", stem));
}

void finish_run_folder(const std::string& folder) {
  const fs::path path(folder);
  const fs::path link = path.parent_path() / "latest";
  const fs::path temporary = path.parent_path() / (path.filename().string() + ".link");
  std::error_code error;
  fs::create_directory_symlink(path.filename(), temporary, error);
  if (!error) fs::rename(temporary, link, error);
  // A file system without links costs the shortcut, not the result.
  if (error) fs::remove(temporary, error);
}

namespace {

std::string run_json(const Recipe& recipe, const RunResult& result) {
  nlohmann::ordered_json json;
  json["format"] = kRunFormat;
  json["program"] = program_version();
  json["scenario"] = recipe.scenario.name;
  json["seed"] = recipe.seed;
  if (recipe.branch) {
    json["branch"]["at"] = recipe.branch->at;
    if (recipe.branch->seed) json["branch"]["seed"] = *recipe.branch->seed;
    if (recipe.branch->schedule) json["branch"]["schedule"] = "branch.json";
  }
  json["hash"] = trace::to_hex(result.hash);
  json["outcome"] = oracle::to_string(result.verdict.outcome);
  json["ended_by"] = result.ended_by;
  json["events"] = result.events;
  json["virtual_us"] = microseconds_of(result.end);
  json["trace_complete"] = !result.records_cut;
  const bool starts_here = !recipe.scenario.system->traits().outside;
  if (const auto files = named_files(recipe.scenario.text, starts_here)) {
    json["files"] = nlohmann::ordered_json::parse(to_json(*files));
  }
  return json.dump(2) + "\n";
}

void write_node_logs(const std::string& folder, const trace::Trace& trace) {
  make_folders(folder + "/nodes");
  std::vector<std::string> logs(trace.header.nodes);
  for (const trace::Record& record : trace.records) {
    if (record.type != EventType::log) continue;
    const std::int64_t time = microseconds_of(record.time);
    logs[record.node] += fmt::format("{:>12}.{:06} #{} {}\n", time / 1'000'000, time % 1'000'000,
                                     record.id, record.text);
  }
  for (std::size_t node = 0; node < logs.size(); ++node) {
    write_file(fmt::format("{}/nodes/{}.log", folder, node), logs[node]);
  }
}

std::uint64_t read_seed(const OptionValue& value) {
  return static_cast<std::uint64_t>(value.integer(0));
}

Recipe read_folder(const std::string& folder, const SystemRegistry& systems) {
  const std::string run_path = folder + "/run.json";
  const std::string run = read_file(run_path, kScenarioBytesMax);
  const Options options = Options::from_json(run, run_path);
  const OptionValue format = options.at("format");
  if (format.text() != kRunFormat) format.fail(fmt::format("expected \"{}\"", kRunFormat));
  Recipe recipe;
  const std::string scenario_path = folder + "/scenario.toml";
  std::string scenario = read_scenario(scenario_path);
  if (const auto files = read_named_files(run, run_path)) {
    scenario = with_named_files(scenario, *files, run_path);
  }
  recipe.scenario = parse_scenario(scenario, scenario_path, systems);
  recipe.schedule = load_schedule(folder + "/schedule.json", recipe.scenario);
  recipe.seed = read_seed(options.at("seed"));
  recipe.hash = options.at("hash").text();
  if (options.has("branch")) {
    const Options branch = options.table("branch");
    recipe.branch.emplace();
    recipe.branch->at = static_cast<EventId>(branch.at("at").integer(1));
    if (const auto seed = branch.find("seed")) recipe.branch->seed = read_seed(*seed);
    if (branch.has("schedule")) {
      recipe.branch->schedule = load_schedule(folder + "/branch.json", recipe.scenario);
    }
  }
  return recipe;
}

/// The branch of a trace header, which holds the schedule's text itself.
Branch read_branch(const Options& options, const Scenario& scenario) {
  Branch branch;
  branch.at = static_cast<EventId>(options.at("at").integer(1));
  if (const auto seed = options.find("seed")) branch.seed = read_seed(*seed);
  if (const auto schedule = options.find("schedule")) {
    branch.schedule = faults::parse_schedule(schedule->text(), schedule->key(),
                                             scenario.system_description(), scenario.nodes());
  }
  options.finish();
  return branch;
}

Recipe read_trace_recipe(const std::string& path, const SystemRegistry& systems) {
  trace::Reader reader(path);
  const trace::Header& header = reader.header();
  Recipe recipe;
  recipe.scenario = parse_scenario(header.scenario, path + "(scenario)", systems);
  recipe.schedule =
      faults::parse_schedule(header.schedule, path + "(schedule)",
                             recipe.scenario.system_description(), recipe.scenario.nodes());
  recipe.seed = header.seed;
  if (!header.branch.empty()) {
    recipe.branch =
        read_branch(Options::from_json(header.branch, path + "(branch)"), recipe.scenario);
  }
  // Reading to the end checks the file as a whole, and the hash stands in its last line.
  trace::Record record;
  while (reader.next(record)) {
  }
  recipe.hash = reader.footer().hash;
  return recipe;
}

}  // namespace

namespace {
/// What is run, apart from its seed: known before the run is.
void write_recipe(const std::string& folder, const Recipe& recipe) {
  const SystemDescription& description = recipe.scenario.system_description();
  const std::size_t nodes = recipe.scenario.nodes();
  write_file(folder + "/scenario.toml", recipe.scenario.text);
  write_file(folder + "/schedule.json", faults::to_json(recipe.schedule, description, nodes));
  if (recipe.branch && recipe.branch->schedule) {
    write_file(folder + "/branch.json",
               faults::to_json(*recipe.branch->schedule, description, nodes));
  }
}
}  // namespace

void write_run_folder(const std::string& folder, const Recipe& recipe, const RunOptions& options,
                      RunResult result) {
  write_recipe(folder, recipe);
  write_file(folder + "/verdict.json", oracle::to_json(result.verdict) + "\n");
  if (!result.metrics_json.empty()) write_file(folder + "/metrics.json", result.metrics_json);
  write_file(folder + "/run.json", run_json(recipe, result));

  for (const Outside::Attachment& attachment : result.attachments) {
    const fs::path path = fs::path(folder) / attachment.name;
    make_folders(path.parent_path().string());
    write_file(path.string(), attachment.text);
  }

  const trace::Trace trace = to_trace(recipe, options.detail, std::move(result));
  trace::write_trace(folder + "/trace.jsonl.gz", trace);
  write_node_logs(folder, trace);
  if (options.detail == trace::Detail::everything) {
    std::ostringstream dot;
    trace::export_dot(trace, dot, kGraphDeliveriesMax);
    write_file(folder + "/graph.dot", dot.str());
    std::ostringstream svg;
    trace::export_svg(trace, {}, svg);
    write_file(folder + "/diagram.svg", svg.str());
  }
}

RunResult record_run(const std::string& folder, const Recipe& recipe) {
  RunOptions options = with_everything();
  options.branch = recipe.branch;
  write_recipe(folder, recipe);  // whatever becomes of the run
  Runner runner;
  RunResult result = runner.run(recipe.scenario, recipe.schedule, recipe.seed, options);
  write_run_folder(folder, recipe, options, result);
  return result;
}

std::string recorded_hash(const std::string& folder) {
  const std::string path = folder + "/run.json";
  return Options::from_json(read_file(path, kScenarioBytesMax), path).at("hash").text();
}

oracle::Verdict read_verdict(const std::string& folder) {
  const std::string path = folder + "/verdict.json";
  return oracle::parse_verdict(read_file(path, kScenarioBytesMax), path);
}

Recipe read_recipe(const std::string& path, const SystemRegistry& systems) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    if (!fs::exists(path + "/run.json", error)) {
      const bool has_runs = fs::exists(path + "/latest/run.json", error);
      throw InputError(fmt::format("{}: not the folder of a run: it has no run.json{}", path,
                                   has_runs ? ", did you mean '" + path + "/latest'?" : ""));
    }
    return read_folder(path, systems);
  }
  return read_trace_recipe(path, systems);
}

}  // namespace dissensus::run
