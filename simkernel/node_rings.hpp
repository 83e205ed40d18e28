#pragma once
// Packets between the host processes of one machine, through memory that all of them have mapped: a ring of
// bytes for each ordered pair, and a bell for each that waits.
//
// A packet that does not fit its ring goes through it in pieces, as the reader makes room: the rest waits in
// the sender's memory until it comes here again. Who waits looks at its rings for a while, because what
// other host processes do between two packets is often shorter than a turn of the operating system's
// scheduler; then it sleeps until a packet rings its bell.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "simkernel/byte_ring.hpp"
#include "simkernel/transport.hpp"

namespace mpisim::kernel {

class NodeRings {
 public:
  /// Bytes of memory that `members` host processes share.
  static std::size_t memory_size(int members);

  /// `memory`: aligned to cache lines, all zero before the first of them comes, mapped as long as this lives.
  /// `alone`: there is a processor for each of them.
  NodeRings(std::byte* memory, int members, int me, bool alone);

  void send(int member, std::vector<std::byte> packet);
  /// Takes one packet if a whole one is here. Its source is the member.
  bool receive(Packet& packet);
  /// Whether something has come that receive() has not looked at; costs next to nothing.
  bool arrived() const;
  /// Whether that member waits, has taken all that this one sent, and is worth being woken for what comes
  /// now.
  bool starves(int member) const;
  /// Whether that member has given its processor away.
  bool sleeps(int member) const;
  /// Whether packets wait for room.
  bool sending() const { return unsent_ > 0; }
  /// Returns when something has come, after `longest`, or earlier; soon while packets wait for room. After a
  /// packet it returns early so often, within some microseconds, before it sleeps: protocols tell the others
  /// that they are idle only after a few waits in vain.
  static constexpr int least_early_returns = 20;
  void wait(std::chrono::microseconds longest);
  /// Whether one of the next waits sleeps, if nothing comes before, or waits for a reader that is busy: at
  /// once where others want the processor.
  bool rests_next() const {
    return unsent_ > 0 ||
           (fruitless_ > 0 && (early_returns_ == least_early_returns || fruitless_ >= early_returns_));
  }

 private:
  struct Bell;
  struct Peer {
    ByteRingWriter out;
    ByteRingReader in;
    std::deque<std::vector<std::byte>> unsent = {};
    std::size_t unsent_at = 0;           ///< bytes of the first of them that are in the ring already
    bool unsent_begun = false;           ///< its size is
    std::vector<std::byte> coming = {};  ///< the packet that is being received
    std::uint64_t coming_size = 0;       ///< of all of it, once `begun`
    bool begun = false;
  };
  static std::size_t capacity(int members);
  bool push(Peer& peer);
  void push_unsent();
  static bool pull(Peer& peer);
  void ring(int member);
  void tell_waiting(bool waiting);
  void choose_early_returns();

  int me_;
  bool alone_;
  Bell* bells_;
  std::vector<Peer> peers_;  ///< by member; one's own is never used
  std::size_t next_ = 0;     ///< whose turn it is to be received from
  std::size_t unsent_ = 0;   ///< packets, of all peers
  int fruitless_ = 0;        ///< waits since the last packet
  int early_returns_ = 0;    ///< so many waits after a packet do not sleep
  bool waiting_ = false;     ///< as its bell tells the others
  long preemptions_ = -1;    ///< so far, before the last wait; negative: none yet
  int cautious_ = 0;         ///< waits that do not spin longer than they must
};

}  // namespace mpisim::kernel
