#include "isolate/schema.h"

#include <algorithm>
#include <bit>

#include "core/assert.h"
#include "isolate/run_source.h"

namespace dissensus::isolate {

std::size_t Schema::group_size() const {
  std::size_t size = 0;
  for (const NodeMask group : groups)
    size = std::max(size, static_cast<std::size_t>(std::popcount(group)));
  return size;
}

void Schema::trust_everybody() {
  DISSENSUS_ASSERT(nodes > 0 && nodes <= kNodesMax, "Schema : between 1 and 64 nodes");
  const NodeMask all = nodes == kNodesMax ? ~NodeMask{0} : (NodeMask{1} << nodes) - 1;
  trusted.assign(nodes, all);
  groups.assign(1, all);
}

void Inbox::clear() {
  entries.clear();
  values.clear();
}

void Inbox::add(std::uint16_t kind, std::uint16_t sender) {
  entries.push_back({kind, sender, static_cast<std::uint32_t>(values.size())});
}

void Run::reset(std::size_t nodes) {
  name.clear();
  failing = false;
  labels = 0;
  link.clear();
  symptom.clear();
  signs.clear();
  inboxes.resize(nodes);
  for (Inbox& inbox : inboxes) inbox.clear();
}

}  // namespace dissensus::isolate
