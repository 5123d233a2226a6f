#include "serve/campaign_view.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "core/proportion.h"
#include "serve/json_text.h"
#include "statistics/fisher.h"
#include "statistics/holm.h"

namespace dissensus::serve {

namespace {

constexpr std::size_t kBuckets = 100;
constexpr std::size_t kSeriesMax = 12;

const HuntColumns& hunt_of(const CampaignState& state, std::size_t hunt) {
  if (hunt == 0 || hunt > state.hunts.size()) {
    throw InputError(fmt::format("no hunt {}, expected 1 to {}", hunt, state.hunts.size()));
  }
  return state.hunts[hunt - 1];
}

Json search_of(const hunt::HuntRecord& record) {
  const Json options = Json::parse(record.options, nullptr, false);
  return options.is_object() && options.contains("search") ? options["search"] : Json("");
}

Json short_json(const CampaignState& state, std::size_t index) {
  const HuntColumns& hunt = state.hunts[index];
  const hunt::HuntSummary& summary = hunt.summary;
  return {{"hunt", index + 1},
          {"scenario", summary.record.scenario_name},
          {"search", search_of(summary.record)},
          {"program", summary.record.program},
          {"finished", summary.record.finished},
          {"items", summary.totals.items},
          {"read", hunt.rows.size()},
          {"failed", summary.totals.failed},
          {"unknown", summary.totals.unknown},
          {"mismatches", summary.totals.mismatches},
          {"findings", summary.findings.size()},
          {"workers", summary.queue.workers},
          {"virtual_seconds", static_cast<double>(summary.totals.virtual_time.count()) / 1e6},
          {"runs_per_second", hunt.runs_per_second}};
}

/// Sums over a stretch of runs.
struct Bucket {
  std::uint64_t runs = 0;
  std::uint64_t failed = 0;
  std::uint64_t unknown = 0;
  std::uint64_t states = 0;
  float disagreement = 0;
  float termination = 0;

  void add(const ItemRow& row) {
    ++runs;
    failed += row.outcome == 1 ? 1 : 0;
    unknown += row.outcome == 2 ? 1 : 0;
    states += row.new_states;
    disagreement = std::max(disagreement, row.disagreement);
    termination = std::max(termination, row.termination);
  }
};

template <class Value>
Json column(const std::vector<Bucket>& buckets, const Value& value) {
  Json list = Json::array();
  for (const Bucket& bucket : buckets) list.push_back(value(bucket));
  return list;
}

Json to_json(const std::vector<Bucket>& buckets) {
  return {{"runs", column(buckets, [](const Bucket& b) { return b.runs; })},
          {"failed", column(buckets, [](const Bucket& b) { return b.failed; })},
          {"unknown", column(buckets, [](const Bucket& b) { return b.unknown; })},
          {"states", column(buckets, [](const Bucket& b) { return b.states; })},
          {"disagreement_margin", column(buckets, [](const Bucket& b) { return b.disagreement; })},
          {"termination_margin", column(buckets, [](const Bucket& b) { return b.termination; })}};
}

/// Yield of each search of a portfolio, or of each origin: the ones with most runs by themselves.
Json yields(const CampaignState& state, const HuntColumns& hunt, std::size_t per_bucket,
            std::uint16_t ItemRow::*name) {
  // Looked at a million times: by position, not by key.
  std::vector<std::uint64_t> runs(state.names.size());
  for (const ItemRow& row : hunt.rows) ++runs[row.*name];
  std::vector<std::pair<std::uint64_t, std::uint16_t>> order;
  for (std::size_t number = 0; number < runs.size(); ++number) {
    if (runs[number] > 0) order.emplace_back(runs[number], static_cast<std::uint16_t>(number));
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::size_t> place(runs.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i].second] = std::min(i, kSeriesMax);
  }
  const std::size_t buckets =
      per_bucket == 0 ? 0 : (hunt.rows.size() + per_bucket - 1) / per_bucket;
  std::vector<std::vector<Bucket>> series(std::min(order.size(), kSeriesMax + 1),
                                          std::vector<Bucket>(buckets));
  for (std::size_t i = 0; i < hunt.rows.size(); ++i) {
    series[place[hunt.rows[i].*name]][i / per_bucket].add(hunt.rows[i]);
  }
  Json json = Json::array();
  for (std::size_t i = 0; i < series.size(); ++i) {
    Bucket total;
    for (const Bucket& bucket : series[i]) {
      total.runs += bucket.runs;
      total.failed += bucket.failed;
      total.states += bucket.states;
    }
    json.push_back(
        {{"name", i < kSeriesMax ? state.names.text(order[i].second) : "others"},
         {"runs", total.runs},
         {"failed", total.failed},
         {"states", total.states},
         {"failed_over_time", column(series[i], [](const Bucket& b) { return b.failed; })},
         {"states_over_time", column(series[i], [](const Bucket& b) { return b.states; })}});
  }
  return json;
}

std::size_t number_of(const std::map<std::string, std::string>& query, const std::string& key,
                      std::size_t otherwise, std::size_t most) {
  const auto found = query.find(key);
  if (found == query.end()) return otherwise;
  std::size_t number = 0;
  const std::string& text = found->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > most) {
    throw InputError(fmt::format("{}: '{}', expected a number from 0 to {}", key, text, most));
  }
  return number;
}

