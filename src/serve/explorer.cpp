#include "serve/explorer.h"

#include <charconv>
#include <chrono>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "core/file.h"
#include "hunt/row_recipe.h"
#include "hunt/store_runs.h"
#include "isolate/causes.h"
#include "isolate/isolation.h"
#include "isolate/predicate_space.h"
#include "isolate/report.h"
#include "isolate/run_table.h"
#include "run/recording.h"
#include "run/run_folder.h"
#include "serve/branch.h"
#include "serve/campaign_view.h"
#include "serve/comparison.h"
#include "serve/conformance.h"
#include "serve/event_query.h"
#include "serve/json_text.h"
#include "serve/matter.h"
#include "serve/model.h"
#include "serve/pages.h"
#include "serve/run_view.h"

namespace dissensus::serve {

namespace {

std::size_t to_number(const std::string& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw InputError(fmt::format("'{}': expected a number", text.substr(0, 40)));
  }
  return number;
}

std::string value_of(const Target& target, const std::string& key) {
  const auto found = target.query.find(key);
  return found == target.query.end() ? std::string() : found->second;
}

Response json_response(std::string body) {
  Response response;
  response.body = std::move(body);
  return response;
}

Response not_found() {
  Response response;
  response.status = 404;
  response.body = "{\"error\":\"there is nothing at this address (docs/formats/api.md)\"}\n";
  return response;
}

std::vector<std::size_t> numbers_of(const std::string& list) {
  constexpr std::size_t kMost = 1000;
  std::vector<std::size_t> numbers;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    numbers.push_back(to_number(list.substr(at, comma - at)));
    if (numbers.size() > kMost) throw InputError(fmt::format("at: expected at most {}", kMost));
    at = comma + 1;
  }
  return numbers;
}

Json entry_json(const RunEntry& entry) {
  return {{"run", entry.id},
          {"name", entry.name},
          {"folder", entry.path},
          {"parent", entry.parent},
          {"words", entry.words},
          {"outcome", entry.outcome},
          {"violation", cut(entry.violation, kLineBytesMax)}};
}

std::string replay_command(const std::string& folder, const std::string& words) {
  const bool is_plain = folder.find_first_not_of(
                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") ==
                        std::string::npos;
  std::string quoted = folder;
  if (!is_plain) {
    quoted = "'";
    for (const char letter : folder) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
    quoted += "'";
  }
  return fmt::format("dissensus replay {}{}", quoted, words);
}

Json violation_texts(const oracle::Verdict& verdict) {
  Json texts = Json::array();
  for (const oracle::Violation& violation : verdict.violations) texts.push_back(violation.text);
  return texts;
}

constexpr std::string_view kNoneNear =
    "no run near it passes: parts of the schedule were left out, other seeds tried";

double in_milliseconds(Duration duration) {
  return static_cast<double>(duration.count()) / 1000;
}

Json value_json(const ScheduleValue& value, const ValueRange& range) {
  Json samples = Json::array();
  for (const Sample& sample : range.samples) {
    samples.push_back({in_milliseconds(sample.value), sample.fails});
  }
  return {{"words", value.words},
          {"part", value.part},
          {"value_ms", in_milliseconds(value.value)},
          {"most_ms", in_milliseconds(value.most)},
          {"low_ms", in_milliseconds(range.low)},
          {"high_ms", in_milliseconds(range.high)},
          {"any", range.any},
          {"runs", range.runs},
          {"samples", std::move(samples)}};
}

}  // namespace

Explorer::Explorer(Library& library, ExplorerOptions options)
    : library_(library), options_(std::move(options)) {
  // A finding is opened with its smallest form, the last of its runs: it is read while a person
  // still copies the address. A folder of many runs is not.
  const std::size_t runs = library_.runs().size();
  if (runs == 0 || runs > 2) return;
  ahead_ = std::thread([this, runs] {
    try {
      library_.run(runs);
    } catch (const std::exception&) {
      // whoever asks for it hears what is wrong
    }
  });
}

Explorer::~Explorer() {
  if (ahead_.joinable()) ahead_.join();
}

Response Explorer::answer(const Request& request, const Target& target) {
  if (!target.parts.empty() && target.parts[0] == "api") return api(request, target);
  if (request.method != "GET" || target.parts.size() > 1) return not_found();
  const std::string name = target.parts.empty() ? "" : target.parts[0];
  if (const auto page = find_page(name)) {
    Response response;
    response.type = page->type;
    response.body = page->content;
    return response;
  }
  if (!name.empty() || has_pages()) return not_found();
  Response response;
  response.status = 503;
  response.type = "text/plain; charset=utf-8";
  response.body = std::string(kNoPages) + "\n";
  return response;
}

