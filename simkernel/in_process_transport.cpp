#include "simkernel/in_process_transport.hpp"

#include <sched.h>
#include <semaphore.h>

#include <deque>
#include <exception>
#include <random>
#include <stdexcept>
#include <thread>

namespace mpisim::kernel {

namespace {

/// The turn goes round among live hosts; whoever holds it is the only thread that runs, so that nothing else
/// needs a lock: handing over is what orders the threads.
class Network {
 public:
  Network(int hosts, std::uint64_t seed)
      : hosts_(hosts),
        random_(seed),
        queues_(static_cast<std::size_t>(hosts) * static_cast<std::size_t>(hosts)),
        turns_(static_cast<std::size_t>(hosts)) {
    for (int host = 0; host < hosts; ++host) live_.push_back(host);
    for (sem_t& turn : turns_) sem_init(&turn, 0, 0);
  }
  ~Network() {
    for (sem_t& turn : turns_) sem_destroy(&turn);
  }
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  int hosts() const { return hosts_; }
  std::deque<std::vector<std::byte>>& queue(int from, int to) {
    return queues_[static_cast<std::size_t>(from) * static_cast<std::size_t>(hosts_) +
                   static_cast<std::size_t>(to)];
  }
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

  /// Gives the first turn to somebody.
  void open() { hand_over(choose()); }
  void begin(int host) { await(host); }
  void pass(int host) {
    if (const int next = choose(); next != host) {
      hand_over(next);
      await(host);
    }
    if (error_) throw std::runtime_error("another host process failed");
  }
  void end(int host, const std::exception_ptr& error) {
    if (error && !error_) error_ = error;
    std::erase(live_, host);
    if (!live_.empty()) hand_over(choose());
  }
  std::exception_ptr error() const { return error_; }

 private:
  int choose() { return live_[draw(live_.size())]; }
  void hand_over(int host) { sem_post(&turns_[static_cast<std::size_t>(host)]); }
  void await(int host) {
    while (sem_wait(&turns_[static_cast<std::size_t>(host)]) != 0) {  // interrupted by a signal
    }
  }

  int hosts_;
  std::mt19937_64 random_;
  std::vector<std::deque<std::vector<std::byte>>> queues_;
  std::vector<sem_t> turns_;
  std::vector<int> live_;
  std::exception_ptr error_;
};

// Threads that take turns wake each other faster on one processor than across two.
void stay_on_one_processor() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  const int here = sched_getcpu();
  if (here < 0 || !CPU_ISSET(here, &allowed)) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(here, &one);
  sched_setaffinity(0, sizeof one, &one);
}

class InProcessTransport final : public Transport {
 public:
  InProcessTransport(Network& network, int host) : network_(network), host_(host) {}

  int host() const override { return host_; }
  int hosts() const override { return network_.hosts(); }

  void send(int host, std::vector<std::byte> data) override {
    network_.queue(host_, host).push_back(std::move(data));
    if (network_.draw(4) == 0) network_.pass(host_);
  }

  bool receive(Packet& packet) override {
    if (network_.draw(3) == 0) return false;  // as if it were still under way
    std::vector<int> sources;
    for (int from = 0; from < hosts(); ++from) {
      if (!network_.queue(from, host_).empty()) sources.push_back(from);
    }
    if (sources.empty()) return false;
    packet.source = sources[network_.draw(sources.size())];
    auto& queue = network_.queue(packet.source, host_);
    packet.data = std::move(queue.front());
    queue.pop_front();
    return true;
  }

  void wait() override { network_.pass(host_); }

  // One answer is as good as the other.
  bool rests_next() const override { return network_.draw(2) == 0; }
  bool starves(int) const override { return network_.draw(2) == 0; }

  [[noreturn]] void abort(int status) override {
    throw std::runtime_error("host process aborted with status " + std::to_string(status));
  }

 private:
  Network& network_;
  int host_;
};

void run_threads(Network& network, const std::function<void(Transport&)>& body) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(network.hosts()));
  for (int host = 0; host < network.hosts(); ++host) {
    threads.emplace_back([&network, &body, host] {
      network.begin(host);
      std::exception_ptr error;
      try {
        InProcessTransport transport(network, host);
        body(transport);
      } catch (...) {
        error = std::current_exception();
      }
      network.end(host, error);
    });
  }
  network.open();
  for (auto& thread : threads) thread.join();
}

}  // namespace

void run_in_process(int hosts, std::uint64_t seed, const std::function<void(Transport&)>& body) {
  Network network(hosts, seed);
  std::thread first([&] {
    stay_on_one_processor();  // the other threads inherit it
    run_threads(network, body);
  });
  first.join();
  if (network.error()) std::rethrow_exception(network.error());
}

}  // namespace mpisim::kernel
