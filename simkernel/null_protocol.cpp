#include "simkernel/null_protocol.hpp"

namespace mpisim::kernel {

void NullProtocol::prepare(Engine& engine) {
  // Nobody can send anything before the beginning of time.
  const SimTime first = engine.options().lookahead;
  peers_.assign(static_cast<std::size_t>(engine.hosts()),
                {first, first, SimTime::zero(), SimTime::zero(), false});
}

SimTime NullProtocol::smallest_promise(const Engine& engine) const {
  SimTime smallest = SimTime::infinity();
  for (std::size_t host = 0; host < peers_.size(); ++host) {
    if (static_cast<int>(host) != engine.host()) smallest = min(smallest, peers_[host].promised);
  }
  return max(smallest, also_safe_below());
}

bool NullProtocol::advance(Engine& engine) {
  const SimTime action = engine.earliest_action();
  const SimTime eit = smallest_promise(engine);
  // Other hosts act at least a lookahead before what they promise.
  const SimTime safe = min(action, eit.is_infinite() ? eit : eit - engine.options().lookahead);
  if (!safe.is_infinite()) engine.set_safe_time(safe);
  // LPs of this host process may still send each other something.
  return engine.advance_below(min(eit, engine.local_bound()));
}

void NullProtocol::idle(Engine& engine) {
  const SimTime action = engine.earliest_action();
  const SimTime eit = smallest_promise(engine);
  const SimTime promise = min(action, eit) + engine.options().lookahead;
  std::uint64_t sent = 0;
  // What our own LPs wait for, and what others do; if our EIT keeps us from promising it, that EIT has to
  // grow.
  SimTime needed = action.is_infinite() ? SimTime::zero() : engine.earliest_question();
  for (std::size_t host = 0; host < peers_.size(); ++host) {
    Peer& peer = peers_[host];
    if (!peer.wants) continue;
    if (promise > peer.told && (promise > peer.wanted || creeps())) {
      peer.told = promise;
      send_word(engine, static_cast<int>(host), promise, false);
      ++sent;
    }
    if (peer.told > peer.wanted) {
      peer.wants = false;
    } else if (eit <= action && creeps()) {
      needed = max(needed, max(peer.wanted, engine.options().lookahead) - engine.options().lookahead);
    }
  }
  if (eit <= needed) {
    for (std::size_t host = 0; host < peers_.size(); ++host) {
      Peer& peer = peers_[host];
      if (static_cast<int>(host) == engine.host() || peer.promised > needed || peer.asked >= needed) continue;
      peer.asked = needed;
      send_word(engine, static_cast<int>(host), needed, true);
      ++sent;
    }
  }
  engine.statistics().null_messages += sent;
  if (sent > 0) ++engine.statistics().rounds;
}

void NullProtocol::on_word(Engine&, int source, PacketReader& in) {
  Peer& peer = peers_[static_cast<std::size_t>(source)];
  const auto time = in.get<SimTime>();
  if (in.get<bool>()) {
    peer.wanted = max(peer.wanted, time);
    peer.wants = peer.told <= peer.wanted;
    return;
  }
  peer.promised = max(peer.promised, time);
}

void CombinedProtocol::prepare(Engine& engine) {
  busy_host_ = false;
  safe_below_ = SimTime::zero();
  NullProtocol::prepare(engine);
}

// A promise lets one host process go on while the others have nothing to do, and then they wait for each
// other by turns; a decision lets all go on together. So promises are left to hosts that would else sleep
// until a busy one comes to its report.
void CombinedProtocol::idle(Engine& engine) {
  busy_host_ = busy_host_ || engine.transport() == nullptr || engine.transport()->rests_next();
  if (busy_host_) NullProtocol::idle(engine);
}

void CombinedProtocol::on_minimum(Engine& engine, SimTime action) {
  busy_host_ = false;
  count_round(engine);
  engine.set_safe_time(action);
  safe_below_ = max(safe_below_, action + engine.options().lookahead);
}

}  // namespace mpisim::kernel
