// How events, values and nodes are called wherever people read about them.
#pragma once

#include <string>

#include "trace/trace.h"

namespace dissensus::trace {

/// The name from a header's list, or "what 7" where it has none.
std::string name_or_number(const std::vector<std::string>& names, std::uint64_t index,
                           std::string_view what);
std::string kind_name(const Header& header, MessageKind kind);
/// "7" or, for levels with scopes, "7@a3f".
std::string instance_text(const Header& header, Level level, std::uint64_t instance);
/// A small number (a long one without its middle), or the first six hexadecimal digits.
std::string short_digest(const Digest& digest);
/// The level's word for a special value, else short_digest.
std::string value_text(const Header& header, Level level, const Digest& value);
bool is_final(const Header& header, Level level);
/// True when nodes must decide alike on this level.
bool has_agreement(const Header& header, Level level);
std::string field_text(const FieldValue& value);
/// "value=7 round=2"; empty where the record has no fields.
std::string fields_text(const Header& header, const Record& record);
/// What happened, without the node and the time: "Commit from 1", "decides value 3 = 7".
std::string event_text(const Header& header, const Record& record);
/// "250us", "12.5ms", "3.04s".
std::string time_text(Time time);

}  // namespace dissensus::trace
