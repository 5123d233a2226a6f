// Queues, sets and locks as objects of a search.
#include <algorithm>

#include <fmt/format.h>

#include "history/linear_objects.h"
#include "history/state_table.h"

namespace dissensus::history {

namespace {

/// What `LinearStep::b` of collections says; `a` is the number of a value or of a content.
enum Action : std::uint32_t {
  kInsert,
  kTake,
  kTakeFirst,
  kIsEmpty,
  kAdd,
  kRemove,
  kHas,
  kHasNot,
  kIsWhole
};

class Collection : public StateTable {
 public:
  explicit Collection(bool is_ordered) : is_ordered_(is_ordered) {}
  ValueTable values;

 protected:
  bool apply(Content& content, const LinearStep& step) override {
    const std::uint32_t item = step.a;
    const auto sorted = std::lower_bound(content.begin(), content.end(), item);
    const bool is_member = sorted != content.end() && *sorted == item;
    switch (static_cast<Action>(step.b)) {
      case kInsert:
        content.insert(is_ordered_ ? content.end() : sorted, item);
        return true;
      case kTake:
        if (is_ordered_ ? content.empty() || content.front() != item : !is_member) return false;
        content.erase(is_ordered_ ? content.begin() : sorted);
        return true;
      case kTakeFirst:
        if (content.empty()) return false;
        content.erase(content.begin());
        return true;
      case kIsEmpty:
        return content.empty();
      case kAdd:
        if (!is_member) content.insert(sorted, item);
        return true;
      case kRemove:
        if (is_member) content.erase(sorted);
        return true;
      case kHas:
        return is_member;
      case kHasNot:
        return !is_member;
      case kIsWhole:
        break;
    }
    return std::ranges::equal(content, content_of(item));
  }

 private:
  bool is_ordered_;
};

struct CollectionNames : StateNames {
  const Collection* collection = nullptr;
  std::string name_of(StateId state) const override {
    constexpr std::size_t kItemsMax = 12;
    std::string text = "[";
    const std::span<const std::uint32_t> content = collection->content_of(state);
    for (std::size_t i = 0; i < content.size() && i < kItemsMax; ++i) {
      if (i > 0) text += ' ';
      text += to_string(collection->values.value(content[i]), 40);
    }
    if (content.size() > kItemsMax) text += fmt::format(" ... {} in all", content.size());
    return text + ']';
  }
};

/// A problem with one collection as its machine, and the way to add operations to it.
class CollectionBuilder {
 public:
  CollectionBuilder(const History& history, const std::vector<Operation>& operations,
                    bool is_ordered)
      : history_(history), operations_(operations) {
    auto collection = std::make_unique<Collection>(is_ordered);
    collection_ = collection.get();
    problem_.initial = collection->state_of({});
    problem_.machine = std::move(collection);
    auto names = std::make_unique<CollectionNames>();
    names->collection = collection_;
    problem_.states = std::move(names);
  }

  std::uint32_t id(const Value& value) { return collection_->values.id(value); }
  StateId whole(const Value& items) {
    StateTable::Content content;
    for (const Value& item : items.items()) content.push_back(id(item));
    std::sort(content.begin(), content.end());
    content.erase(std::unique(content.begin(), content.end()), content.end());
    return collection_->state_of(content);
  }
  void add(const Value& object, std::uint32_t operation, bool is_answered, bool is_pure,
           std::uint32_t item, Action action) {
    problem_.add(object, operation, is_answered, {LinearStep::Kind::other, is_pure, item, action});
  }
  void leave_open(std::string reason) { problem_.open_reason = std::move(reason); }
  LinearProblem finish() {
    problem_.set_moments(history_, operations_);
    return std::move(problem_);
  }

 private:
  const History& history_;
  const std::vector<Operation>& operations_;
  LinearProblem problem_;
  Collection* collection_ = nullptr;
};

}  // namespace

LinearProblem queue_problem(const History& history, const std::vector<Operation>& operations,
                            bool is_ordered) {
  CollectionBuilder builder(history, operations, is_ordered);
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    const Asked asked{history, operations[i]};
    const std::string_view function = asked.invoked().function;
    if (function == "enqueue") {
      if (asked.is_failed()) continue;
      builder.add({}, i, asked.is_ok(), false, builder.id(asked.invoked().value), kInsert);
    } else if (function == "dequeue") {
      if (asked.is_failed()) continue;
      if (!asked.is_ok() && is_ordered) {
        builder.add({}, i, false, false, 0, kTakeFirst);
        continue;
      }
      if (!asked.is_ok()) {
        builder.leave_open(fmt::format("a dequeue without answer (line {}) may have taken anything",
                                       asked.invoked().line));
        continue;
      }
      const Value& taken = asked.answered().value;
      const bool was_empty = taken.is_nil();
      builder.add({}, i, true, was_empty, builder.id(taken), was_empty ? kIsEmpty : kTake);
    } else {
      asked.fail(fmt::format("f: expected enqueue or dequeue, found '{}'", function));
    }
  }
  return builder.finish();
}

