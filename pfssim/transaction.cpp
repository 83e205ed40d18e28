#include "pfssim/transaction.hpp"

namespace mpisim::pfs {

Transaction* make_transaction(const TransactionData& data) {
  auto* transaction = new Transaction;
  static_cast<TransactionData&>(*transaction) = data;
  return transaction;
}

void dispose(Transaction* transaction) {
  delete transaction;
}

void TransactionCodec::encode(const kernel::Event& event, kernel::PacketWriter& out) const {
  out.put(static_cast<const TransactionData&>(static_cast<const Transaction&>(event)));
}

kernel::Event* TransactionCodec::decode(kernel::PacketReader& in) const {
  return make_transaction(in.get<TransactionData>());
}

void TransactionCodec::dispose(kernel::Event* event) const {
  pfs::dispose(static_cast<Transaction*>(event));
}

}  // namespace mpisim::pfs