constexpr std::array<std::string_view, 3> kOutcomes{"pass", "fail", "unknown"};

/// What a filter lets through.
class ItemFilter {
 public:
  ItemFilter(const CampaignState& state, const std::map<std::string, std::string>& query) {
    if (const auto found = query.find("outcome"); found != query.end()) {
      const auto* const word = std::find(kOutcomes.begin(), kOutcomes.end(), found->second);
      if (word == kOutcomes.end()) {
        throw InputError(
            fmt::format("outcome: '{}', expected pass, fail or unknown", found->second));
      }
      outcome_ = static_cast<int>(word - kOutcomes.begin());
    }
    const auto named = [&](const char* key, int& number) {
      const auto found = query.find(key);
      if (found == query.end()) return;
      const std::uint16_t* const known = state.names.find(found->second);
      number = known == nullptr ? kNobody : *known;
    };
    named("signature", signature_);
    named("member", member_);
    named("origin", origin_);
    unstable_ = query.count("unstable") != 0;
  }
  bool passes(const ItemRow& row) const {
    return is(outcome_, row.outcome) && is(signature_, row.signature) && is(member_, row.member) &&
           is(origin_, row.origin) && (!unstable_ || row.stability == 2);
  }

 private:
  static constexpr int kAnything = -1;
  static constexpr int kNobody = -2;
  static bool is(int wanted, int actual) { return wanted == kAnything || wanted == actual; }

  int outcome_ = kAnything;
  int signature_ = kAnything;
  int member_ = kAnything;
  int origin_ = kAnything;
  bool unstable_ = false;
};

using Key = double (*)(const ItemRow& row, std::size_t number);
constexpr std::array<std::pair<std::string_view, Key>, 6> kKeys{{
    {"number", [](const ItemRow&, std::size_t number) { return static_cast<double>(number); }},
    {"disagreement",
     [](const ItemRow& row, std::size_t) { return static_cast<double>(row.disagreement); }},
    {"termination",
     [](const ItemRow& row, std::size_t) { return static_cast<double>(row.termination); }},
    {"events", [](const ItemRow& row, std::size_t) { return static_cast<double>(row.events); }},
    {"virtual",
     [](const ItemRow& row, std::size_t) { return static_cast<double>(row.virtual_ms); }},
    {"states", [](const ItemRow& row, std::size_t) { return static_cast<double>(row.new_states); }},
}};

Json share_json(std::uint64_t hits, std::uint64_t trials) {
  const Interval interval = wilson_interval(hits, trials);
  return {{"count", hits},
          {"of", trials},
          {"share", trials == 0 ? 0.0 : static_cast<double>(hits) / static_cast<double>(trials)},
          {"low", interval.low},
          {"high", interval.high}};
}

