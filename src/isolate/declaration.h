// What someone declares about their messages: docs/formats/messages.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isolate/schema.h"
#include "trace/trace.h"

namespace dissensus::isolate {

inline constexpr std::string_view kMessagesFormat = "dissensus-messages/1";

struct Declaration {
  /// What the schema does not say of a kind.
  struct KindDetails {
    /// The node field that names the author of a message that others may pass on; empty: the author
    /// is whom the message comes from.
    std::string sender_field;
    std::vector<std::string> ignored;  ///< fields that messages may have besides
    std::vector<bool> optional;        ///< per field: may be missing
  };
  std::string name;  ///< of its file
  Schema schema;
  std::vector<KindDetails> details;  ///< per kind
  std::vector<std::string> files;    ///< with the runs, beside the declaration
};

/// Throws InputError for anything that is not a complete declaration.
Declaration read_declaration(const std::string& path);
Declaration parse_declaration(std::string_view text, const std::string& name);

/// What follows from a system's own description: every kind with fields; fields of equal name and
/// type can be compared; a node field called "origin" names the author.
Declaration declaration_of(const trace::Header& header);

}  // namespace dissensus::isolate