Response Explorer::api(const Request& request, const Target& target) {
  const auto& parts = target.parts;
  if (parts.size() == 1 || (parts.size() == 2 && parts[1].empty()))
    return json_response(overview());
  if (parts[1] == "runs" && parts.size() >= 3) return run_api(request, target);
  if (parts[1] == "stores" && parts.size() >= 3) return store_api(request, target);
  if (parts[1] == "models" && parts.size() == 3) {
    const std::size_t id = to_number(parts[2]);
    if (id == 0 || id > library_.models().size()) throw InputError("no such model");
    return json_response(model_json(library_.models()[id - 1]));
  }
  if (parts[1] == "conformance" && parts.size() == 3) {
    const std::size_t id = to_number(parts[2]);
    if (id == 0 || id > library_.findings().size()) throw InputError("no such finding");
    return json_response(conformance_json(library_.findings()[id - 1], library_.systems()));
  }
  if (parts[1] == "compare" && parts.size() == 2) return json_response(compare_hunts(target));
  return not_found();
}

std::string Explorer::overview() const {
  Json json{
      {"program", run::program_version()}, {"runs", Json::array()}, {"stores", Json::array()}};
  for (const RunEntry& entry : library_.runs()) json["runs"].push_back(entry_json(entry));
  for (std::size_t id = 1; id <= library_.stores(); ++id) {
    const Campaign& campaign = library_.store(id);
    Json store = Json::parse(campaign.with(hunts_json));
    store["store"] = id;
    store["name"] = campaign.name();
    json["stores"].push_back(std::move(store));
  }
  json["models"] = Json::array();
  for (std::size_t id = 1; id <= library_.models().size(); ++id) {
    json["models"].push_back({{"model", id}, {"name", library_.models()[id - 1]}});
  }
  json["conformance"] = Json::array();
  for (std::size_t id = 1; id <= library_.findings().size(); ++id) {
    json["conformance"].push_back({{"finding", id}, {"name", library_.findings()[id - 1]}});
  }
  return to_text(json);
}

Response Explorer::run_api(const Request& request, const Target& target) {
  const auto& parts = target.parts;
  const std::size_t id = to_number(parts[2]);
  const std::string what = parts.size() > 3 ? parts[3] : "";
  if (what == "branch" && request.method == "POST") return json_response(branch(id, request.body));
  if (request.method != "GET") return not_found();
  const std::shared_ptr<const LoadedRun> run = library_.run(id);
  if (parts.size() == 3) {
    Json json = entry_json(library_.entry(id));
    const std::string& path = json["folder"].get_ref<const std::string&>();
    json["replay"] =
        path.empty() ? Json(nullptr) : Json(replay_command(path, options_.replay_words));
    json.erase("outcome");  // which the run itself says, and why
    json.erase("violation");
    const std::string members = run_json(*run);
    std::string text = to_text(json);
    text.back() = ',';
    return json_response(text + members.substr(1));
  }
  if (what == "events" && parts.size() == 4) return json_response(columns_json(*run));
  if (what == "events" && parts.size() == 5) {
    const std::size_t record = to_number(parts[4]);
    if (record >= run->records().size()) throw InputError("no such event");
    return json_response(event_json(*run, record));
  }
  if (what == "lines") {
    return json_response(lines_json(*run, numbers_of(value_of(target, "at"))));
  }
  if (what == "search") {
    // A question that was not understood is an answer, too: people type.
    try {
      const QueryAnswer answer = ask(*run, value_of(target, "q"));
      return json_response(to_text(Json{
          {"understood", answer.understood}, {"records", answer.records}, {"trouble", nullptr}}));
    } catch (const InputError& error) {
      return json_response(
          to_text(Json{{"understood", ""}, {"records", Json::array()}, {"trouble", error.what()}}));
    }
  }
  if (what == "compare") return json_response(compare(id, target));
  if (what == "matter") return matter(id);
  return not_found();
}

