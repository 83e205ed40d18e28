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
  bool begin_file_use() override {
    if (files_cost) ++open_file_uses;
    return files_cost;
  }
  void charge_file_use(const FileUse& use) override {
    uses.push_back(use);
    named.push_back(
        {use.kind, use.path == nullptr ? "" : use.path, use.new_path == nullptr ? "" : use.new_path});
  }
  void end_file_use() override { --open_file_uses; }
  [[noreturn]] void end_rank(int status) override { throw RankEnded{status}; }

  kernel::SimTime now;
  std::string out, err;
  int writes = 0;
  bool files_cost = true;
  int open_file_uses = 0;
  std::vector<FileUse> uses;
  /// The same with the names, which live no longer than the calls.
  struct Named {
    FileUse::Kind kind;
    std::string path{}, new_path{};
    bool operator==(const Named&) const = default;
  };
  std::vector<Named> named;

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
