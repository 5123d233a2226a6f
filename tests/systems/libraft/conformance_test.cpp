// The library beside the model of Raft (specs/raft): what it does that the model does not admit is
// known by the guard that refuses it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conform/mapping.h"
#include "conform/workflow.h"
#include "systems/simulated/simulated.h"

namespace dissensus::libraft {
namespace {

conform::Conformance compare(const conform::Mapping& mapping, const conform::Variant& variant) {
  return conform::Conformance(mapping, variant, 1, simulated_systems());
}

const conform::Mapping& mapping() {
  static const conform::Mapping loaded =
      conform::load_mapping(DISSENSUS_SOURCE_DIR "/specs/raft/mapping.toml");
  return loaded;
}

}  // namespace
}  // namespace dissensus::libraft
