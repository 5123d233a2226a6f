#include "core/described_json.h"

#include <gtest/gtest.h>

#include "core/bytes.h"
#include "core/describe_members.h"

namespace dissensus {
namespace {

enum class Paint : std::uint8_t { red, green };
constexpr Paint last_of(Paint) {
  return Paint::green;
}
std::string_view to_string(Paint paint) {
  return paint == Paint::red ? "red" : "green";
}

struct Part {
  std::string name;
  bool whole = true;
};
DISSENSUS_DESCRIBE(Part, name, whole)

struct Answer {
  std::uint64_t count = 0;
  std::int64_t shift = 0;
  double share = 0;
  Paint colour = Paint::red;
  std::optional<std::string> folder;
  Nullable<std::uint64_t> seed;
  std::vector<Part> parts;
  std::map<std::string, double> figures;
};
template <class Visit>
constexpr void fields_of(const Answer*, const Visit& visit) {
  visit("count", &Answer::count, "how many");
  visit("shift", &Answer::shift);
  visit("share", &Answer::share);
  visit("colour", &Answer::colour);
  visit("run_folder", &Answer::folder);
  visit("seed", &Answer::seed);
  visit("parts", &Answer::parts);
  visit("figures", &Answer::figures);
}

TEST(DescribedJson, WritesTheFieldsInTheirOrder) {
  Answer answer{3, -1, 0.5, Paint::green, {}, {}, {{"a \"b\"", false}}, {{"x", 1.5}}};
  EXPECT_EQ(json_of(answer).dump(),
            R"({"count":3,"shift":-1,"share":0.5,"colour":"green","seed":null,)"
            R"("parts":[{"name":"a \"b\"","whole":false}],"figures":{"x":1.5}})");
  answer.folder = "runs/1";
  answer.seed.value = 7;
  EXPECT_EQ(json_of(answer)["run_folder"], "runs/1");
  EXPECT_EQ(json_of(answer)["seed"], 7);
  EXPECT_EQ(json_of(std::vector<Part>(2)).size(), 2u);
}

TEST(DescribedJson, TheSchemaSaysTheSame) {
  EXPECT_EQ(schema_of<Answer>(), OrderedJson::parse(R"({"type": "object",
    "required": ["count", "shift", "share", "colour", "seed", "parts", "figures"],
    "properties": {
      "count": {"type": "integer", "minimum": 0, "description": "how many"},
      "shift": {"type": "integer"},
      "share": {"type": "number"},
      "colour": {"enum": ["red", "green"]},
      "run_folder": {"type": "string"},
      "seed": {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}]},
      "parts": {"type": "array", "items": {"type": "object", "required": ["name", "whole"],
        "properties": {"name": {"type": "string"}, "whole": {"type": "boolean"}}}},
      "figures": {"type": "object", "additionalProperties": {"type": "number"}}}})"));
}

// The same list serves both.
TEST(DescribedJson, ARecordHasBytesToo) {
  const Part part{"ab", true};
  EXPECT_EQ(to_bytes(part), std::string("\2ab\1"));
  EXPECT_EQ(json_of(from_bytes<Part>(to_bytes(part), "test")), json_of(part));
}

}  // namespace
}  // namespace dissensus
