#include "pfssim/transaction.hpp"

#include <cstring>
#include <utility>

namespace mpisim::pfs {

namespace detail {
constinit thread_local Transaction* spare_transactions = nullptr;
}  // namespace detail

namespace {

template <class Item>
void put_all(const std::vector<Item>& items, kernel::PacketWriter& out) {
  out.put(static_cast<std::uint64_t>(items.size()));
  out.append(items.data(), items.size() * sizeof(Item));
}

template <class Item>
std::vector<Item> get_all(kernel::PacketReader& in) {
  std::vector<Item> items(in.get<std::uint64_t>());
  const auto bytes = in.take(items.size() * sizeof(Item));
  if (!items.empty()) std::memcpy(items.data(), bytes.data(), bytes.size());
  return items;
}

}  // namespace

Transaction* make_transaction(const TransactionData& data, std::vector<Range> list) {
  Transaction* transaction = make_transaction(data);
  transaction->list = std::move(list);
  return transaction;
}

void TransactionCodec::encode(const kernel::Event& event, kernel::PacketWriter& out) const {
  const auto& transaction = static_cast<const Transaction&>(event);
  out.put(static_cast<const TransactionData&>(transaction));
  put_all(transaction.list, out);
  put_all(transaction.retired, out);
  put_all(transaction.versions, out);
}

kernel::Event* TransactionCodec::decode(kernel::PacketReader& in) const {
  const auto data = in.get<TransactionData>();
  Transaction* transaction = make_transaction(data, get_all<Range>(in));
  transaction->retired = get_all<BlockKey>(in);
  transaction->versions = get_all<std::uint64_t>(in);
  return transaction;
}

void TransactionCodec::dispose(kernel::Event* event) const {
  pfs::dispose(static_cast<Transaction*>(event));
}

}  // namespace mpisim::pfs
