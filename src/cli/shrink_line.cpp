#include "cli/shrink_line.h"

#include <cstdio>
#include <vector>

#include <fmt/format.h>

namespace dissensus::cli {

std::string size_words(const shrink::Size& size) {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, std::string_view one, std::string_view many) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
  };
  add(size.genes, "gene", "genes");
  add(size.messages, "single message", "single messages");
  add(size.faults, "fault", "faults");
  add(size.requests, "request", "requests");
  return parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, ", "));
}

ShrinkLine::ShrinkLine(const OutputOptions& output)
    : shown_(!output.quiet && !output.json && is_terminal()) {}

ShrinkLine::~ShrinkLine() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

void ShrinkLine::update(const shrink::ShrinkProgress& progress) {
  if (!due()) return;
  switch (progress.stage) {
    case shrink::ShrinkStage::reducing:
      draw(fmt::format("shrinking: {} runs, {} left", progress.runs, size_words(progress.size)));
      break;
    case shrink::ShrinkStage::other_seeds:
      draw(fmt::format("trying other seeds: {} runs", progress.runs));
      break;
    case shrink::ShrinkStage::bystanders:
      draw(fmt::format("trying without single nodes: {} runs", progress.runs));
      break;
  }
}

void ShrinkLine::update_measuring() {
  ++measured_;
  if (due()) draw(fmt::format("measuring when it became inevitable: {} runs", measured_));
}

bool ShrinkLine::due() {
  const auto now = std::chrono::steady_clock::now();
  if (!shown_ || now < next_) return false;
  next_ = now + std::chrono::milliseconds(100);
  return true;
}

void ShrinkLine::draw(std::string_view text) {
  drawn_ = true;
  fmt::print(stderr, "\r\033[K{}", text);
  std::fflush(stderr);
}

}  // namespace dissensus::cli
