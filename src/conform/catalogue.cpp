#include "conform/catalogue.h"

#include <array>
#include <chrono>
#include <filesystem>

#include <fmt/format.h>

#include "core/file.h"

namespace dissensus::conform {
namespace {

constexpr std::size_t kCatalogueBytesMax = std::size_t{1} << 20;
constexpr std::array<std::string_view, 5> kVerdicts{"none", "Prop", "Type-I", "Type-II", "unknown"};
constexpr std::array<std::string_view, 2> kSides{"model", "implementation"};

std::vector<std::pair<std::string, std::string>> read_pairs(const Options& options,
                                                            std::string_view key) {
  std::vector<std::pair<std::string, std::string>> pairs;
  const Options table = options.table(key);
  for (const std::string& name : table.keys()) pairs.emplace_back(name, table.at(name).text());
  return pairs;
}

CatalogueEntry read_entry(const Options& options) {
  CatalogueEntry entry;
  entry.number = options.at("number").text();
  entry.title = options.at("title").text();
  entry.side = std::string(kSides[options.at("side").choice(kSides)]);
  entry.variant.settings = read_pairs(options, "settings");
  entry.variant.constants = read_pairs(options, "constants");
  entry.one = std::string(kVerdicts[options.at("one").choice(kVerdicts)]);
  entry.two = std::string(kVerdicts[options.at("two").choice(kVerdicts)]);
  entry.paper = options.text("paper", "");
  options.finish();
  return entry;
}

template <class Run>
CatalogueVerdict measured(const Mapping& mapping, const CatalogueEntry& entry, std::uint64_t seed,
                          const SystemRegistry& systems, const WorkflowLimits& limits,
                          std::string config, const Run& run) {
  const auto start = std::chrono::steady_clock::now();
  Conformance conformance(mapping, entry.variant, seed, systems);
  CatalogueVerdict verdict;
  verdict.finding = run(conformance);
  verdict.config = std::move(config);
  verdict.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  verdict.gaps = gaps(conformance.counters(), limits);
  verdict.generate_seconds = conformance.counters().generate_seconds;
  verdict.verify_seconds = conformance.counters().verify_seconds;
  for (std::size_t i = 0; verdict.finding && i < mapping.inputs.size(); ++i) {
    if (mapping.inputs[i].usual) continue;
    verdict.value += (verdict.value.empty() ? "" : ", ") +
                     input_text(mapping.inputs[i], verdict.finding->values[i], false);
  }
  return verdict;
}

std::string cell(const CatalogueVerdict& verdict) {
  if (!verdict.finding) {
    return fmt::format("{} ({}{}{})", to_string(verdict), verdict.config,
                       verdict.gaps.empty() ? "" : ": ", fmt::join(verdict.gaps, "; "));
  }
  return fmt::format("{} ({}, step {}, {:.0f} ms)", to_string(verdict), verdict.config,
                     verdict.finding->violation.step, 1000 * verdict.seconds);
}

}  // namespace

Catalogue load_catalogue(const std::string& path) {
  const Options options = Options::from_toml(read_file(path, kCatalogueBytesMax), path);
  const OptionValue format = options.at("format");
  if (format.text() != kCatalogueFormat) {
    format.fail(fmt::format("expected \"{}\"", kCatalogueFormat));
  }
  Catalogue catalogue;
  catalogue.path = path;
  catalogue.mapping = (std::filesystem::path(path).parent_path() / options.at("mapping").text())
                          .lexically_normal()
                          .string();
  for (const Options& entry : options.tables("violation")) {
    catalogue.entries.push_back(read_entry(entry));
  }
  options.finish();
  if (catalogue.entries.empty()) options.fail("violation", "expected at least one [[violation]]");
  return catalogue;
}

std::string to_string(const CatalogueVerdict& verdict) {
  if (verdict.finding) return std::string(to_string(verdict.finding->violation.type));
  return verdict.gaps.empty() ? "none" : "unknown";
}

CatalogueRow run_entry(const Mapping& mapping, const CatalogueEntry& entry, std::uint64_t seed,
                       const SystemRegistry& systems, const WorkflowLimits& limits) {
  CatalogueRow row;
  const std::size_t inputs = varied_inputs(mapping);
  for (std::size_t values = 1; values <= 3 && !row.one.finding; ++values) {
    row.one = measured(mapping, entry, seed, systems, limits, fmt::format("{}/{}", inputs, values),
                       [&](Conformance& conformance) {
                         return conformance.workflow_one({inputs, values, false}, limits);
                       });
  }
  for (const std::size_t walks : {std::size_t{10}, std::size_t{100}}) {
    if (row.two.finding) break;
    row.two = measured(mapping, entry, seed, systems, limits, fmt::format("{}/1000", walks),
                       [&](Conformance& conformance) {
                         return conformance.workflow_two({walks, 1'000}, limits);
                       });
  }
  row.is_expected = to_string(row.one) == entry.one && to_string(row.two) == entry.two;
  return row;
}

std::string to_table(const Catalogue& catalogue, const std::vector<CatalogueRow>& rows) {
  std::string table =
      "| # | fault | side | Workflow I | Workflow II | value | T-Gen | T-Ver | as expected | "
      "published |\n|---|---|---|---|---|---|---|---|---|---|\n";
  for (std::size_t index = 0; index < rows.size(); ++index) {
    const CatalogueEntry& entry = catalogue.entries[index];
    const CatalogueRow& row = rows[index];
    const CatalogueVerdict& shown = row.one.finding ? row.one : row.two;
    table += fmt::format("| {} | {} | {} | {} | {} | {} | {:.0f} ms | {:.0f} ms | {} | {} |\n",
                         entry.number, entry.title, entry.side, cell(row.one), cell(row.two),
                         shown.value, 1000 * shown.generate_seconds, 1000 * shown.verify_seconds,
                         row.is_expected ? "yes" : "NO", entry.paper);
  }
  return table;
}

}  // namespace dissensus::conform
