// Registers, alone or by key: read, write, compare and set, append.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "history/append_states.h"
#include "history/linear_objects.h"

namespace dissensus::history {

namespace {

enum class Function : std::uint8_t { read, write, cas, append, unknown };

struct FunctionName {
  std::string_view name;
  Function function;
};
constexpr std::array<FunctionName, 8> kFunctions{{{"read", Function::read},
                                                  {"get", Function::read},
                                                  {"r", Function::read},
                                                  {"write", Function::write},
                                                  {"put", Function::write},
                                                  {"w", Function::write},
                                                  {"cas", Function::cas},
                                                  {"append", Function::append}}};

Function function_named(std::string_view name) {
  for (const FunctionName& known : kFunctions) {
    if (known.name == name) return known.function;
  }
  return Function::unknown;
}

struct ValueNames : StateNames {
  std::unique_ptr<ValueTable> values;
  std::string name_of(StateId state) const override { return to_string(values->value(state), 60); }
};

struct TextNames : StateNames {
  const AppendStates* states = nullptr;
  static std::string quoted(std::string_view text) {
    return to_string(History::view(Value::Type::text, text), 60);
  }
  std::string name_of(StateId state) const override { return quoted(states->text_of(state)); }
  /// Texts that nobody saw are one state, so the text is made again.
  std::string name_after(const LinearObject& object, const std::vector<std::uint32_t>& order,
                         StateId /*state*/) const override {
    std::string text(states->text_of(object.initial));
    for (const std::uint32_t number : order) {
      const LinearStep& step = object.operations[number].step;
      if (step.kind == LinearStep::Kind::other) text += states->piece(step.a);
      if (step.kind == LinearStep::Kind::write) text = states->piece(step.b);
      if (step.kind == LinearStep::Kind::cas) text = states->text_of(step.b);
    }
    return quoted(text);
  }
};

/// The error of a compare that did not match, by Maelstrom's number or name.
bool says_mismatch(const Value& error) {
  constexpr std::int64_t kPreconditionFailed = 22;
  if (error.is_integer()) return error.integer() == kPreconditionFailed;
  if (error.is_text()) return error.text() == "precondition-failed";
  return std::ranges::any_of(error.items(), says_mismatch);
}

class RegisterBuilder {
 public:
  RegisterBuilder(const History& history, const std::vector<Operation>& operations, bool has_keys,
                  const LinearOptions& options)
      : history_(history),
        operations_(operations),
        has_keys_(has_keys),
        options_(options),
        values_(std::make_unique<ValueTable>(16)) {
    const auto is_append = [](const Event& event) { return event.function == "append"; };
    if (std::ranges::any_of(history.events(), is_append)) {
      texts_ = std::make_unique<AppendStates>(seen_texts());
    }
  }

  LinearProblem build() {
    problem_.initial = state_of(options_.initial, nullptr);
    for (std::uint32_t i = 0; i < operations_.size(); ++i) add(i);
    problem_.set_moments(history_, operations_);
    if (texts_) {
      auto names = std::make_unique<TextNames>();
      names->states = texts_.get();
      problem_.states = std::move(names);
      problem_.machine = std::move(texts_);
    } else {
      auto names = std::make_unique<ValueNames>();
      names->values = std::move(values_);
      problem_.states = std::move(names);
    }
    return std::move(problem_);
  }

 private:
  StateId state_of(const Value& value, const Asked* asked) {
    if (!texts_) return values_->id(value);
    return texts_->state_of(text_of(value, asked));
  }

  /// Nil is the empty text.
  static std::string_view text_of(const Value& value, const Asked* asked) {
    if (!value.is_text() && !value.is_nil() && asked != nullptr) {
      asked->fail(fmt::format("expected a text, since this history appends; found {}",
                              to_string(value, 40)));
    }
    return value.text();
  }

  /// What reads returned, and what a compare was told.
  std::vector<std::string_view> seen_texts() const {
    std::vector<std::string_view> seen;
    for (const Operation& operation : operations_) {
      const Asked asked{history_, operation};
      const Function function = function_named(asked.invoked().function);
      if (function == Function::read && asked.is_ok()) {
        seen.push_back(content_of(asked.answered()).text());
      } else if (function == Function::cas) {
        const Value content = content_of(asked.invoked());
        if (!content.items().empty()) seen.push_back(content.items()[0].text());
      }
    }
    return seen;
  }

  Value key_of(const Asked& asked) const {
    if (!has_keys_) return {};
    const Value& value = asked.invoked().value;
    if (!value.is_list() || value.items().size() != 2) {
      asked.fail(fmt::format("{}: expected [key value], found {}", asked.invoked().function,
                             to_string(value, 40)));
    }
    return value.items()[0];
  }
  /// What is left of an event's value without the key.
  Value content_of(const Event& event) const {
    if (!has_keys_) return event.value;
    const std::span<const Value> items = event.value.items();
    return event.value.is_list() && items.size() == 2 ? items[1] : Value{};
  }

  void add(std::uint32_t index) {
    const Asked asked{history_, operations_[index]};
    const Function function = function_named(asked.invoked().function);
    if (function == Function::unknown) {
      asked.fail(fmt::format("f: expected read, write, cas{}, found '{}'",
                             has_keys_ ? ", get, put or append" : "", asked.invoked().function));
    }
    const Value key = key_of(asked);
    if (function == Function::cas) {
      add_cas(index, key, asked);
    } else if (function == Function::read) {
      if (!asked.is_ok()) return;  // told nothing, changed nothing
      if (has_keys_ && !asked.answered().value.is_list()) {
        asked.fail("read: expected [key value] as its answer");
      }
      const StateId state = state_of(content_of(asked.answered()), &asked);
      problem_.add(key, index, true, {LinearStep::Kind::read, true, state, 0});
    } else if (!asked.is_failed()) {
      const bool is_append = function == Function::append;
      const Value content = content_of(asked.invoked());
      const std::uint32_t piece = texts_ ? texts_->piece_of(text_of(content, &asked)) : 0;
      LinearStep step{LinearStep::Kind::other, false, piece, 0};
      // The text of a write is kept beside its state, for whoever explains.
      if (!is_append) step = {LinearStep::Kind::write, false, state_of(content, &asked), piece};
      problem_.add(key, index, asked.is_ok(), step);
    }
  }

  void add_cas(std::uint32_t index, const Value& key, const Asked& asked) {
    const Value content = content_of(asked.invoked());
    if (!content.is_list() || content.items().size() != 2) {
      asked.fail(fmt::format("cas: expected [old new], found {}", to_string(content, 40)));
    }
    const StateId from = state_of(content.items()[0], &asked);
    const StateId to = state_of(content.items()[1], &asked);
    if (!asked.is_failed()) {
      problem_.add(key, index, asked.is_ok(), {LinearStep::Kind::cas, false, from, to});
      return;
    }
    const Value& error = asked.answered().error;
    if (says_mismatch(error) || (options_.failed_cas_compares && error.is_nil())) {
      problem_.add(key, index, true, {LinearStep::Kind::mismatch, true, from, 0});
    }
  }

  const History& history_;
  const std::vector<Operation>& operations_;
  const bool has_keys_;
  const LinearOptions& options_;
  std::unique_ptr<ValueTable> values_;
  std::unique_ptr<AppendStates> texts_;
  LinearProblem problem_;
};

}  // namespace

LinearProblem register_problem(const History& history, const std::vector<Operation>& operations,
                               bool has_keys, const LinearOptions& options) {
  return RegisterBuilder(history, operations, has_keys, options).build();
}

}  // namespace dissensus::history
