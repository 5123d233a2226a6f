#include "report.h"

#include <filesystem>

#include <fmt/format.h>

#include "core/file.h"
#include "statistics/markdown.h"
#include "statistics/samples.h"

namespace dissensus::studies {

void Report::section(const std::string& name, const std::string& markdown) const {
  if (options_.dry) {
    fmt::print("## {}\n\n{}\n", name, markdown);
    return;
  }
  constexpr std::size_t kPageBytesMax = 4 << 20;
  const std::string path = options_.docs + "/results/xrpl-fidelity.md";
  const std::string page = read_file(path, kPageBytesMax);
  write_file(path, statistics::replace_section(page, name, "\n" + markdown + "\n", path));
}

std::string Report::figure(const std::string& name, const std::string& svg,
                           const std::string& alternative) const {
  const std::string folder = options_.docs + "/images";
  std::filesystem::create_directories(folder);
  write_file(fmt::format("{}/{}.svg", folder, name), svg);
  return fmt::format("![{}](../images/{}.svg)\n", alternative, name);
}

std::string mean_and_deviation(const std::vector<double>& sample, int decimals) {
  if (sample.empty()) return "-";
  return fmt::format("{:.{}f} ({:.{}f})", statistics::mean(sample), decimals,
                     statistics::standard_deviation(sample), decimals);
}

}  // namespace dissensus::studies
