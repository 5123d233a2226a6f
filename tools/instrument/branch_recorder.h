// Runtime of dissensus-instrument: remembers which way every recorded condition went, and writes it
// in the public branch format (tools/instrument/README.md). Needs nothing but the standard library.
//
// One process is one run, named by the environment variable DISSENSUS_RUN; a program that makes
// many runs calls dissensus_branch::begin_run and end_run around each. At exit everything is
// written to the file that DISSENSUS_BRANCHES names; without it nothing is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace dissensus_branch {

/// All observations of the process. The code that records is ordinary code of other people, so
/// there is no way to hand the recorder in: it is the one global of its kind.
class Recorder {
 public:
  static Recorder& instance() {
    static Recorder recorder;
    return recorder;
  }

  std::size_t site(const char* name) {
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] = numbers_.emplace(name, names_.size());
    if (is_new) {
      names_.emplace_back(name);
      bits_.push_back(0);
    }
    return place->second;
  }

  bool record(std::size_t site, bool value) {
    const std::lock_guard lock(mutex_);
    if (!in_run_) return value;
    std::uint8_t& bits = bits_[site];
    if (bits == 0) order_.push_back(site);
    bits = static_cast<std::uint8_t>((bits & 3) | (value ? 2 | 4 : 1));
    return value;
  }

  void begin_run(const std::string& name) {
    const std::lock_guard lock(mutex_);
    keep_run();
    run_ = name;
    in_run_ = true;
  }
  void end_run() {
    const std::lock_guard lock(mutex_);
    keep_run();
    in_run_ = false;
  }

  ~Recorder() {
    keep_run();
    const char* path = std::getenv("DISSENSUS_BRANCHES");
    if (path == nullptr) return;
    std::FILE* file = std::fopen(path, "w");
    if (file == nullptr) {
      std::fprintf(stderr, "DISSENSUS_BRANCHES: cannot write %s\n", path);
      return;
    }
    std::fputs("{\"sites\":[", file);
    for (std::size_t i = 0; i < names_.size(); ++i)
      std::fprintf(file, "%s\"%s\"", i == 0 ? "" : ",", names_[i].c_str());
    std::fputs("]}\n", file);
    for (const std::string& line : lines_) std::fprintf(file, "%s\n", line.c_str());
    std::fclose(file);
  }

 private:
  Recorder() {
    if (const char* name = std::getenv("DISSENSUS_RUN")) run_ = name;
  }

  void keep_run() {
    if (order_.empty()) return;
    std::string line = "{\"run\":\"" + run_ + "\",\"observed\":[";
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (i > 0) line += ",";
      line += std::to_string(order_[i]) + "," + std::to_string(bits_[order_[i]]);
      bits_[order_[i]] = 0;
    }
    lines_.push_back(line + "]}");
    order_.clear();
  }

  std::mutex mutex_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> names_;
  std::vector<std::uint8_t> bits_;  ///< of the current run: 1 seen false, 2 seen true, 4 last true
  std::vector<std::size_t> order_;  ///< sites in the order in which the run reached them
  std::vector<std::string> lines_;
  std::string run_ = "run";
  bool in_run_ = true;
};

/// Ends the current run, if it observed anything, and starts one of this name, which must not need
/// escaping in JSON.
inline void begin_run(const std::string& name) {
  Recorder::instance().begin_run(name);
}
/// Ends the current run; what follows is not recorded before another one begins.
inline void end_run() {
  Recorder::instance().end_run();
}

}  // namespace dissensus_branch

/// The condition is evaluated where it stands, so it sees what it saw before.
#define DISSENSUS_BRANCH(name, ...)                                                      \
  ([](bool dissensus_value) {                                                            \
    static const std::size_t site = ::dissensus_branch::Recorder::instance().site(name); \
    return ::dissensus_branch::Recorder::instance().record(site, dissensus_value);       \
  }(static_cast<bool>(__VA_ARGS__)))
