// Sequences and SequencesExt.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "tla/library/native_call.h"

namespace dissensus::tla {
namespace {

std::span<const Value> sequence_items(NativeCall& call, std::size_t index, std::string_view name) {
  return items_of(sequence_argument(call, index, name));
}

Value natural(std::size_t number) {
  return Value::integer(static_cast<std::int64_t>(number));
}

// Sequences. Strings have a length and can be joined and cut, as in TLC.

Value seq(NativeCall& call) {
  return call.store().sequences(set_argument(call, 0, "Seq"));
}

Value len(NativeCall& call) {
  const Value value = call.argument(0);
  if (value.is(Type::text)) return natural(value.cell()->size);
  return natural(sequence_items(call, 0, "Len").size());
}

Value concatenate(NativeCall& call) {
  const Value first = call.argument(0), second = call.argument(1);
  if (first.is(Type::text) && second.is(Type::text)) {
    std::string joined(first.cell()->bytes());
    joined += second.cell()->bytes();
    return call.store().text(joined);
  }
  sequence_argument(call, 0, "\\o");
  sequence_argument(call, 1, "\\o");
  return call.store().concatenate(first, second);
}

Value append(NativeCall& call) {
  return call.store().append(sequence_argument(call, 0, "Append"), call.argument(1));
}

Value head(NativeCall& call) {
  const std::span<const Value> items = sequence_items(call, 0, "Head");
  if (items.empty()) throw ValueError("Head(<<>>): the sequence is empty");
  return items.front();
}

Value tail(NativeCall& call) {
  const Value value = call.argument(0);
  if (value.is(Type::text)) {
    if (value.cell()->size == 0) throw ValueError("Tail(\"\"): the string is empty");
    return call.store().text(std::string(value.cell()->bytes().substr(1)));
  }
  const std::span<const Value> items = sequence_items(call, 0, "Tail");
  if (items.empty()) throw ValueError("Tail(<<>>): the sequence is empty");
  return call.store().tuple(items.subspan(1));
}

Value cut(NativeCall& call, Value value, std::int64_t first, std::int64_t last) {
  if (!value.is(Type::text)) return call.store().subsequence(value, first, last);
  const std::string_view text = value.cell()->bytes();
  if (last < first) return call.store().text("");
  if (first < 1 || static_cast<std::uint64_t>(last) > text.size()) {
    throw ValueError(fmt::format("SubSeq({}, {}, {}): the bounds must lie in 1..{}", shown(value),
                                 first, last, text.size()));
  }
  return call.store().text(std::string(text.substr(static_cast<std::size_t>(first - 1),
                                                   static_cast<std::size_t>(last - first + 1))));
}

Value sub_seq(NativeCall& call) {
  const Value value = call.argument(0);
  if (!value.is(Type::text)) sequence_argument(call, 0, "SubSeq");
  return cut(call, value, integer_argument(call, 1, "SubSeq"), integer_argument(call, 2, "SubSeq"));
}

Value select_seq(NativeCall& call) {
  const std::span<const Value> items = sequence_items(call, 0, "SelectSeq");
  std::vector<Value> kept;
  for (const Value item : items) {
    if (holds(call, 1, {&item, 1}, "SelectSeq")) kept.push_back(item);
  }
  return call.store().tuple(kept);
}

// SequencesExt: sets and sequences.

Value to_set(NativeCall& call) {
  return call.store().set(sequence_items(call, 0, "ToSet"));
}

Value set_to_seq(NativeCall& call) {
  return call.store().tuple(items_of(listed_argument(call, 0, "SetToSeq")));
}

void require_few_permutations(std::size_t size, std::string_view name) {
  constexpr std::size_t kPermutedMax = 10;
  if (size > kPermutedMax) {
    throw ValueError(fmt::format("{}: the permutations of more than {} elements are not listed",
                                 name, kPermutedMax));
  }
}

Value set_to_seqs(NativeCall& call) {
  const std::span<const Value> elements = items_of(listed_argument(call, 0, "SetToSeqs"));
  require_few_permutations(elements.size(), "SetToSeqs");
  std::vector<std::size_t> order(elements.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<Value> result, items(elements.size());
  do {
    for (std::size_t i = 0; i < order.size(); ++i) items[i] = elements[order[i]];
    result.push_back(call.store().tuple(items));
  } while (std::next_permutation(order.begin(), order.end()));
  return call.store().set(result);
}

/// Stable: an item goes before another only where the operator says so.
void sort_by(NativeCall& call, std::size_t index, std::vector<Value>& items,
             std::string_view name) {
  for (std::size_t i = 1; i < items.size(); ++i) {
    const Value item = items[i];
    std::size_t place = i;
    for (; place > 0; --place) {
      const Value pair[] = {item, items[place - 1]};
      const Value reverse[] = {items[place - 1], item};
      // Operators like <= hold both ways for equal items: then the order stays.
      if (!holds(call, index, pair, name) || holds(call, index, reverse, name)) break;
      items[place] = items[place - 1];
    }
    items[place] = item;
  }
}

Value sort_seq(NativeCall& call) {
  const std::span<const Value> items = sequence_items(call, 0, "SortSeq");
  std::vector<Value> sorted(items.begin(), items.end());
  sort_by(call, 1, sorted, "SortSeq");
  return call.store().tuple(sorted);
}

Value set_to_sort_seq(NativeCall& call) {
  const std::span<const Value> elements = items_of(listed_argument(call, 0, "SetToSortSeq"));
  std::vector<Value> sorted(elements.begin(), elements.end());
  sort_by(call, 1, sorted, "SetToSortSeq");
  return call.store().tuple(sorted);
}

/// All sequences of at most n elements: a union of function sets, none of which is listed.
Value bounded_sequences(NativeCall& call) {
  const Value elements = set_argument(call, 0, "BoundedSeq");
  const std::int64_t length = natural_argument(call, 1, "BoundedSeq");
  Store& store = call.store();
  Value result = store.function_set(store.empty_set(), elements);
  for (std::int64_t i = 1; i <= length; ++i) {
    result = store.set_union(result, store.function_set(store.interval(1, i), elements));
  }
  return result;
}

Value tuple_of(NativeCall& call) {
  const Value elements = set_argument(call, 0, "TupleOf");
  return call.store().function_set(call.store().interval(1, natural_argument(call, 1, "TupleOf")),
                                   elements);
}

// SequencesExt: searching and changing.

Value contains(NativeCall& call) {
  const Value wanted = call.argument(1);
  for (const Value item : sequence_items(call, 0, "Contains")) {
    if (call.store().equal(item, wanted)) return Value::boolean(true);
  }
  return Value::boolean(false);
}

Value reverse(NativeCall& call) {
  const std::span<const Value> items = sequence_items(call, 0, "Reverse");
  return call.store().tuple(std::vector<Value>(items.rbegin(), items.rend()));
}

Value remove(NativeCall& call) {
  const Value unwanted = call.argument(1);
  std::vector<Value> kept;
  for (const Value item : sequence_items(call, 0, "Remove")) {
    if (!call.store().equal(item, unwanted)) kept.push_back(item);
  }
  return call.store().tuple(kept);
}

Value replace_all(NativeCall& call) {
  const Value old = call.argument(1), replacement = call.argument(2);
  std::vector<Value> result;
  for (const Value item : sequence_items(call, 0, "ReplaceAll")) {
    result.push_back(call.store().equal(item, old) ? replacement : item);
  }
  return call.store().tuple(result);
}

/// Position of the first (last) item within [from, to] that passes the test; 0: none.
Value select_in(NativeCall& call, std::span<const Value> items, std::size_t test, bool from_end,
                std::string_view name) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::size_t place = from_end ? items.size() - 1 - i : i;
    if (holds(call, test, items.subspan(place, 1), name)) return natural(place + 1);
  }
  return natural(0);
}

Value select_in_seq(NativeCall& call) {
  return select_in(call, sequence_items(call, 0, "SelectInSeq"), 1, false, "SelectInSeq");
}
Value select_last_in_seq(NativeCall& call) {
  return select_in(call, sequence_items(call, 0, "SelectLastInSeq"), 1, true, "SelectLastInSeq");
}

/// The position counts from the start of the whole sequence.
Value select_in_sub(NativeCall& call, bool from_end, std::string_view name) {
  const std::span<const Value> items = sequence_items(call, 0, name);
  const std::int64_t from = integer_argument(call, 1, name), to = integer_argument(call, 2, name);
  if (from > to) return natural(0);
  if (from < 1 || static_cast<std::uint64_t>(to) > items.size()) {
    throw ValueError(
        fmt::format("{}: the bounds {} and {} must lie in 1..{}", name, from, to, items.size()));
  }
  const auto start = static_cast<std::size_t>(from - 1);
  const Value found = select_in(call, items.subspan(start, static_cast<std::size_t>(to - from + 1)),
                                3, from_end, name);
  return found.number() == 0 ? found : Value::integer(found.number() + from - 1);
}
Value select_in_sub_seq(NativeCall& call) {
  return select_in_sub(call, false, "SelectInSubSeq");
}
Value select_last_in_sub_seq(NativeCall& call) {
  return select_in_sub(call, true, "SelectLastInSubSeq");
}

Value without(NativeCall& call, std::span<const Value> items, std::size_t place) {
  std::vector<Value> kept(items.begin(), items.end());
  kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(place));
  return call.store().tuple(kept);
}

