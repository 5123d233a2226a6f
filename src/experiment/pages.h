// Pages of the documentation with tables in them. A section
//
//   <!-- table NAME: experiments/FILE.toml success figure:survival=IMAGE repetitions=300 -->
//   ...
//   <!-- end NAME -->
//
// holds tables and figures of an experiment, in a line of its own the build that made them, and is
// renewed by this program. A build is told apart by its fingerprint: what a small part of the same
// experiment gives, tables included. Code that changes no result changes no fingerprint, and a
// section whose fingerprint is not that of the program is older than the code. Programs that make
// other tables of a page leave a line
//
//   <!-- build: experiments/FILE.toml 1234abcd -->
//
// at its end: the fingerprint of that experiment in the build that they are from.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dissensus/plugin.h"

#include "experiment/run.h"

namespace dissensus::experiment {

struct PageSection {
  std::string name;
  std::string file;  ///< of the experiment, from the root of the repository
  std::vector<TableKind> tables;
  std::vector<std::pair<FigureKind, std::string>> figures;  ///< and the image's name
  std::optional<std::size_t> repetitions;
  std::string fingerprint;  ///< of the build that it says it is from; empty: none
  std::size_t begin = 0;    ///< of its content
  std::size_t end = 0;
};

/// Throws InputError for marks that are none.
std::vector<PageSection> find_sections(const std::string& page, const std::string& path);

/// Runs the experiments of pages, each once.
class PageRenewal {
 public:
  /// `registry` must outlive this.
  PageRenewal(const Registry& registry, std::size_t jobs) : registry_(registry), jobs_(jobs) {}

  /// Of the build: eight hexadecimal digits; a matter of a second.
  std::string fingerprint(const std::string& file);
  /// Of the build and of what the file asks for: another seed more makes a section stale, too.
  std::string section_fingerprint(const std::string& file);
  /// Leaves, or renews, the line at the end of a page whose tables a program of this build has
  /// made.
  void stamp(const std::string& path, const std::string& file);
  /// Names of the sections that another build made; "build" for the line at the end. Throws
  /// InputError.
  std::vector<std::string> stale_sections(const std::string& path);
  /// Names of the sections whose experiment has fewer than kSeedsOfAPage seeds. Throws InputError.
  std::vector<std::string> poor_sections(const std::string& path);
  /// Renews the stale sections, or all; returns their names. Images go to `images`. Hunts are kept
  /// in `kept`, a file per fingerprint, so that an interrupted renewal goes on where it was.
  std::vector<std::string> renew(const std::string& path, const std::string& images,
                                 const std::string& kept, bool all);

 private:
  std::string content_of(const PageSection& section, const std::string& images,
                         const std::string& kept);
  /// True: nothing was known before.
  bool run_hunts(const Experiment& experiment, const std::string& store);
  std::vector<RepresentationResult> represent(const Experiment& experiment);

  const Registry& registry_;
  std::size_t jobs_;
  CellResults results_;
  std::map<std::string, std::string> fingerprints_;                          ///< by file
  std::map<std::string, std::vector<RepresentationResult>> representation_;  ///< by file
};

}  // namespace dissensus::experiment