std::string Explorer::branch(std::size_t id, const std::string& body) {
  const std::shared_ptr<const LoadedRun> run = library_.run(id);
  const Change change = parse_change(body, *run);
  BranchResult branch = make_branch(*run, change);
  const auto begin = std::chrono::steady_clock::now();
  const std::string folder =
      run::create_run_folder(options_.runs_folder, branch.recipe.scenario.name + "-branch");
  run::RunOptions recorded = run::with_everything();
  recorded.branch = branch.recipe.branch;
  run::write_run_folder(folder, branch.recipe, recorded, branch.result);
  const double written =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  RunEntry entry;
  entry.name = std::filesystem::path(folder).filename().string();
  entry.path = folder;
  entry.parent = id;
  entry.words = branch.words;
  const std::size_t made = library_.add_run(entry, branch.run);
  const auto& difference = branch.first_difference;
  return to_text(Json{{"run", made},
                      {"folder", folder},
                      {"replay", replay_command(folder, options_.replay_words)},
                      {"words", branch.words},
                      {"hash", branch.recipe.hash},
                      {"parent_hash", run->trace.footer.hash},
                      {"outcome", oracle::to_string(branch.result.verdict.outcome)},
                      {"violations", violation_texts(branch.result.verdict)},
                      {"events", branch.result.events},
                      {"first_difference", difference ? Json(*difference) : Json(nullptr)},
                      {"simulated_ms", branch.simulated_ms},
                      {"written_ms", written}});
}

std::string Explorer::compare(std::size_t id, const Target& target) {
  std::shared_ptr<const LoadedRun> failing = library_.run(id);
  std::size_t other = 0;
  std::string words;
  if (const std::string with = value_of(target, "with"); !with.empty()) {
    other = to_number(with);
    if (failing->verdict.violations.empty()) std::swap(id, other);
    failing = library_.run(id);
  } else {
    // Made once for each run; asked again, it is known by its parent and name.
    for (const RunEntry& entry : library_.runs()) {
      if (entry.parent == id && entry.name == "nearest passing run") other = entry.id;
    }
    if (other == 0) {
      if (failing->verdict.violations.empty()) {
        throw InputError("this run does not fail; name another one to compare it with");
      }
      const auto found = nearest_passing(*failing, [this] { return !stopping_.load(); });
      // Nobody asked for something that makes no sense: this, too, is an answer.
      if (!found) return to_text(Json{{"failing", id}, {"trouble", kNoneNear}});
      const auto& [passing, difference] = *found;
      RunEntry entry;
      entry.name = "nearest passing run";
      entry.parent = id;
      entry.words = difference;
      other = library_.add_run(entry, passing);
    }
  }
  const RunEntry entry = library_.entry(other);
  const std::shared_ptr<const LoadedRun> passing = library_.run(other);
  Json head{{"failing", id}, {"passing", other}, {"difference", entry.words}, {"trouble", nullptr}};
  std::string text = to_text(head);
  text.back() = ',';
  return text + comparison_members(*failing, *passing) + "}";
}

Response Explorer::matter(std::size_t id) {
  const auto finder = std::make_shared<RangeFinder>(library_.run(id));
  const auto next = std::make_shared<std::size_t>(0);
  Response response;
  response.type = "application/x-ndjson";
  response.more = [this, finder, next]() -> std::optional<std::string> {
    const auto keep_going = [this] { return !stopping_.load(); };
    const std::size_t values = finder->values().size();
    const std::size_t step = (*next)++;
    if (step == 0) return to_text(Json{{"values", values}}) + "\n";
    if (step <= values) {
      const ValueRange range = finder->measure(step - 1, keep_going);
      Json json = value_json(finder->values()[step - 1], range);
      json["index"] = step - 1;
      return to_text(json) + "\n";
    }
    if (step > values + 1) return std::nullopt;
    constexpr std::size_t kSeeds = 20;
    return to_text(Json{{"seeds", kSeeds},
                        {"failing_seeds", finder->failing_seeds(kSeeds, keep_going)}}) +
           "\n";
  };
  return response;
}

Response Explorer::store_api(const Request& request, const Target& target) {
  const auto& parts = target.parts;
  const std::size_t id = to_number(parts[2]);
  Campaign& campaign = library_.store(id);
  if (parts.size() == 3) return json_response(campaign.with(hunts_json));
  if (parts.size() == 4 && parts[3] == "updates") {
    Response response;
    response.type = "text/event-stream";
    response.more = [&campaign, seen = std::make_shared<std::uint64_t>(0)] {
      const std::uint64_t now = campaign.version();
      if (std::exchange(*seen, now) == now) return std::optional<std::string>("");
      return std::optional("data: " + campaign.with(hunts_json) + "\n\n");
    };
    return response;
  }
  if (parts.size() == 4 && parts[3] == "causes") return json_response(causes(id));
  if (parts.size() < 5 || parts[3] != "hunts") return not_found();
  const std::size_t hunt = to_number(parts[4]);
  const std::string what = parts.size() > 5 ? parts[5] : "";
  if (what == "open" && request.method == "POST") {
    return json_response(open_row(id, hunt, request.body));
  }
  if (request.method != "GET") return not_found();
  if (parts.size() == 5) {
    return json_response(
        campaign.with([&](const CampaignState& state) { return hunt_json(state, hunt); }));
  }
  if (what == "items") {
    return json_response(campaign.with(
        [&](const CampaignState& state) { return items_json(state, hunt, target.query); }));
  }
  return not_found();
}

