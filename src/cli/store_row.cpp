#include "cli/store_row.h"

#include <charconv>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "hunt/row_recipe.h"
#include "run/run_folder.h"

namespace dissensus::cli {

namespace {

namespace fs = std::filesystem;

struct StoreRow {
  std::string store;
  std::size_t hunt = 1;
  std::uint64_t number = 0;
};

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// None: the path names no row.
std::optional<StoreRow> parse_row(const std::string& path) {
  const std::size_t sign = path.rfind('#');
  std::error_code error;
  if (sign == std::string::npos || fs::exists(path, error)) return std::nullopt;
  StoreRow row;
  row.store = path.substr(0, sign);
  std::string_view rest = std::string_view(path).substr(sign + 1);
  const std::size_t slash = rest.find('/');
  bool is_row = true;
  if (slash != std::string_view::npos) {
    is_row = read_number(rest.substr(0, slash), row.hunt) && row.hunt > 0;
    rest.remove_prefix(slash + 1);
  }
  if (!is_row || !read_number(rest, row.number) || row.number == 0) {
    throw InputError(fmt::format(
        "{}: expected a run of a store by its number, STORE#17 or STORE#HUNT/17, from 1 on", path));
  }
  if (fs::is_directory(row.store, error)) row.store += "/store.sqlite";
  return row;
}

}  // namespace

std::string folder_of_run(const std::string& path, const SystemRegistry& systems) {
  const std::optional<StoreRow> row = parse_row(path);
  if (!row) return path;
  const run::Recipe recipe = hunt::recipe_of_row(row->store, row->hunt, row->number, path, systems);
  if (!recipe.scenario.system->traits().repeatable) {
    throw InputError(path +
                     ": a run of real servers; the store keeps it, but it cannot be repeated");
  }
  const fs::path store(row->store);
  const std::string name = store.filename() == "store.sqlite"
                               ? store.parent_path().filename().string()
                               : store.stem().string();
  const std::string folder = fmt::format("runs/{}-{}-{}", name, row->hunt, row->number);
  std::error_code error;
  if (fs::exists(folder + "/run.json", error)) return folder;
  fs::create_directories(folder, error);
  if (error) throw InputError(fmt::format("{}: cannot be created: {}", folder, error.message()));
  const run::RunResult result = run::record_run(folder, recipe);
  if (const std::string hash = trace::to_hex(result.hash); hash != recipe.hash) {
    fs::remove_all(folder, error);
    throw InputError(
        fmt::format("{}: recorded hash {}, this run {}; was it recorded by another version of the "
                    "program or of "
                    "the scenario's system?",
                    path, recipe.hash, hash));
  }
  return folder;
}

}  // namespace dissensus::cli
