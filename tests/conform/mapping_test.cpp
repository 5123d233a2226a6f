// Mistakes in a mapping are reported with file, line and key, before anything runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conform/pairing.h"
#include "conform/token_ring.h"

namespace dissensus::conform {
namespace {

using test::mapping_with;
using test::RingFiles;
using testing::HasSubstr;

/// What loading and binding a mapping says.
std::string error_of(const RingFiles& files, const std::string& text) {
  files.write("mapping.toml", text);
  try {
    const Mapping mapping = load_mapping(files.mapping());
    Pairing pairing(mapping, {}, {3}, test::ring_registry());
    return "none";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(MappingTest, TheRingsMappingIsAccepted) {
  const RingFiles files;
  EXPECT_EQ(error_of(files, std::string(test::kRingMapping)), "none");
}

TEST(MappingTest, UnknownNamesAreReportedWithASuggestion) {
  const RingFiles files;
  EXPECT_THAT(error_of(files, mapping_with("Take(node + 1)", "Tak(node + 1)")),
              HasSubstr("there is no action \"Tak\", did you mean 'Take'?"));
  EXPECT_THAT(error_of(files, mapping_with("name = \"take\"", "name = \"taek\"")),
              HasSubstr("there is no step \"taek\", did you mean 'take'?"));
  EXPECT_THAT(error_of(files, mapping_with("deliver = \"token\"", "deliver = \"tokn\"")),
              HasSubstr("there is no message kind \"tokn\""));
  EXPECT_THAT(error_of(files, mapping_with("where = { hops", "where = { hop")),
              HasSubstr("there is no field \"hop\""));
  EXPECT_THAT(error_of(files, mapping_with("model = \"holder = node + 1\"", "model = \"hlder\"")),
              HasSubstr("hlder"));
}

TEST(MappingTest, ErrorsSayFileLineAndKey) {
  const RingFiles files;
  const std::string error = error_of(files, mapping_with("Pass(node + 1)", "Pass(node, 1)"));
  EXPECT_THAT(error, HasSubstr("mapping.toml:19: "));
  EXPECT_THAT(error, HasSubstr("Pass takes 1 argument, not 2"));
}

TEST(MappingTest, MissingAndContradictoryKeysAreRefused) {
  const RingFiles files;
  EXPECT_THAT(error_of(files, mapping_with("is = \"Pass(node + 1)\"", "")),
              HasSubstr("stutter = true"));
  EXPECT_THAT(error_of(files, mapping_with("timer = \"1\"", "timer = \"1\"\ncrash = \"0\"")),
              HasSubstr("expected one of deliver, timer, submit"));
  EXPECT_THAT(error_of(files, mapping_with("dissensus-mapping/1", "dissensus-mapping/9")),
              HasSubstr("expected \"dissensus-mapping/1\""));
  EXPECT_THAT(error_of(files, mapping_with("from = 2, to = 6", "from = 7, to = 6")),
              HasSubstr("inputs.nodes"));
  EXPECT_THAT(error_of(files, mapping_with("action = \"Take(p)\"", "action = \"Take(1)\"")),
              HasSubstr("plain names"));
  EXPECT_THAT(error_of(files, "properties = [\"OneHolder\"]\n" + std::string(test::kRingMapping)),
              HasSubstr("expected an [abstraction]"));
}

}  // namespace
}  // namespace dissensus::conform
