// C entry points: beginning and end of a program, clocks, abort.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "mpisim/arguments.hpp"
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

/// Sends that the program has not waited for are completed here, as the library goes on with them (MPI-3.1
/// section 8.7); the requests are among the leaks then.
void complete_sends(Rank& rank) {
  std::vector<Request*> sends;
  rank.handles().requests.for_each([&sends](int, Request* request) {
    if (request->active && request->kind == Request::Kind::send) sends.push_back(request);
  });
  rank.complete_all(sends);
}

/// What else the program has started and not completed: erroneous. Receives stay posted, so that what their
/// senders see does not depend on how far this rank has run ahead; what they get is thrown away, because the
/// program may reuse its memory.
void warn_of_unfinished(Rank& rank) {
  std::size_t unfinished = 0;
  std::string first;
  rank.handles().requests.for_each([&](int, Request* request) {
    if (!request->active) return;
    request->size_only = true;
    if (unfinished++ == 0) first = describe_started(*request);
  });
  if (unfinished == 0) return;
  rank.world().add_warning(rank.world_rank(), "never completed before MPI_Finalize by ",
                           unfinished == 1
                               ? ": a request started by " + first
                               : fmt::format(": {} requests, the first started by {}", unfinished, first));
}

}  // namespace

MPISIM_ENTRY(int, Init, (int*, char***)) {
  MPISIM_CALL(MPI_Init, local);
  return initialize(call.rank(), MPI_THREAD_SINGLE);
}

MPISIM_ENTRY(int, Init_thread, (int*, char***, int required, int* provided)) {
  MPISIM_CALL(MPI_Init_thread, local);
  MPISIM_REQUIRE(required >= MPI_THREAD_SINGLE && required <= MPI_THREAD_MULTIPLE, nullptr, MPI_ERR_ARG,
                 "required is {}, which is no level of thread support", required);
  MPISIM_REQUIRE_POINTER(provided, nullptr);
  // A rank is one thread of control: it cannot have others that call MPI at the same time.
  *provided = std::min<int>(required, MPI_THREAD_SERIALIZED);
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
  complete_sends(rank);
  warn_of_unfinished(rank);
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
  // The status of a process has eight bits: what is not zero must not look like success.
  const int status = code != 0 && (code & 0xff) == 0 ? 1 : code & 0xff;
  call.rank().end_world(End::abort, status,
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
