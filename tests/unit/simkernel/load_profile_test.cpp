// What LPs cost and exchange: recorded, written, read, refused.
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include "simkernel/load_profile.hpp"
#include "toy_models.hpp"

using namespace mpisim::kernel;
using namespace mpisim::kernel::toys;
using namespace mpisim::kernel::literals;

namespace {

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text = "") { std::ofstream(path_) << text; }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }
  std::string text() const {
    std::stringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

 private:
  std::string path_ =
      (std::filesystem::temp_directory_path() / ("profile-test-" + std::to_string(getpid()))).string();
};

LoadProfile small_profile() {
  LoadProfile profile;
  profile.processes = 2;
  profile.load_ns = {100, 200, 50};
  profile.traffic = {{0, 1, 3, 300}, {1, 2, 1, 10}};
  return profile;
}

}  // namespace

TEST_CASE("a profile survives its file") {
  const TemporaryFile file;
  small_profile().save(file.path());
  CHECK_FALSE(std::filesystem::exists(file.path() + ".part"));
  const LoadProfile read = LoadProfile::load(file.path());
  CHECK(read.processes == 2);
  CHECK(read.load_ns == std::vector<std::uint64_t>{100, 200, 50});
  REQUIRE(read.traffic.size() == 2);
  CHECK((read.traffic[1].source == 1 && read.traffic[1].destination == 2));
  CHECK((read.traffic[0].events == 3 && read.traffic[0].bytes == 300));
}

TEST_CASE("profiles of host processes add up") {
  LoadProfile all;
  all.add(LoadProfile::unpack(small_profile().pack()));
  LoadProfile other;
  other.processes = 2;
  other.load_ns = {1, 0, 0};
  other.traffic = {{0, 1, 1, 8}, {2, 0, 5, 50}};
  all.add(LoadProfile::unpack(other.pack()));
  CHECK(all.load_ns == std::vector<std::uint64_t>{101, 200, 50});
  REQUIRE(all.traffic.size() == 3);
  CHECK((all.traffic[0].events == 4 && all.traffic[0].bytes == 308));
  CHECK(all.traffic[2].source == 2);
}

TEST_CASE("a bad profile is refused with the place and the reason") {
  const auto refused = [](const std::string& text, const std::string& reason) {
    const TemporaryFile file(text);
    CAPTURE(text);
    CHECK_THROWS_AS(LoadProfile::load(file.path()), WrongProfile);
    CHECK_THROWS_WITH(LoadProfile::load(file.path()), Catch::Contains(file.path()) &&
                                                          Catch::Contains(reason) &&
                                                          Catch::Contains("--profile FILE"));
  };
  const std::string head = "mpisim-profile 1\nprocesses 1\nlps 2\nload 0 5\nload 1 6\n";
  refused("", "is no profile");
  refused("something else altogether\n", "is no profile");
  refused("mpisim-profile 7\nprocesses 1\n", "version 7, but this mpisim reads version 1");
  refused("mpisim-profile 1\nprocesses 1\n", ":2: the file ends too early");
  refused("mpisim-profile 1\nranks 1\n", ":2: `processes` is expected, not `ranks`");
  refused("mpisim-profile 1\nprocesses many\n", ":2: `many` is no whole number");
  refused("mpisim-profile 1\nprocesses 3\nlps 2\n", "there cannot be 2 LPs for 3 processes");
  refused("mpisim-profile 1\nprocesses 1\nlps 2\nload 1 5\n", ":4: the load of LP 0 is expected, not of 1");
  refused("mpisim-profile 1\nprocesses 1\nlps 2\nload 0 5 6\n", ":4: `load` takes 2 numbers, not 3");
  refused(head, ":5: the file ends too early");
  refused(head + "traffic 0 2 1 1\nend 1\n", ":6: there is no LP 2, only 0 to 1");
  refused(head + "traffic 1 0 1 1\ntraffic 0 1 1 1\nend 2\n", ":7: pairs must be in ascending order");
  refused(head + "traffic 0 1 1 1\nend 2\n", ":7: there are 1 pairs before the end");
  refused(head + "\nend 0\n", ":6: the line is empty");
  CHECK_THROWS_WITH(LoadProfile::load("/no/such/profile"), Catch::Contains("/no/such/profile"));
}

TEST_CASE("a recorder knows whose time it is") {
  static std::uint64_t clock = 0;
  LoadRecorder recorder(2, 2, [] { return clock; });
  clock += 1;  // nobody's
  {
    const LoadScope first(&recorder, 0);
    clock += 10;
    {
      const LoadScope second(&recorder, 1);
      clock += 200;
    }
    clock += 30;
    const LoadScope beyond(&recorder, 2);  // of a host process: left out
    clock += 4000;
  }
  clock += 50'000;
  const LoadScope last(&recorder, 1);
  clock += 600;
  recorder.enter(LoadRecorder::nobody);
  CHECK(recorder.profile().load_ns == std::vector<std::uint64_t>{40, 800});
  const LoadScope none(nullptr, 0);  // without recorder nothing happens
}

TEST_CASE("a run records what its LPs send each other") {
  // Each of four sends 20 events round the ring.
  const Program program = scripts(4, 5_ns, [](Script& self) {
    for (int i = 0; i < 20; ++i) {
      self.send((self.id() + 1) % 4, 5_ns, self.id());
      self.receive_from((self.id() + 3) % 4);
    }
  });
  for (const int hosts : {1, 3}) {
    CAPTURE(hosts);
    LoadProfile profile;
    profile.load_ns.resize(4);
    RunOptions options{.hosts = hosts, .seed = 3, .round_robin = true};
    options.profile = &profile;
    run_under(hosts == 1 ? "sequential" : "combined", program, options);
    REQUIRE(profile.traffic.size() == 4);
    for (LpId lp = 0; lp < 4; ++lp) {
      CHECK(profile.traffic[lp].source == lp);
      CHECK(profile.traffic[lp].destination == (lp + 1) % 4);
      CHECK(profile.traffic[lp].events == 20);
      CHECK(profile.traffic[lp].bytes == profile.traffic[0].bytes);
      CHECK(profile.traffic[lp].bytes >= 20 * sizeof(LpId));
      CHECK(profile.load_ns[lp] > 0);
    }
  }
}
