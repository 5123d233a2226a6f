#include "tla/evaluation/predicate.h"

#include <algorithm>

#include "dissensus/digest.h"

#include "tla/linking/reading.h"

namespace dissensus::tla {

namespace {

constexpr std::size_t kRows = 4096;
constexpr std::size_t kCheapNodes = 12;

}  // namespace

CachedPredicate::CachedPredicate(const Evaluator& evaluator, const EntryPoint& entry) {
  split(*entry.node, entry.frame_size, evaluator);
}

void CachedPredicate::split(const Node& node, std::uint32_t frame_size,
                            const Evaluator& evaluator) {
  if (node.type == NodeType::conjunction || node.type == NodeType::remembered) {
    for (const Node* kid : node.kids) split(*kid, frame_size, evaluator);
    return;
  }
  if (node.type == NodeType::call && node.kids.empty() && node.callee->body != nullptr &&
      node.callee->depth == 1 && !node.callee->is_recursive) {
    split(*node.callee->body, node.callee->frame_size, evaluator);
    return;
  }
  Part part;
  part.node = &node;
  part.frame_size = frame_size;
  Reading reading;
  read(node, reading);
  part.reads.assign(reading.variables.begin(), reading.variables.end());
  part.is_cached = evaluator.options.memoise && reading.is_pure &&
                   (reading.loops || reading.seen.size() > kCheapNodes) &&
                   part.reads.size() < evaluator.program.variables.size() && !part.reads.empty();
  parts_.push_back(std::move(part));
}

bool CachedPredicate::part_holds(Part& part, Evaluator& evaluator) {
  Frame frame = evaluator.new_frame(part.frame_size, nullptr, *part.node);
  Value* const top = frame.slots;
  const bool result = evaluator.truth(*part.node, frame);
  evaluator.pop_slots(top);
  return result;
}

bool CachedPredicate::holds(Evaluator& evaluator) {
  for (Part& part : parts_) {
    if (!part.is_cached) {
      if (!part_holds(part, evaluator)) return false;
      continue;
    }
    const std::size_t width = part.reads.size();
    if (part.held.empty()) part.held.resize(kRows * width);
    std::uint64_t hash = 0;
    for (const std::uint32_t variable : part.reads) {
      hash = mix64(hash + 0x9E3779B97F4A7C15ULL, evaluator.current[variable].word());
    }
    Value* const row = part.held.data() + (hash % kRows) * width;
    bool is_known = true;
    for (std::size_t i = 0; i < width && is_known; ++i) {
      is_known = row[i] == evaluator.current[part.reads[i]];
    }
    if (is_known) continue;
    if (!part_holds(part, evaluator)) return false;
    for (std::size_t i = 0; i < width; ++i) row[i] = evaluator.current[part.reads[i]];
  }
  return true;
}

void CachedPredicate::forget() {
  for (Part& part : parts_) std::fill(part.held.begin(), part.held.end(), Value());
}

}  // namespace dissensus::tla
