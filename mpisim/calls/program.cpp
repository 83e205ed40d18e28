// C entry points: beginning and end of a program, clocks, abort.
#include <fmt/format.h>

#include "mpisim/entry.hpp"
#include "mpisim/errors.hpp"
#include "mpisim/handles.hpp"
#include "mpisim/rank.hpp"
#include "mpisim/report.hpp"

using namespace mpisim::mpi;

namespace {

int initialize(Rank& rank, int level) {
  if (rank.initialized) return raise(nullptr, MPI_ERR_OTHER, "MPI_Init was called before");
  rank.begin_mpi();
  rank.thread_level = level;
  return MPI_SUCCESS;
}

}  // namespace

MPISIM_ENTRY(int, Init, (int*, char***)) {
  MPISIM_CALL(MPI_Init, local);
  return initialize(call.rank(), MPI_THREAD_SINGLE);
}

MPISIM_ENTRY(int, Init_thread, (int*, char***, int required, int* provided)) {
  MPISIM_CALL(MPI_Init_thread, local);
  // A rank is one thread of control; more than funnelled calls cannot arise.
  *provided = required < MPI_THREAD_FUNNELED ? required : MPI_THREAD_FUNNELED;
  return initialize(call.rank(), *provided);
}

MPISIM_ENTRY(int, Query_thread, (int* provided)) {
  MPISIM_CALL(MPI_Query_thread, local);
  *provided = call.rank().thread_level;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Is_thread_main, (int* flag)) {
  MPISIM_CALL(MPI_Is_thread_main, local);
  *flag = 1;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Initialized, (int* flag)) {
  MPISIM_CALL(MPI_Initialized, local);
  *flag = call.rank().initialized ? 1 : 0;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Finalized, (int* flag)) {
  MPISIM_CALL(MPI_Finalized, local);
  *flag = call.rank().finalized ? 1 : 0;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Finalize, (void)) {
  MPISIM_CALL(MPI_Finalize, local);
  Rank& rank = call.rank();
  rank.handles().delete_self_attributes();
  std::size_t unfinished = 0;
  std::string first;
  rank.handles().requests.for_each([&](int, Request* request) {
    // An eager send that was never waited for has delivered its message: it is reported with the leaks.
    if (!request->active || (request->kind == Request::Kind::send && request->known)) return;
    if (unfinished++ == 0) first = describe_started(*request);
  });
  if (unfinished > 0) {
    fatal(MPI_ERR_REQUEST, fmt::format("{} request{} unfinished at MPI_Finalize; the first was started by {}",
                                       unfinished, unfinished == 1 ? " is" : "s are", first));
  }
  std::string leaks;
  const auto add_leak = [&leaks](const std::string& leak) { leaks += (leaks.empty() ? "" : ", ") + leak; };
  for (const std::string& leak : rank.handles().leaks()) add_leak(leak);
  const std::string above = rank.extension ? rank.extension->leaks() : std::string();
  if (!above.empty()) add_leak(above);
  if (!leaks.empty())
    rank.world().add_warning(rank.world_rank(), "not freed at MPI_Finalize by ", ": " + leaks);
  rank.end_mpi();
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Abort, (MPI_Comm, int code)) {
  MPISIM_CALL(MPI_Abort, local);
  call.rank().end_world(End::abort, code & 0xff,
                        fmt::format("{}: MPI_Abort with code {}\n", describe_current_call(), code));
}

MPISIM_ENTRY(double, Wtime, (void)) {
  MPISIM_CALL(MPI_Wtime, clock);
  return call.rank().now().seconds();
}

MPISIM_ENTRY(double, Wtick, (void)) {
  MPISIM_CALL(MPI_Wtick, local);
  return 1e-12;
}
