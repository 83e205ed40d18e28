#include "simkernel/node_rings.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <utility>

namespace mpisim::kernel {

namespace {

constexpr std::size_t most_capacity = std::size_t{1} << 20;
constexpr std::size_t least_capacity = std::size_t{64} << 10;
constexpr std::size_t memory_of_all_rings = std::size_t{16} << 20;  // while none has to be smaller for it

constexpr int looks_per_wait = 2;
// All together some 0.1 ms: as long as ranks compute between two messages, and no more than a few times what
// it takes to fall asleep and to be woken, so that not much more than that is lost, whatever comes.
constexpr int short_waits = 600;
// So many waits do not spin longer than they must after this process has lost its processor to another: who
// spins then uses up its share before there is anything to do.
constexpr int waits_after_preemption = 100;

void pause() {
#ifdef __x86_64__
  __builtin_ia32_pause();
#endif
}

/// How often this process has lost its processor to another.
long preemptions() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

std::uint32_t* word_of(std::atomic<std::uint32_t>& value) {
  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
  return reinterpret_cast<std::uint32_t*>(&value);
}

}  // namespace

// How a host process waits. Bells lie apart: who looks at its own must not disturb the others.
struct alignas(ByteRingState::line) NodeRings::Bell {
  std::atomic<std::uint32_t> asleep;
  std::atomic<std::uint32_t> waiting;  ///< has nothing to do, asleep or not
};

std::size_t NodeRings::capacity(int members) {
  const auto rings = static_cast<std::size_t>(members) * static_cast<std::size_t>(members);
  return std::clamp(std::bit_floor(memory_of_all_rings / rings), least_capacity, most_capacity);
}

std::size_t NodeRings::memory_size(int members) {
  const auto count = static_cast<std::size_t>(members);
  return count * sizeof(Bell) + count * count * ByteRingState::size_with(capacity(members));
}

NodeRings::NodeRings(std::byte* memory, int members, int me, bool alone)
    : me_(me), alone_(alone), bells_(reinterpret_cast<Bell*>(memory)) {
  const std::size_t room = capacity(members);
  const auto ring = [&](int from, int to) {
    const auto count = static_cast<std::size_t>(members);
    const std::size_t index = static_cast<std::size_t>(from) * count + static_cast<std::size_t>(to);
    std::byte* rings = memory + count * sizeof(Bell);
    return reinterpret_cast<ByteRingState*>(rings + index * ByteRingState::size_with(room));
  };
  for (int member = 0; member < members; ++member)
    peers_.push_back({ByteRingWriter(ring(me, member), room), ByteRingReader(ring(member, me), room)});
}

void NodeRings::send(int member, std::vector<std::byte> packet) {
  Peer& peer = peers_[static_cast<std::size_t>(member)];
  const std::uint64_t size = packet.size();
  if (peer.unsent.empty() && peer.out.room(sizeof size + size) >= sizeof size + size) [[likely]] {
    peer.out.put(&size, sizeof size);
    peer.out.put(packet.data(), packet.size());
    peer.out.publish();
    ring(member);
    return;
  }
  peer.unsent.push_back(std::move(packet));
  ++unsent_;
  push_unsent();
}

/// As much of what waits as there is room for; returns whether anything was written.
bool NodeRings::push(Peer& peer) {
  bool any = false;
  while (!peer.unsent.empty()) {
    const std::vector<std::byte>& packet = peer.unsent.front();
    const std::uint64_t size = packet.size();
    if (!peer.unsent_begun) {
      if (peer.out.room(sizeof size) < sizeof size) break;
      peer.out.put(&size, sizeof size);
      peer.unsent_begun = any = true;
    }
    const std::size_t left = packet.size() - peer.unsent_at;
    const std::size_t part = std::min(left, peer.out.room(left));
    peer.out.put(packet.data() + peer.unsent_at, part);
    peer.unsent_at += part;
    any = any || part > 0;
    if (part < left) break;
    peer.unsent.pop_front();
    peer.unsent_at = 0;
    peer.unsent_begun = false;
    --unsent_;
  }
  if (any) peer.out.publish();
  return any;
}

void NodeRings::push_unsent() {
  for (std::size_t member = 0; member < peers_.size(); ++member)
    if (!peers_[member].unsent.empty() && push(peers_[member])) ring(static_cast<int>(member));
}

/// Takes what is here of the next packet; true once it is complete.
bool NodeRings::pull(Peer& peer) {
  std::size_t here = peer.in.available();
  if (!peer.begun) {
    if (here < sizeof peer.coming_size) return false;
    peer.in.take(&peer.coming_size, sizeof peer.coming_size);
    here -= sizeof peer.coming_size;
    peer.begun = true;
    peer.coming.clear();
    peer.coming.reserve(peer.coming_size);
  }
  const std::size_t part = std::min<std::size_t>(here, peer.coming_size - peer.coming.size());
  peer.in.append_to(peer.coming, part);
  peer.in.release();
  peer.begun = peer.coming.size() < peer.coming_size;
  return !peer.begun;
}

bool NodeRings::receive(Packet& packet) {
  for (std::size_t turn = 0; turn < peers_.size(); ++turn) {
    const std::size_t member = next_;
    if (++next_ == peers_.size()) next_ = 0;
    if (static_cast<int>(member) == me_) continue;
    Peer& peer = peers_[member];
    if (!pull(peer)) continue;
    packet.source = static_cast<int>(member);
    packet.data.swap(peer.coming);
    fruitless_ = 0;
    tell_waiting(false);
    return true;
  }
  if (unsent_ > 0) push_unsent();
  return false;
}

bool NodeRings::arrived() const {
  for (const Peer& peer : peers_)
    if (peer.in.available() > 0) return true;
  return false;
}

bool NodeRings::sleeps(int member) const {
  return bells_[member].asleep.load(std::memory_order_relaxed) != 0;
}

bool NodeRings::starves(int member) const {
  const Peer& peer = peers_[static_cast<std::size_t>(member)];
  if (bells_[member].waiting.load(std::memory_order_relaxed) == 0 || !peer.unsent.empty() ||
      !peer.out.taken())
    return false;
  // Where processes share processors, to wake one for each event would cost more than it brings.
  return alone_ || !sleeps(member);
}

/// Only a change is told: the line is others' to look at.
void NodeRings::tell_waiting(bool waiting) {
  if (waiting == waiting_) return;
  waiting_ = waiting;
  bells_[me_].waiting.store(waiting ? 1 : 0, std::memory_order_relaxed);
}

void NodeRings::ring(int member) {
  // Either this sees that the reader sleeps, or the reader sees the packet before it does.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::atomic<std::uint32_t>& asleep = bells_[member].asleep;
  if (asleep.load(std::memory_order_relaxed) == 0) return;
  asleep.store(0, std::memory_order_relaxed);
  syscall(SYS_futex, word_of(asleep), FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

/// After a packet: how often wait() returns early before it sleeps.
void NodeRings::choose_early_returns() {
  // What happened before the first wait, while many processes started, tells nothing about the rest.
  const long now = preemptions();
  if (const long before = std::exchange(preemptions_, now); before >= 0 && now != before) {
    cautious_ = waits_after_preemption;
  } else if (cautious_ > 0) {
    --cautious_;
  }
  early_returns_ = alone_ && cautious_ == 0 ? short_waits : least_early_returns;
}

void NodeRings::wait(std::chrono::microseconds longest) {
  if (unsent_ > 0) {
    push_unsent();
    sched_yield();  // to the readers
    return;
  }
  tell_waiting(true);
  if (fruitless_ == 0) choose_early_returns();
  if (++fruitless_ <= early_returns_) {
    for (int look = 0; look < looks_per_wait && !arrived(); ++look) pause();
    return;
  }
  std::atomic<std::uint32_t>& asleep = bells_[me_].asleep;
  asleep.store(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!arrived()) {
    const auto nanoseconds = std::chrono::nanoseconds(longest).count();
    const timespec timeout{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
    syscall(SYS_futex, word_of(asleep), FUTEX_WAIT, 1, &timeout, nullptr, 0);
  }
  asleep.store(0, std::memory_order_relaxed);
}

}  // namespace mpisim::kernel
