#pragma once
// Brings the output of the ranks of all host processes into the order of simulated time, while they run.
//
// With several host processes host 0 asks all from time to time for the instant before which their ranks will
// print nothing more. What lies before all of these is in its final order: host 0 fetches it piece by piece
// and merges it on the way, so that no host process ever holds more than its own. Nothing of this touches
// simulated time. What a host process has handed over stays with it until it is written: should one of its
// ranks crash, it writes by itself.
#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "mpisim/output.hpp"
#include "simkernel/engine.hpp"

namespace mpisim::mpi {

class OutputMerge {
 public:
  struct Options {
    OutputSink* sink = nullptr;                ///< null: output is dropped
    double seconds_between = 0.2;              ///< of wall time, between two writes
    std::uint64_t memory = 0;                  ///< see OutputStore
    std::function<kernel::SimTime()> settled;  ///< ranks of this host process print nothing more before it
  };
  OutputMerge(kernel::Engine& engine, Options options);

  /// A rank of this host process has printed.
  void add(OutputRecord record);
  /// Whether anything that ranks of this host process have printed waits to be written.
  bool holds_any() const { return !store_.empty(); }
  /// One host process: writes what lies before `time`.
  void write_before(kernel::SimTime time);
  /// After the run, on every host process: returns when everything has been written. Only host 0 knows
  /// `limit`: what was printed then or later has not happened.
  void finish(kernel::SimTime limit);
  /// All that is here and not known to be written: for reports that cannot wait (crashes). The process ends
  /// behind it.
  void write_own();

 private:
  enum class Word : std::uint8_t { question, bound, fetch, part, written, end };
  /// Host 0's view of another.
  struct Peer {
    std::vector<OutputRecord> records;  ///< of its last part, in order
    std::size_t next = 0;
    bool more = false;   ///< it has others below the limit
    bool asked = false;  ///< a part is under way
  };
  enum class Stage : std::uint8_t { idle, asking, merging };

  void tick();
  void ask();
  void begin_merge(kernel::SimTime limit);
  void merge();
  void fetch(int host);
  void on_word(int source, kernel::PacketReader& in);
  void send_part(kernel::SimTime limit);
  void write(const OutputRecord& record);
  void flush();
  void wait_for(const std::function<bool()>& done);

  kernel::Engine& engine_;
  Options options_;
  OutputStore store_;
  std::vector<OutputRecord> handed_over_;  ///< perhaps not yet written
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  bool ended_ = false;
  // Host 0:
  Stage stage_ = Stage::idle;
  std::vector<Peer> peers_;
  int missing_ = 0;  ///< bounds
  kernel::SimTime limit_;
};

}  // namespace mpisim::mpi
