#include "run/scenario_file.h"

#include <filesystem>

#include "dissensus/options.h"

#include "core/file.h"
#include "core/limits.h"
#include "core/toml_text.h"

namespace dissensus::run {

std::string read_scenario(const std::string& path) {
  const std::string own = read_file(path, kScenarioBytesMax);
  const Options options = Options::from_toml(own, path);
  const auto base = options.find("base");
  if (!base) return own;
  const std::string base_path =
      (std::filesystem::path(path).parent_path() / base->text()).lexically_normal();
  TomlText merged(read_file(base_path, kScenarioBytesMax), base_path);
  if (merged.value("base")) base->fail("expected a scenario that has no base itself");
  merged.merge(own, path);
  merged.remove("base");
  return merged.text();
}

}  // namespace dissensus::run
