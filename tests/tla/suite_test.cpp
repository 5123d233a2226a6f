// The language and the checker against tests/tla/specs: small models with answers that were
// derived by hand. Each model is one test, so a failure names the feature that broke.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "dissensus/options.h"

#include "core/file.h"
#include "tla/exploration/check.h"
#include "tla/linking/spec.h"
#include "tla/syntax/config.h"

namespace dissensus::tla {
namespace {

constexpr std::size_t kFileBytesMax = std::size_t{1} << 20;

std::string specs_folder() {
  return std::string{DISSENSUS_SOURCE_DIR} + "/tests/tla/specs";
}

/// One table of expected.toml.
struct ExpectedAnswer {
  std::string name, spec, config, result, invariant, error;
  std::optional<std::uint64_t> distinct, generated, depth, trace, line;
};

void PrintTo(const ExpectedAnswer& answer, std::ostream* out) {
  *out << answer.config;
}

std::optional<std::uint64_t> optional_integer(const Options& table, std::string_view key) {
  const auto value = table.find(key);
  return value ? std::optional{static_cast<std::uint64_t>(value->integer(0))} : std::nullopt;
}

ExpectedAnswer read_answer(const std::string& name, const Options& table) {
  ExpectedAnswer answer;
  answer.name = name;
  answer.spec = table.at("spec").text();
  answer.config = table.at("config").text();
  answer.result = table.at("result").text();
  answer.invariant = table.text("invariant", "");
  answer.error = table.text("error", "");
  answer.distinct = optional_integer(table, "distinct");
  answer.generated = optional_integer(table, "generated");
  answer.depth = optional_integer(table, "depth");
  answer.trace = optional_integer(table, "trace");
  answer.line = optional_integer(table, "line");
  table.at("why");
  table.find("differs");
  return answer;
}

std::vector<ExpectedAnswer> read_answers() {
  const std::string path = specs_folder() + "/expected.toml";
  const Options document = Options::from_toml(read_file(path, kFileBytesMax), path);
  std::vector<ExpectedAnswer> answers;
  for (const std::string& name : document.keys()) {
    answers.push_back(read_answer(name, document.table(name)));
  }
  document.finish();
  return answers;
}

CheckResult run_model(const ExpectedAnswer& model, std::size_t workers) {
  auto source = std::make_shared<Source>();
  source->path = specs_folder() + "/" + model.config;
  source->text = read_file(source->path, kFileBytesMax);
  CheckOptions options;
  options.workers = workers;
  options.machine.call_depth = 5'000;
  options.environment = process_environment();
  try {
    const Config config = parse_config(source);
    const auto spec = Spec::load(specs_folder() + "/" + model.spec, config);
    CheckResult result = check(spec, options);
    result.at.source = nullptr;  // belongs to the Spec, which ends here
    return result;
  } catch (const SpecError& error) {
    CheckResult result;
    result.outcome = CheckOutcome::error;
    result.message = error.what();
    result.at = error.at();
    result.at.source = nullptr;
    return result;
  }
}

class SuiteTest : public testing::TestWithParam<ExpectedAnswer> {
 protected:
  // Models name their data files relative to the folder.
  void SetUp() override { std::filesystem::current_path(specs_folder()); }
  void TearDown() override { std::filesystem::current_path(before_); }

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
};

void expect_answer(const CheckResult& result, const ExpectedAnswer& expected) {
  EXPECT_EQ(to_string(result.outcome), expected.result) << result.message;
  const struct {
    std::string_view what;
    std::optional<std::uint64_t> expected;
    std::uint64_t got;
  } numbers[] = {{"distinct", expected.distinct, result.distinct},
                 {"generated", expected.generated, result.generated},
                 {"depth", expected.depth, result.depth},
                 {"states of the counterexample", expected.trace, result.trace.size()},
                 {"line", expected.line, result.at.line}};
  for (const auto& number : numbers) {
    if (number.expected) {
      EXPECT_EQ(number.got, *number.expected) << number.what << ": " << result.message;
    }
  }
  if (!expected.invariant.empty()) {
    EXPECT_EQ(result.property, expected.invariant);
  }
  if (!expected.error.empty()) {
    EXPECT_NE(result.message.find(expected.error), std::string::npos) << result.message;
  }
  if (expected.result != "ok") {
    EXPECT_FALSE(result.message.empty());
    EXPECT_EQ(result.message.find('\n'), std::string::npos) << result.message;
  }
}

// The number of workers never shows in an answer.
TEST_P(SuiteTest, GivesTheDerivedAnswer) {
  for (const std::size_t workers : {1U, 2U}) {
    SCOPED_TRACE(testing::Message() << workers << " workers");
    expect_answer(run_model(GetParam(), workers), GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Specs, SuiteTest, testing::ValuesIn(read_answers()),
                         [](const auto& model) { return model.param.name; });

// No model of the folder is left out, and none is listed that is not there.
TEST(SuiteFolderTest, HoldsExactlyTheListedModels) {
  std::set<std::string> listed, found, specs;
  for (const ExpectedAnswer& answer : read_answers()) {
    listed.insert(answer.config);
    specs.insert(answer.spec);
    EXPECT_TRUE(std::filesystem::exists(specs_folder() + "/" + answer.spec)) << answer.spec;
  }
  for (const auto& entry : std::filesystem::directory_iterator(specs_folder())) {
    if (entry.path().extension() == ".cfg") found.insert(entry.path().filename().string());
  }
  EXPECT_EQ(listed, found);
  EXPECT_GE(listed.size(), 150U);
  EXPECT_GE(specs.size(), 100U);
}

}  // namespace
}  // namespace dissensus::tla
