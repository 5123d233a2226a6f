// Escaping for the formats that the room writes. Whatever bytes a text holds, what comes out is
// valid UTF-8: a byte that is not becomes U+FFFD.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dissensus::trace {

/// Number of characters, for estimating the width of a text.
std::size_t utf8_count(std::string_view text);

/// Appends a JSON string with its quotes.
void append_json_text(std::string& out, std::string_view text);
/// Appends text for XML content or attribute values. Characters that XML forbids become U+FFFD.
void append_xml_text(std::string& out, std::string_view text);
std::string xml_text(std::string_view text);

}  // namespace dissensus::trace
