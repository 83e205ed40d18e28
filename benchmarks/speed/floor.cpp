// The least that messages between many stacks can cost on this machine, without a simulator.
//
// usage: floor messages RANKS MESSAGES PER_SWITCH SIZE     nanoseconds of processor time per message
//        floor start RANKS                                 nanoseconds of processor time per stack
//        floor copy BYTES SIZE                             nanoseconds of processor time for all of it
//
// messages: RANKS fibers on stacks of their own take turns. In its turn a fiber sends PER_SWITCH messages of
// SIZE bytes to the next one: a copy out of its buffer into a kept piece of memory and a copy out of that of
// a message it got into its other buffer, and with each the head of a heap with one entry per fiber is
// replaced. Then a bare context switch. start: maps as many stacks, and switches once to a fiber on each.
// copy: BYTES bytes in pieces of SIZE, each from another place to another place.
#include <sys/mman.h>
#include <sys/resource.h>

#include <boost/context/detail/fcontext.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

namespace ctx = boost::context::detail;

namespace {

double processor_seconds() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return static_cast<double>(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

struct Kept {
  Kept* next = nullptr;
};

struct Rank {
  ctx::fcontext_t context = nullptr;
  std::vector<char> out, in;
  Kept* first = nullptr;
  Kept* last = nullptr;
  Rank* next = nullptr;
};

using Event = std::pair<std::uint64_t, std::uint32_t>;

struct Shared {
  std::uint64_t per_switch = 1;
  std::size_t size = 0;
  Kept* free = nullptr;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> heap;
} shared;

Kept* keep(const Rank& rank) {
  Kept* kept = shared.free;
  if (kept != nullptr)
    shared.free = kept->next;
  else
    kept = static_cast<Kept*>(std::malloc(sizeof(Kept) + shared.size));
  std::memcpy(kept + 1, rank.out.data(), shared.size);
  kept->next = nullptr;
  return kept;
}

void send(Rank& from) {
  Kept* kept = keep(from);
  Rank& to = *from.next;
  (to.last != nullptr ? to.last->next : to.first) = kept;
  to.last = kept;
  const Event head = shared.heap.top();
  shared.heap.pop();
  shared.heap.emplace(head.first + 1000 + head.second % 7, head.second);
}

void receive(Rank& rank) {
  Kept* kept = rank.first;
  if (kept == nullptr) return;  // nothing comes before the first turn
  rank.first = kept->next;
  if (rank.first == nullptr) rank.last = nullptr;
  std::memcpy(rank.in.data(), kept + 1, shared.size);
  kept->next = shared.free;
  shared.free = kept;
}

void run(ctx::transfer_t from) {
  Rank& rank = *static_cast<Rank*>(from.data);
  for (;;) {
    for (std::uint64_t i = 0; i < shared.per_switch; ++i) {
      send(rank);
      receive(rank);
    }
    from = ctx::jump_fcontext(from.fctx, nullptr);
  }
}

void once(ctx::transfer_t from) {
  for (;;) from = ctx::jump_fcontext(from.fctx, nullptr);
}

/// As mpisim run places them: an odd number of pages apart, large ones as long as there are not too many.
char* map_stacks(std::size_t ranks, std::size_t& distance) {
  distance = (ranks > 16'384 ? std::size_t{256} << 10 : std::size_t{8} << 20) + 4096;
  void* memory = mmap(nullptr, ranks * distance, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("floor: mmap");
    std::exit(1);
  }
  madvise(memory, ranks * distance, MADV_NOHUGEPAGE);
  return static_cast<char*>(memory);
}

double messages(std::size_t ranks, std::uint64_t count, std::uint64_t per_switch, std::size_t size) {
  shared.per_switch = per_switch;
  shared.size = size;
  std::size_t distance = 0;
  char* stacks = map_stacks(ranks, distance);
  std::vector<Rank> all(ranks);
  for (std::size_t i = 0; i < ranks; ++i) {
    all[i].out.assign(size, static_cast<char>(i));
    all[i].in.assign(size, 0);
    all[i].next = &all[(i + 1) % ranks];
    all[i].context = ctx::make_fcontext(stacks + (i + 1) * distance - i % 16 * 128, distance, run);
    shared.heap.emplace(i, static_cast<std::uint32_t>(i));
  }
  const auto turn = [](Rank& rank) { rank.context = ctx::jump_fcontext(rank.context, &rank).fctx; };
  for (Rank& rank : all) turn(rank);  // touches everything
  std::uint64_t done = 0;
  const double begin = processor_seconds();
  while (done < count) {
    for (Rank& rank : all) {
      turn(rank);
      if ((done += per_switch) >= count) break;
    }
  }
  return (processor_seconds() - begin) * 1e9 / static_cast<double>(done);
}

double start(std::size_t ranks) {
  const double begin = processor_seconds();
  std::size_t distance = 0;
  char* stacks = map_stacks(ranks, distance);
  for (std::size_t i = 0; i < ranks; ++i) {
    ctx::jump_fcontext(ctx::make_fcontext(stacks + (i + 1) * distance - i % 16 * 128, distance, once),
                       nullptr);
  }
  return (processor_seconds() - begin) * 1e9 / static_cast<double>(ranks);
}

double copy(std::uint64_t bytes, std::size_t size) {
  constexpr std::size_t area = std::size_t{16} << 20;
  const std::size_t pieces = size < area ? area / size : 1;
  std::vector<char> from(pieces * size, 1), to(pieces * size);
  const double begin = processor_seconds();
  for (std::uint64_t done = 0; done * size < bytes; ++done) {
    const std::size_t at = done % pieces * size;
    std::memcpy(to.data() + at, from.data() + at, size);
  }
  return (processor_seconds() - begin) * 1e9;
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [argv](int i) { return std::strtoull(argv[i], nullptr, 10); };
  if (argc == 6 && std::string(argv[1]) == "messages") {
    std::printf("%.2f\n", messages(number(2), number(3), number(4), number(5)));
  } else if (argc == 3 && std::string(argv[1]) == "start") {
    std::printf("%.2f\n", start(number(2)));
  } else if (argc == 4 && std::string(argv[1]) == "copy") {
    std::printf("%.2f\n", copy(number(2), number(3)));
  } else {
    std::fprintf(stderr,
                 "usage: floor messages RANKS MESSAGES PER_SWITCH SIZE | start RANKS | copy BYTES SIZE\n");
    return 2;
  }
  return 0;
}
