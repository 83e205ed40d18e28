#include "runtime/code_samples.hpp"

#include <link.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string_view>

#include "runtime/crash_report.hpp"
#include "runtime/module_registry.hpp"
#include "runtime/rank_environment.hpp"

namespace mpisim::runtime {
namespace {

constexpr auto period_nanoseconds = static_cast<std::int64_t>(sample_seconds * 1e9);
constexpr std::size_t most_objects = 128;

enum class Kind : std::uint8_t { simulator, priced, program, library };

// A piece of code of a loaded object.
struct Piece {
  std::uintptr_t begin = 0, end = 0;
  Kind kind = Kind::library;
  std::string object;
};

// The handler reads these; they are filled before it runs.
std::array<Piece, most_objects> pieces;
std::size_t piece_count = 0;
std::array<std::atomic<std::uint64_t>, most_objects> hits;
std::atomic<std::uint64_t> counted_hits;
timer_t timer;
bool running = false;

bool has_counters(std::uintptr_t address) {
  return std::any_of(registered_modules().begin(), registered_modules().end(),
                     [&](const mpisim_module* module) {
                       return address - reinterpret_cast<std::uintptr_t>(module->counted_begin) <
                              reinterpret_cast<std::uintptr_t>(module->counted_end) -
                                  reinterpret_cast<std::uintptr_t>(module->counted_begin);
                     });
}

int add_pieces(dl_phdr_info* info, std::size_t, void*) {
  const std::string_view path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (int i = 0; i < info->dlpi_phnum && piece_count < most_objects; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
    Piece& piece = pieces[piece_count++];
    piece.begin = info->dlpi_addr + header.p_vaddr;
    piece.end = piece.begin + header.p_memsz;
    piece.object = name;
    const auto own = reinterpret_cast<std::uintptr_t>(&add_pieces);
    if (own >= piece.begin && own < piece.end)
      piece.kind = Kind::simulator;
    else if (name.starts_with("libc.so") || name.starts_with("libm.so") || name.starts_with("ld-linux") ||
             name.starts_with("linux-vdso"))
      piece.kind = Kind::priced;
    else
      piece.kind = path.empty() ? Kind::program : Kind::library;
  }
  return 0;
}

void on_tick(int, siginfo_t*, void* context) {
  const RankEnvironment* const rank = current_environment();
  if (rank == nullptr || rank->services().in_simulator()) return;
  const auto address =
      static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  if (has_counters(address)) {
    counted_hits.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  for (std::size_t i = 0; i < piece_count; ++i)
    if (address >= pieces[i].begin && address < pieces[i].end)
      hits[i].fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

void start_code_samples() {
  piece_count = 0;
  dl_iterate_phdr(add_pieces, nullptr);
  use_crash_stack();  // the stacks of ranks may be small
  struct sigaction action{};
  action.sa_sigaction = on_tick;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigaction(SIGPROF, &action, nullptr);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGPROF;
  event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0) return;
  const itimerspec interval{{0, period_nanoseconds}, {0, period_nanoseconds}};
  running = timer_settime(timer, 0, &interval, nullptr) == 0;
}

CodeSamples take_code_samples() {
  CodeSamples result;
  if (!running) return result;
  running = false;
  timer_delete(timer);
  result.all = counted_hits.exchange(0);
  for (std::size_t i = 0; i < piece_count; ++i) {
    const std::uint64_t count = hits[i].exchange(0);
    if (pieces[i].kind == Kind::simulator || count == 0) continue;
    result.all += count;
    if (pieces[i].kind == Kind::priced) continue;
    result.uncounted.push_back(
        {pieces[i].kind == Kind::program ? "the program's own objects" : pieces[i].object, count});
  }
  std::sort(result.uncounted.begin(), result.uncounted.end(),
            [](const auto& a, const auto& b) { return a.samples > b.samples; });
  return result;
}

}  // namespace mpisim::runtime