/// What a comparison needs of a hunt, copied out from under its lock.
struct Side {
  Json brief;
  std::uint64_t runs = 0;
  std::uint64_t failed = 0;
  std::map<std::string, std::uint64_t> signatures;
  std::uint64_t first_failure = 0;  ///< 1 for the first run; 0: none
  std::vector<std::uint64_t> states_after;
  std::vector<std::uint64_t> failed_after;
};

Side side_of(const HuntRef& ref, std::size_t points, std::uint64_t common) {
  return ref.campaign->with([&](const CampaignState& state) {
    const HuntColumns& hunt = hunt_of(state, ref.hunt);
    Side side;
    side.brief = short_json(state, ref.hunt - 1);
    side.brief["store"] = ref.campaign->name();
    side.runs = hunt.rows.size();
    std::uint64_t states = 0;
    const std::uint64_t step = std::max<std::uint64_t>(1, common / points);
    for (std::size_t i = 0; i < hunt.rows.size(); ++i) {
      const ItemRow& row = hunt.rows[i];
      states += row.new_states;
      if (row.outcome == 1) {
        ++side.failed;
        ++side.signatures[state.names.text(row.signature)];
        if (side.first_failure == 0) side.first_failure = i + 1;
      }
      if ((i + 1) % step == 0 && i + 1 <= common) {
        side.states_after.push_back(states);
        side.failed_after.push_back(side.failed);
      }
    }
    return side;
  });
}

std::uint64_t runs_of(const HuntRef& ref) {
  return ref.campaign->with([&](const CampaignState& state) {
    return static_cast<std::uint64_t>(hunt_of(state, ref.hunt).rows.size());
  });
}

Json finite(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

}  // namespace

std::string hunts_json(const CampaignState& state) {
  Json json{{"version", state.version}, {"trouble", state.trouble}, {"hunts", Json::array()}};
  for (std::size_t i = 0; i < state.hunts.size(); ++i)
    json["hunts"].push_back(short_json(state, i));
  return to_text(json);
}

std::string hunt_json(const CampaignState& state, std::size_t number) {
  const HuntColumns& hunt = hunt_of(state, number);
  Json json = short_json(state, number - 1);
  const std::size_t per_bucket =
      std::max<std::size_t>(1, (hunt.rows.size() + kBuckets - 1) / kBuckets);
  std::vector<Bucket> buckets((hunt.rows.size() + per_bucket - 1) / per_bucket);
  for (std::size_t i = 0; i < hunt.rows.size(); ++i) buckets[i / per_bucket].add(hunt.rows[i]);
  json["runs_per_bucket"] = per_bucket;
  json["course"] = to_json(buckets);
  json["members"] = yields(state, hunt, per_bucket, &ItemRow::member);
  json["origins"] = yields(state, hunt, per_bucket, &ItemRow::origin);
  json["findings_list"] = Json::array();
  for (const hunt::FindingRecord& finding : hunt.summary.findings) {
    json["findings_list"].push_back({{"signature", finding.signature},
                                     {"count", finding.count},
                                     {"first_run", finding.first_item + 1},
                                     {"first_seen", finding.first_seen},
                                     {"last_seen", finding.last_seen},
                                     {"folder", finding.folder}});
  }
  json["options"] = Json::parse(hunt.summary.record.options, nullptr, false);
  if (json["options"].is_discarded()) json["options"] = nullptr;
  return to_text(json);
}

