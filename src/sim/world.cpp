#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "dissensus/outside.h"

#include "core/assert.h"
#include "sim/world_inside.h"

namespace dissensus::sim {

std::string_view to_string(StopReason reason) {
  static constexpr std::array<std::string_view, 9> kNames{
      "quiet",       "stopped",        "event-reached", "time-limit", "event-limit",
      "queue-limit", "delivery-limit", "outside",       "standstill"};
  return kNames[static_cast<std::size_t>(reason)];
}

Random& World::NodeContext::random() {
  return world_.hosts_[host_].random;
}

void World::NodeContext::broken(std::uint32_t invariant, std::uint64_t number) {
  if (!world_.hosts_[host_].running) return;
  Event event;
  event.type = EventType::broken;
  event.detail = static_cast<std::uint8_t>(invariant);
  event.node = self_;
  event.number = number;
  event.text = world_.description_.invariants.at(invariant).name;
  event.cause = world_.current_cause_;
  event.of_twin = host_ >= world_.plan_.nodes;
  world_.emit(event);
}

void World::NodeContext::operation(const history::OperationReport& report) {
  if (!world_.hosts_[host_].running) return;
  std::string text = "{\"f\":\"";
  text.append(report.function).append("\",\"value\":").append(report.value);
  if (!report.error.empty()) text.append(",\"error\":").append(report.error);
  text += '}';
  Event event;
  event.type = EventType::operation;
  event.detail = static_cast<std::uint8_t>(static_cast<unsigned>(report.kind) |
                                           (report.is_final ? kFinalOperation : 0U));
  event.node = self_;
  event.number = static_cast<std::uint64_t>(report.process);
  event.value = digest_of_text(text);
  event.text = text;
  event.cause = world_.current_cause_;
  world_.emit(event);
}

void World::NodeContext::step(std::uint32_t step, std::span<const StateValue> arguments) {
  if (!world_.wants_steps_ || world_.is_beyond_end_) return;
  const StateValue::Record state = world_.hosts_[host_].node->state();
  world_.sink_.on_step({self_, step, arguments, &state});
}

struct WorldMemory::Storage {
  MessagePool pool;
  EventQueue queue;
  std::vector<World::Slot> slots;
  std::vector<std::uint32_t> free_slots;
  std::vector<World::ReceiverBlock> blocks;
  std::vector<std::uint32_t> free_blocks;
  std::vector<World::LinkState> links;
  std::vector<World::Host> hosts;
};

WorldMemory::WorldMemory() : storage_(std::make_unique<Storage>()) {}
WorldMemory::~WorldMemory() = default;

World::World(const WorldPlan& plan, const System& system, std::uint64_t seed, EventSink& sink,
             Interposer* interposer, Clock* clock, WorldMemory& memory)
    : plan_(plan),
      description_(system.description()),
      sink_(sink),
      interposer_(interposer),
      clock_(clock),
      cluster_(system.make_cluster(seed)),
      outside_(cluster_->outside()),
      memory_(memory),
      storage_(std::move(memory.storage_)),
      pool_(storage_->pool),
      queue_(storage_->queue),
      slots_(storage_->slots),
      free_slots_(storage_->free_slots),
      blocks_(storage_->blocks),
      free_blocks_(storage_->free_blocks),
      links_(storage_->links),
      hosts_(storage_->hosts),
      seed_(seed),
      link_seed_(derive_seed(seed, "link")),
      wants_log_(sink.wants().has(EventType::log)),
      wants_steps_(sink.wants_steps()) {
  DISSENSUS_ASSERT(plan.nodes > 0 && plan.nodes <= kMaxNodes, "World : a sensible number of nodes");
  DISSENSUS_ASSERT(plan.link_model.size() == plan.nodes * plan.nodes, "World : a model per link");
  queue_.clear();
  for (const LinkModel& model : plan.models) {
    plain_.push_back(model.is_plain() ? 1 : 0);
    bounded_ = bounded_ || model.buffer != 0;
  }
  links_.assign(plan.nodes * plan.nodes, LinkState{});
  hosts_.reserve(plan.nodes);
  for (std::size_t id = 0; id < plan.nodes; ++id) {
    hosts_.emplace_back(*this, static_cast<NodeId>(id), static_cast<NodeId>(id), seed);
    hosts_.back().node = cluster_->make_node(static_cast<NodeId>(id));
  }
  if (interposer_ != nullptr) interposer_->attach(*this);
  if (plan.fault_phase_end) {
    push(*plan.fault_phase_end - Time{}, take_slot(SlotType::phase_end, 0));
  }
  for (std::size_t id = 0; id < plan.nodes; ++id) {
    const Time at = plan.start.empty() ? Time{} : plan.start[id];
    push(at - Time{}, take_slot(SlotType::start, static_cast<NodeId>(id)));
  }
  for (std::size_t twin = 0; twin < twin_of_.size(); ++twin) {
    const Time at = plan.start.empty() ? Time{} : plan.start[twin_of_[twin]];
    push(at - Time{}, take_slot(SlotType::start, static_cast<NodeId>(plan.nodes + twin)));
  }
  for (std::size_t i = 0; i < plan.submissions.size(); ++i) {
    const std::uint32_t slot = take_slot(SlotType::submit, plan.submissions[i].node);
    slots_[slot].tag = i;
    push(plan.submissions[i].at - Time{}, slot);
  }
  if (outside_ != nullptr) outside_->begin();
}

World::~World() {
  // Messages first, then the nodes that may hold some, then what the nodes share.
  slots_.clear();
  free_slots_.clear();
  blocks_.clear();
  free_blocks_.clear();
  if (interposer_ != nullptr) interposer_->abandon();
  hosts_.clear();
  cluster_.reset();
  DISSENSUS_ASSERT(pool_.live_messages() == 0, "World : no message outlives its run");
  memory_.storage_ = std::move(storage_);
}

bool World::is_running(NodeId node) const {
  return hosts_[node].running;
}
std::uint64_t World::round_of(NodeId node) const {
  return hosts_[node].round;
}

Time World::local_time(NodeId node) const {
  const Time time = queue_.now();
  const Duration adjusted = adjustments_.empty() ? Duration{} : adjustment(node);
  if (plan_.skew.empty()) return time + adjusted;
  const ClockSkew& skew = plan_.skew[node];
  return time + adjusted + skew.offset +
         Duration{microseconds_of(time) / 1'000'000 * skew.drift_ppm};
}

Duration World::adjustment(NodeId node) const {
  __extension__ using Wide = __int128;
  const ClockAdjustment& adjusted = adjustments_[node];
  const Wide drifted =
      static_cast<Wide>((queue_.now() - adjusted.since).count()) * adjusted.drift_ppm / 1'000'000;
  return adjusted.offset + Duration{static_cast<std::int64_t>(drifted)};
}

void World::adjust_clock(NodeId node, Duration offset, std::int32_t drift_ppm) {
  if (adjustments_.empty()) adjustments_.resize(plan_.nodes);
  ClockAdjustment& adjusted = adjustments_[node];
  adjusted.offset = adjustment(node) + offset;
  adjusted.since = queue_.now();
  adjusted.drift_ppm += drift_ppm;
}

Duration World::global_delay(NodeId node, Duration local_delay) const {
  const std::int64_t drift_ppm =
      (plan_.skew.empty() ? std::int64_t{0} : plan_.skew[node].drift_ppm) +
      (adjustments_.empty() ? std::int64_t{0} : adjustments_[node].drift_ppm);
  if (drift_ppm == 0) return local_delay;
  // A clock that runs fast reaches its alarm early; one that stands still never would.
  __extension__ using Wide = __int128;
  const Wide scaled = static_cast<Wide>(local_delay.count()) * 1'000'000 /
                      std::max<std::int64_t>(1'000'000 + drift_ppm, 1000);
  return Duration{static_cast<std::int64_t>(scaled)};
}

// ---- the event loop

StopReason World::run(EventId until_event) {
  const Time time_limit = Time{} + plan_.limits.virtual_time;
  for (;;) {
    if (phase_end_pending_) finish_fault_phase();
    if (stop_requested_) {
      stop_requested_ = false;
      return StopReason::requested;
    }
    if (until_event != 0 && last_event() >= until_event) return StopReason::event_reached;
    if (queue_overflow_) return StopReason::queue_limit;
    if (last_event() >= plan_.limits.events) return StopReason::event_limit;
    if (plan_.limits.deliveries != 0 && counters_.deliveries >= plan_.limits.deliveries) {
      return StopReason::delivery_limit;
    }
    if (chain_ == kNoSlot) {
      if (outside_ != nullptr && !happening_pending_ && !wait_for_outside(time_limit)) {
        return outside_->trouble().empty() ? StopReason::time_limit : StopReason::outside;
      }
      if (queue_.empty()) return StopReason::quiet;
      if (queue_.next_time() > time_limit) return StopReason::time_limit;
      if (clock_ != nullptr) clock_->advance_to(queue_.next_time());
      if (queue_.next_time() != queue_.now()) steps_before_instant_ = counters_.steps;
      chain_ = queue_.pop();
    }
    if (counters_.steps - steps_before_instant_ > plan_.limits.instant) {
      return StopReason::standstill;
    }
    step();
  }
}

namespace {

/// Programs have disks of their own, which are told how slow the world's are.
void tell_slow_disks(Outside& outside, std::span<const std::unique_ptr<SimulatedDisk>> disks) {
  for (std::size_t node = 0; node < disks.size(); ++node) {
    if (disks[node]) outside.disk_slowed(static_cast<NodeId>(node), disks[node]->trouble().slow);
  }
}

}  // namespace

/// Real time passes until the next event is due; what happens before that becomes the next event.
/// False: the run is over.
bool World::wait_for_outside(Time time_limit) {
  if (!disks_.empty()) tell_slow_disks(*outside_, disks_);
  for (;;) {
    const Time due = queue_.empty() ? Time::max() : queue_.next_time();
    const Outside::Happening happening = outside_->wait(std::min(due, time_limit));
    if (!outside_->trouble().empty()) return false;
    if (happening.node != kNoNode) {
      const Duration delay = std::max(happening.time - queue_.now(), Duration{});
      push(delay, take_slot(SlotType::happening, happening.node));
      happening_pending_ = true;
      return true;
    }
    if (due <= happening.time) return true;
    if (happening.time >= time_limit) return false;
  }
}

namespace {
TimerId timer_id(std::uint32_t index, std::uint32_t generation) {
  return static_cast<TimerId>((std::uint64_t{generation} << 32) | (index + 1u));
}
}  // namespace

void World::step() {
  const std::uint32_t index = chain_;
  pending_before_call_ = --pending_;
  if (Slot& shared = slots_[index]; receiver_ + 1 < shared.receivers) {
    // Not the last receiver: the slot stays. What is handled may move it, so copy what is needed.
    const Message message = shared.message;
    const NodeId to = blocks_[shared.block][receiver_];
    const EventId send_event = EventId{shared.cause} + receiver_++;
    execute_delivery(shared.peer, to, message, send_event);
    ++counters_.steps;
    current_cause_ = 0;
    return;
  }
  if (slots_[index].type == SlotType::timer && postpone_timer(index)) return;
  Slot slot = std::move(slots_[index]);
  chain_ = slot.next;
  if (chain_ != kNoSlot) __builtin_prefetch(&slots_[chain_]);
  if (slot.receivers > 1) {
    slot.node = blocks_[slot.block][receiver_];
    slot.cause += receiver_;
    free_blocks_.push_back(slot.block);
    receiver_ = 0;
    slots_[index].receivers = 1;
  }
  slots_[index].type = SlotType::free;
  slots_[index].next = kNoSlot;
  ++slots_[index].generation;  // a TimerId of the past no longer fits
  free_slots_.push_back(index);
  execute(slot, timer_id(index, slot.generation));
  current_cause_ = 0;
}

void World::execute(const Slot& slot, TimerId timer) {
  Host* const host = slot.type == SlotType::alarm ? nullptr : &hosts_[slot.node];
  Event event;
  event.node = identity(slot.node);
  call_ = {EventType::timer, event.node, kNoNode, kNoKind};
  switch (slot.type) {
    case SlotType::deliver:
      execute_delivery(slot.peer, slot.node, slot.message, slot.cause);
      break;
    case SlotType::timer:
      if (!host->running || host->incarnation != slot.incarnation) return;
      event.type = EventType::timer;
      event.number = slot.tag;
      event.cause = slot.cause;
      current_cause_ = emit(event);
      ++counters_.timers;
      host->node->timer(host->context, timer, slot.tag);
      break;
    case SlotType::submit: {
      if (hold_if_paused(*host, slot)) return;
      const std::size_t planned = plan_.submissions.size();
      // A copy: what is submitted now may bring more.
      const std::shared_ptr<const Request> request =
          slot.tag < planned ? plan_.submissions[slot.tag].request : requests_[slot.tag - planned];
      call_.type = event.type = EventType::submit;
      event.request = request.get();
      event.number = slot.tag;
      event.detail = host->running ? 0 : 1;  // 1: the node is down, the client gets no answer
      current_cause_ = emit(event);
      if (host->running) host->node->submit(host->context, *request);
      break;
    }
    case SlotType::start:
      // A node that crashed before its start time is brought up by its restart, not by this.
      if (!host->running || host->incarnation != 0) return;
      call_.type = event.type = EventType::start;
      current_cause_ = emit(event);
      host->started = true;
      host->node->start(host->context);
      break;
    case SlotType::alarm:
      call_.node = kNoNode;
      if (slot.incarnation != interposer_incarnation_) return;
      interposer_->on_alarm(*this, slot.tag);
      break;
    case SlotType::happening:
      happening_pending_ = false;
      call_.type = EventType::log;
      if (!host->running) return;
      host->node->happened(host->context);
      break;
    case SlotType::disk:
      if (!host->running || host->incarnation != slot.incarnation) return;
      if (hold_if_paused(*host, slot)) return;
      current_cause_ = slot.cause;
      call_.type = EventType::disk;
      host->node->disk_done(host->context, disks_[slot.node]->complete(slot.tag));
      break;
    case SlotType::phase_end:
      phase_end_pending_ = true;
      return;
    case SlotType::free:
    case SlotType::cancelled:
      return;
  }
  ++counters_.steps;
}

void World::execute_delivery(NodeId from, NodeId to, const Message& message, EventId send_event) {
  const NodeId receiver = identity(to);
  Host& host = hosts_[to];
  if (host.pauses > 0) {
    Slot slot;
    slot.type = SlotType::deliver;
    slot.node = to;
    slot.peer = from;
    slot.message = message;
    slot.cause = static_cast<std::uint32_t>(send_event);
    host.held.push_back(std::move(slot));
    return;
  }
  if (bounded_) --link(from, receiver).under_way;
  Event event;
  event.cause = send_event;
  event.message = &message;
  if (!host.running) {
    event.set(EventType::drop, static_cast<std::uint8_t>(DropReason::crashed), from, receiver);
    emit(event);
    return;
  }
  event.set(EventType::deliver, 0, receiver, from);
  ++counters_.deliveries;
  current_cause_ = emit(event);
  call_ = {EventType::deliver, receiver, from, message.kind()};
  host.node->receive(host.context, from, message);
}

void World::submit(NodeId node, std::shared_ptr<const Request> request) {
  const std::uint32_t slot = take_slot(SlotType::submit, node);
  slots_[slot].tag = plan_.submissions.size() + requests_.size();
  requests_.push_back(std::move(request));
  push(Duration{}, slot);
}

// ---- slots

std::uint32_t World::take_slot(SlotType type, NodeId node) {
  std::uint32_t index;
  if (free_slots_.empty()) {
    index = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    index = free_slots_.back();
    free_slots_.pop_back();
  }
  Slot& slot = slots_[index];
  slot.type = type;
  slot.node = node;
  slot.cause = static_cast<std::uint32_t>(current_cause_);
  return index;
}

void World::push(Duration delay, std::uint32_t slot) {
  const Time time = queue_.now() + delay;
  if (time == last_pushed_time_ && time > queue_.now()) {
    slots_[last_pushed_].next = slot;
  } else {
    queue_.push(time, slot);
  }
  last_pushed_ = slot;
  last_pushed_time_ = time;
  count_pending();
}

void World::count_pending() {
  if (++pending_ <= counters_.queue_max) return;
  counters_.queue_max = pending_;
  if (pending_ > plan_.limits.queue) queue_overflow_ = true;
  // Between two steps the limits above are asked; a call that never ends is asked here.
  if (call_.node != kNoNode && pending_ > pending_before_call_ + plan_.limits.instant) {
    throw std::length_error("a call that sends, or sets timers, without end (limits.instant)");
  }
}

std::uint32_t World::take_block() {
  if (free_blocks_.empty()) {
    blocks_.emplace_back();
    return static_cast<std::uint32_t>(blocks_.size() - 1);
  }
  const std::uint32_t block = free_blocks_.back();
  free_blocks_.pop_back();
  return block;
}

/// True when the send just before was of the same message by the same node for the same time: then
/// this receiver is added to it.
bool World::join_last(NodeId from, NodeId to, const Message& message, EventId send_event,
                      Time time) {
  if (time != last_pushed_time_ || time <= queue_.now()) return false;
  Slot& last = slots_[last_pushed_];
  if (last.type != SlotType::deliver || last.peer != from || last.receivers == kBlockReceivers ||
      last.cause + last.receivers != send_event || !last.message.same_object(message)) {
    return false;
  }
  if (last.receivers == 1) {
    last.block = take_block();
    blocks_[last.block][0] = last.node;
  }
  blocks_[last.block][last.receivers++] = to;
  count_pending();
  return true;
}

// ---- messages

void World::send(NodeId host, NodeId to, const Message& message) {
  if (!hosts_[host].running) return;  // crashed in the middle of handling an event
  const NodeId from = identity(host);
  if (to >= plan_.nodes || to == from) {
    throw std::logic_error(to == from ? "Context::send : a node sends to itself"
                                      : "Context::send : there is no node " + std::to_string(to));
  }
  ++counters_.sends;
  Event event;
  event.set(EventType::send, 0, from, to);
  event.message = &message;
  event.cause = current_cause_;
  const EventId send_event = emit(event);

  const std::size_t model = plan_.link_model[from * plan_.nodes + to];
  if (plain_[model] != 0 && interposer_ == nullptr) {
    enqueue(from, to, Message(message), send_event, plan_.models[model].latency.a);
  } else {
    const NodeId from_twin = host == from ? kNoNode : host;
    send_over_link(plan_.models[model], {message, send_event, {}, from, to, from_twin, kNoNode});
  }
}

void World::send_over_link(const LinkModel& model, Transmission&& transmission) {
  LinkState& state = link(transmission.from, transmission.to);
  if (model.buffer != 0 && state.under_way >= model.buffer) {
    drop(transmission, DropReason::buffer_full);
    return;
  }
  bool twice = false;
  transmission.latency = model.latency.a;
  if (model.is_random()) {
    // A fresh generator per message: what one message draws never shifts what the next one gets.
    const std::size_t number = transmission.from * plan_.nodes + transmission.to;
    Random random(derive_seed(link_seed_, "", number ^ (state.sent++ << 20)));
    if (model.loss > 0 && random.chance(model.loss)) {
      drop(transmission, DropReason::loss);
      return;
    }
    twice = model.duplicate > 0 && random.chance(model.duplicate);
    transmission.latency = model.latency.sample(random);
  }
  if (model.fifo) {
    state.last_arrival = std::max(state.last_arrival, queue_.now() + transmission.latency);
    transmission.latency = state.last_arrival - queue_.now();
  }
  if (twice) {
    emit_message(EventType::duplicate, transmission, transmission.send);
    transmit(Transmission(transmission));
  }
  transmit(std::move(transmission));
}

void World::transmit(Transmission&& transmission) {
  if (interposer_ != nullptr) {
    interposer_->on_send(*this, std::move(transmission));
  } else {
    deliver(std::move(transmission), Duration{});
  }
}

void World::deliver(Transmission&& transmission, Duration extra) {
  const NodeId host = transmission.to_twin == kNoNode ? transmission.to : transmission.to_twin;
  enqueue(transmission.from, host, std::move(transmission.message), transmission.send,
          transmission.latency + extra);
}

/// `to` is a host: a node, or a twin.
void World::enqueue(NodeId from, NodeId to, Message&& message, EventId send_event, Duration delay) {
  if (bounded_) ++link(from, identity(to)).under_way;
  if (join_last(from, to, message, send_event, queue_.now() + delay)) return;
  const std::uint32_t index = take_slot(SlotType::deliver, to);
  Slot& slot = slots_[index];
  slot.peer = from;
  slot.cause = static_cast<std::uint32_t>(send_event);
  slot.message = std::move(message);
  push(delay, index);
}

void World::drop(const Transmission& transmission, DropReason reason) {
  emit_message(EventType::drop, transmission, transmission.send, static_cast<std::uint8_t>(reason));
}

// ---- timers

TimerId World::set_timer(NodeId host, Duration delay, std::uint64_t tag) {
  if (!hosts_[host].running) return TimerId::none;
  if (delay < Duration{}) throw std::logic_error("Context::set_timer : the delay is negative");
  const std::uint32_t index = take_slot(SlotType::timer, host);
  Slot& slot = slots_[index];
  slot.tag = tag;
  slot.incarnation = hosts_[host].incarnation;
  slot.block = hosts_[host].paused_us;
  const TimerId timer = timer_id(index, slot.generation);
  push(global_delay(identity(host), delay), index);
  return timer;
}

void World::cancel_timer(TimerId timer) {
  const auto number = static_cast<std::uint64_t>(timer);
  if (number == 0) return;
  const auto index = static_cast<std::uint32_t>(number & 0xFFFFFFFF) - 1;
  Slot& slot = slots_[index];
  if (slot.type == SlotType::timer && slot.generation == static_cast<std::uint32_t>(number >> 32)) {
    slot.type = SlotType::cancelled;
  }
}

void World::set_alarm(Duration delay, std::uint64_t tag) {
  const std::uint32_t index = take_slot(SlotType::alarm, 0);
  slots_[index].tag = tag;
  slots_[index].incarnation = interposer_incarnation_;
  push(delay, index);
}

// ---- twins

NodeId World::add_twin(NodeId node) {
  if (next_event_ != 1) return kNoNode;
  DISSENSUS_ASSERT(plan_.nodes + twin_of_.size() < kNoNode, "World::add_twin : a number is left");
  const auto host = static_cast<NodeId>(plan_.nodes + twin_of_.size());
  hosts_.emplace_back(*this, node, host, seed_);
  hosts_.back().node = cluster_->make_node(node);
  twin_of_.push_back(node);
  return host;
}

void World::stop_twins() {
  for (std::size_t host = plan_.nodes; host < hosts_.size(); ++host) hosts_[host].running = false;
}

// ---- events

EventId World::emit(Event& event) {
  event.id = next_event_++;
  event.time = queue_.now();
  if (is_beyond_end_) {
    decided_beyond_end_ = decided_beyond_end_ || event.type == EventType::decide;
    return event.id;
  }
  sink_.on_event(event);
  return event.id;
}

EventId World::emit_message(EventType type, const Transmission& transmission, EventId cause,
                            std::uint8_t detail) {
  Event event;
  event.set(type, detail, transmission.from, transmission.to);
  event.message = &transmission.message;
  event.cause = cause;
  return emit(event);
}

EventId World::record(EventType type, NodeId node, NodeId peer, std::uint64_t number,
                      std::string_view text, EventId cause, const Message* message) {
  Event event;
  event.type = type;
  event.node = node;
  event.peer = peer;
  event.number = number;
  event.text = text;
  event.cause = cause != 0 ? cause : current_cause_;
  event.message = message;
  return emit(event);
}

void World::report(EventType type, NodeId host, std::uint8_t detail, std::uint64_t number,
                   const Digest& value) {
  if (!hosts_[host].running) return;
  Event event;
  event.type = type;
  event.detail = detail;
  event.node = identity(host);
  event.number = number;
  event.value = value;
  event.cause = current_cause_;
  event.of_twin = host >= plan_.nodes;
  emit(event);
}

void World::enter_phase(NodeId host, std::uint32_t phase) {
  report(EventType::phase, host, 0, phase, Digest{});
  if (interposer_ != nullptr && host < plan_.nodes && hosts_[host].running) {
    interposer_->on_phase(*this, host, phase);
  }
}

void World::enter_round(NodeId host, std::uint64_t round) {
  hosts_[host].round = round;
  report(EventType::round, host, 0, round, Digest{});
  // The round of an identity is that of its first copy.
  if (interposer_ != nullptr && host < plan_.nodes) interposer_->on_round(*this, host, round);
}

// ---- continuing differently

void World::finish_fault_phase() {
  phase_end_pending_ = false;
  if (std::exchange(fault_phase_over_, true)) return;
  record(EventType::phase_end, kNoNode, kNoNode, 0, {});
  if (interposer_ != nullptr) interposer_->on_phase_end(*this);
}

void World::replace_interposer(Interposer* interposer) {
  if (interposer_ != nullptr) interposer_->detach(*this);
  ++interposer_incarnation_;
  interposer_ = interposer;
  if (interposer_ == nullptr) return;
  interposer_->attach(*this);
  if (fault_phase_over_) interposer_->on_phase_end(*this);
}

void World::reseed(std::uint64_t seed) {
  for (std::size_t id = 0; id < hosts_.size(); ++id) hosts_[id].random = Random(seed, "node", id);
  link_seed_ = derive_seed(seed, "link");
}

}  // namespace dissensus::sim