LinearProblem set_problem(const History& history, const std::vector<Operation>& operations) {
  CollectionBuilder builder(history, operations, false);
  // Elements are objects of their own unless somebody looks at all of them at once.
  const bool has_whole_reads = std::ranges::any_of(
      history.events(), [](const Event& event) { return event.function == "read"; });
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    const Asked asked{history, operations[i]};
    if (asked.is_failed()) continue;
    const std::string_view function = asked.invoked().function;
    const Value& item = asked.invoked().value;
    const Value object = has_whole_reads ? Value{} : item;
    if (function == "add" || function == "remove") {
      builder.add(object, i, asked.is_ok(), false, builder.id(item),
                  function == "add" ? kAdd : kRemove);
    } else if (!asked.is_ok()) {
      continue;  // a look that nobody was told about
    } else if (function == "read") {
      builder.add(object, i, true, true, builder.whole(asked.answered().value), kIsWhole);
    } else if (function == "contains") {
      const Value& answer = asked.answered().value;
      // true or false, or [element answer]
      const Value found =
          answer.is_list() && answer.items().size() == 2 ? answer.items()[1] : answer;
      if (found.type() != Value::Type::boolean) {
        asked.fail("contains: expected true or false as its answer");
      }
      builder.add(object, i, true, true, builder.id(item), found.boolean() ? kHas : kHasNot);
    } else {
      asked.fail(fmt::format("f: expected add, remove, contains or read, found '{}'", function));
    }
  }
  return builder.finish();
}

LinearProblem mutex_problem(const History& history, const std::vector<Operation>& operations) {
  struct LockNames : StateNames {
    std::string name_of(StateId state) const override { return state == 0 ? "free" : "held"; }
  };
  LinearProblem problem;
  problem.states = std::make_unique<LockNames>();
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    const Asked asked{history, operations[i]};
    if (asked.is_failed()) continue;
    const std::string_view function = asked.invoked().function;
    const bool is_acquire = function == "acquire";
    if (!is_acquire && function != "release") {
      asked.fail(fmt::format("f: expected acquire or release, found '{}'", function));
    }
    const StateId from = is_acquire ? 0 : 1;
    problem.add({}, i, asked.is_ok(), {LinearStep::Kind::cas, false, from, 1 - from});
  }
  problem.set_moments(history, operations);
  return problem;
}

namespace {

/// States of a user's model are texts; each is stored once and each step is asked for once.
class ModelStates : public StateMachine, public StateNames {
 public:
  explicit ModelStates(const Model& model) : model_(model) {}
  StateId state_of(const std::string& content) {
    const auto [found, is_new] = ids_.try_emplace(content, static_cast<StateId>(contents_.size()));
    if (is_new) {
      contents_.push_back(&found->first);
      bytes_ += content.size() + 96;
    }
    return found->second;
  }
  StateId step(StateId state, const LinearStep& step) override {
    const std::uint64_t key = (std::uint64_t{state} << 32) | step.a;
    const auto [found, is_new] = steps_.try_emplace(key, kNoState);
    if (!is_new) return found->second;
    bytes_ += 56;
    const std::optional<std::string> after = model_.step(*contents_[state], requests[step.a]);
    const StateId result = after ? state_of(*after) : kNoState;
    return found->second = result;
  }
  std::size_t memory_bytes() const override { return bytes_; }
  std::string name_of(StateId state) const override {
    return to_string(History::view(Value::Type::text, *contents_[state]), 60);
  }
  std::vector<Model::Request> requests;

 private:
  const Model& model_;
  std::unordered_map<std::string, StateId> ids_;
  std::vector<const std::string*> contents_;
  std::unordered_map<std::uint64_t, StateId> steps_;
  std::size_t bytes_ = 0;
};

struct SharedNames : StateNames {
  const ModelStates* states = nullptr;
  std::string name_of(StateId state) const override { return states->name_of(state); }
};

}  // namespace

LinearProblem model_problem(const History& history, const std::vector<Operation>& operations,
                            const Model& model) {
  LinearProblem problem;
  auto states = std::make_unique<ModelStates>(model);
  problem.initial = states->state_of(model.initial());
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    const Asked asked{history, operations[i]};
    if (asked.is_failed()) continue;
    Model::Request request;
    request.function = asked.invoked().function;
    request.argument = asked.invoked().value;
    request.is_answered = asked.is_ok();
    if (request.is_answered) request.result = asked.answered().value;
    const auto number = static_cast<std::uint32_t>(states->requests.size());
    states->requests.push_back(request);
    problem.add(model.object_of(request), i, asked.is_ok(),
                {LinearStep::Kind::other, false, number, 0});
  }
  problem.set_moments(history, operations);
  auto names = std::make_unique<SharedNames>();
  names->states = states.get();
  problem.states = std::move(names);
  problem.machine = std::move(states);
  return problem;
}

}  // namespace dissensus::history
