// PlusCal (lamport.azurewebsites.net/tla/pluscal.html): an algorithm in a comment of a module is
// translated to definitions that follow the comment, between two lines with BEGIN TRANSLATION and
// END TRANSLATION. Words, layout, names and checksums are those of the translator that TLA+ users
// have, so that a file can go back and forth.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tla/pluscal/generate.h"
#include "tla/syntax/ast.h"
#include "tla/syntax/source.h"

namespace dissensus::tla::pluscal {

/// Of the translator's command line, or of "(* PlusCal options (-sf ...) *)" in the module.
struct Options {
  SpecFairness fairness = SpecFairness::unsaid;
  bool termination = false;  ///< weak fairness, where nothing is said of it
  bool adds_labels = false;  ///< where they are missing
  bool stutters_when_done = true;
  std::string label_root = "Lbl_";
  std::size_t line_width = 78;
};

/// Reads "-sf", "-wf", "-wfNext", "-nof", "-termination", "-label", "-labelRoot NAME",
/// "-noDoneDisjunct", "-lineWidth N"; those without effect here are taken and do nothing
/// ("-nocfg", "-noold", "-unixEOL", "-reportLabels" adds labels). InputError: another one.
Options parse_options(const std::vector<std::string>& words, Options options = {});

struct Translation {
  std::vector<GeneratedLine> lines;  ///< between the two
  std::string algorithm_checksum;
  std::string text_checksum;
  std::vector<std::string> remarks;  ///< labels that were added, names that were changed
};

/// How a translation that stands in a file compares with the algorithm.
enum class Freshness : std::uint8_t {
  untranslated,  ///< no BEGIN TRANSLATION
  fresh,
  algorithm_changed,  ///< since it was translated
  text_changed,       ///< the translation, by hand
};

/// An algorithm in a file.
class AlgorithmText {
 public:
  /// Nullopt: the module has none. Throws SpecError where an algorithm has no end, or a
  /// translation.
  static std::optional<AlgorithmText> find(const SourcePtr& source);

  /// Options of the module win. Throws SpecError with the algorithm's places.
  Translation translate(const Options& options = {}) const;

  /// By its checksums where it has them; otherwise by comparing its steps with ours.
  Freshness freshness(const Translation& translation) const;

  /// The file with the translation in it.
  std::string file_with(const Translation& translation) const;

  /// Likewise, as a source whose places in the translation are those of the algorithm, and those
  /// behind it as in the file.
  SourcePtr source_with(const Translation& translation) const;

  /// `source_with` where the translation in the file is ours line by line, else the file.
  SourcePtr source_if_equal(const Translation& translation) const;

  bool has_translation() const { return translation_end_.has_value(); }
  Location at() const;

 private:
  SourcePtr source_;
  std::vector<std::string> raw_lines_;  ///< as in the file
  std::vector<std::string> lines_;      ///< with spaces for tabs
  Place begin_;                         ///< behind "--algorithm"
  bool is_fair_ = false;
  /// Index of the line with BEGIN TRANSLATION; without, of the one that it would be put before.
  std::size_t translation_begin_ = 0;
  std::optional<std::size_t> translation_end_;  ///< of that with END TRANSLATION
};

/// What the engine reads: a module whose algorithm has no translation is translated, and where it
/// has one, its lines have the places of the algorithm. Notices say so, and warn of a stale one.
SourcePtr with_translation(const SourcePtr& source, std::vector<Notice>& notices);

}  // namespace dissensus::tla::pluscal
