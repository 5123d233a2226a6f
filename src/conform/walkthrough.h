// A finding made again and written down step by step, for somebody to look at: what the
// implementation did, what that is in the model, and what changed on both sides.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conform/finding_file.h"

namespace dissensus::conform {

/// Values as text, by name; functions of the model by argument: "round[2]".
using NamedTexts = std::map<std::string, std::string>;

struct WalkStep {
  std::size_t number = 0;            ///< from 1
  std::optional<NodeId> node;        ///< who acted
  std::vector<std::string> events;   ///< of the implementation; none: it did nothing
  std::vector<std::string> actions;  ///< of the model
  std::string place;                 ///< of the first action's definition: file:line:column
  NamedTexts model;                  ///< what is different afterwards
  NamedTexts implementation;         ///< the same of the node that acted
};

/// Lines of a specification around a guard, the guard's own marked by their numbers.
struct SourceLines {
  std::size_t first = 0;  ///< number of the first line
  std::size_t marked = 0;
  std::vector<std::string> lines;
};

struct Walkthrough {
  NamedTexts model;                             ///< before the first step that is kept
  std::map<NodeId, NamedTexts> implementation;  ///< the same of each node
  std::vector<WalkStep> steps;                  ///< the last ones; the very last is the violation
  std::size_t left_out = 0;                     ///< steps before
  std::optional<Violation> violation;           ///< nullopt: it does not show any more
  std::vector<SourceLines> sources;             ///< by guard; empty lines: they cannot be read
  std::vector<std::pair<std::string, std::string>> inputs;
  std::string spec;
  std::string scenario;
};

struct WalkthroughLimits {
  std::size_t steps = 400;         ///< kept
  std::size_t entries = 64;        ///< of a function that are shown one by one
  std::size_t text_bytes = 2'000;  ///< of one value
  WorkflowLimits workflow;
};

/// Throws InputError.
Walkthrough walk_through(const FindingFile& file, const SystemRegistry& systems,
                         const WalkthroughLimits& limits = {});

}  // namespace dissensus::conform
