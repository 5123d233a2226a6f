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
ObservedTrace run_ring(Pairing& pairing, std::size_t events = 8) {
  TraceRecorder recorder(pairing.mapping(), events);
  run::RunOptions options;
  options.sinks = {&recorder};
  run::Runner().run(pairing.scenario(), {}, 1, options);
  return recorder.trace();
}

TEST(ExternalTlc, TheModuleFollowsTheTraceEventByEvent) {
  const test::RingFiles files;
  const Mapping mapping = load_mapping(files.mapping());
  Pairing pairing(mapping, {}, {3}, test::ring_registry());
  const TraceModule module = trace_module(pairing.mapping(), run_ring(pairing, 2));
  const std::string& text = module.text;
  EXPECT_THAT(module.events, testing::ElementsAre(1u, 2u));
  EXPECT_THAT(text, HasSubstr("EXTENDS Ring\n"));
  EXPECT_THAT(text, HasSubstr("Trace_N == 3\n"));
  EXPECT_THAT(text, HasSubstr("/\\ line = 1\n     /\\ Pass(1)\n     /\\ line' = 2\n"));
  EXPECT_THAT(text, HasSubstr("/\\ line = 2\n     /\\ Take(2)\n"));
  EXPECT_THAT(text, HasSubstr("(holder = node + 1)' = (state.holds)"));
  EXPECT_THAT(text, HasSubstr("TraceIsNotOver == line < 3\n"));
}

// Events that are no step of the model must still look right; those that the mapping does not know
// are refused, and one event may be several steps.
TEST(ExternalTlc, StuttersSeveralStepsAndUnknownEventsKeepTheirPlace) {
  const test::RingFiles files;
  std::string text(test::kRingMapping);
  const std::string pass = "is = \"Pass(node + 1)\"";
  text.replace(text.find(pass), pass.size(), "stutter = true");
  const std::string take = "is = \"Take(node + 1)\"";
  text.replace(text.find(take), take.size(), "is = [\"Pass(node)\", \"Take(node + 1)\"]");
  files.write("mapping.toml", text);
  const Mapping mapping = load_mapping(files.mapping());
  Pairing pairing(mapping, {}, {3}, test::ring_registry());
  const TraceModule module = trace_module(pairing.mapping(), run_ring(pairing, 3));
  EXPECT_THAT(module.events, testing::ElementsAre(1u, 2u, 2u, 3u));
  EXPECT_THAT(module.text, HasSubstr("/\\ line = 1\n     /\\ UNCHANGED <<holder, sent, hops>>\n"
                                     "     /\\ line' = 2\n     /\\ LET node == 0\n"));
  EXPECT_THAT(module.text, HasSubstr("/\\ line = 2\n     /\\ Pass(1)\n"));
  EXPECT_THAT(module.text, HasSubstr("/\\ line = 3\n     /\\ Take(2)\n"));

  ObservedTrace crash;
  crash.observations.push_back({pairing.mapping().crash_event(), 0, {}, {}});
  EXPECT_THAT(trace_module(pairing.mapping(), crash).text,
              HasSubstr("/\\ FALSE /\\ UNCHANGED <<holder, sent, hops>>\n"));
}

TEST(ExternalTlc, HiddenStepsAreNotForWholeTraces) {
  const test::RingFiles files;
  files.write("mapping.toml", std::string(test::kRingMapping) + "[[hidden]]\naction = \"Pass\"\n");
  const Mapping mapping = load_mapping(files.mapping());
  Pairing pairing(mapping, {}, {3}, test::ring_registry());
  EXPECT_THROW(judge_with_tlc(pairing.mapping(), mapping.spec, run_ring(pairing), {}), InputError);
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
