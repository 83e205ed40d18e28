#include "simkernel/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "simkernel/protocols.hpp"

namespace mpisim::kernel {

namespace {
// First byte of a packet. Events are batched behind one byte; a control packet belongs to the protocol, an
// aside to the layers above.
enum class PacketKind : std::uint8_t { events, control, gather, aside };
// Large enough to amortise a transport send, small enough to overlap with the receiver's work.
constexpr std::size_t batch_bytes = std::size_t{64} << 10;
constexpr std::size_t first_bytes = 512;  // reserved for a packet: many are as small as that
constexpr SimTime immediate_lookahead = SimTime::picoseconds(1);
}  // namespace

void LogicalProcess::horizon_changed() {
  engine_.mark_dirty(*this);
}

Engine::Engine(EngineOptions options, Transport* transport) : options_(options), transport_(transport) {
  options_.local_lookahead = min(options_.local_lookahead, options_.lookahead);
  if (options_.local_lookahead < SimTime::picoseconds(1))
    throw std::invalid_argument("lookahead must be at least 1 ps");
  const auto hosts_count = static_cast<std::size_t>(hosts());
  outgoing_.resize(hosts_count);
  sent_to_.resize(hosts_count);
  received_from_.resize(hosts_count);
  gathered_.resize(hosts_count);
}

Engine::~Engine() {
  for (Event* event : staged_) discard(event);
}

void Engine::place(std::vector<std::uint16_t> host_of_lp) {
  lps_.assign(host_of_lp.size(), nullptr);
  if (hosts() > 1) host_of_ = std::move(host_of_lp);
}

void Engine::add(LogicalProcess& lp) {
  if (auto* process = dynamic_cast<ProcessLp*>(&lp)) {
    add(*process);
    return;
  }
  lps_.at(lp.id()) = &lp;
  mark_dirty(lp);
}

void Engine::add(ProcessLp& process) {
  lps_.at(process.id()) = &process;
  ++live_;
  process.make_ready();
}

void Engine::register_codec(std::uint16_t kind, std::unique_ptr<EventCodec> codec) {
  if (codecs_.size() <= kind) codecs_.resize(kind + std::size_t{1});
  codecs_[kind] = std::move(codec);
}

void Engine::record_sent(const Event& event) {
  load_->sent(event, event.kind < codecs_.size() ? codecs_[event.kind].get() : nullptr);
}

void Engine::send_away(Event* event) {
  const auto host = static_cast<std::size_t>(host_of_[event->destination]);
  PacketWriter& out = outgoing_[host];
  if (out.buffer().empty()) {
    out.buffer().reserve(first_bytes);
    out.put(PacketKind::events);
  }
  const EventCodec& codec = *codecs_[event->kind];
  out.put(event->key);
  out.put(event->destination);
  out.put(event->kind);
  codec.encode(*event, out);
  codec.dispose(event);
  ++sent_to_[host];
  ++statistics_.remote_events;
  // A host process that has nothing to do gets it at once: pipelines across hosts are as long as what is held
  // back.
  if (out.buffer().size() >= batch_bytes || transport_->starves(static_cast<int>(host))) {
    transport_->send(static_cast<int>(host), std::exchange(out.buffer(), {}));
  }
}

namespace {
std::string exact(SimTime time) {
  return time.is_infinite() ? "infinity" : fmt::format("{} ps", time.ps());
}
}  // namespace

void Engine::discard(Event* event) const {
  if (event->kind < codecs_.size() && codecs_[event->kind]) codecs_[event->kind]->dispose(event);
}

// What an observer refuses has no owner any more.
void Engine::observe(Event* event) {
  try {
    observer_->arrived(*event);
  } catch (...) {
    discard(event);
    throw;
  }
}

// What an LP sends itself is its own affair.
void Engine::check_promises(Event* event) const {
  const EventKey key = event->key;
  const LpId destination = event->destination;
  if (destination == key.source || !options_.exact) return;
  const LogicalProcess* sender = lps_.at(key.source);
  SimTime lookahead = options_.lookahead;
  if (sender != nullptr && is_local(destination))
    lookahead = sender->immediate() ? immediate_lookahead : options_.local_lookahead;
  const auto broken = [&](std::string_view whose, SimTime promise) {
    const auto kind = event->kind;
    discard(event);
    throw CausalityError(fmt::format(
        "causality: LP {} (host {}) sends LP {} (host {}) event {} of kind {} for {}, but {} is {} and the "
        "lookahead {}",
        key.source, host_of(key.source), destination, host_of(destination), key.sequence, kind,
        exact(key.time), whose, exact(promise), exact(lookahead)));
  };
  if (key.time < safe_time_ + lookahead) broken("the safe time of the simulation", safe_time_);
  if (sender != nullptr && key.time < sender->promise_ + lookahead)
    broken("the earliest action that it promised", sender->promise_);
}

void Engine::flush() {
  for (std::size_t host = 0; host < outgoing_.size(); ++host) {
    auto& buffer = outgoing_[host].buffer();
    if (!buffer.empty()) transport_->send(static_cast<int>(host), std::exchange(buffer, {}));
  }
}

void Engine::send_control(int host, const PacketWriter& packet) {
  send_framed(host, static_cast<std::uint8_t>(PacketKind::control), packet);
}

void Engine::send_aside(int host, const PacketWriter& packet) {
  send_framed(host, static_cast<std::uint8_t>(PacketKind::aside), packet);
}

void Engine::send_framed(int host, std::uint8_t kind, const PacketWriter& packet) {
  flush();
  PacketWriter framed;
  framed.put(kind);
  const auto& body = const_cast<PacketWriter&>(packet).buffer();
  framed.append(body.data(), body.size());
  transport_->send(host, std::move(framed.buffer()));
}

void Engine::deliver_packet(const Packet& packet, const std::function<void(int, PacketReader&)>& control) {
  PacketReader in(packet.data);
  switch (in.get<PacketKind>()) {
    case PacketKind::control:
      control(packet.source, in);
      return;
    case PacketKind::aside:
      if (on_aside_) on_aside_(packet.source, in);
      return;
    case PacketKind::gather:
      gathered_[static_cast<std::size_t>(packet.source)].emplace_back(packet.data.begin() + 1,
                                                                      packet.data.end());
      return;
    case PacketKind::events:
      if (stopped_) return;  // the simulation is over; whoever stopped it did not wait for what was under way
      break;
  }
  while (!in.empty()) {
    const auto key = in.get<EventKey>();
    const auto destination = in.get<LpId>();
    const auto kind = in.get<std::uint16_t>();
    Event* event = codecs_.at(kind)->decode(in);
    event->key = key;
    event->destination = destination;
    event->kind = kind;
    ++received_from_[static_cast<std::size_t>(packet.source)];
    ++received_;
    if constexpr (causality_checked) check_promises(event);
    if (options_.exact) {
      hand_over(*lps_.at(destination), event);
    } else {
      staged_.push_back(event);
    }
  }
}

SimTime Engine::earliest_staged() const {
  SimTime earliest = SimTime::infinity();
  for (const Event* event : staged_) earliest = min(earliest, event->key.time);
  return earliest;
}

void Engine::release_staged() {
  std::vector<Event*> events;
  events.swap(staged_);
  std::sort(events.begin(), events.end(), [](const Event* a, const Event* b) { return a->key < b->key; });
  for (Event* event : events) hand_over(*lps_.at(event->destination), event);
}

bool Engine::poll_transport(const std::function<void(int, PacketReader&)>& control) {
  if (transport_ == nullptr) return false;
  if (on_poll_) on_poll_();
  bool any = false;
  for (Packet packet; transport_->receive(packet); any = true) deliver_packet(packet, control);
  return any;
}

void Engine::mark_dirty(LogicalProcess& lp) {
  if (lp.dirty_) return;
  lp.dirty_ = true;
  dirty_.push_back(&lp);
}

void Engine::resume(ProcessLp& process) {
  process.state_ = ProcessLp::State::running;
  ++statistics_.resumes;
  {
    const LoadScope load(load_, process.id());
    process.fiber_.resume();
  }
  if (failure_) [[unlikely]]
    std::rethrow_exception(std::exchange(failure_, nullptr));
  if (process.state_ == ProcessLp::State::terminated) {
    --live_;
    // At once, because it is in the caches now; others go on, and are asked when all have come to rest.
    if (!process.dirty_) refresh_horizon(process);
  }
}

bool Engine::run_ready() {
  using Clock = std::chrono::steady_clock;
  // Long beside what a packet costs, short beside what another host does with it. A process may run for long:
  // a pipeline that crosses hosts must not wait for several of them.
  constexpr auto between_flushes = std::chrono::microseconds(50);
  attend();
  for (ProcessLp* process : outside_) ready_.push_last(*process);
  looks_outside_ += outside_.size();
  outside_.clear();
  if (ready_.empty()) return !stopped_;  // often: while this waits for other hosts
  const bool alone = hosts() == 1;
  Clock::time_point flushed = alone ? Clock::time_point() : Clock::now();
  std::uint64_t flushed_events = 0;
  while (!ready_.empty() && !stopped_) {
    if (!alone && statistics_.remote_events != flushed_events) {
      if (const Clock::time_point now = Clock::now(); now - flushed > between_flushes) {
        flush();
        flushed = now;
        flushed_events = statistics_.remote_events;
      }
    }
    resume(ready_.pop());
    attend();
  }
  return !stopped_;
}

void Engine::give_attention() {
  attention_.store(false, std::memory_order_relaxed);
  if (on_attention_) on_attention_();
}

void Engine::refresh_horizons() {
  // An LP may become dirty again while others are asked: only from advance() or a running process, so not
  // here.
  for (LogicalProcess* lp : dirty_) {
    lp->dirty_ = false;
    refresh_horizon(*lp);
  }
  dirty_.clear();
}

void Engine::refresh_horizon(LogicalProcess& lp) {
  const Horizon horizon = lp.horizon();
  if constexpr (causality_checked) lp.promise_ = horizon.action;
  (lp.immediate() ? immediate_horizons_ : horizons_).update(lp, horizon);
}

bool Engine::advance_only() {
  // Beyond this the heaps are soon cheaper than asking all of them twice.
  constexpr std::size_t most_asked = 4;
  if (!horizons_.empty() || !immediate_horizons_.empty() || dirty_.size() > most_asked) return false;
  LogicalProcess* only = nullptr;
  // Nobody looks at current_ of LPs that are in no heap, so that it may be written before this is decided.
  for (LogicalProcess* lp : dirty_) {
    lp->current_ = lp->horizon();
    if (lp->current_.action.is_infinite()) continue;
    if (only != nullptr) return false;
    only = lp;
  }
  if (only == nullptr) return false;
  for (LogicalProcess* lp : dirty_) {
    lp->dirty_ = false;
    if constexpr (causality_checked) lp->promise_ = lp->current_.action;
  }
  dirty_.clear();
  set_safe_time(only->current_.action);
  const LoadScope load(load_, only->id());
  only->advance(own_bound(*only));
  mark_dirty(*only);
  return true;
}

/// A process that has just blocked advances what it waits for; whether it is ready to go on at once.
bool Engine::goes_on_here(ProcessLp& process) {
  if (!advances_where_blocked_ || !outside_.empty()) return false;
  // A handler needs a small part of this; what the program has left may be less.
  constexpr std::uintptr_t room = std::uintptr_t{64} << 10;
  const Stack& stack = process.fiber_.stack();
  // Nor does it run on this stack, if it has switched to one of its own.
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto low = reinterpret_cast<std::uintptr_t>(stack.guard + stack.guard_size);
  if (here < low + room || here >= reinterpret_cast<std::uintptr_t>(stack.top)) return false;
  try {
    while (ready_.empty() && !stopped_) {
      attend();
      if (!advance_only()) return false;
    }
  } catch (...) {
    failure_ = std::current_exception();
    return false;
  }
  if (stopped_ || !ready_.take_only(process)) return false;
  process.state_ = ProcessLp::State::running;
  return true;
}

SimTime Engine::earliest_action() {
  refresh_horizons();
  return min(horizons_.smallest_action(), immediate_horizons_.smallest_action());
}

SimTime Engine::earliest_question() {
  refresh_horizons();
  return min(horizons_.smallest_question(), immediate_horizons_.smallest_question());
}

SimTime Engine::local_bound() {
  refresh_horizons();
  return min(horizons_.smallest_action() + options_.local_lookahead,
             immediate_horizons_.smallest_action() + immediate_lookahead);
}

SimTime Engine::own_bound(const LogicalProcess& lp) const {
  return lp.current_.action + (lp.immediate() ? immediate_lookahead : options_.local_lookahead);
}

bool Engine::advance_below(SimTime eit) {
  batch_.clear();
  horizons_.take_below(eit, batch_);
  immediate_horizons_.take_below(eit, batch_);
  for (LogicalProcess* lp : batch_) {
    const LoadScope load(load_, lp->id());
    lp->advance(eit);
    mark_dirty(*lp);
  }
  return !batch_.empty();
}

void Engine::list_undecided(std::vector<LogicalProcess*>& lps) const {
  lps = horizons_.lps();
  lps.insert(lps.end(), immediate_horizons_.lps().begin(), immediate_horizons_.lps().end());
}

LogicalProcess& Engine::most_urgent() const {
  const bool immediate = immediate_horizons_.smallest_action() < horizons_.smallest_action();
  return *(immediate ? immediate_horizons_ : horizons_).lps().front();
}

void Engine::advance_one(LogicalProcess& lp, SimTime eit) {
  (lp.immediate() ? immediate_horizons_ : horizons_).update(lp, Horizon{});
  const LoadScope load(load_, lp.id());
  lp.advance(eit);
  mark_dirty(lp);
}

void Engine::set_safe_time(SimTime time) {
  if (time <= safe_time_) return;
  safe_time_ = time;
  if (on_safe_time_) on_safe_time_(time);
}

void Engine::stop() {
  stopped_ = true;
}

Outcome Engine::run(Protocol& protocol) {
  return protocol.run(*this);
}

void Engine::send_gathered(int host, const std::vector<std::byte>& blob) {
  PacketWriter out;
  out.put(PacketKind::gather);
  out.append(blob.data(), blob.size());
  transport_->send(host, std::move(out.buffer()));
}

std::vector<std::byte> Engine::take_gathered(int host) {
  auto& parts = gathered_[static_cast<std::size_t>(host)];
  const auto ignore = [](int, PacketReader&) {};
  while (parts.empty()) {
    if (!poll_transport(ignore)) transport_->wait();
  }
  std::vector<std::byte> blob = std::move(parts.front());
  parts.pop_front();
  return blob;
}

std::vector<std::vector<std::byte>> Engine::gather(std::vector<std::byte> blob) {
  std::vector<std::vector<std::byte>> all;
  if (hosts() > 1) flush();
  if (host() != 0) {
    send_gathered(0, blob);
    return all;
  }
  all.push_back(std::move(blob));
  for (int other = 1; other < hosts(); ++other) all.push_back(take_gathered(other));
  return all;
}

std::vector<std::byte> Engine::distribute(std::vector<std::byte> blob) {
  if (host() != 0) return take_gathered(0);
  for (int other = 1; other < hosts(); ++other) send_gathered(other, blob);
  return blob;
}

}  // namespace mpisim::kernel