Value remove_first(NativeCall& call) {
  const std::span<const Value> items = sequence_items(call, 0, "RemoveFirst");
  const Value unwanted = call.argument(1);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (call.store().equal(items[i], unwanted)) return without(call, items, i);
  }
  return call.argument(0);
}

Value remove_first_match(NativeCall& call) {
  const std::span<const Value> items = sequence_items(call, 0, "RemoveFirstMatch");
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (holds(call, 1, items.subspan(i, 1), "RemoveFirstMatch")) return without(call, items, i);
  }
  return call.argument(0);
}

Value cons(NativeCall& call) {
  const Value first = call.argument(0);
  return call.store().concatenate(call.store().tuple({&first, 1}),
                                  sequence_argument(call, 1, "Cons"));
}

Value front(NativeCall& call) {
  const std::span<const Value> items = sequence_items(call, 0, "Front");
  return call.store().tuple(items.first(items.empty() ? 0 : items.size() - 1));
}

Value last(NativeCall& call) {
  const std::span<const Value> items = sequence_items(call, 0, "Last");
  if (items.empty()) throw ValueError("Last(<<>>): the sequence is empty");
  return items.back();
}

bool starts_with(Store& store, std::span<const Value> prefix, std::span<const Value> items) {
  if (prefix.size() > items.size()) return false;
  return store.equal(store.tuple(prefix), store.tuple(items.first(prefix.size())));
}

