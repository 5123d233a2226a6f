#include "history/linear_objects.h"

#include "core/document.h"
#include "history/index.h"

namespace dissensus::history {

void Asked::fail(std::string_view message) const {
  internal::fail_at(history.name(), static_cast<int>(invoked().line), "", message);
}

std::string StateNames::name_after(const LinearObject& /*object*/,
                                   const std::vector<std::uint32_t>& /*order*/,
                                   StateId state) const {
  return name_of(state);
}

void LinearProblem::add(const Value& object, std::uint32_t operation, bool is_answered,
                        const LinearStep& step) {
  // Histories of one object are common; their object is nil.
  const bool is_same = object.is_nil() && names.size() == 1;
  const std::uint32_t number = is_same && names.value(0).is_nil() ? 0 : names.id(object);
  if (number == objects.size()) objects.emplace_back();
  LinearObject& place = objects[number];
  places_.push_back({operation, number, static_cast<std::uint32_t>(place.operations.size())});
  place.operations.push_back({operation, is_answered, step});
}

void LinearProblem::set_moments(const History& history, const std::vector<Operation>& operations) {
  // Which place an event belongs to; operations that were left out have none.
  std::vector<std::uint32_t> place_of(history.events().size(), kNone);
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    const Operation& operation = operations[places_[i].operation];
    const LinearObject& object = objects[places_[i].object];
    place_of[operation.invoked] = i;
    if (object.operations[places_[i].index].is_answered) place_of[operation.completed] = i;
  }
  for (LinearObject& object : objects) {
    object.initial = initial;
    object.moments.reserve(object.operations.size() * 2);
  }
  for (std::uint32_t event = 0; event < place_of.size(); ++event) {
    if (place_of[event] == kNone) continue;
    const Place& place = places_[place_of[event]];
    const bool is_answer = event != operations[place.operation].invoked;
    objects[place.object].moments.push_back({place.index, is_answer});
  }
}

}  // namespace dissensus::history
