// One line on a terminal that says how far the shrinking and measuring of a finding is.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "cli/verb.h"
#include "shrink/shrink.h"

namespace dissensus::cli {

/// "3 genes, 1 fault".
std::string size_words(const shrink::Size& size);

/// Draws over itself, and is gone at the end. Draws nothing where nobody watches.
class ShrinkLine {
 public:
  explicit ShrinkLine(const OutputOptions& output);
  ~ShrinkLine();
  ShrinkLine(const ShrinkLine&) = delete;
  ShrinkLine& operator=(const ShrinkLine&) = delete;
  void update(const shrink::ShrinkProgress& progress);
  /// The curves of the report, which are measured after the shrinking.
  void update_measuring();

 private:
  bool due();
  void draw(std::string_view text);

  bool shown_;
  bool drawn_ = false;
  std::size_t measured_ = 0;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace dissensus::cli
