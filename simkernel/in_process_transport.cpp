#include "simkernel/in_process_transport.hpp"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>

namespace mpisim::kernel {

namespace {

/// The turn goes round among live hosts; whoever holds it is the only thread that runs.
class Network {
 public:
  Network(int hosts, std::uint64_t seed)
      : hosts_(hosts),
        random_(seed),
        queues_(static_cast<std::size_t>(hosts) * static_cast<std::size_t>(hosts)),
        live_(static_cast<std::size_t>(hosts), true) {}

  int hosts() const { return hosts_; }
  std::deque<std::vector<std::byte>>& queue(int from, int to) {
    return queues_[static_cast<std::size_t>(from) * static_cast<std::size_t>(hosts_) +
                   static_cast<std::size_t>(to)];
  }
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

  void begin(int host) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return turn_ == host; });
  }
  void pass(int host) {
    std::unique_lock lock(mutex_);
    choose_next();
    changed_.notify_all();
    changed_.wait(lock, [&] { return turn_ == host; });
    if (error_) throw std::runtime_error("another host process failed");
  }
  void end(int host, std::exception_ptr error) {
    const std::unique_lock lock(mutex_);
    live_[static_cast<std::size_t>(host)] = false;
    if (error && !error_) error_ = error;
    choose_next();
    changed_.notify_all();
  }
  std::exception_ptr error() const { return error_; }

 private:
  void choose_next() {
    std::vector<int> candidates;
    for (int host = 0; host < hosts_; ++host) {
      if (live_[static_cast<std::size_t>(host)]) candidates.push_back(host);
    }
    turn_ = candidates.empty() ? -1 : candidates[draw(candidates.size())];
  }

  int hosts_;
  std::mt19937_64 random_;
  std::vector<std::deque<std::vector<std::byte>>> queues_;
  std::vector<bool> live_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int turn_ = 0;
  std::exception_ptr error_;
};

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

  [[noreturn]] void abort(int status) override {
    throw std::runtime_error("host process aborted with status " + std::to_string(status));
  }

 private:
  Network& network_;
  int host_;
};

}  // namespace

void run_in_process(int hosts, std::uint64_t seed, const std::function<void(Transport&)>& body) {
  Network network(hosts, seed);
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(hosts));
  for (int host = 0; host < hosts; ++host) {
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
  for (auto& thread : threads) thread.join();
  if (network.error()) std::rethrow_exception(network.error());
}

}  // namespace mpisim::kernel
