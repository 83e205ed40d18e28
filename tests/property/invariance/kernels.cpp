// Runs scripts (script.h) on one kernel and on several kernels of this process with adversarial delivery, and
// compares all that is predicted, digit for digit.
//
// usage: invariance_kernels [--ways N] [--way "HOSTS PROTOCOL PARTITION DETERMINISM SEED"]... [--fault PS] <
// scripts
//
// Each script begins with the lines `! program NAME`, `! machine FILE [PATH=VALUE...]` and `! ranks N`. It
// runs in N ways drawn from its name, and in those that are given. --fault makes the network promise PS
// picoseconds too much: a fault that must be found. One line for each run that differs, `differs NAME: WAY:
// what`, and the numbers of all. Exit status 0 if all agree, 1 if any differs, 3 for a script that does not
// end as it should on one kernel, 2 for what cannot be run.
#include <fmt/format.h>
#include <stdlib.h>

#include <array>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "machine/catalogue.hpp"
#include "machine/description.hpp"
#include "mpisim/include/mpi.h"
#include "mpisim/rank.hpp"
#include "piosim/state.hpp"
#include "tests/property/invariance/script.h"
#include "tests/support/mpi_harness.hpp"

using namespace mpisim;
using kernel::SimTime;

namespace {

struct Way {
  int hosts = 1;
  std::string protocol;
  bool round_robin = false;
  bool deterministic = true;
  std::uint64_t seed = 0;  ///< of the delivery

  std::string text() const {
    return fmt::format("{} {} {} {} {}", hosts, protocol, round_robin ? "round-robin" : "block",
                       deterministic ? "on" : "off", seed);
  }
};

struct Script {
  std::string name;
  std::string machine;
  std::vector<std::string> overrides;
  int ranks = 0;
  std::string text;
  bool cancels = false;
};

/// Another model, but for a promise that is too large.
class Promising final : public network::NetworkModel {
 public:
  Promising(std::unique_ptr<NetworkModel> inner, SimTime too_much)
      : inner_(std::move(inner)), too_much_(too_much) {}
  std::string_view name() const override { return inner_->name(); }
  network::Transit transit(network::NodeId from, network::NodeId to, kernel::Bytes size, SimTime ready,
                           network::Adapter& sender) const override {
    return inner_->transit(from, to, size, ready, sender);
  }
  network::Transit bulk(network::NodeId from, network::NodeId to, kernel::Bytes size, SimTime reserved,
                        SimTime ready) const override {
    return inner_->bulk(from, to, size, reserved, ready);
  }
  SimTime reserve(network::NodeId from, network::NodeId to, kernel::Bytes size, SimTime ready,
                  network::Adapter& sender) const override {
    return inner_->reserve(from, to, size, ready, sender);
  }
  SimTime take(network::NodeId at, kernel::Bytes size, SimTime arrival,
               network::Adapter& receiver) const override {
    return inner_->take(at, size, arrival, receiver);
  }
  SimTime take_from(network::NodeId from, network::NodeId at, kernel::Bytes size, SimTime arrival,
                    network::Adapter& receiver) const override {
    return inner_->take_from(from, at, size, arrival, receiver);
  }
  SimTime min_latency() const override { return inner_->min_latency() + too_much_; }
  SimTime min_latency(network::NodeId from, network::NodeId to) const override {
    return inner_->min_latency(from, to) + too_much_;
  }
  bool order_free() const override { return inner_->order_free(); }
  std::uint64_t capacity() const override { return inner_->capacity(); }
  std::string describe() const override { return inner_->describe(); }

