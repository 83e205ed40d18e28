#include "mpisim/communicator.hpp"

#include "mpisim/communicator_extras.hpp"
#include "mpisim/include/mpi.h"
#include "mpisim/request.hpp"

namespace mpisim::mpi {

ContextId derive_context(ContextId parent, std::uint64_t value) {
  // The finalizer of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
  std::uint64_t x = (parent + 0x9e3779b97f4a7c15ULL) ^ value * 0xd6e8feb86659fd93ULL;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
  return x ^ x >> 31;
}

std::shared_ptr<const CommunicatorShared> make_world(int size) {
  auto shared = std::make_shared<CommunicatorShared>();
  shared->context = derive_context(0, 0);
  shared->local = make_world_group(size);
  return shared;
}

Communicator::Communicator(std::shared_ptr<const CommunicatorShared> shared, int rank)
    : error_handler(MPI_ERRORS_ARE_FATAL), shared_(std::move(shared)), rank_(rank) {}

Communicator::~Communicator() = default;

int Communicator::only_source(bool waits) const {
  const int others = peers().size();
  if (others == 1) return 0;
  if (is_inter() || others > 2 || sent_to_self || !waits) return any_source;
  return 1 - rank_;
}

CommunicatorExtras& Communicator::extras() {
  if (!extras_) extras_ = std::make_unique<CommunicatorExtras>();
  return *extras_;
}

std::uint32_t Communicator::next_group_child(int tag, std::uint64_t group_hash) {
  return extras().group_children[{tag, group_hash}]++;
}

std::string Communicator::name() const {
  if (extras_ && extras_->named) return extras_->name;
  if (handle == MPI_COMM_WORLD) return "MPI_COMM_WORLD";
  if (handle == MPI_COMM_SELF) return "MPI_COMM_SELF";
  return "";
}

}  // namespace mpisim::mpi
