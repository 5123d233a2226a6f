#include "serve/campaign.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "dissensus/options.h"

#include "hunt/sql.h"

namespace dissensus::serve {

namespace {

/// A page asks again; nobody has to wait here.
class NoPatience final : public hunt::Patience {
 public:
  bool wait(const std::string&) override { return false; }
};

constexpr std::int64_t kPage = 20'000;
constexpr std::chrono::milliseconds kBetweenLooks{500};
constexpr std::chrono::seconds kSpeedWindow{5};

template <class Small>
Small clamped(std::int64_t value) {
  return static_cast<Small>(std::clamp<std::int64_t>(value, 0, std::numeric_limits<Small>::max()));
}

struct ReadRow {
  ItemRow row;
  std::string signature;
  std::string member;
  std::string origin;
};

std::vector<ReadRow> read_rows(const std::string& location, std::int64_t hunt, std::int64_t from) {
  const auto connection = hunt::sql::open(location, hunt::sql::Access::read);
  const auto query = connection->prepare(
      "SELECT outcome, signature, member, origin, disagreement_margin, termination_margin, "
      "length(new_states), virtual_us, events, stability FROM items "
      "WHERE hunt = ? AND number >= ? ORDER BY number LIMIT ?");
  query->bind(1, hunt).bind(2, from).bind(3, kPage);
  std::vector<ReadRow> rows;
  while (query->step()) {
    ReadRow& read = rows.emplace_back();
    read.row.outcome = clamped<std::uint8_t>(query->integer(0));
    read.signature = query->text(1);
    read.member = query->text(2);
    read.origin = query->text(3);
    read.row.disagreement = static_cast<float>(query->real(4));
    read.row.termination = static_cast<float>(query->real(5));
    read.row.new_states = clamped<std::uint32_t>(query->integer(6) / 8);
    read.row.virtual_ms = clamped<std::uint32_t>(query->integer(7) / 1000);
    read.row.events = clamped<std::uint32_t>(query->integer(8));
    read.row.stability = clamped<std::uint8_t>(query->integer(9));
  }
  return rows;
}

}  // namespace

std::uint16_t Names::number(std::string_view text) {
  const auto found = numbers_.find(text);
  if (found != numbers_.end()) return found->second;
  constexpr std::size_t kMost = 65'535;
  if (texts_.size() == kMost) {
    texts_.emplace_back("others");
    return static_cast<std::uint16_t>(kMost);
  }
  if (texts_.size() > kMost) return static_cast<std::uint16_t>(kMost);
  const auto number = static_cast<std::uint16_t>(texts_.size());
  texts_.emplace_back(text);
  numbers_.emplace(std::string(text), number);
  return number;
}

const std::uint16_t* Names::find(const std::string& text) const {
  const auto found = numbers_.find(text);
  return found == numbers_.end() ? nullptr : &found->second;
}

Campaign::Campaign(std::string location)
    : location_(std::move(location)),
      name_(hunt::sql::is_url(location_) ? hunt::sql::without_password(location_) : location_) {
  NoPatience patience;
  take_summaries(hunt::summarize_store(location_, true, patience));  // says what is wrong with it
  thread_ = std::thread([this] { watch(); });
}

Campaign::~Campaign() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Campaign::wait_until_read() {
  std::unique_lock lock(mutex_);
  caught_up_ = false;
  wake_.notify_all();
  wake_.wait(lock, [this] { return caught_up_ || stop_; });
}

void Campaign::watch() {
  for (;;) {
    bool more = false;
    try {
      more = read_more();
    } catch (const std::exception& error) {
      const std::lock_guard lock(mutex_);
      if (state_.trouble != error.what()) ++state_.version;
      state_.trouble = error.what();
    }
    std::unique_lock lock(mutex_);
    if (stop_) return;
    if (more) continue;
    caught_up_ = true;
    wake_.notify_all();
    wake_.wait_for(lock, kBetweenLooks, [this] { return stop_ || !caught_up_; });
    if (stop_) return;
  }
}

void Campaign::take_summaries(std::vector<hunt::HuntSummary> summaries) {
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  if (!state_.trouble.empty()) ++state_.version;
  state_.trouble.clear();
  // Hunts are only ever added, unless somebody prunes the store: then all is read again.
  const bool is_same_begin =
      summaries.size() >= state_.hunts.size() &&
      std::equal(state_.hunts.begin(), state_.hunts.end(), summaries.begin(),
                 [](const HuntColumns& known, const hunt::HuntSummary& summary) {
                   return known.summary.record.id == summary.record.id;
                 });
  if (!is_same_begin) state_.hunts.clear();
  state_.hunts.resize(summaries.size());
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    HuntColumns& hunt = state_.hunts[i];
    const bool changed = hunt.summary.totals.items != summaries[i].totals.items ||
                         hunt.summary.record.finished != summaries[i].record.finished ||
                         hunt.summary.record.id != summaries[i].record.id;
    if (changed) ++state_.version;
    hunt.summary = std::move(summaries[i]);
    std::vector<Speed>& speeds = speeds_[hunt.summary.record.id];
    speeds.push_back({now, hunt.summary.totals.items});
    while (speeds.size() > 2 && now - speeds[1].time > kSpeedWindow) speeds.erase(speeds.begin());
    const double seconds = std::chrono::duration<double>(now - speeds.front().time).count();
    hunt.runs_per_second =
        seconds > 0.2 ? static_cast<double>(speeds.back().items - speeds.front().items) / seconds
                      : 0;
  }
}

bool Campaign::read_more() {
  NoPatience patience;
  take_summaries(hunt::summarize_store(location_, true, patience));
  std::vector<std::pair<std::int64_t, std::size_t>> wanted;  // hunt, and how many are known
  {
    const std::lock_guard lock(mutex_);
    for (const HuntColumns& hunt : state_.hunts) {
      if (hunt.rows.size() < hunt.summary.totals.items) {
        wanted.emplace_back(hunt.summary.record.id, hunt.rows.size());
      }
    }
  }
  bool more = false;
  for (const auto& [id, known] : wanted) {
    const std::vector<ReadRow> rows = read_rows(location_, id, static_cast<std::int64_t>(known));
    const std::lock_guard lock(mutex_);
    if (stop_) return false;
    const auto hunt = std::find_if(
        state_.hunts.begin(), state_.hunts.end(),
        [&id = id](const HuntColumns& columns) { return columns.summary.record.id == id; });
    if (hunt == state_.hunts.end() || hunt->rows.size() != known) return true;
    for (const ReadRow& read : rows) {
      ItemRow& row = hunt->rows.emplace_back(read.row);
      row.signature = state_.names.number(read.signature);
      row.member = state_.names.number(read.member);
      row.origin = state_.names.number(read.origin);
    }
    if (!rows.empty()) ++state_.version;
    more = more || (!rows.empty() && hunt->rows.size() < hunt->summary.totals.items);
  }
  return more;
}

}  // namespace dissensus::serve
