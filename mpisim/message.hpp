#pragma once
// What ranks send each other: envelopes (with the data of eager messages), and the answers and data of the
// rendezvous protocol. Pooled per thread; a message belongs to whoever it was handed to.
#include <cstddef>
#include <cstdint>

#include "mpisim/communicator.hpp"
#include "mpisim/core.hpp"
#include "mpisim/pool.hpp"
#include "simkernel/event.hpp"

namespace mpisim::mpi {

class Request;

enum class MessageKind : std::uint16_t {
  envelope,   ///< to the receiver: takes part in matching; key.time is the envelope time
  answer,     ///< to the sender: a synchronous or rendezvous envelope was matched; key.time is its arrival
  data,       ///< to the receiver: the bulk of a rendezvous; `arrival` is that of its last byte
  cancel,     ///< to the receiver: MPI_Cancel of the send whose envelope has the sequence number `bytes`
  cancelled,  ///< to the sender: that envelope was not matched before, and is gone
  exchange,   ///< to a host's exchange table, see exchange.hpp
  livelock,   ///< the same, for its watch, see livelock.hpp
  kinds       ///< from here on: of the layers above
};

enum class Transfer : std::uint8_t { eager, rendezvous };

struct Message : kernel::Event {
  // What matching looks at is in the first cache line, with the key.
  ContextId context = 0;    ///< of the communicator and plane, see Communicator
  std::int32_t source = 0;  ///< sender's rank in its local group
  std::int32_t tag = 0;
  Message* next_in_source = nullptr;
  Message* previous_in_source = nullptr;

  std::uint64_t bytes = 0;
  kernel::SimTime arrival;  ///< of the last byte of an eager message, or of bulk data
  /// Packed data: the sender's own buffer until the message has to be kept, then a copy. Null for size-only
  /// messages, and for a rendezvous envelope whose sender is on another host.
  const std::byte* payload = nullptr;
  std::byte small[8] = {};  ///< room for the copy of so little
  Request* local_sender =
      nullptr;  ///< sender's request if it is on this host process (rendezvous copies once)
  std::uint32_t sender_request = 0;  ///< what an answer refers to, an index of the sender's requests
  union {
    std::uint32_t tag_heap_place = UINT32_MAX;  ///< of an envelope in the heap of those with its tag
    std::uint32_t receiver_request;             ///< of answers and data
  };
  std::int32_t root = 0;
  std::uint32_t heap_place = UINT32_MAX;  ///< in the heap of its queue, see KeyHeap
  std::uint16_t operation = 0;            ///< collective stamp, 0 in the user plane
  Transfer transfer = Transfer::eager;
  bool synchronous = false;  ///< an eager message whose match the sender waits for
  bool size_only = false;    ///< costs time, carries no data
  bool owned = false;        ///< payload was copied to the heap
  bool ready = false;        ///< MPI_Rsend: wrong unless its receive has been posted
  bool faulty = false;       ///< the sender has found the collective to be faulty

  /// Its sender waits for the match, and may call MPI_Cancel meanwhile.
  bool can_be_cancelled() const {
    return (synchronous || transfer == Transfer::rendezvous) &&
           (context & 1U) == static_cast<ContextId>(core::Plane::user);
  }

  static Message* make(MessageKind kind);
  static void dispose(Message* message);
  /// Copies a borrowed payload so that the sender may reuse its buffer.
  void keep_payload();
  /// Payload in copies of their own on this host process (thread) now.
  static std::uint64_t kept_bytes();
};
static_assert(sizeof(Message) == 128, "two cache lines: with many ranks each is a miss");

namespace detail {

/// Messages are made and freed by the thread that runs their host's kernel.
struct MessagePools {
  ObjectPool<Message, &Message::next_in_source> messages;
  BytePool payloads;
  std::uint64_t kept = 0;
};
[[gnu::tls_model("initial-exec")]] extern constinit thread_local MessagePools message_pools;
extern const Message blank_message;

}  // namespace detail

inline Message* Message::make(MessageKind kind) {
  Message* message = detail::message_pools.messages.make(detail::blank_message);
  message->kind = static_cast<std::uint16_t>(kind);
  return message;
}

inline void Message::dispose(Message* message) {
  if (message->owned) {
    if (message->payload != message->small)
      detail::message_pools.payloads.give(const_cast<std::byte*>(message->payload), message->bytes);
    detail::message_pools.kept -= message->bytes;
  }
  message->owned = false;
  message->payload = nullptr;
  detail::message_pools.messages.free(message);
}

inline std::uint64_t Message::kept_bytes() {
  return detail::message_pools.kept;
}

/// How messages of one kind travel between host processes.
class MessageCodec final : public kernel::EventCodec {
 public:
  void encode(const kernel::Event& event, kernel::PacketWriter& out) const override;
  kernel::Event* decode(kernel::PacketReader& in) const override;
  void dispose(kernel::Event* event) const override { Message::dispose(static_cast<Message*>(event)); }
};

}  // namespace mpisim::mpi
