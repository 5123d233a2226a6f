// A trace as a specification for TLC, and TLC's own verdict where it is at hand.
#include "conform/external_tlc.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conform/pairing.h"
#include "conform/token_ring.h"
#include "run/runner.h"

namespace dissensus::conform {
namespace {

using testing::HasSubstr;

/// The first events of a run of the ring.
ObservedTrace run_ring(Pairing& pairing) {
  TraceRecorder recorder(pairing.mapping(), 8);
  run::RunOptions options;
  options.sinks = {&recorder};
  run::Runner().run(pairing.scenario(), {}, 1, options);
  return recorder.trace();
}

TEST(ExternalTlc, TheModuleFollowsTheTraceEventByEvent) {
  const test::RingFiles files;
  const Mapping mapping = load_mapping(files.mapping());
  Pairing pairing(mapping, {}, {3}, test::ring_registry());
  std::size_t events = 0;
  const std::string text = trace_module(pairing.mapping(), run_ring(pairing), 2, events);
  EXPECT_EQ(events, 2u);
  EXPECT_THAT(text, HasSubstr("EXTENDS Ring\n"));
  EXPECT_THAT(text, HasSubstr("Trace_N == 3\n"));
  EXPECT_THAT(text, HasSubstr("/\\ line = 1\n     /\\ Pass(1)\n     /\\ line' = 2\n"));
  EXPECT_THAT(text, HasSubstr("/\\ line = 2\n     /\\ Take(2)\n"));
  EXPECT_THAT(text, HasSubstr("(holder = node + 1)' = (state.holds)"));
  EXPECT_THAT(text, HasSubstr("TraceIsNotOver == line < 3\n"));
}

// Set TLC_JAR to tla2tools.jar to run it.
TEST(ExternalTlc, AgreesWithTheJudge) {
  const char* jar = std::getenv("TLC_JAR");
  if (jar == nullptr) GTEST_SKIP() << "TLC_JAR does not name TLC's jar";
  const test::RingFiles files;
  const Mapping mapping = load_mapping(files.mapping());
  TlcOptions options;
  options.jar = jar;
  for (const bool has_bug : {false, true}) {
    Variant variant;
    if (has_bug) variant.settings = {{"system.miscounts", "true"}};
    Pairing pairing(mapping, variant, {3}, test::ring_registry());
    const ObservedTrace trace = run_ring(pairing);
    const auto violation = pairing.judge().judge(trace);
    const TlcVerdict verdict =
        judge_with_tlc(pairing.mapping(), files.path("Ring.tla"), trace, options);
    EXPECT_EQ(verdict.is_admitted, !violation);
    EXPECT_EQ(violation.has_value(), has_bug);
    if (violation) {
      EXPECT_EQ(verdict.refused, violation->step);
    }
  }
}

}  // namespace
}  // namespace dissensus::conform
