#include "simkernel/distributed_protocol.hpp"

#include <chrono>
#include <utility>

namespace mpisim::kernel {

namespace {
// A report that is overtaken by an event is wasted; a little patience saves most of them.
constexpr int polls_before_report = 2;
}  // namespace

Outcome DistributedProtocol::run(Engine& engine) {
  tree_ = HostTree(engine.host(), engine.hosts());
  children_.assign(tree_.children().size(), {});
  own_ = passed_on_ = {};
  outcome_.reset();
  waiting_since_.reset();
  advanced_ = false;
  patience_ = 0;
  prepare(engine);
  const auto control = [this, &engine](int source, PacketReader& in) { on_control(engine, source, in); };
  while (!outcome_) {
    if (!engine.run_ready()) {
      tell_all(engine, Word::stop, SimTime::zero());
      return Outcome::stopped;
    }
    if (advance(engine) && !engine.waits_outside()) continue;  // who waits outside may wait for another host
    engine.flush();
    const std::uint64_t events = engine.statistics().events;
    if (engine.poll_transport(control) || outcome_) {
      end_waiting(engine);
      if (std::exchange(advanced_, false)) {
        patience_ = polls_before_report;  // after a decision, the next one is all that everybody waits for
      } else if (engine.statistics().events > events || engine.earliest_staged() < SimTime::infinity()) {
        patience_ = 0;
      } else {
        ++patience_;  // only words of the protocol: they do not make this host any less idle
      }
      continue;
    }
    if (report_is_due(engine)) {
      end_waiting(engine);  // host 0 may decide at once
      report(engine);
      continue;
    }
    idle(engine);
    ++patience_;
    if (engine.transport() == nullptr || engine.waits_outside()) continue;
    begin_to_wait();
    engine.transport()->wait();
  }
  return *outcome_;
}

void DistributedProtocol::on_word(Engine&, int, PacketReader&) {}

void DistributedProtocol::count_round(Engine& engine) {
  ++engine.statistics().rounds;
  ++engine.statistics().conditional_rounds;
}

void DistributedProtocol::send_word(Engine& engine, int host, SimTime time, bool request) {
  PacketWriter out;
  out.put(Word::own);
  out.put(time);
  out.put(request);
  engine.send_control(host, out);
}

// The clock is read where waiting begins and where it ends, not at every look: a packet would wait for that.
void DistributedProtocol::begin_to_wait() {
  if (!waiting_since_) waiting_since_ = std::chrono::steady_clock::now();
}

void DistributedProtocol::end_waiting(Engine& engine) {
  if (!waiting_since_) return;
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - *waiting_since_;
  engine.statistics().blocked_seconds += waited.count();
  waiting_since_.reset();
}

void DistributedProtocol::tell(Engine& engine, int host, Word word, SimTime time) {
  PacketWriter out;
  out.put(word);
  out.put(time);
  engine.send_control(host, out);
}

void DistributedProtocol::tell_all(Engine& engine, Word word, SimTime time) {
  for (int host = 0; host < engine.hosts(); ++host) {
    if (host != engine.host()) tell(engine, host, word, time);
  }
}

void DistributedProtocol::tell_children(Engine& engine, Word word, SimTime time) const {
  for (const int child : tree_.children()) tell(engine, child, word, time);
}

bool DistributedProtocol::report_is_due(Engine& engine) {
  if (engine.hosts() > 1 && patience_ < polls_before_report) return false;
  const bool known =
      own_.valid && own_.action == earliest_action(engine) && own_exchanged_ == engine.exchanged();
  return !known && reports(engine);
}

void DistributedProtocol::report(Engine& engine) {
  own_ = Report{true, earliest_action(engine), engine.live_processes(),
                tree_.balance_of(engine.sent_to(), engine.received_from())};
  own_exchanged_ = engine.exchanged();
  pass_on(engine);
}

DistributedProtocol::Report DistributedProtocol::subtree() const {
  Report all = own_;
  for (const Report& child : children_) {
    all.valid = all.valid && child.valid;
    all.action = min(all.action, child.action);
    all.live += child.live;
    all.balance += child.balance;
  }
  return all;
}

void DistributedProtocol::pass_on(Engine& engine) {
  const Report all = subtree();
  if (!all.valid || all == passed_on_) return;
  if (tree_.parent() < 0) {
    if (all.balance == 0) decide(engine, all);
    return;
  }
  passed_on_ = all;
  PacketWriter out;
  out.put(Word::idle);
  out.put(all.action);
  out.put(all.live);
  out.put(all.balance);
  engine.send_control(tree_.parent(), out);
}

void DistributedProtocol::on_control(Engine& engine, int source, PacketReader& in) {
  switch (in.get<Word>()) {
    case Word::idle: {
      Report& theirs = children_[tree_.child_index(source)];
      theirs.valid = true;
      theirs.action = in.get<SimTime>();
      theirs.live = in.get<std::uint64_t>();
      theirs.balance = in.get<std::uint64_t>();
      pass_on(engine);
      return;
    }
    case Word::minimum:
      minimum(engine, in.get<SimTime>());
      return;
    case Word::end:
      end(engine, in.get<SimTime>());
      return;
    case Word::stop:
      engine.stop();
      outcome_ = Outcome::stopped;
      return;
    case Word::own:
      on_word(engine, source, in);
      return;
  }
}

void DistributedProtocol::decide(Engine& engine, const Report& all) {
  if (all.action.is_infinite()) {
    end(engine, all.live == 0 ? SimTime::zero() : SimTime::infinity());
  } else {
    minimum(engine, all.action);
  }
}

// Old reports would only lead to old decisions: the next one needs a new report of every host.
void DistributedProtocol::minimum(Engine& engine, SimTime action) {
  tell_children(engine, Word::minimum, action);
  own_.valid = false;
  for (Report& child : children_) child.valid = false;
  passed_on_.valid = false;
  advanced_ = true;
  on_minimum(engine, action);
}

void DistributedProtocol::end(Engine& engine, SimTime time) {
  tell_children(engine, Word::end, time);
  outcome_ = time == SimTime::zero() ? Outcome::finished : Outcome::deadlock;
}

}  // namespace mpisim::kernel
