#include "hunt/examination.h"

#include "hunt/schema.h"

namespace dissensus::hunt {

std::optional<ExaminationResult> read_examination(sql::Connection& connection, std::int64_t hunt,
                                                  std::uint64_t item) {
  if (version_of(connection) < 3) return std::nullopt;
  const auto row = connection.prepare(
      "SELECT scenario, schedule, seed, shrink, curves FROM examinations "
      "WHERE hunt = ? AND item = ? AND done = 1");
  row->bind(1, hunt).bind(2, static_cast<std::int64_t>(item));
  if (!row->step()) return std::nullopt;
  return ExaminationResult{std::string(row->text(0)), std::string(row->text(1)),
                           static_cast<std::uint64_t>(row->integer(2)), std::string(row->text(3)),
                           std::string(row->text(4))};
}

}  // namespace dissensus::hunt