 private:
  std::unique_ptr<NetworkModel> inner_;
  SimTime too_much_;
};

void work(long nanoseconds) {
  mpi::current_rank().sleep(SimTime::picoseconds(nanoseconds * 1000));
}
void print(const char* line) {
  const std::string text = std::string(line) + "\n";
  mpi::current_rank().write_output(1, text.data(), text.size());
}

/// All that is predicted, a line for each thing.
std::vector<std::string> fingerprint(const test::HarnessResult& result) {
  std::vector<std::string> lines{fmt::format("end {} code {} at {} ps", static_cast<int>(result.end),
                                             result.exit_code, result.predicted.ps()),
                                 "report " + result.report};
  for (std::size_t i = 0; i < result.ranks.size(); ++i) {
    const mpi::RankResult& rank = result.ranks[i];
    std::string calls;
    for (const SimTime time : rank.in_calls) calls += fmt::format(" {}", time.ps());
    std::string counters;
    for (const std::uint64_t count : rank.counters) counters += fmt::format(" {}", count);
    lines.push_back(fmt::format(
        "rank {} ends at {} ps with {}, computes {}, sleeps {}, in calls{}, messages {}, bytes {}, I/O{}", i,
        rank.finish.ps(), rank.exit_status, rank.compute.ps(), rank.asleep.ps(), calls, rank.messages,
        rank.bytes, counters));
  }
  for (const std::string& warning : result.warnings) lines.push_back("warning " + warning);
  std::istringstream output(result.output);
  for (std::string line; std::getline(output, line);) lines.push_back("output " + line);
  return lines;
}

std::string first_difference(const std::vector<std::string>& expected, const std::vector<std::string>& got) {
  for (std::size_t i = 0; i < std::max(expected.size(), got.size()); ++i) {
    const std::string a = i < expected.size() ? expected[i] : "nothing";
    const std::string b = i < got.size() ? got[i] : "nothing";
    if (a != b) return fmt::format("`{}` instead of `{}`", b, a);
  }
  return {};
}

/// The script deadlocks, or found fault with what it received.
class BadEnd : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Runner {
 public:
  explicit Runner(SimTime too_much) : too_much_(too_much) {
    std::string pattern = (std::filesystem::temp_directory_path() / "mpisim-invariance-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
    folder_ = pattern;
  }
  ~Runner() { std::filesystem::remove_all(folder_); }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// Returns how many ways differ.
  int check(const Script& script, std::vector<Way> ways, int drawn) {
    const machine::Description& machine = machine_of(script);
    const Way alone{1, "sequential", false, true, 0};
    const test::HarnessResult expected = run(script, machine, alone);
    ++runs;
    if (expected.end != mpi::End::finished || expected.exit_code != 0)
      throw BadEnd(fmt::format("{} on one kernel: {}{}", script.name, expected.report, expected.output));
    const auto lines = fingerprint(expected);
    for (const Way& way : draw(script, expected, drawn)) ways.push_back(way);
    int faults = 0;
    for (const Way& way : ways) {
      const std::string difference = compare(script, machine, way, lines);
      ++runs;
      if (difference.empty()) continue;
      ++faults;
      std::cout << fmt::format("differs {}: {}: {}", script.name, way.text(), difference) << '\n';
    }
    return faults;
  }

  int runs = 0;

 private:
  std::string compare(const Script& script, const machine::Description& machine, const Way& way,
                      const std::vector<std::string>& expected) {
    try {
      return first_difference(expected, fingerprint(run(script, machine, way)));
    } catch (const std::exception& error) {
      return error.what();
    }
  }

  const machine::Description& machine_of(const Script& script) {
    std::string key = script.machine;
    for (const std::string& override : script.overrides) key += ' ' + override;
    const auto found = machines_.find(key);
    if (found != machines_.end()) return found->second;
    return machines_
        .emplace(key, machine::load(machine::find_machine(script.machine), {script.overrides, {}}))
        .first->second;
  }

  // Null messages creep by the least latency, so that long waits would take for ever.
  static bool creeps(const test::HarnessResult& expected) {
    constexpr std::int64_t most = 3000;
    return expected.predicted.ps() / most > expected.lookahead.ps();
  }

  static std::vector<Way> draw(const Script& script, const test::HarnessResult& expected, int count) {
    std::uint64_t seed = 14695981039346656037ULL;
    for (const char letter : script.name)
      seed = (seed ^ static_cast<std::uint64_t>(letter)) * 1099511628211ULL;
    std::mt19937_64 random(seed);
    constexpr std::array protocols{"null", "conditional", "combined", "quantum", "ideal"};
    std::vector<Way> ways;
    while (static_cast<int>(ways.size()) < count) {
      Way way{static_cast<int>(1 + random() % 4), protocols[random() % protocols.size()], random() % 2 == 0,
              random() % 2 == 0, random() % 1'000'000};
      if (way.protocol == "null" && creeps(expected)) way.protocol = "combined";
      ways.push_back(std::move(way));
    }
    return ways;
  }

  test::HarnessResult run(const Script& script, const machine::Description& machine, const Way& way) {
    const machine::Placement placement = machine.placement(static_cast<std::uint64_t>(script.ranks));
    test::HarnessOptions options;
    options.hosts = way.hosts;
    options.seed = way.seed;
    options.deterministic = way.deterministic;
    options.protocol = way.protocol;
    options.order_file = (folder_ / "order").string();
    options.cancels = script.cancels;
    options.config = machine.mpi_config();
    options.network = machine.build_network(static_cast<std::uint64_t>(script.ranks));
    if (too_much_ > SimTime::zero())
      options.network = std::make_shared<Promising>(
          machine.build_network(static_cast<std::uint64_t>(script.ranks)), too_much_);
    options.node_of = [&placement](int rank) { return placement.node_of(static_cast<std::uint64_t>(rank)); };
    for (int rank = 0; way.round_robin && rank < script.ranks; ++rank)
      options.host_of_rank.push_back(static_cast<std::uint16_t>(rank % way.hosts));
    const pio::Config io = machine.io_config(placement);
    options.extension = [&io] { return std::make_shared<pio::WorldIo>(io); };
    const std::string files = folder_.string() + "/";
    return test::run_ranks(
        script.ranks,
        [&](int) {
          const script_surroundings surroundings{work, work, print, files.c_str()};
          MPI_Init(nullptr, nullptr);
          const int status = script_run(script.text.c_str(), &surroundings);
          MPI_Finalize();
          return status;
        },
        options);
  }

  SimTime too_much_;
  std::filesystem::path folder_;
  std::map<std::string, machine::Description> machines_;
};

std::vector<Script> read_scripts(std::istream& in) {
  std::vector<Script> scripts;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string mark;
    std::string what;
    words >> mark >> what;
    if (mark == "!" && what == "program") {
      scripts.emplace_back();
      words >> scripts.back().name;
    }
    if (scripts.empty()) throw std::runtime_error("the first line is not `! program NAME`");
    Script& script = scripts.back();
    if (mark == "!" && what == "machine") {
      words >> script.machine;
      script.overrides.assign(std::istream_iterator<std::string>(words), {});
    } else if (mark == "!" && what == "ranks") {
      words >> script.ranks;
    }
    if (mark == "cancel") script.cancels = true;
    script.text += line + "\n";
  }
  return scripts;
}

Way read_way(const std::string& text) {
  Way way;
  std::string partition;
  std::string deterministic;
  std::istringstream words(text);
  if (!(words >> way.hosts >> way.protocol >> partition >> deterministic >> way.seed))
    throw std::runtime_error("`" + text + "` is no way: HOSTS PROTOCOL PARTITION DETERMINISM SEED");
  way.round_robin = partition == "round-robin";
  way.deterministic = deterministic == "on";
  return way;
}

int compare_all(const std::vector<std::string>& arguments) {
  std::vector<Way> ways;
  int drawn = 0;
  SimTime too_much;
  for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
    const std::string& value = arguments[i + 1];
    if (arguments[i] == "--ways") {
      drawn = std::stoi(value);
    } else if (arguments[i] == "--way") {
      ways.push_back(read_way(value));
    } else if (arguments[i] == "--fault") {
      too_much = SimTime::picoseconds(std::stoll(value));
    } else {
      throw std::runtime_error("no such option: " + arguments[i]);
    }
  }
  Runner runner(too_much);
  const std::vector<Script> scripts = read_scripts(std::cin);
  int faults = 0;
  for (const Script& script : scripts) faults += runner.check(script, ways, drawn);
  std::cout << fmt::format("{} programs, {} runs, {} differ", scripts.size(), runner.runs, faults) << '\n';
  return faults == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return compare_all({argv + 1, argv + argc});
  } catch (const BadEnd& error) {
    std::cerr << error.what() << '\n';
    return 3;
  } catch (const std::exception& error) {
    std::cerr << "invariance_kernels: " << error.what() << '\n';
    return 2;
  }
}
