#pragma once
// Requests: operations that a rank has started and not yet completed.
#include <cstdint>
#include <string>

#include "mpisim/core.hpp"
#include "mpisim/include/mpi.h"
#include "mpisim/message.hpp"

namespace mpisim::mpi {

constexpr int any_source = MPI_ANY_SOURCE;
constexpr int any_tag = MPI_ANY_TAG;
constexpr int proc_null = MPI_PROC_NULL;

/// What a layer above does for a request of Request::Kind::background, which owns it.
class BackgroundWork {
 public:
  virtual ~BackgroundWork() = default;
  BackgroundWork(const BackgroundWork&) = delete;
  BackgroundWork& operator=(const BackgroundWork&) = delete;
  /// The program completes the request, on the rank's fiber: finishes what it gets to see and raises the
  /// error if there is one. Returns what the call is to return.
  virtual int finish(core::Status& status) = 0;
  /// For reports of blocked ranks: "write of file \"a.dat\"".
  virtual std::string describe() const = 0;

 protected:
  BackgroundWork() = default;
};

/// One side of a message as a call names it: its data and its envelope (MPI-3.1 sections 3.2.2 and 3.2.3).
struct MessageSide {
  Communicator& communicator;
  core::Plane plane;
  void* buffer;
  std::uint64_t count;
  const Datatype& type;
  int peer;  ///< destination, or source or any_source; proc_null
  int tag;   ///< or any_tag

  std::uint64_t bytes() const { return count * type.size(); }
};

class Strand;

class Request {
 public:
  enum class Kind : std::uint8_t { send, receive, probe, generalized, background };

  // What matching looks at is in the first cache line.
  Kind kind = Kind::send;
  core::SendMode mode = core::SendMode::standard;
  core::Plane plane = core::Plane::user;
  bool persistent = false;
  bool active = false;     ///< started and not completed by the program
  bool known = false;      ///< its completion time is known
  bool awaited = false;    ///< the rank is blocked on it
  bool committed = false;  ///< the rank is blocked until this completes: it cannot be cancelled any more
  bool size_only = false;
  bool cancelled = false;
  bool released = false;    ///< MPI_Request_free while active: freed by the core at completion
  bool packed = false;      ///< `packed_data` is a private copy of a non-contiguous send buffer
  bool paired = false;      ///< a receive that has its message, perhaps not yet the data
  bool eager = false;       ///< the data of a receive came with the envelope: it is copied out of the library
  bool listed = false;      ///< in the list of requests of the current call
  bool one_source = false;  ///< a receive or probe from any source that can get messages of one alone
  bool direct = false;      ///< rendezvous data was copied straight into the receive buffer when matched
  std::int32_t peer = 0;    ///< destination, or source or any_source
  std::int32_t tag = 0;
  std::int32_t root = 0;
  std::uint16_t operation = 0;     ///< collective stamp
  Request* next_posted = nullptr;  ///< all posted receives of a queue in program order
  Request* previous_posted = nullptr;
  Request* next_in_source = nullptr;  ///< those that name one source
  Request* previous_in_source = nullptr;

  kernel::SimTime posted;  ///< when it was started
  /// Once known: when the operation itself is complete. Before that, of a rendezvous send: its turn on the
  /// adapter.
  kernel::SimTime completion;
  void* buffer = nullptr;
  std::uint64_t count = 0;
  const Datatype* type = nullptr;
  std::uint64_t bytes = 0;  ///< packed size of the buffer: capacity of a receive
  Communicator* communicator = nullptr;
  ContextId context = 0;

  core::Status status;
  std::uint32_t sender_node = 0;  ///< of a receive that has its message: the node it came from
  std::uint32_t index = 0;        ///< in the rank's table, what answers refer to
  std::byte* packed_data = nullptr;
  Message* matched = nullptr;   ///< of a probe; of a receive only while its message is being taken
  void* generalized = nullptr;  ///< callbacks of a generalized request
  BackgroundWork* work = nullptr;
  Strand* strand = nullptr;  ///< whose it is; null: the program's
  const void* call_site = nullptr;
  const char* call_name = "";
  int handle = 0;  ///< MPI_Request, 0 if the program has none
  /// Of a posted receive: its place in the order of the program. Of a send that is answered: its envelope's
  /// sequence number.
  std::uint64_t post_sequence = 0;

  bool is_wildcard() const { return peer == any_source; }
  bool accepts(int source, int message_tag) const {
    return (peer == source || peer == any_source) && (tag == message_tag || tag == any_tag);
  }
};
static_assert(sizeof(Request) <= 256, "four cache lines: with many ranks each is a miss");

}  // namespace mpisim::mpi
