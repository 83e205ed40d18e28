#include "mpisim/message.hpp"

#include <cstdlib>
#include <new>

namespace mpisim::mpi {

namespace {

// Messages are made and freed by the thread that runs their host's kernel.
[[gnu::tls_model("initial-exec")]] thread_local Message* free_messages = nullptr;

[[gnu::tls_model("initial-exec")]] thread_local std::uint64_t kept = 0;

// Copied over recycled messages: several times cheaper than what compilers make of `= Message{}`.
static_assert(std::is_trivially_copyable_v<Message>);
const Message blank_message;

std::byte* allocate(std::uint64_t bytes) {
  void* memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  kept += bytes;
  return static_cast<std::byte*>(memory);
}

}  // namespace

Message* Message::make(MessageKind kind) {
  Message* message = free_messages;
  if (message != nullptr) {
    free_messages = static_cast<Message*>(message->next);
    std::memcpy(static_cast<void*>(message), &blank_message, sizeof blank_message);
  } else {
    message = new Message{};
  }
  message->kind = static_cast<std::uint16_t>(kind);
  return message;
}

void Message::dispose(Message* message) {
  if (message->owned) {
    std::free(const_cast<std::byte*>(message->payload));
    kept -= message->bytes;
  }
  message->owned = false;
  message->payload = nullptr;
  message->next = free_messages;
  free_messages = message;
}

void Message::keep_payload() {
  if (payload == nullptr || owned || bytes == 0) return;
  std::byte* copy = allocate(bytes);
  std::memcpy(copy, payload, bytes);
  payload = copy;
  owned = true;
}

std::uint64_t Message::kept_bytes() {
  return kept;
}

void MessageCodec::encode(const kernel::Event& event, kernel::PacketWriter& out) const {
  const auto& message = static_cast<const Message&>(event);
  out.put(message.context);
  out.put(message.source);
  out.put(message.tag);
  out.put(message.bytes);
  out.put(message.arrival);
  out.put(message.sender_request);
  out.put(message.receiver_request);
  out.put(message.transfer);
  out.put(message.synchronous);
  out.put(message.ready);
  out.put(message.size_only);
  out.put(message.operation);
  out.put(message.faulty);
  out.put(message.root);
  const std::uint64_t carried = message.payload != nullptr ? message.bytes : 0;
  out.put(carried);
  if (carried > 0) out.append(message.payload, carried);
}

kernel::Event* MessageCodec::decode(kernel::PacketReader& in) const {
  Message* message = Message::make(MessageKind::envelope);  // the kernel overwrites the kind
  message->context = in.get<ContextId>();
  message->source = in.get<std::int32_t>();
  message->tag = in.get<std::int32_t>();
  message->bytes = in.get<std::uint64_t>();
  message->arrival = in.get<kernel::SimTime>();
  message->sender_request = in.get<std::uint32_t>();
  message->receiver_request = in.get<std::uint32_t>();
  message->transfer = in.get<Transfer>();
  message->synchronous = in.get<bool>();
  message->ready = in.get<bool>();
  message->size_only = in.get<bool>();
  message->operation = in.get<std::uint16_t>();
  message->faulty = in.get<bool>();
  message->root = in.get<std::int32_t>();
  const auto carried = in.get<std::uint64_t>();
  if (carried > 0) {
    std::byte* copy = allocate(carried);
    std::memcpy(copy, in.take(carried).data(), carried);
    message->payload = copy;
    message->owned = true;
  }
  return message;
}

}  // namespace mpisim::mpi
