// Edited texts stay what a person wrote, but for the edit: every expectation is the whole text.
#include "core/toml_text.h"

#include <filesystem>
#include <functional>

#include <gtest/gtest.h>

#include "dissensus/options.h"

#include "core/file.h"

namespace dissensus {
namespace {

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string merged(std::string text, std::string_view changes) {
  TomlText edited(std::move(text), "s.toml");
  edited.merge(changes, "--set");
  return edited.text();
}
std::string without(std::string text, std::string_view key) {
  TomlText edited(std::move(text), "s.toml");
  edited.remove(key);
  return edited.text();
}

TEST(TomlText, ReplacesAValueAndKeepsCommentsAndOrder) {
  EXPECT_EQ(merged("# top\nb = 1 # one\n\n[t]  # table\n  c   =  'x'   # why\na = 2\n",
                   "t.c = \"y\"\nb = 7"),
            "# top\nb = 7 # one\n\n[t]  # table\n  c   =  \"y\"   # why\na = 2\n");
}

TEST(TomlText, ReplacesMultiLineArraysAndStrings) {
  EXPECT_EQ(merged("a = [  # first\n  1, # ]\n  \"]\", ['#'],\n]  # last\nb = 2\n", "a = []"),
            "a = []  # last\nb = 2\n");
  EXPECT_EQ(merged("a = \"\"\"x \\\"\"\" = \n[t]\"\"\"\"\"\nb = '''\nc = 1'''\n", "a = 1\nb = 2"),
            "a = 1\nb = 2\n");
  EXPECT_EQ(merged("a = 1\nb = 2\n", "a = [\n  1,\n  2,\n]\n"), "a = [\n  1,\n  2,\n]\nb = 2\n");
}

TEST(TomlText, ChangesInlineTablesInPlace) {
  EXPECT_EQ(merged("[p]\nf = { until = \"3s\", all = 2 } # ends\n", "p.f.until = \"1s\""),
            "[p]\nf = { until = \"1s\", all = 2 } # ends\n");
  EXPECT_EQ(merged("f = { a = { b = 1 } }\n", "f.a.c = 2\nf.d.e = 3"),
            "f = { a = { b = 1, c = 2 }, d.e = 3 }\n");
  EXPECT_EQ(merged("f = {}\n", "f.a = 1"), "f = { a = 1 }\n");
  EXPECT_EQ(without("f = { a = 1, b = 2, c = 3 }\n", "f.a"), "f = { b = 2, c = 3 }\n");
  EXPECT_EQ(without("f = { a = 1, b = 2, c = 3 }\n", "f.c"), "f = { a = 1, b = 2 }\n");
  EXPECT_EQ(without("f = { a.x = 1, a.y = 2, c = 3 }\n", "f.a"), "f = { c = 3 }\n");
  EXPECT_EQ(without("f = { c = 3, a.x = 1, a.y = 2 }\n", "f.a"), "f = { c = 3 }\n");
}

// Where the change is a table and the text has one, what the change does not name stays.
TEST(TomlText, MergesTablesHoweverTheyAreWritten) {
  EXPECT_EQ(merged("[t]\na = 1\nb = 2\n", "t = { b = 3, c = 4 }"), "[t]\na = 1\nb = 3\nc = 4\n");
  EXPECT_EQ(merged("t.a = 1\nt.b = 2\n", "[t]\nb = 3"), "t.a = 1\nt.b = 3\n");
  EXPECT_EQ(merged("t = { a = 1 }\n", "t = { b = { c = 1 } }"), "t = { a = 1, b = { c = 1 } }\n");
  EXPECT_EQ(merged("t = \"3s\"\n", "t = { until = \"1s\" }"), "t = { until = \"1s\" }\n");
  EXPECT_EQ(merged("a = 1\n[t]\nb = 2\n[t.c]\nd = 3\n[u]\n", "t = \"3s\""),
            "a = 1\nt = \"3s\"\n[u]\n");
}

TEST(TomlText, AddsKeysWhereTheyBelong) {
  EXPECT_EQ(merged("a = 1\n\n# of t\n[t]\nb = 2\n\n# of u\n[u]\nc = 3\n", "t.x = 1\ny = 2"),
            "a = 1\ny = 2\n\n# of t\n[t]\nb = 2\nx = 1\n\n# of u\n[u]\nc = 3\n");
  EXPECT_EQ(merged("[t]\n  a = [\n    1,\n  ]\n\n[u]\n", "t.b.c = 2"),
            "[t]\n  a = [\n    1,\n  ]\n  b.c = 2\n\n[u]\n");
  EXPECT_EQ(merged("[s]\nr.min = 1\n", "s.r.max = 2"), "[s]\nr.min = 1\nr.max = 2\n");
  EXPECT_EQ(merged("[t] # empty\n[u]\n", "t.a = 1"), "[t] # empty\na = 1\n[u]\n");
  EXPECT_EQ(merged("# of t\n[t]\n", "a = 1"), "a = 1\n# of t\n[t]\n");
  // A table that only headers below it imply gets one of its own.
  EXPECT_EQ(merged("[t.u.v]\na = 1\n", "t.u.b = 2"), "[t.u.v]\na = 1\n\n[t.u]\nb = 2\n");
  EXPECT_EQ(merged("", "a.b = 1"), "[a]\nb = 1\n");
}

TEST(TomlText, KeepsLineBreaksAndMendsTheLastLine) {
  EXPECT_EQ(merged("a = 1\r\n[t]\r\nb = 2\r\n", "t.b = 3\nt.c = 4\nu.d = 5"),
            "a = 1\r\n[t]\r\nb = 3\r\nc = 4\r\n\r\n[u]\r\nd = 5\r\n");
  EXPECT_EQ(merged("a = 1\n[t]\nb = 2", "t.c = 3"), "a = 1\n[t]\nb = 2\nc = 3\n");
  EXPECT_EQ(merged("a = 1\n[t]", "t.c = 3"), "a = 1\n[t]\nc = 3\n");
  EXPECT_EQ(merged("a = 1", "t.c = 3"), "a = 1\n\n[t]\nc = 3\n");
  EXPECT_EQ(merged("\xEF\xBB\xBF"
                   "a = 1\n",
                   "a = 2\nb = 3"),
            "\xEF\xBB\xBF"
            "a = 2\nb = 3\n");
}

TEST(TomlText, KnowsQuotedKeys) {
  EXPECT_EQ(merged("\"a.b\" = 1\n['c d']\n\"e\\\"\" = 2 # \xC3\xA4\n",
                   "'a.b' = 3\n\"c d\".'e\"' = 4\n'c d'.'\xC3\xA4 b' = 5"),
            "\"a.b\" = 3\n['c d']\n\"e\\\"\" = 4 # \xC3\xA4\n\"\xC3\xA4 b\" = 5\n");
}

TEST(TomlText, TakesOutKeysAndTables) {
  EXPECT_EQ(without("a = 1\nb = [\n1]\nc = 2\n", "b"), "a = 1\nc = 2\n");
  EXPECT_EQ(without("[s]\nk = 1\nt.a = 2 # x\nt.b = 3\n\n# of s.t\n[u]\n", "s.t"),
            "[s]\nk = 1\n\n# of s.t\n[u]\n");
  EXPECT_EQ(without("[s]\nk = 1\n# of s.t\n[s.t]\na = 1\n[s.t.u]\nb = 1\n# of v\n[v]\n", "s.t"),
            "[s]\nk = 1\n# of v\n[v]\n");
  TomlText text("a = 1\n", "s.toml");
  EXPECT_FALSE(text.remove("b"));
  EXPECT_TRUE(text.remove("a"));
  EXPECT_EQ(text.text(), "");
}

TEST(TomlText, TakesTablesOutOfArrays) {
  const std::string text =
      "a = 1\n# both\n\n# first\n[[w]]\nn = 0\n[w.x]\ny = 0\n\n# second\n[[w]]\nn = 1\n[[w.z]]\n"
      "[[w.z]]\n# third\n[[w]]\nn = 2\n[v]\n[w.late]\nq = 2\n";
  TomlText edited(text, "s.toml");
  EXPECT_EQ(edited.tables("w"), 3u);
  const std::uint32_t first_and_last[] = {0, 2};
  edited.remove_tables("w", first_and_last);
  EXPECT_EQ(edited.text(), "a = 1\n# both\n\n# second\n[[w]]\nn = 1\n[[w.z]]\n[[w.z]]\n[v]\n");
  EXPECT_EQ(edited.tables("w"), 1u);
  EXPECT_EQ(edited.tables("v"), 0u);
  // A key does not say which element it is about; the whole array has a name.
  EXPECT_FALSE(edited.remove("w.n"));
  EXPECT_EQ(without(text, "w"), "a = 1\n# both\n\n[v]\n");
  EXPECT_EQ(merged(text, "w = [{ n = 9 }]"), "a = 1\nw = [{ n = 9 }]\n# both\n\n[v]\n");
  EXPECT_EQ(TomlText("w = [{ n = 1 }, { n = 2 }]\n", "s.toml").tables("w"), 0u);
}

TEST(TomlText, SaysValuesAsTheyAreWritten) {
  const TomlText text("a = 0x1F # hex\n[t]\nb = { c = '3s' }\nd = +1_000 \n", "s.toml");
  EXPECT_EQ(text.value("a"), "0x1F");
  EXPECT_EQ(text.value("t.b.c"), "'3s'");
  EXPECT_EQ(text.value("t.b"), "{ c = '3s' }");
  EXPECT_EQ(text.value("t.d"), "+1_000");
  EXPECT_EQ(text.value("t"), std::nullopt);
  EXPECT_EQ(text.value("x"), std::nullopt);
}

TEST(TomlText, ErrorsNameFileAndLine) {
  EXPECT_EQ(error_of([] { TomlText("a = 1\nb = [\n", "s.toml"); }).substr(0, 26),
            "s.toml:2: not valid TOML: ");
  EXPECT_EQ(error_of([] { merged("\na = 1\n", "a.b = 7"); }), "s.toml:2: a.b: a is not a table");
  EXPECT_EQ(error_of([] { merged("\n[[w]]\n", "w.n = 7"); }),
            "s.toml:2: w.n: w is an array of tables, expected a table");
  EXPECT_EQ(error_of([] { merged("a = 1\n", "b = [7"); }).substr(0, 25),
            "--set:1: not valid TOML: ");
  EXPECT_EQ(error_of([] { merged("a = 1\n", "\n[[w]]\nb = 1"); }),
            "--set:2: w: expected key = [...], found a header");
  TomlText text("a = 1\n", "s.toml");
  EXPECT_EQ(error_of([&] { text.set("a", "1\nb = 2"); }),
            "s.toml: a: expected one value, found 1?b = 2");
  EXPECT_EQ(error_of([&] { text.set("a = 1\nb", "2"); }),
            "s.toml: a = 1?b: expected one value, found 2");
  EXPECT_EQ(text.text(), "a = 1\n");
}

// Every value of every shipped scenario can be replaced, and nothing but the value changes.
TEST(TomlText, FindsEveryValueOfTheShippedScenarios) {
  std::size_t values = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(
           std::string(DISSENSUS_SOURCE_DIR) + "/scenarios")) {
    if (file.path().extension() != ".toml") continue;
    const std::string text = read_file(file.path().string(), 1 << 20);
    const internal::TomlLayout layout = internal::toml_layout(text);
    for (const internal::TomlEntry& entry : layout.entries) {
      if (layout.sections[entry.section].element != internal::kNoTomlPlace) continue;
      std::string key;
      for (const std::string& part : entry.path) key += (key.empty() ? "" : ".") + part;
      TomlText edited(text, file.path().string());
      edited.set(key, "\"replaced\"");
      EXPECT_EQ(edited.text(),
                text.substr(0, entry.value.begin) + "\"replaced\"" + text.substr(entry.value.end))
          << file.path() << ' ' << key;
      ++values;
    }
  }
  EXPECT_GT(values, 300u);
}

}  // namespace
}  // namespace dissensus
