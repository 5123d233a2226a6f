#include "trace/text.h"

#include <array>

#include "core/utf8.h"

namespace dissensus::trace {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

constexpr unsigned char byte_at(std::string_view text, std::size_t index) {
  return static_cast<unsigned char>(text[index]);
}

constexpr bool is_plain_json(unsigned char byte) {
  return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

void append_json_escape(std::string& out, unsigned char byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  switch (byte) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\r':
      out += "\\r";
      return;
    default:
      out += "\\u00";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
  }
}

void append_sequence(std::string& out, std::string_view text, std::size_t& index) {
  const std::size_t length = utf8_length(text.substr(index));
  if (length == 0) {
    out += kReplacement;
    ++index;
  } else {
    out += text.substr(index, length);
    index += length;
  }
}

}  // namespace

std::size_t utf8_count(std::string_view text) {
  std::size_t count = 0;
  for (const char byte : text) {
    if ((static_cast<unsigned char>(byte) & 0xC0) != 0x80) ++count;
  }
  return count;
}

void append_json_text(std::string& out, std::string_view text) {
  out += '"';
  std::size_t index = 0;
  while (index < text.size()) {
    std::size_t plain = index;
    while (plain < text.size() && is_plain_json(byte_at(text, plain))) ++plain;
    out += text.substr(index, plain - index);
    index = plain;
    if (index == text.size()) break;
    const unsigned char byte = byte_at(text, index);
    if (byte >= 0x80) {
      append_sequence(out, text, index);
    } else {
      append_json_escape(out, byte);
      ++index;
    }
  }
  out += '"';
}

void append_xml_text(std::string& out, std::string_view text) {
  std::size_t index = 0;
  while (index < text.size()) {
    const unsigned char byte = byte_at(text, index);
    if (byte >= 0x80) {
      // U+FFFE and U+FFFF are valid UTF-8 but no XML characters.
      const std::string_view three = text.substr(index, 3);
      if (three == "\xEF\xBF\xBE" || three == "\xEF\xBF\xBF") {
        out += kReplacement;
        index += 3;
      } else {
        append_sequence(out, text, index);
      }
      continue;
    }
    ++index;
    switch (byte) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '\n':
        out += "&#10;";
        break;
      case '\t':
        out += "&#9;";
        break;
      default:
        if (byte < 0x20 || byte == 0x7F) {
          out += kReplacement;
        } else {
          out += static_cast<char>(byte);
        }
    }
  }
}

std::string xml_text(std::string_view text) {
  std::string out;
  append_xml_text(out, text);
  return out;
}

}  // namespace dissensus::trace
