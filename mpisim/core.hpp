#pragma once
// The core that the rest of MPI-SIM is built on: the current rank, calls, and point-to-point operations below
// the level of handles. Collectives and constructors use these; they never call the C entry points, so that
// PMPI wrappers see only what the program calls.
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "mpisim/communicator.hpp"
#include "mpisim/config.hpp"
#include "mpisim/datatype.hpp"
#include "simkernel/sim_time.hpp"

namespace mpisim::mpi {

class Rank;
class Request;
struct RankHandles;

namespace detail {
extern __thread Rank* running_rank __attribute__((tls_model("initial-exec")));
}

/// The rank that is running on this thread. Must not be called outside of one.
inline Rank& current_rank() {
  return *detail::running_rank;
}

/// What kinds of call there are, for breakdowns and reports.
enum class CallKind : std::uint8_t { local, point_to_point, completion, collective, input_output, clock };

/// First object of every C entry point: takes the compute time up to here, charges the call itself, and
/// remembers the call for reports; its destructor attributes the time spent. `name` must be a string literal
/// such as "MPI_Send".
class CallScope {
 public:
  CallScope(const char* name, CallKind kind, const void* return_address);
  ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;
  Rank& rank() const { return rank_; }

 private:
  Rank& rank_;
};

/// Opens a C entry point: MPISIM_CALL(MPI_Send, point_to_point); afterwards `call` is the scope. Ends the run
/// as misuse before MPI_Init and after MPI_Finalize, unless the call is one of those that are allowed then.
#define MPISIM_CALL(name, kind) \
  ::mpisim::mpi::CallScope call(#name, ::mpisim::mpi::CallKind::kind, __builtin_return_address(0))

namespace core {

enum class SendMode : std::uint8_t { standard, buffered, synchronous, ready };

/// Which of a communicator's message spaces: the program's own, or that of collectives and constructors.
enum class Plane : std::uint8_t { user, collective };

struct Status {
  int source = 0;  ///< rank in the communicator; MPI_PROC_NULL or MPI_ANY_SOURCE where MPI says so
  int tag = 0;
  int error = 0;
  bool cancelled = false;
  std::uint64_t bytes = 0;  ///< packed bytes received
};

/// All buffers: `count` elements of `type` at `buffer`. Ranks are ranks in comm.peers(); MPI_PROC_NULL is
/// allowed. A request must be waited for (or tested until done); waiting frees it.
Request* isend(Communicator& comm, Plane plane, SendMode mode, const void* buffer, std::uint64_t count,
               const Datatype& type, int destination, int tag);
Request* irecv(Communicator& comm, Plane plane, void* buffer, std::uint64_t count, const Datatype& type,
               int source, int tag);
/// isend in standard mode that makes no request where none is needed: null if the send is complete already.
Request* begin_send(Communicator& comm, Plane plane, const void* buffer, std::uint64_t count,
                    const Datatype& type, int destination, int tag);
/// A message of `bytes` bytes that costs time but carries no data (constructors whose result the host
/// computes once).
Request* isend_size_only(Communicator& comm, std::uint64_t bytes, int destination, int tag);
Request* irecv_size_only(Communicator& comm, std::uint64_t bytes, int source, int tag);

void wait(Request* request, Status* status = nullptr);
void wait_all(std::span<Request* const> requests);

/// Blocking forms, the same as isend/irecv + wait.
void send(Communicator& comm, Plane plane, const void* buffer, std::uint64_t count, const Datatype& type,
          int destination, int tag);
void recv(Communicator& comm, Plane plane, void* buffer, std::uint64_t count, const Datatype& type,
          int source, int tag, Status* status = nullptr);
void send_recv(Communicator& comm, Plane plane, const void* send_buffer, std::uint64_t send_count,
               const Datatype& send_type, int destination, void* receive_buffer, std::uint64_t receive_count,
               const Datatype& receive_type, int source, int tag);

/// Lets the other ranks of this host process go first, so that those that are about to post receives have
/// done so: what is sent to them then is copied once, straight into their buffers. Costs no simulated time,
/// and no prediction depends on it.
void let_others_post();

/// Charges `duration` of simulated time to the current rank inside a call (reduction arithmetic, copies).
void charge(kernel::SimTime duration);
/// Charges the processor time of a local copy of `bytes` bytes (the machine's receive_copy rate).
void charge_copy(std::uint64_t bytes);

/// What the members of an exchange of one host process share.
struct Exchanged {
  std::vector<std::byte> data;  ///< the contributions in rank order of the local group
  std::shared_ptr<void>
      result;  ///< what all members would compute from it: the first makes it for the others
};

/// All-gather of `size` bytes per member of an intra-communicator for constructors. Each host process keeps
/// one copy, shared by its ranks; `sequence`: Communicator::next_collective(). Simulated time is that of
/// Bruck's all-gather with messages of the true sizes, sent without data: nothing has to be added by the
/// caller.
std::shared_ptr<Exchanged> exchange(Communicator& comm, std::uint32_t sequence, const void* contribution,
                                    std::size_t size);

/// Declares which collective the current rank has entered: messages of Plane::collective are stamped with
/// `operation` and `root`, and a receive of one with another stamp ends the run as "mismatched collectives".
/// `name`: "MPI_Bcast". The call's sequence number is the tag of its messages.
void enter_collective(const char* name, std::uint16_t operation, int root = 0);
/// Adds what ranks must agree on besides: the operation (MPI_OP_NULL: none) and the kind of the data.
void detail_collective(int op, const Datatype& type);

/// The first message of the current collective whose length was not that of the buffer it was received into,
/// or that came from a rank with such a fault.
struct CollectiveFault {
  enum class Kind : std::uint8_t { too_short, too_long, elsewhere };
  int source = -1;  ///< rank in the communicator it came from; -1: no fault
  Kind kind = Kind::too_short;
  std::uint64_t room = 0;  ///< bytes that were expected
};
/// Returns it and forgets it.
CollectiveFault take_collective_fault();

/// Node of the target machine that a world rank is placed on.
std::uint32_t node_of(int world_rank);

const Config& config();
int world_size();

}  // namespace core
}  // namespace mpisim::mpi
