#include "hunt/kept_runs.h"

#include <charconv>
#include <filesystem>

#include <fmt/format.h>

#include "core/file.h"
#include "core/limits.h"
#include "trace/trace_file.h"

namespace dissensus::hunt {

namespace {
std::string trace_path(const std::string& prefix, std::uint64_t item) {
  return fmt::format("{}{}.jsonl.gz", prefix, item);
}
std::string verdict_path(const std::string& prefix, std::uint64_t item) {
  return fmt::format("{}{}.verdict.json", prefix, item);
}
}  // namespace

std::string kept_runs_prefix(const std::string& store_path, std::int64_t hunt) {
  return fmt::format("{}.runs/{}-", store_path, hunt);
}

void keep_run(const std::string& prefix, const run::Scenario& scenario, const Item& item) {
  const std::string folder = std::filesystem::path(prefix).parent_path().string();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw InputError(fmt::format("{}: cannot be created: {}", folder, error.message()));
  run::Recipe recipe;
  recipe.scenario = scenario;
  recipe.schedule = item.schedule;
  recipe.seed = item.record.seed;
  trace::write_trace(trace_path(prefix, item.record.number),
                     run::to_trace(recipe, trace::Detail::everything, *item.kept));
  write_file(verdict_path(prefix, item.record.number), oracle::to_json(item.kept->verdict) + "\n");
}

std::shared_ptr<const run::RunResult> read_kept_run(const std::string& prefix, std::uint64_t item) {
  auto result = std::make_shared<run::RunResult>();
  const std::string path = verdict_path(prefix, item);
  result->verdict = oracle::parse_verdict(read_file(path, kScenarioBytesMax), path);
  trace::Trace trace = trace::read_trace(trace_path(prefix, item));
  const std::string& hash = trace.footer.hash;
  std::from_chars(hash.data(), hash.data() + hash.size(), result->hash, 16);
  result->ended_by = trace.footer.stop;
  result->events = trace.footer.events;
  result->end = trace.records.empty() ? Time{} : trace.records.back().time;
  result->records = std::move(trace.records);
  return result;
}

}  // namespace dissensus::hunt
