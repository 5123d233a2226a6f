// The public data set of tested executions of the XRP Ledger, in its compact form: runs.jsonl,
// messages-CONFIG.jsonl.gz and branches.jsonl.gz (docs/results/isolation.md names the source).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "isolate/run_source.h"
#include "trace/line_source.h"

namespace dissensus::isolate {

/// Seven validators with two UNLs; proposals and validations.
Schema data_set_schema();

/// What runs.jsonl says of a run: its outcome, and its labels, which are those of the public data
/// set or, for any other system, the names in a list `labels`.
struct DataSetRun {
  std::string name;
  std::string config;  ///< names the file with its messages; empty where only branches are known
  bool failing = false;
  std::uint64_t labels = 0;  ///< bit i: DataSetRuns::labels[i] applies
};
struct DataSetRuns {
  std::vector<DataSetRun> list;
  std::vector<std::string> labels;
};
DataSetRuns read_data_set_runs(const std::string& folder);

/// True if the folder looks like such a data set.
bool is_data_set(const std::string& folder);

class DataSetSource : public RunSource {
 public:
  explicit DataSetSource(std::string folder);
  std::string name() const override { return folder_; }
  const Schema& schema() const override { return schema_; }
  bool next(Run& run) override;

 private:
  bool open_next_file();
  void read_line(std::string_view line, Run& run);
  void read_message(std::uint32_t token, std::size_t node, std::size_t hashes, Run& run) const;

  std::string folder_;
  Schema schema_;
  std::map<std::string, DataSetRun, std::less<>> runs_;
  std::vector<std::string> configs_;  ///< those not yet opened, last first
  std::string path_;
  std::unique_ptr<trace::LineSource> lines_;
  JsonTape tape_;
};

}  // namespace dissensus::isolate