Value is_prefix(NativeCall& call) {
  return Value::boolean(starts_with(call.store(), sequence_items(call, 0, "IsPrefix"),
                                    sequence_items(call, 1, "IsPrefix")));
}

Value is_strict_prefix(NativeCall& call) {
  const std::span<const Value> prefix = sequence_items(call, 0, "IsStrictPrefix");
  const std::span<const Value> items = sequence_items(call, 1, "IsStrictPrefix");
  return Value::boolean(starts_with(call.store(), prefix, items) && prefix.size() < items.size());
}

Value prefixes(NativeCall& call) {
  const std::span<const Value> items = sequence_items(call, 0, "Prefixes");
  std::vector<Value> result;
  for (std::size_t i = 0; i <= items.size(); ++i) {
    result.push_back(call.store().tuple(items.first(i)));
  }
  return call.store().set(result);
}

Value longest_common_prefix(NativeCall& call) {
  const std::span<const Value> sequences =
      items_of(listed_argument(call, 0, "LongestCommonPrefix"));
  if (sequences.empty()) return call.store().tuple({});
  for (const Value each : sequences) {
    if (!each.is(Type::tuple)) fail_argument("LongestCommonPrefix", 0, "a set of sequences", each);
  }
  const std::span<const Value> first = items_of(sequences.front());
  std::size_t length = 0;
  for (; length < first.size(); ++length) {
    const bool all_agree = std::all_of(sequences.begin(), sequences.end(), [&](Value each) {
      return each.cell()->size > length &&
             call.store().equal(items_of(each)[length], first[length]);
    });
    if (!all_agree) break;
  }
  return call.store().tuple(first.first(length));
}

