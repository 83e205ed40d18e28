#pragma once
// Reports on programs that cannot go on: deadlocks and misuse of MPI.
#include <cstddef>
#include <string>
#include <vector>

#include "mpisim/world.hpp"

namespace mpisim::mpi {

class Request;

/// What every unfinished rank of this host waits for, for compose_deadlock_report on host 0.
std::vector<std::byte> pack_blocked_ranks(World& world);

/// The deadlock report: ranks that wait in the same call at the same place are grouped, and a cycle of ranks
/// that wait for each other is named if there is one.
std::string compose_deadlock_report(const std::vector<std::vector<std::byte>>& hosts,
                                    const std::vector<RankResult>& ranks);

/// Where every rank of this host process is, a line each (or for many in the same place); `running_at`: the
/// place in the program's own code ("loop.c:8") of the rank that runs, if one does.
std::string describe_ranks(World& world, const std::string& running_at);

/// "3.4 ms simulated, the slowest: rank 7 at 1.2 ms in MPI_Recv", of this host process; empty if all have
/// ended. May be called by another thread, and is then a little old.
std::string slowest_rank(World& world);

/// For kernel::place_of_overflows(): the rank that runs, and its innermost line.
std::string place_of_overflow();

/// "rank 3 at 12.5 us in MPI_Recv (file.c:7)" of the current rank, for the first line of reports.
std::string describe_current_call();

/// "MPI_Irecv at file.c:12" for a request.
std::string describe_started(const Request& request);

}  // namespace mpisim::mpi
