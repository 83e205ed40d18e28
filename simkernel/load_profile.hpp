#pragma once
// What each LP cost the host in one run, and how much each pair of LPs exchanged: what a later run needs to
// deal LPs to host processes (partition.hpp).
//
// The file is text: a line with the format's version, the number of process LPs and of all LPs, a line per LP
// with its nanoseconds of host time, a line per pair with events and bytes, and an end line that counts them,
// so that a file that was cut off is noticed.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "simkernel/event.hpp"

namespace mpisim::kernel {

/// The profile cannot be read, or does not fit the simulation.
class WrongProfile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What one LP sent to another.
struct LpTraffic {
  LpId source = 0;
  LpId destination = 0;
  std::uint64_t events = 0;
  std::uint64_t bytes = 0;  ///< as they travel between host processes, data included
};

struct LoadProfile {
  std::uint64_t processes = 0;         ///< LPs 0 .. processes-1 are processes
  std::vector<std::uint64_t> load_ns;  ///< host time of each LP
  std::vector<LpTraffic> traffic;      ///< by (source, destination), each pair once

  std::size_t lps() const { return load_ns.size(); }
  /// Adds what another host process has recorded of the same LPs.
  void add(const LoadProfile& other);

  /// Of one host process, for the one that saves; and back.
  std::vector<std::byte> pack() const;
  static LoadProfile unpack(const std::vector<std::byte>& packed);

  /// Throws std::runtime_error that names the file.
  void save(const std::string& file) const;
  /// Throws WrongProfile that names the file, the line and what is wrong.
  static LoadProfile load(const std::string& file);
};

/// Records the profile of one host process. LPs from `lps` on (those of host processes themselves) are left
/// out.
class LoadRecorder {
 public:
  static constexpr LpId nobody = UINT32_MAX;
  /// `clock`: nanoseconds from any beginning; null: the host's steady clock.
  LoadRecorder(std::uint64_t processes, std::size_t lps, std::uint64_t (*clock)() = nullptr);

  /// The time from now on is `lp`'s; returns whose it was.
  LpId enter(LpId lp);
  /// An event is sent; its codec tells its size.
  void sent(const Event& event, const EventCodec* codec);
  LoadProfile profile() const;

 private:
  struct Amount {
    std::uint64_t events = 0;
    std::uint64_t bytes = 0;
  };
  std::uint64_t processes_;
  std::vector<std::uint64_t> load_ns_;
  std::unordered_map<std::uint64_t, Amount> traffic_;  // by source and destination; sorted in profile()
  std::uint64_t (*clock_)();
  LpId running_ = nobody;
  std::uint64_t since_;
  PacketWriter scratch_;
};

/// The time while this lives is an LP's, unless another is entered meanwhile. Costs nothing without recorder.
class LoadScope {
 public:
  LoadScope(LoadRecorder* recorder, LpId lp) : recorder_(recorder) {
    if (recorder_ != nullptr) [[unlikely]]
      before_ = recorder_->enter(lp);
  }
  ~LoadScope() {
    if (recorder_ != nullptr) [[unlikely]]
      recorder_->enter(before_);
  }
  LoadScope(const LoadScope&) = delete;
  LoadScope& operator=(const LoadScope&) = delete;

 private:
  LoadRecorder* recorder_;
  LpId before_ = LoadRecorder::nobody;
};

}  // namespace mpisim::kernel
