#include "mpisim/message.hpp"

namespace mpisim::mpi {

namespace detail {

constinit thread_local MessagePools message_pools;
const Message blank_message{};

}  // namespace detail

namespace {

std::byte* allocate(std::uint64_t bytes) {
  std::byte* memory = detail::message_pools.payloads.take(bytes);
  detail::message_pools.kept += bytes;
  return memory;
}

}  // namespace

void Message::keep_payload() {
  if (payload == nullptr || owned || bytes == 0) return;
  if (bytes <= sizeof small) {
    std::memcpy(small, payload, bytes);
    payload = small;
    owned = true;
    detail::message_pools.kept += bytes;
    return;
  }
  std::byte* copy = allocate(bytes);
  std::memcpy(copy, payload, bytes);
  payload = copy;
  owned = true;
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
    std::byte* copy = allocate(carried);  // all of its bytes, or none
    std::memcpy(copy, in.take(carried).data(), carried);
    message->payload = copy;
    message->owned = true;
  }
  return message;
}

}  // namespace mpisim::mpi
