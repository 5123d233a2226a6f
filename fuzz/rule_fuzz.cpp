// Rules of a scenario: what parses can be evaluated, whatever the nodes report.
#include <array>

#include "fuzz.h"
#include "fuzz_systems.h"
#include "oracle/rule.h"

namespace {
using namespace dissensus;

void read_and_evaluate(std::string_view text, const SystemDescription& description,
                       const OptionValue& place) {
  static constexpr std::array<std::int64_t, 3> kReports{INT64_MAX, -1, INT64_MIN};
  static constexpr std::array<NodeId, 3> kNodes{0, 1, 2};
  fuzz::accepts([&] {
    const auto rule = oracle::Expression::parse(text, description, place);
    const auto value_of = [](const oracle::Quantity& quantity, NodeId node) {
      return kReports[(quantity.index + node) % kReports.size()];
    };
    rule.evaluate(kNodes, value_of);
    rule.evaluate(std::span<const NodeId>(), value_of);
  });
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Options kDocument = Options::from_toml("check = 1", "rule.toml");
  static const OptionValue kPlace = kDocument.at("check");
  const std::string_view text = fuzz::text_of(data, size);
  read_and_evaluate(text, fuzz::majority_scenario().system_description(), kPlace);
  read_and_evaluate(text, fuzz::xrpl_scenario().system_description(), kPlace);
  return 0;
}
