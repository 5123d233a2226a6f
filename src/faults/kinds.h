// What kinds of faults there are. A kind is declared once, in a file of effects/: its parts
// (part.h), what it needs of the nodes, its words, how it is drawn, and what it does (effect.h).
// Everything else that knows of kinds goes by these declarations.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dissensus/description.h"
#include "dissensus/faults.h"

#include "faults/effect.h"
#include "faults/part.h"
#include "faults/speech.h"

namespace dissensus::faults {

/// What a fault needs of the nodes: a row of the table of what is possible where.
struct Requirement {
  std::string name;               ///< in the table: the kind, and what of it
  std::string_view key;           ///< that asks for it, below the fault
  Offers needs = {};              ///< none: possible everywhere
  std::string_view instead = {};  ///< what is possible where they do not offer that
  /// Which faults ask for it; null: all of the kind.
  bool (*concerns)(const void*) = nullptr;
};

/// Why a fault cannot be carried out.
struct Obstacle {
  std::string_view key;  ///< of the fault, that asks for it
  std::string text;      ///< what is expected in its place, for people
};

/// Draws a fault of a family in a way of its own.
using Draw = std::function<Fault(Drawer&, const Window&)>;

/// A key of spaces of faults that says which of some words are drawn.
struct Setting {
  std::string_view key;
  std::string_view part;  ///< that holds the word
  std::span<const std::string_view> words;
  std::size_t usual;           ///< so many of the first, where the key is missing
  std::string_view none_left;  ///< for people: what to say where no word is possible
  /// Why a word is impossible here; empty: it is passed over, even where somebody names it.
  std::optional<std::string> (*obstacle)(std::size_t word, const SystemDescription&,
                                         std::size_t nodes);
};

class FaultKind {
 public:
  std::string name;  ///< its type in documents
  std::vector<PartPtr> parts;
  std::vector<Requirement> requirements;
  std::string family;  ///< the key of spaces that asks for it; empty: its name
  Draw draw;           ///< of the family; null: its parts say how
  std::vector<Setting> settings;
  /// Which values of a part go together; throws InputError.
  std::function<void(const void*, const Options&, const Target&)> check;
  std::function<std::optional<Obstacle>(const void*, const SystemDescription&)> obstacle;
  std::function<std::string(const void*, const Speaker&)> words;
  /// What happens to the messages: " are lost". Of kinds that have a filter, in place of `words`.
  std::function<std::string(const void*)> fate;
  std::function<std::unique_ptr<Effect>(const void*, Site&)> effect;
  /// Who may lie because of it.
  std::function<std::optional<NodeId>(const void*)> liar;
  std::function<std::shared_ptr<void>(const void*)> copy;  ///< of null: one of defaults
  std::function<bool(const void*, const void*)> equal;

  /// A copy in which something was changed.
  template <class Change>
  Fault changed(const Fault& fault, Change change) const {
    std::shared_ptr<void> value = copy(fault.value());
    change(value.get());
    return Fault(*this, std::move(value));
  }
  /// Parts in the order in which they are made smaller and shown: windows last.
  std::vector<const Part*> windows_last() const;
  bool may_wait() const;  ///< its window may have an anchor
};

/// Declares a kind whose faults are values of type Known.
template <class Known>
class Declaration {
 public:
  explicit Declaration(std::string name) {
    kind_.name = std::move(name);
    kind_.copy = [](const void* fault) -> std::shared_ptr<void> {
      if (fault == nullptr) return std::make_shared<Known>();
      return std::make_shared<Known>(*static_cast<const Known*>(fault));
    };
    kind_.equal = [](const void* a, const void* b) { return of(a) == of(b); };
  }