Value all_sub_seqs(NativeCall& call) {
  const std::span<const Value> items = sequence_items(call, 0, "AllSubSeqs");
  if (items.size() > 20) throw ValueError("AllSubSeqs: a sequence of more than 20 items");
  std::vector<Value> result, chosen;
  for (std::uint64_t mask = 0; mask < std::uint64_t{1} << items.size(); ++mask) {
    chosen.clear();
    for (std::size_t i = 0; i < items.size(); ++i) {
      if ((mask >> i & 1) != 0) chosen.push_back(items[i]);
    }
    result.push_back(call.store().tuple(chosen));
  }
  return call.store().set(result);
}

// Folds.

Value fold_left(NativeCall& call) {
  Value result = call.argument(1);
  for (const Value item : sequence_items(call, 2, "FoldLeft")) {
    result = apply2(call, 0, result, item);
  }
  return result;
}

Value fold_right(NativeCall& call) {
  const std::span<const Value> items = sequence_items(call, 1, "FoldRight");
  Value result = call.argument(2);
  for (std::size_t i = items.size(); i-- > 0;) result = apply2(call, 0, items[i], result);
  return result;
}

Value fold_left_domain(NativeCall& call) {
  const std::size_t size = sequence_items(call, 2, "FoldLeftDomain").size();
  Value result = call.argument(1);
  for (std::size_t i = 1; i <= size; ++i) result = apply2(call, 0, result, natural(i));
  return result;
}

Value fold_right_domain(NativeCall& call) {
  const std::size_t size = sequence_items(call, 1, "FoldRightDomain").size();
  Value result = call.argument(2);
  for (std::size_t i = size; i > 0; --i) result = apply2(call, 0, natural(i), result);
  return result;
}

Value flatten_seq(NativeCall& call) {
  const std::span<const Value> parts = sequence_items(call, 0, "FlattenSeq");
  if (!parts.empty() && parts.front().is(Type::text)) {
    std::string joined;
    for (const Value part : parts) {
      if (!part.is(Type::text)) fail_argument("FlattenSeq", 0, "a sequence of strings", part);
      joined += part.cell()->bytes();
    }
    return call.store().text(joined);
  }
  std::vector<Value> result;
  for (const Value part : parts) {
    if (!part.is(Type::tuple)) fail_argument("FlattenSeq", 0, "a sequence of sequences", part);
    const std::span<const Value> items = items_of(part);
    result.insert(result.end(), items.begin(), items.end());
  }
  return call.store().tuple(result);
}

Value zip(NativeCall& call) {
  const std::span<const Value> first = sequence_items(call, 0, "Zip");
  const std::span<const Value> second = sequence_items(call, 1, "Zip");
  std::vector<Value> result;
  for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
    const Value pair[] = {first[i], second[i]};
    result.push_back(call.store().tuple(pair));
  }
  return call.store().tuple(result);
}

