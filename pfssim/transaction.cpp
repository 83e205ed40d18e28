#include "pfssim/transaction.hpp"

#include <cstring>
#include <utility>

namespace mpisim::pfs {

Transaction* make_transaction(const TransactionData& data, std::vector<Range> list) {
  auto* transaction = new Transaction;
  transaction->list = std::move(list);
  static_cast<TransactionData&>(*transaction) = data;
  return transaction;
}

void dispose(Transaction* transaction) {
  delete transaction;
}

void TransactionCodec::encode(const kernel::Event& event, kernel::PacketWriter& out) const {
  const auto& transaction = static_cast<const Transaction&>(event);
  out.put(static_cast<const TransactionData&>(transaction));
  out.put(static_cast<std::uint64_t>(transaction.list.size()));
  out.append(transaction.list.data(), transaction.list.size() * sizeof(Range));
}

kernel::Event* TransactionCodec::decode(kernel::PacketReader& in) const {
  const auto data = in.get<TransactionData>();
  std::vector<Range> list(in.get<std::uint64_t>());
  const auto bytes = in.take(list.size() * sizeof(Range));
  if (!list.empty()) std::memcpy(list.data(), bytes.data(), bytes.size());
  return make_transaction(data, std::move(list));
}

void TransactionCodec::dispose(kernel::Event* event) const {
  pfs::dispose(static_cast<Transaction*>(event));
}

}  // namespace mpisim::pfs
