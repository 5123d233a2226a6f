// The hunts of a store, kept in memory as a few columns: every filter, order and sum of a page is
// then a matter of milliseconds, with a million runs too, and the store is asked only for what is
// new. Reads while a hunt writes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "hunt/summary.h"

namespace dissensus::serve {

/// One run of a hunt: 32 bytes.
struct ItemRow {
  float disagreement = 0;
  float termination = 0;
  std::uint32_t virtual_ms = 0;
  std::uint32_t events = 0;
  std::uint32_t new_states = 0;
  std::uint16_t signature = 0;  ///< of Names; member and origin, too
  std::uint16_t member = 0;
  std::uint16_t origin = 0;
  std::uint8_t outcome = 0;    ///< 0 pass, 1 fail, 2 unknown
  std::uint8_t stability = 0;  ///< as in the store
};

/// Texts by number; 0 is the empty one. Beyond 65,535 all further ones are "others".
class Names {
 public:
  std::uint16_t number(std::string_view text);
  const std::string& text(std::uint16_t number) const { return texts_.at(number); }
  /// The number of a text that is there; none: no run has it.
  const std::uint16_t* find(const std::string& text) const;
  std::size_t size() const { return texts_.size(); }

 private:
  std::vector<std::string> texts_{""};
  std::map<std::string, std::uint16_t, std::less<>> numbers_{{"", 0}};
};

struct HuntColumns {
  hunt::HuntSummary summary;
  std::vector<ItemRow> rows;   ///< by number
  double runs_per_second = 0;  ///< over the last seconds; 0: nobody is hunting
};

struct CampaignState {
  std::vector<HuntColumns> hunts;
  Names names;
  std::string trouble;        ///< empty: the store can be read
  std::uint64_t version = 0;  ///< changes when anything does
};

/// Threads may share it.
class Campaign {
 public:
  /// Begins to read. `location` is a file or a URL.
  explicit Campaign(std::string location);
  ~Campaign();
  Campaign(const Campaign&) = delete;
  Campaign& operator=(const Campaign&) = delete;

  /// Of the store, as it may be shown.
  const std::string& name() const { return name_; }
  const std::string& location() const { return location_; }
  /// Calls `look` while nothing changes.
  template <class Look>
  auto with(const Look& look) const {
    const std::lock_guard lock(mutex_);
    return look(state_);
  }
  std::uint64_t version() const {
    return with([](const CampaignState& state) { return state.version; });
  }
  /// Until everything that the store has now is read; for tests.
  void wait_until_read();

 private:
  struct Speed {
    std::chrono::steady_clock::time_point time;
    std::uint64_t items = 0;
  };

  void watch();
  /// Reads what is new; true if there may be more at once.
  bool read_more();
  void take_summaries(std::vector<hunt::HuntSummary> summaries);

  std::string location_;
  std::string name_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  CampaignState state_;
  std::map<std::int64_t, std::vector<Speed>> speeds_;
  bool stop_ = false;
  bool caught_up_ = false;
  std::thread thread_;
};

}  // namespace dissensus::serve
