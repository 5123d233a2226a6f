#include "cli/store_row.h"

#include <cctype>
#include <charconv>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "core/file.h"
#include "hunt/row_recipe.h"
#include "run/run_folder.h"

namespace dissensus::cli {

namespace {

namespace fs = std::filesystem;

struct StoreRow {
  std::string store;
  std::size_t hunt = 0;  ///< 0: not named
  std::uint64_t number = 0;
};

std::string shown(const StoreRow& row) {
  return hunt::sql::is_url(row.store) ? hunt::sql::without_password(row.store) : row.store;
}

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
        "{}: expected a run of a store by its number, STORE#17 or STORE#HUNT/17, from 1 on",
        hunt::sql::is_url(path) ? hunt::sql::without_password(path) : path));
  }
  if (fs::is_directory(row.store, error)) row.store += "/store.sqlite";
  return row;
}

/// Of the folder: a file's own name, or that of a database.
std::string name_of_store(const StoreRow& row) {
  if (!hunt::sql::is_url(row.store)) {
    const fs::path store(row.store);
    return store.filename() == "store.sqlite" ? store.parent_path().filename().string()
                                              : store.stem().string();
  }
  const std::string path = row.store.substr(0, row.store.find('?'));
  std::string name = path.substr(path.rfind('/') + 1);
  for (char& letter : name) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
    if (!is_plain) letter = '-';
  }
  return name.empty() ? "store" : name;
}

}  // namespace

std::string folder_of_run(const std::string& path, const SystemRegistry& systems) {
  const std::optional<StoreRow> row = parse_row(path);
  if (!row) return path;
  hunt::StoreReader reader(row->store);
  const hunt::HuntRecord hunt = hunt::hunt_of_row(reader, row->hunt, shown(*row));
  const std::string name = fmt::format("{}#{}", shown(*row), row->number);
  const run::Recipe recipe =
      hunt::recipe_of_row(reader, hunt, row->number, shown(*row), name, systems);
  if (!recipe.scenario.system->traits().repeatable) {
    throw InputError(shown(*row) +
                     ": a run of real servers; the store keeps it, but it cannot be repeated");
  }
  const std::string folder =
      fmt::format("runs/{}-{}-{}", name_of_store(*row), hunt.id, row->number);
  std::error_code error;
  if (fs::exists(folder + "/run.json", error)) {
    // Another store may have the same name.
    if (run::recorded_hash(folder) == recipe.hash) return folder;
    fs::remove_all(folder, error);
  }
  make_folders(folder);
  try {
    run::record_same(folder, recipe, hunt::recorded_row(reader, hunt, row->number, name));
  } catch (...) {
    fs::remove_all(folder, error);
    throw;
  }
  return folder;
}

std::optional<hunt::ExaminationResult> examination_of_run(const std::string& path) {
  const std::optional<StoreRow> row = parse_row(path);
  if (!row) return std::nullopt;
  hunt::StoreReader reader(row->store);
  auto known = hunt::read_examination(
      reader.connection(), hunt::hunt_of_row(reader, row->hunt, shown(*row)).id, row->number - 1);
  if (known && known->shrink.empty()) known.reset();
  return known;
}

}  // namespace dissensus::cli