  Declaration&& part(PartPtr part) && {
    kind_.parts.push_back(std::move(part));
    return std::move(*this);
  }
  Declaration&& needs(Requirement requirement) && {
    kind_.requirements.push_back(std::move(requirement));
    return std::move(*this);
  }
  /// Spaces ask for it by this key, with others of the same key.
  Declaration&& drawn_as(std::string family, Draw draw = {},
                         std::vector<Setting> settings = {}) && {
    kind_.family = std::move(family);
    kind_.draw = std::move(draw);
    kind_.settings = std::move(settings);
    return std::move(*this);
  }
  template <class Check>
  Declaration&& checked(Check check) && {
    kind_.check = [check](const void* fault, const Options& document, const Target& target) {
      check(of(fault), document, target);
    };
    return std::move(*this);
  }
  template <class Find>
  Declaration&& hindered(Find find) && {
    kind_.obstacle = [find](const void* fault, const SystemDescription& description) {
      return find(of(fault), description);
    };
    return std::move(*this);
  }
  template <class Words>
  Declaration&& said(Words words) && {
    kind_.words = [words](const void* fault, const Speaker& speaker) {
      return words(of(fault), speaker);
    };
    return std::move(*this);
  }
  template <class Fate>
  Declaration&& said_of_messages(Fate fate) && {
    kind_.fate = [fate](const void* fault) { return fate(of(fault)); };
    return std::move(*this);
  }
  template <class Liar>
  Declaration&& lies(Liar liar) && {
    kind_.liar = [liar](const void* fault) { return liar(of(fault)); };
    return std::move(*this);
  }
  template <class Make>
  FaultKind done_by(Make make) && {
    kind_.effect = [make](const void* fault, Site& site) { return make(of(fault), site); };
    return std::move(kind_);
  }
  /// Where the effect is made of the fault and its site alone.
  template <class Done>
  FaultKind done() && {
    return std::move(*this).done_by([](const Known& fault, Site& site) -> std::unique_ptr<Effect> {
      return std::make_unique<Done>(fault, site);
    });
  }

 private:
  static const Known& of(const void* fault) { return *static_cast<const Known*>(fault); }
  FaultKind kind_;
};

/// Files of effects/ add their kinds here; CMake writes the list of files.
void declare_all(std::vector<const FaultKind*>& kinds);
/// All kinds, in the order of the files that declare them.
std::span<const FaultKind* const> fault_kinds();
/// Null: there is none of that name.
const FaultKind* find_kind(std::string_view name);
/// What the table of requirements says, kind by kind; what windows need stands at its end.
std::vector<const Requirement*> requirements();

bool is_possible(const Requirement& requirement, const Offers& offers);

/// What the nodes of a system offer: what those of their kind do, as far as the system's own
/// description bears it out.
Offers offers_of(const SystemDescription& description);

/// Nothing: it can be carried out.
std::optional<Obstacle> obstacle_to(const Fault& fault, const SystemDescription& description);
/// The same for a row of the table, by its name.
std::optional<Obstacle> obstacle_to_kind(std::string_view name,
                                         const SystemDescription& description);

/// Why clocks cannot be wrong here.
std::optional<Obstacle> obstacle_to_clocks(const SystemDescription& description);
/// Whether the fault makes nodes that are not there without it.
bool adds_nodes(const Fault& fault);
/// The same where a node has no disk.
std::optional<Obstacle> obstacle_to_disk(NodeId node, const SystemDescription& description);

/// The table by kinds of nodes, as Markdown (docs/results/verdicts.md).
std::string kinds_table();
/// The faults of a schedule document as a JSON schema.
std::string faults_schema();

// ---- what follows from the parts

Fault read_fault(const Options& fault, const Target& target);
/// One line, as it stands in a schedule document: docs/formats/schedule.md.
std::string to_json(const Fault& fault, const SystemDescription& description, std::size_t nodes);

/// Null where the fault has none.
const Window* window_of(const Fault& fault);
Fault with_window(const Fault& fault, const Window& window);
const MessageFilter* filter_of(const Fault& fault);

/// The durations of a fault that somebody may move.
std::vector<FaultNumber> numbers_of(const Fault& fault);
Fault with_number(const Fault& fault, const FaultNumber& number, Duration value);
/// The fault with all its times shortened.
Fault shortened(const Fault& fault, const Part::Shorten& shorten);

/// A fault of the kind at random, from ranges by part (null: as usual; empty: all as usual). Where
/// one of several parts suffices, those with a range count.
Fault random_fault(const FaultKind& kind, const std::vector<Range>& ranges, Drawer& drawer,
                   const Window& when);
/// Why no document may hold the fault; none: one may.
std::optional<std::string> mistake_in(const Fault& fault, const SystemDescription& description,
                                      std::size_t nodes);

}  // namespace dissensus::faults
