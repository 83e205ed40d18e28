#include "simkernel/distributed_protocol.hpp"

#include <chrono>
#include <utility>

namespace mpisim::kernel {

namespace {
// A report that is overtaken by an event is wasted; a little patience saves most of them.
constexpr int polls_before_report = 16;
}  // namespace

Outcome DistributedProtocol::run(Engine& engine) {
  reports_.assign(static_cast<std::size_t>(engine.hosts()), {});
  last_ = {};
  outcome_.reset();
  advanced_ = false;
  patience_ = 0;
  prepare(engine);
  const auto control = [this, &engine](int source, PacketReader& in) { on_control(engine, source, in); };
  while (!outcome_) {
    if (!engine.run_ready()) {
      tell_all(engine, Word::stop, SimTime::zero());
      return Outcome::stopped;
    }
    if (advance(engine)) continue;
    engine.flush();
    const std::uint64_t events = engine.statistics().events;
    if (engine.poll_transport(control) || outcome_) {
      if (std::exchange(advanced_, false)) {
        patience_ = polls_before_report;  // after a decision, the next one is all that everybody waits for
      } else if (engine.statistics().events > events || engine.earliest_staged() < SimTime::infinity()) {
        patience_ = 0;
      } else {
        ++patience_;  // only words of the protocol: they do not make this host any less idle
      }
      continue;
    }
    idle(engine);
    if (report_is_due(engine)) {
      report(engine);
      continue;
    }
    ++patience_;
    wait(engine);
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

void DistributedProtocol::wait(Engine& engine) {
  if (engine.transport() == nullptr) return;
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  engine.transport()->wait();
  engine.statistics().blocked_seconds += std::chrono::duration<double>(Clock::now() - begin).count();
}

void DistributedProtocol::tell_all(Engine& engine, Word word, SimTime time) {
  PacketWriter out;
  out.put(word);
  out.put(time);
  for (int host = 0; host < engine.hosts(); ++host) {
    if (host != engine.host()) engine.send_control(host, out);
  }
}

bool DistributedProtocol::report_is_due(Engine& engine) {
  if (engine.hosts() > 1 && patience_ < polls_before_report) return false;
  const bool known = last_.valid && last_.action == earliest_action(engine) &&
                     last_.sent == engine.sent_to() && last_.received == engine.received_from();
  return !known && reports(engine);
}

void DistributedProtocol::report(Engine& engine) {
  last_ = Report{true, earliest_action(engine), engine.live_processes(), engine.sent_to(),
                 engine.received_from()};
  if (engine.host() == 0) {
    reports_[0] = last_;
    decide(engine);
    return;
  }
  PacketWriter out;
  out.put(Word::idle);
  out.put(last_.action);
  out.put(last_.live);
  for (const auto count : last_.sent) out.put(count);
  for (const auto count : last_.received) out.put(count);
  engine.send_control(0, out);
}

void DistributedProtocol::on_control(Engine& engine, int source, PacketReader& in) {
  switch (in.get<Word>()) {
    case Word::idle: {
      Report& theirs = reports_[static_cast<std::size_t>(source)];
      theirs.valid = true;
      theirs.action = in.get<SimTime>();
      theirs.live = in.get<std::uint64_t>();
      theirs.sent.resize(reports_.size());
      theirs.received.resize(reports_.size());
      for (auto& count : theirs.sent) count = in.get<std::uint64_t>();
      for (auto& count : theirs.received) count = in.get<std::uint64_t>();
      decide(engine);
      return;
    }
    case Word::minimum:
      minimum(engine, in.get<SimTime>());
      return;
    case Word::end:
      outcome_ = in.get<SimTime>() == SimTime::zero() ? Outcome::finished : Outcome::deadlock;
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

bool DistributedProtocol::reports_agree() const {
  for (const Report& report : reports_) {
    if (!report.valid) return false;
  }
  for (std::size_t from = 0; from < reports_.size(); ++from) {
    for (std::size_t to = 0; to < reports_.size(); ++to) {
      if (reports_[from].sent[to] != reports_[to].received[from]) return false;
    }
  }
  return true;
}

void DistributedProtocol::decide(Engine& engine) {
  if (!reports_agree()) return;
  SimTime action = SimTime::infinity();
  std::uint64_t live = 0;
  for (Report& report : reports_) {
    action = min(action, report.action);
    live += report.live;
    report.valid = false;
  }
  if (action.is_infinite()) {
    tell_all(engine, Word::end, live == 0 ? SimTime::zero() : SimTime::infinity());
    outcome_ = live == 0 ? Outcome::finished : Outcome::deadlock;
    return;
  }
  tell_all(engine, Word::minimum, action);
  minimum(engine, action);
}

void DistributedProtocol::minimum(Engine& engine, SimTime action) {
  last_.valid = false;
  advanced_ = true;
  on_minimum(engine, action);
}

}  // namespace mpisim::kernel
