#pragma once
// Ranks for tests of the runtime: services that remember what they were asked, and a guard that makes one the
// current rank.
#include <string>
#include <vector>

#include "runtime/rank_environment.hpp"

// The wrapper of a C library function, with that function's type.
#define WRAPPED(name) extern "C" decltype(::name) __wrap_##name

namespace mpisim::runtime {

struct RankEnded {
  int status;
};

class FakeServices : public RankServices {
 public:
  explicit FakeServices(int rank = 0) : rank_(rank) {}
  int world_rank() const override { return rank_; }
  int world_size() const override { return 8; }
  std::string node_name() const override { return "node" + std::to_string(rank_); }
  kernel::SimTime read_clock() override { return now += kernel::SimTime::picoseconds(1000); }
  void sleep(kernel::SimTime duration) override { now += duration; }
  void write_output(int fd, const char* data, std::size_t size) override {
    (fd == 1 ? out : err).append(data, size);
    ++writes;
  }
  void file_access(std::uint64_t bytes, bool write) override {
    (write ? written : read) += bytes;
    ++accesses;
  }
  [[noreturn]] void end_rank(int status) override { throw RankEnded{status}; }

  kernel::SimTime now;
  std::string out, err;
  int writes = 0;
  int accesses = 0;
  std::uint64_t read = 0, written = 0;

 private:
  int rank_;
};

struct FakeRank {
  explicit FakeRank(int rank = 0) : services(rank), environment(services, 0) {}
  /// Runs the code as this rank.
  template <class Code>
  auto operator()(Code code) {
    struct Guard {
      ~Guard() { set_current_environment(nullptr); }
    } guard;
    set_current_environment(&environment);
    return code();
  }
  /// Status that the rank ends with, -1 if it does not.
  template <class Code>
  int status_of(Code code) {
    try {
      (*this)(code);
    } catch (const RankEnded& end) {
      return end.status;
    }
    return -1;
  }

  FakeServices services;
  RankEnvironment environment;
};

}  // namespace mpisim::runtime