/// A row of a store becomes a run folder, unless it is one already.
std::string Explorer::open_row(std::size_t store, std::size_t hunt, const std::string& body) {
  const Json json = Json::parse(body, nullptr, false);
  if (!json.is_object() || !json.contains("run") || !json["run"].is_number_unsigned()) {
    throw InputError("expected {\"run\": NUMBER}");
  }
  const auto number = json["run"].get<std::uint64_t>();
  const Campaign& campaign = library_.store(store);
  hunt::StoreReader reader(campaign.location());
  const std::vector<hunt::HuntRecord> hunts = reader.hunts();
  if (hunt == 0 || hunt > hunts.size()) throw InputError(campaign.name() + ": no such hunt");
  const hunt::HuntRecord& record = hunts[hunt - 1];
  const std::string name = fmt::format("{}#{}/{}", campaign.name(), record.id, number);
  const run::Recipe recipe =
      hunt::recipe_of_row(reader, record, number, campaign.name(), name, library_.systems());
  if (!recipe.scenario.system->traits().repeatable) {
    throw InputError(name +
                     ": a run of real servers; the store keeps it, but it cannot be repeated");
  }
  const run::Recorded recorded = hunt::recorded_row(reader, record, number, name);
  const std::string folder = fmt::format("{}/{}-{}-{}-{}", options_.runs_folder,
                                         recipe.scenario.name, recipe.hash, hunt, number);
  if (!std::filesystem::exists(folder + "/run.json")) {
    make_folders(folder);
    std::error_code error;
    try {
      run::record_same(folder, recipe, recorded);
    } catch (...) {
      std::filesystem::remove_all(folder, error);
      throw;
    }
  }
  return to_text(Json{
      {"run", library_.add_path(folder, fmt::format("{} run {}", recipe.scenario.name, number))}});
}

std::string Explorer::causes(std::size_t store) {
  Campaign& campaign = library_.store(store);
  std::uint64_t failed = 0, others = 0;
  campaign.with([&](const CampaignState& state) {
    for (const HuntColumns& hunt : state.hunts) {
      failed += hunt.summary.totals.failed;
      others += hunt.summary.totals.items - hunt.summary.totals.failed;
    }
    return 0;
  });
  // Each run has to be made again. Of a large store as many failing runs as possible and as many
  // others: which conditions tell them apart shows in a sample, too.
  constexpr std::uint64_t kMost = 20'000;
  hunt::StoreSource source(campaign.location(), std::nullopt, library_.systems());
  Json sampled = nullptr;
  if (failed + others > kMost) {
    const std::uint64_t some_others = std::min(others, kMost - std::min(failed, kMost / 2));
    const std::uint64_t some_failed = std::min(failed, kMost - some_others);
    const auto share = [](std::uint64_t some, std::uint64_t all) {
      return all == 0 ? 1.0 : static_cast<double>(some) / static_cast<double>(all);
    };
    source.sample(share(some_failed, failed), share(some_others, others));
    sampled = {{"of", failed + others},
               {"failing_share", share(some_failed, failed)},
               {"passing_share", share(some_others, others)}};
  }
  isolate::IsolationOptions options;
  const isolate::PredicateSpace space(source.schema(),
                                      isolate::space_options(options.mode, source.schema()));
  const isolate::RunTable table = isolate::read_runs(source, space, 1);
  const isolate::IsolationResult result = isolate::isolate(table, options);
  isolate::Report report{campaign.name(), table, result};
  report.separation = isolate::separate(table, {});
  Json json = Json::parse(isolate::json_report(report));
  json["sampled"] = std::move(sampled);
  return to_text(json);
}

std::string Explorer::compare_hunts(const Target& target) const {
  const auto ref = [&](const char* key) {
    const std::string text = value_of(target, key);
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos) {
      throw InputError(fmt::format("{}: expected STORE/HUNT, e.g. 1/2", key));
    }
    return HuntRef{&library_.store(to_number(text.substr(0, slash))),
                   to_number(text.substr(slash + 1))};
  };
  return compare_hunts_json(ref("first"), ref("second"));
}

}  // namespace dissensus::serve
