// Specifications of tests: from specs/examples, or a text in the test.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/file.h"
#include "tla/linking/spec.h"
#include "tla/syntax/config.h"

namespace dissensus::tla::given {

inline Config config(const std::string& text, const std::string& path = "Test.cfg") {
  auto source = std::make_shared<Source>();
  source->path = path;
  source->text = text;
  return parse_config(source);
}

/// A module named Test with these units; all of Integers, Sequences, FiniteSets and TLC is there.
inline std::shared_ptr<const Spec> spec(const std::string& units, const std::string& cfg) {
  SpecOptions options;
  options.modules.emplace_back("Test",
                               "---- MODULE Test ----\n"
                               "EXTENDS Integers, Sequences, FiniteSets, TLC\n" +
                                   units + "\n====\n");
  return Spec::load("Test.tla", config(cfg), options);
}

using Constants = std::vector<std::pair<std::string, std::string>>;

/// One of specs/examples with its configuration; `constants` win over it.
inline std::shared_ptr<const Spec> example(const std::string& name, Constants constants = {},
                                           const std::string& cfg = {}) {
  constexpr std::size_t kBytesMax = std::size_t{1} << 20;
  const std::string stem = std::string(DISSENSUS_SOURCE_DIR) + "/specs/examples/" + name;
  SpecOptions options;
  options.constants = std::move(constants);
  const std::string path = stem + ".cfg";
  return Spec::load(stem + ".tla", config(cfg.empty() ? read_file(path, kBytesMax) : cfg, path),
                    options);
}

/// A counter of two digits: enough states to fill blocks and to be split among workers.
inline std::shared_ptr<const Spec> counters(const std::string& size, const std::string& more = {}) {
  return spec(
      "CONSTANT N\nVARIABLES x, y, z\n"
      "Init == x = 0 /\\ y = 0 /\\ z = {}\n"
      "IncreaseX == x < N /\\ x' = x + 1 /\\ UNCHANGED <<y, z>>\n"
      "IncreaseY == y < N /\\ y' = y + 1 /\\ UNCHANGED <<x, z>>\n"
      "Swap == x' = y /\\ y' = x /\\ UNCHANGED z\n"
      "Mark(i) == z' = z \\cup {i} /\\ UNCHANGED <<x, y>>\n"
      "Next == IncreaseX \\/ IncreaseY \\/ Swap \\/ \\E i \\in 1..4 : Mark(i)\n"
      "Small == x + y < N\n"
      "NoCorner == ~(x = N /\\ y = N /\\ z = {2, 3})\n",
      "CONSTANT N = " + size + "\nINIT Init\nNEXT Next\n" + more);
}

}  // namespace dissensus::tla::given
