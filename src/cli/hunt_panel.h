// What a person sees of a hunt while it goes on: a panel on a terminal, plain lines in a pipe; and
// stats.json for programs. Stops the hunt on Ctrl-C.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "hunt/hunt.h"
#include "hunt/statistics.h"
#include "hunt/store.h"

namespace dissensus::cli {

class HuntPanel final : public hunt::HuntObserver {
 public:
  enum class Style : std::uint8_t { none, lines, panel };
  struct Setting {
    Style style = Style::none;
    std::string scenario;
    std::vector<std::string> objective_names;
    std::string statistics_path;   ///< empty: no stats.json
    hunt::Store* store = nullptr;  ///< flushed before anything is shown
    /// Called for each finding of a hunt that goes on after it, or that announces it. May be empty.
    std::function<void(const hunt::Finding&)> on_finding = {};
    bool announces = false;  ///< says what was found at once, and how often it comes back
  };
  /// `options` must outlive this.
  HuntPanel(Setting setting, const hunt::HuntOptions& options);
  /// Takes the panel off the terminal.
  ~HuntPanel() override { clear(); }
  HuntPanel(const HuntPanel&) = delete;
  HuntPanel& operator=(const HuntPanel&) = delete;

  bool keep_going(const hunt::HuntProgress& progress) override;
  void found(const hunt::Finding& finding) override;
  void repeated(const hunt::Finding& finding) override;
  /// The last figures; the panel is gone afterwards.
  void finish(const hunt::HuntProgress& progress);
  double wall_seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  void show(const hunt::HuntProgress& progress);
  void draw(const hunt::HuntSnapshot& snapshot);
  void write_statistics(const hunt::HuntProgress& progress);
  void clear();
  hunt::HuntSnapshot snapshot_of(const hunt::HuntProgress& progress) const;

  Setting setting_;
  const hunt::HuntOptions& options_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_show_;
  Clock::time_point next_statistics_;
  std::size_t drawn_lines_ = 0;
  std::size_t findings_seen_ = 0;
};

/// A panel where standard error is a terminal, lines where it is not.
HuntPanel::Style panel_style(bool wanted);

}  // namespace dissensus::cli
