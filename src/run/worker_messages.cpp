#include "run/worker_messages.h"

#include "core/bytes.h"
#include "faults/schedule_bytes.h"

namespace dissensus {

template <class Visit>
constexpr void fields_of(const Event*, const Visit& visit) {
  visit("type", &Event::type);
  visit("detail", &Event::detail);
  // There are thousands of them in a run, and they travel over a socket of one machine.
  visit("node", &Event::node, Form::fixed);
  visit("peer", &Event::peer, Form::fixed);
  visit("id", &Event::id, Form::fixed);
  visit("cause", &Event::cause, Form::fixed);
  visit("time", &Event::time, Form::fixed);
  visit("number", &Event::number, Form::fixed);
  visit("value", &Event::value);
  visit("of_twin", &Event::of_twin);
}

template <class Visit>
constexpr void fields_of(const Outside::Attachment*, const Visit& visit) {
  visit("name", &Outside::Attachment::name);
  visit("text", &Outside::Attachment::text);
}

}  // namespace dissensus

namespace dissensus::run {

constexpr RunRequest::Online last_of(RunRequest::Online) {
  return RunRequest::Online::delays;
}

template <class Visit>
constexpr void fields_of(const Branch*, const Visit& visit) {
  visit("at", &Branch::at);
  visit("schedule", &Branch::schedule);
  visit("seed", &Branch::seed);
}

template <class Visit>
constexpr void fields_of(const RunRequest*, const Visit& visit) {
  visit("schedule", &RunRequest::schedule);
  visit("seed", &RunRequest::seed);
  visit("detail", &RunRequest::detail);
  visit("metrics", &RunRequest::metrics);
  visit("log", &RunRequest::log);
  visit("observed", &RunRequest::observed);
  visit("branch", &RunRequest::branch);
  visit("online", &RunRequest::online);
  visit("hold", &RunRequest::hold);
}

template <class Visit>
constexpr void fields_of(const SeenEvent*, const Visit& visit) {
  visit("event", &SeenEvent::event);
  visit("text", &SeenEvent::text);
}

/// Without `earlier`: worker processes have no servers whose runs share a start.
template <class Visit>
constexpr void fields_of(const RunResult*, const Visit& visit) {
  visit("hash", &RunResult::hash, Form::fixed);
  visit("verdict", &RunResult::verdict);
  visit("history_margin", &RunResult::history_margin);
  visit("ended_by", &RunResult::ended_by);
  visit("broken_off", &RunResult::broken_off);
  visit("events", &RunResult::events);
  visit("end", &RunResult::end);
  visit("counters", &RunResult::counters);
  visit("sent", &RunResult::sent);
  visit("records", &RunResult::records);
  visit("records_cut", &RunResult::records_cut);
  visit("metrics", &RunResult::metrics_json);
  visit("recorded", &RunResult::recorded);
  visit("attachments", &RunResult::attachments);
}

template <class Visit>
constexpr void fields_of(const RunAnswer*, const Visit& visit) {
  visit("result", &RunAnswer::result);
  visit("seen", &RunAnswer::seen);
  visit("crashed", &RunAnswer::crashed);
  visit("error", &RunAnswer::error);
}

std::string encode(const RunRequest& request) {
  return to_bytes(request);
}

std::string encode(const RunAnswer& answer) {
  return to_bytes(answer);
}

RunRequest decode_request(std::string_view bytes) {
  return from_bytes<RunRequest>(bytes, "an order to a worker process");
}

RunAnswer decode_answer(std::string_view bytes) {
  return from_bytes<RunAnswer>(bytes, "an answer of a worker process");
}

}  // namespace dissensus::run
