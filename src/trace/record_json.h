// The lines of a trace file, to and from JSON (docs/formats/trace.md).
#pragma once

#include <cstdint>
#include <string>

#include "core/json_tape.h"
#include "trace/trace.h"

namespace dissensus::trace {

void append_header(std::string& out, const Header& header);
void append_record(std::string& out, const Record& record, const Header& header);
/// The value of the "end" key.
void append_footer(std::string& out, const Footer& footer);
/// A field's value; `type` decides which texts need no tag.
void append_field(std::string& out, const FieldValue& value, SemanticType type);

// Readers of parsed lines; each throws InputError at `place`.

Header read_header(const JsonTape& line, const Place& place);
/// True when the line is a footer rather than a record.
bool is_footer(const JsonTape& line);
Footer read_footer(const JsonTape& line, const Place& place);
/// Overwrites `record`, reusing its memory. Checks all that one line can show.
void read_record(const JsonTape& line, const Place& place, const Header& header, Record& record);

}  // namespace dissensus::trace
