// The list of a record's fields (describe.h) in one line, where documents call each field as the
// member is called:
//
//   struct Copied { std::uint64_t hunts = 0, items = 0; };
//   DISSENSUS_DESCRIBE(Copied, hunts, items)
#pragma once

#include "core/describe.h"

#define DISSENSUS_DESCRIBE(Record, ...)                         \
  template <class Visit>                                        \
  constexpr void fields_of(const Record*, const Visit& visit) { \
    DISSENSUS_AGAIN(DISSENSUS_VISIT_EACH(Record, __VA_ARGS__))  \
  }

// The first of the members, then the others: an expansion that names itself stops there, and is
// taken up by each further scan.
#define DISSENSUS_VISIT_EACH(Record, member, ...) \
  visit(#member, &Record::member);                \
  __VA_OPT__(DISSENSUS_VISIT_MORE DISSENSUS_PARENTHESES(Record, __VA_ARGS__))
#define DISSENSUS_VISIT_MORE() DISSENSUS_VISIT_EACH
#define DISSENSUS_PARENTHESES ()
#define DISSENSUS_AGAIN(...) DISSENSUS_AGAIN_3(DISSENSUS_AGAIN_3(DISSENSUS_AGAIN_3(__VA_ARGS__)))
#define DISSENSUS_AGAIN_3(...) DISSENSUS_AGAIN_2(DISSENSUS_AGAIN_2(DISSENSUS_AGAIN_2(__VA_ARGS__)))
#define DISSENSUS_AGAIN_2(...) DISSENSUS_AGAIN_1(DISSENSUS_AGAIN_1(DISSENSUS_AGAIN_1(__VA_ARGS__)))
#define DISSENSUS_AGAIN_1(...) __VA_ARGS__
