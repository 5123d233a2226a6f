#include "tla/evaluation/evaluator.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <new>

#include <pthread.h>

#include "core/assert.h"

namespace dissensus::tla {

namespace {

constexpr std::size_t kSlots = std::size_t{1} << 22;
constexpr std::size_t kCallsShown = 20;
/// What is left of a stack when evaluation moves to another.
constexpr std::size_t kStackReserve = std::size_t{192} << 10;
#if defined(__SANITIZE_ADDRESS__)
// AddressSanitizer loses count of what an exception unwinds on stacks of 64 MB and more.
constexpr std::size_t kStackMost = std::size_t{48} << 20;
#elif defined(__SANITIZE_THREAD__)
// ThreadSanitizer follows 65,536 nested calls at most.
constexpr std::size_t kStackMost = std::size_t{6} << 20;
#else
constexpr std::size_t kStackMost = SIZE_MAX;
#endif

}  // namespace

Evaluator::Evaluator(const Program& linked, const MachineOptions& given)
    : program(linked),
      options(given),
      store(given.store),
      slots_(std::malloc(kSlots * sizeof(Value))),
      slots_top_(static_cast<Value*>(slots_.get())),
      slots_end_(slots_top_ + kSlots) {
  if (slots_ == nullptr) throw std::bad_alloc();
  counts_steps_ = options.steps != 0 || options.is_over;
  grow();
}

Evaluator::~Evaluator() = default;

void Evaluator::grow() {
  make_literals();
  constants.resize(program.constants);
  remembered.resize(program.remembered);
  fields.resize(program.inline_caches);
}

void Evaluator::make_literals() {
  for (std::size_t i = literals.size(); i < program.literals.size(); ++i) {
    const Literal& literal = program.literals[i];
    switch (literal.type) {
      case Literal::Type::text:
        literals.push_back(store.text(literal.text));
        break;
      case Literal::Type::config:
        literals.push_back(make_config_value(*literal.config));
        break;
      case Literal::Type::strings:
        literals.push_back(store.strings());
        break;
      case Literal::Type::booleans: {
        const Value both[] = {Value::boolean(false), Value::boolean(true)};
        literals.push_back(store.set(both));
        break;
      }
    }
  }
}

Value Evaluator::make_config_value(const ConfigValue& value) {
  switch (value.type) {
    case ConfigValue::Type::number:
      try {
        const std::int64_t number = std::stoll(value.text);
        if (Value::fits(number)) return Value::integer(number);
      } catch (const std::exception&) {
      }
      throw SpecError(value.at, "the number " + value.text + " is too large");
    case ConfigValue::Type::text:
      return store.text(value.text);
    case ConfigValue::Type::boolean:
      return Value::boolean(value.text == "TRUE");
    case ConfigValue::Type::name:
      return store.model_value(value.text);
    case ConfigValue::Type::set: {
      std::vector<Value> elements;
      for (const ConfigValue& element : value.elements) {
        elements.push_back(make_config_value(element));
      }
      try {
        return store.set(elements);
      } catch (const ValueError& error) {
        throw SpecError(value.at, error.what());
      }
    }
  }
  return Value();
}

void Evaluator::forget_values() {
  memo.clear();
  memo_in_full.clear();
  for (std::vector<Value>& table : remembered) std::fill(table.begin(), table.end(), Value());
  fields.assign(fields.size(), FieldCache{});
}

void Evaluator::fail(const Node& at, const std::string& message) const {
  EvaluationError error(at.at, message);
  for (const CallLink* link = calls; link != nullptr && error.calls.size() < kCallsShown;
       link = link->outer) {
    error.calls.push_back({link->operation->name, link->node->at});
  }
  throw error;
}

void Evaluator::expected(const char* what, Value found, const Node& at) const {
  fail(at, "expected " + std::string(what) + ", but " + at.at.excerpt(60) + " is " + shown(found));
}

void Evaluator::check_step(const Node& at) {
  constexpr std::uint64_t kBetween = 1024;
  ++steps;
  if (options.steps != 0 && steps > options.steps) {
    fail(at, "evaluation was stopped after " + std::to_string(options.steps) + " steps");
  }
  if (steps % kBetween == 0 && options.is_over && options.is_over()) throw EvaluationStopped();
}

void Evaluator::no_value(const Node& node) const {
  const bool is_primed = node.type == NodeType::primed_variable;
  if (node.type != NodeType::variable && !is_primed) {
    fail(node, "a variable has no value yet where " + node.at.excerpt(60) + " needs it");
  }
  const std::string name = program.variables[node.index] + (is_primed ? "'" : "");
  const bool has_state = is_primed ? next != nullptr : current != nullptr;
  if (!has_state) {
    fail(node,
         name + " cannot be evaluated here: there is no " + (is_primed ? "next state" : "state"));
  }
  fail(node, name + " is used before it has a value: expected " + name + " = ... before it");
}

void Evaluator::too_deep(const Node& at) const {
  fail(at, "evaluation is nested too deeply (" + std::to_string(depth) +
               " calls): is the recursion without end?");
}

namespace {

struct StackWork {
  FunctionRef<void()> work;
  std::exception_ptr error;
};

void* run_on_stack(void* given) {
  auto& task = *static_cast<StackWork*>(given);
  try {
    task.work();
  } catch (...) {
    task.error = std::current_exception();
  }
  return nullptr;
}

}  // namespace

void Evaluator::enter_stack() {
  pthread_attr_t attributes;
  void* low = nullptr;
  std::size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  stack_limit = static_cast<const char*>(low) + kStackReserve;
}

void Evaluator::on_new_stack(FunctionRef<void()> work, const Node& at) {
  if (is_on_large_stack_) too_deep(at);
  const Saved large(is_on_large_stack_, true);
  const Saved limit(stack_limit);
  const auto whole = [&] {
    enter_stack();
    work();
  };
  StackWork task{whole, nullptr};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes,
                            std::min(std::max(options.stack_bytes, kStackReserve * 4), kStackMost));
  pthread_t thread;
  const int failed = pthread_create(&thread, &attributes, run_on_stack, &task);
  pthread_attr_destroy(&attributes);
  if (failed != 0) fail(at, "there is no memory for a larger stack");
  pthread_join(thread, nullptr);
  if (task.error) std::rethrow_exception(task.error);
}

void Evaluator::use_weights(std::span<const double> given) {
  weights = given;
  if (std::equal(given.begin(), given.end(), node_weights_for_.begin(), node_weights_for_.end())) {
    return;
  }
  node_weights_.clear();
  node_weights_for_.assign(given.begin(), given.end());
}

}  // namespace dissensus::tla