std::string items_json(const CampaignState& state, std::size_t number,
                       const std::map<std::string, std::string>& query) {
  const HuntColumns& hunt = hunt_of(state, number);
  const ItemFilter filter(state, query);
  const auto sort = query.find("sort");
  const std::string wanted = sort == query.end() ? "number" : sort->second;
  const auto* const key = std::find_if(kKeys.begin(), kKeys.end(),
                                       [&](const auto& entry) { return entry.first == wanted; });
  if (key == kKeys.end()) {
    throw InputError(
        fmt::format("sort: '{}', expected number, disagreement, termination, events, "
                    "virtual or states",
                    wanted));
  }
  const auto order = query.find("order");
  const bool falling = order != query.end() && order->second == "falling";
  using Place = std::pair<double, std::uint32_t>;  // what is sorted by, and the run's position
  std::vector<Place> left;
  for (std::size_t i = 0; i < hunt.rows.size(); ++i) {
    if (!filter.passes(hunt.rows[i])) continue;
    const double value = key->second(hunt.rows[i], i);
    left.emplace_back(falling ? -value : value, static_cast<std::uint32_t>(i));
  }
  const std::size_t from = std::min(number_of(query, "from", 0, SIZE_MAX), left.size());
  const std::size_t until =
      from + std::min(number_of(query, "count", 50, 1000), left.size() - from);
  // Only the page itself is put in order: of a million runs the rest is only parted.
  const auto begin = left.begin() + static_cast<std::ptrdiff_t>(from);
  const auto end = left.begin() + static_cast<std::ptrdiff_t>(until);
  if (wanted != "number" || falling) {
    if (begin != left.end()) std::nth_element(left.begin(), begin, left.end());
    std::partial_sort(begin, end, left.end());
  }
  Json json{{"total", left.size()}, {"from", from}, {"items", Json::array()}};
  for (std::size_t i = from; i < until; ++i) {
    const std::uint32_t place = left[i].second;
    const ItemRow& row = hunt.rows[place];
    json["items"].push_back(
        {{"run", place + 1},
         {"outcome", kOutcomes.at(std::min<std::size_t>(row.outcome, kOutcomes.size() - 1))},
         {"signature", state.names.text(row.signature)},
         {"member", state.names.text(row.member)},
         {"origin", state.names.text(row.origin)},
         {"disagreement_margin", row.disagreement},
         {"termination_margin", row.termination},
         {"events", row.events},
         {"virtual_ms", row.virtual_ms},
         {"new_states", row.new_states},
         {"stability", row.stability}});
  }
  return to_text(json);
}

std::string compare_hunts_json(const HuntRef& first, const HuntRef& second) {
  constexpr std::size_t kPoints = 60;
  const std::uint64_t common = std::min(runs_of(first), runs_of(second));
  const Side a = side_of(first, kPoints, common);
  const Side b = side_of(second, kPoints, common);
  Json json{{"first", a.brief}, {"second", b.brief}, {"common_runs", common}};
  const auto test = [&](std::uint64_t hits_a, std::uint64_t hits_b) {
    return statistics::fisher_exact({hits_a, a.runs - hits_a, hits_b, b.runs - hits_b});
  };
  const statistics::FisherResult all = test(a.failed, b.failed);
  json["failed"] = {{"first", share_json(a.failed, a.runs)},
                    {"second", share_json(b.failed, b.runs)},
                    {"p_value", all.p_value},
                    {"odds_ratio", finite(all.sample_odds_ratio)}};
  json["first_failure"] = {
      {"first", a.first_failure == 0 ? Json(nullptr) : Json(a.first_failure)},
      {"second", b.first_failure == 0 ? Json(nullptr) : Json(b.first_failure)}};
  std::set<std::string> names;
  for (const auto& [name, count] : a.signatures) names.insert(name);
  for (const auto& [name, count] : b.signatures) names.insert(name);
  std::vector<double> p_values;
  Json signatures = Json::array();
  for (const std::string& name : names) {
    const auto count = [&name](const Side& side) {
      const auto found = side.signatures.find(name);
      return found == side.signatures.end() ? std::uint64_t{0} : found->second;
    };
    p_values.push_back(test(count(a), count(b)).p_value);
    signatures.push_back({{"signature", name},
                          {"first", share_json(count(a), a.runs)},
                          {"second", share_json(count(b), b.runs)},
                          {"p_value", p_values.back()}});
  }
  const std::vector<double> adjusted = statistics::holm_adjusted(p_values);
  for (std::size_t i = 0; i < adjusted.size(); ++i) signatures[i]["p_adjusted"] = adjusted[i];
  json["signatures"] = std::move(signatures);
  json["states_after"] = {{"first", a.states_after}, {"second", b.states_after}};
  json["failed_after"] = {{"first", a.failed_after}, {"second", b.failed_after}};
  return to_text(json);
}

}  // namespace dissensus::serve
