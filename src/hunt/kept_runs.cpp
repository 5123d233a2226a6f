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

/// Small files that a run leaves beside its trace, such as what is known of its servers.
constexpr std::size_t kSmallBytes = std::size_t{64} << 10;

void keep_small_files(const std::string& prefix, const Item& item) {
  for (const Outside::Attachment& file : item.kept->attachments) {
    if (file.text.size() > kSmallBytes || file.name.find('/') != std::string::npos) continue;
    write_file(fmt::format("{}{}.{}", prefix, item.record.number, file.name), file.text);
  }
}

void read_small_files(const std::string& prefix, std::uint64_t item, run::RunResult& result) {
  const std::filesystem::path path(prefix);
  const std::string begin = fmt::format("{}{}.", path.filename().string(), item);
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path.parent_path(), error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(begin)) continue;
    const std::string rest = name.substr(begin.size());
    if (rest == "jsonl.gz" || rest == "verdict.json") continue;
    result.attachments.push_back({rest, read_file(entry.path().string(), kSmallBytes)});
  }
}

}  // namespace

std::string kept_runs_prefix(const std::string& store_path, std::int64_t hunt) {
  return fmt::format("{}.runs/{}-", store_path, hunt);
}

void keep_run(const std::string& prefix, const run::Scenario& scenario, const Item& item) {
  const std::string folder = std::filesystem::path(prefix).parent_path().string();
  make_folders(folder);
  run::Recipe recipe;
  recipe.scenario = scenario;
  recipe.schedule = item.schedule;
  recipe.seed = item.record.seed;
  trace::write_trace(trace_path(prefix, item.record.number),
                     run::to_trace(recipe, trace::Detail::everything, *item.kept));
  write_file(verdict_path(prefix, item.record.number), oracle::to_json(item.kept->verdict) + "\n");
  keep_small_files(prefix, item);
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
  read_small_files(prefix, item, *result);
  return result;
}

}  // namespace dissensus::hunt
