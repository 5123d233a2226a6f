// Fields of recorded messages and numbers of levels and observables, by name.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "dissensus/description.h"

#include "core/assert.h"
#include "trace/trace.h"

namespace dissensus::studies {

class RecordFields {
 public:
  explicit RecordFields(const SystemDescription& description) : description_(description) {}

  std::size_t level(std::string_view name) const {
    return find(description_.levels, [&](const LevelDescription& l) { return l.name == name; });
  }
  std::size_t observable(std::string_view name) const {
    return find(description_.observables, [&](const std::string& text) { return text == name; });
  }
  bool is_proposal(MessageKind kind) const {
    return description_.payloads[description_.kinds[kind].payload].name == "ProposeSet";
  }
  std::uint64_t number(const trace::Record& record, std::string_view name) const {
    return std::get<std::uint64_t>(field(record, name));
  }
  Digest digest(const trace::Record& record, std::string_view name) const {
    return std::get<Digest>(field(record, name));
  }

 private:
  template <class List, class Matches>
  static std::size_t find(const List& list, const Matches& matches) {
    const auto place = std::find_if(list.begin(), list.end(), matches);
    DISSENSUS_ASSERT(place != list.end(), "RecordFields : the system describes what is measured");
    return static_cast<std::size_t>(place - list.begin());
  }
  const FieldValue& field(const trace::Record& record, std::string_view name) const {
    const auto& fields = description_.payloads[description_.kinds[record.kind].payload].fields;
    return record.fields[find(fields, [&](const FieldDescription& f) { return f.name == name; })];
  }

  const SystemDescription& description_;
};

}  // namespace dissensus::studies
