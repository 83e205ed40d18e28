#pragma once
// Livelock: ranks poll, all others wait, and nothing is under way that could end it.
//
// A rank that tests and probes in vain costs simulated time, so that no deadlock is ever found. It is a
// livelock when every rank has ended, is blocked with nothing on its way to it, or has polled in vain, with
// no other call between, for a window of polls since all of them last did anything else. A window is
// WorldOptions::livelock_polls polls of a loop that may end by itself, far fewer of one that cannot. The
// livelock's time is the end of the last of the first such windows of all ranks, and its rank the one whose
// that is (ties: the smallest). All this is simulated history, the same on every number of host processes.
//
// Only whether it has come to that is found out in real time: a rank that has polled long enough makes host 0
// ask all host processes, twice. Nothing was under way between the two answers if as many events have been
// received as sent, and as many the second time as the first (Mattern's four counters, "Algorithms for
// distributed termination detection", Distributed Computing 2, 1987).
#include <cstdint>
#include <string>
#include <vector>

#include "mpisim/message.hpp"

namespace mpisim::mpi {

class World;

inline constexpr int livelock_status = 3;  ///< exit status

/// A row of fruitless polls of one rank, ended by any other call.
struct PollRow {
  struct Window {
    kernel::SimTime end;
    const char* call;
    const void* site;
  };
  std::uint64_t weight = 0;  ///< of its polls, see LivelockWatch
  kernel::SimTime begin;
  std::vector<Window> windows;  ///< full ones

  /// Index of the first window that begins at `since` or later; windows.size() if it is not full yet.
  std::size_t first_since(kernel::SimTime since) const;
};

/// One per host process.
class LivelockWatch {
 public:
  explicit LivelockWatch(World& world);

  /// Weight of a window. A poll weighs 1, one of a loop that only its success can end weight_of_wait(): such
  /// polls make a window when they are a million of all ranks together.
  std::uint64_t window() const { return window_; }
  std::uint64_t weight_of_wait() const { return weight_of_wait_; }
  /// What is said of a livelock.
  static std::string report(int rank, const char* call, const std::string& site);
  /// A rank has polled in vain for another window. May end the run.
  void suspect();
  /// A word from another host process; takes the message.
  void deliver(Message& message);

 private:
  enum class Word : std::uint8_t { suspicion, question, answer };
  /// What a host process knows of its ranks.
  struct State {
    bool stuck = false;  ///< as far as this host process sees
    kernel::SimTime last_action;
    std::uint64_t sent = 0;  ///< events to other host processes, but for those of the watch
    std::uint64_t received = 0;
    bool sure = true;      ///< all ranks that poll have come to the end of their first window
    kernel::SimTime time;  ///< the last of these ends, if the last action was at `since`
    int rank = -1;         ///< whose; -1: none polls
    std::string report;
  };

  State look(kernel::SimTime since) const;
  void ask_all();
  void take(const State& state);
  void judge();
  void send(int host, const kernel::PacketWriter& word);

  World& world_;
  std::uint64_t window_;
  std::uint64_t weight_of_wait_;
  std::uint64_t words_sent_ = 0;
  std::uint64_t words_received_ = 0;
  // Host 0: the question that is being asked.
  int round_ = 0;  ///< 0: none
  int missing_ = 0;
  State all_;     ///< of the answers so far
  State before_;  ///< of the first round
};

}  // namespace mpisim::mpi