/// Replaces `pattern` by `replacement` in a string or sequence, everywhere or once.
Value replace_sub_seqs(NativeCall& call, bool everywhere, std::string_view name) {
  const Value in = call.argument(2);
  if (in.is(Type::text)) {
    const std::string_view wanted = text_argument(call, 1, name);
    const std::string_view by = text_argument(call, 0, name);
    std::string_view rest = in.cell()->bytes();
    std::string result;
    std::size_t place = 0;
    while (!wanted.empty() && (place = rest.find(wanted)) != std::string_view::npos) {
      result += rest.substr(0, place);
      result += by;
      rest.remove_prefix(place + wanted.size());
      if (!everywhere) break;
    }
    result += rest;
    return call.store().text(result);
  }
  const std::span<const Value> wanted = items_of(sequence_argument(call, 1, name));
  const std::span<const Value> by = items_of(sequence_argument(call, 0, name));
  std::span<const Value> rest = items_of(sequence_argument(call, 2, name));
  std::vector<Value> result;
  bool may_replace = !wanted.empty();
  while (!rest.empty()) {
    if (may_replace && starts_with(call.store(), wanted, rest)) {
      result.insert(result.end(), by.begin(), by.end());
      rest = rest.subspan(wanted.size());
      may_replace = everywhere;
    } else {
      result.push_back(rest.front());
      rest = rest.subspan(1);
    }
  }
  return call.store().tuple(result);
}
Value replace_first_sub_seq(NativeCall& call) {
  return replace_sub_seqs(call, false, "ReplaceFirstSubSeq");
}
Value replace_all_sub_seqs(NativeCall& call) {
  return replace_sub_seqs(call, true, "ReplaceAllSubSeqs");
}

constexpr NativeOperator kSequencesNatives[] = {
    {"Sequences", "Seq", seq},
    {"Sequences", "Len", len},
    {"Sequences", "\\circ", concatenate},
    {"Sequences", "Append", append},
    {"Sequences", "Head", head},
    {"Sequences", "Tail", tail},
    {"Sequences", "SubSeq", sub_seq},
    {"Sequences", "SelectSeq", select_seq},
    {"TLC", "SortSeq", sort_seq},
    {"SequencesExt", "ToSet", to_set},
    {"SequencesExt", "SetToSeq", set_to_seq},
    {"SequencesExt", "SetToSeqs", set_to_seqs},
    {"SequencesExt", "SetToSortSeq", set_to_sort_seq},
    {"SequencesExt", "TupleOf", tuple_of},
    {"SequencesExt", "SeqOf", bounded_sequences},
    {"SequencesExt", "BoundedSeq", bounded_sequences},
    {"SequencesExt", "Contains", contains},
    {"SequencesExt", "Reverse", reverse},
    {"SequencesExt", "Remove", remove},
    {"SequencesExt", "ReplaceAll", replace_all},
    {"SequencesExt", "SelectInSeq", select_in_seq},
    {"SequencesExt", "SelectLastInSeq", select_last_in_seq},
    {"SequencesExt", "SelectInSubSeq", select_in_sub_seq},
    {"SequencesExt", "SelectLastInSubSeq", select_last_in_sub_seq},
    {"SequencesExt", "RemoveFirst", remove_first},
    {"SequencesExt", "RemoveFirstMatch", remove_first_match},
    {"SequencesExt", "Cons", cons},
    {"SequencesExt", "Front", front},
    {"SequencesExt", "Last", last},
    {"SequencesExt", "IsPrefix", is_prefix},
    {"SequencesExt", "IsStrictPrefix", is_strict_prefix},
    {"SequencesExt", "Prefixes", prefixes},
    {"SequencesExt", "LongestCommonPrefix", longest_common_prefix},
    {"SequencesExt", "AllSubSeqs", all_sub_seqs},
    {"SequencesExt", "FoldLeft", fold_left},
    {"SequencesExt", "FoldRight", fold_right},
    {"SequencesExt", "FoldLeftDomain", fold_left_domain},
    {"SequencesExt", "FoldRightDomain", fold_right_domain},
    {"SequencesExt", "FlattenSeq", flatten_seq},
    {"SequencesExt", "Zip", zip},
    {"SequencesExt", "ReplaceFirstSubSeq", replace_first_sub_seq},
    {"SequencesExt", "ReplaceAllSubSeqs", replace_all_sub_seqs},
};

}  // namespace

std::span<const NativeOperator> sequence_natives() {
  return kSequencesNatives;
}

}  // namespace dissensus::tla
