#pragma once
// Accesses that go on while the rank does other things (nonblocking calls, split collectives). Their data has
// moved when they start, as the program may not look at it before they are complete; what goes on is time.
#include <vector>

#include "mpisim/request.hpp"
#include "piosim/access.hpp"

namespace mpisim::pio {

class RankIo;

/// One more nonblocking access of a file of the current rank that the program has not completed.
class Unfinished {
 public:
  explicit Unfinished(File& file);
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  /// The file; it is not closed before.
  File& file() const;

 private:
  RankIo& state_;
  MPI_File handle_;
};

/// A started request of the current rank for pieces whose data has been moved; counts them. The program's
/// call that completes it raises `failure`; the caller fills in its status.
mpi::Request* start_in_background(File& file, std::vector<FilePiece> moved, bool write,
                                  const Failure& failure);

}  // namespace mpisim::pio
