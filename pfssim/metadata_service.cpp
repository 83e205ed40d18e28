#include "pfssim/metadata_service.hpp"

namespace mpisim::pfs {

using kernel::SimTime;

MetadataService::MetadataService(const Parameters& parameters, std::uint32_t index, std::uint32_t servers)
    : parameters_(parameters), index_(index), servers_(servers), threads_(parameters.metadata.threads) {}

SimTime MetadataService::serve(Transaction& call, SimTime at) {
  const SimTime cost = cost_of(call);
  busy_ += cost;
  const kernel::SimTime end = threads_.serve(at, cost);
  last_end_ = kernel::max(last_end_, end);
  return end;
}

SimTime MetadataService::cost_of(Transaction& call) {
  switch (call.operation) {
    case Operation::open: {
      ++counts_.opens;
      const bool fresh = look_up(call);
      if (fresh) ++counts_.creates;
      return parameters_.open_cost + (fresh ? parameters_.metadata.create_cost : SimTime::zero());
    }
    case Operation::remove:
      ++counts_.removes;
      files_.erase(call.name);
      return parameters_.metadata_cost + parameters_.metadata.remove_cost;
    case Operation::make:
      ++counts_.makes;
      return parameters_.metadata_cost + parameters_.metadata.create_cost;
    case Operation::rename:
      ++counts_.renames;
      rename(call.name, call.meeting);
      return parameters_.metadata_cost + parameters_.metadata.create_cost;
    default:
      ++counts_.inquiries;
      return parameters_.metadata_cost;
  }
}

/// A file that had the new name before is gone; one whose new name another server has is a new file there.
void MetadataService::rename(std::uint64_t name, std::uint64_t new_name) {
  const auto entry = files_.find(name);
  if (entry == files_.end() || name == new_name) return;
  const KnownFile file = entry->second;
  files_.erase(entry);
  if (new_name % servers_ == index_) files_.insert_or_assign(new_name, file);
}

/// Returns whether the name has not been opened before. Numbers of several servers do not meet.
bool MetadataService::look_up(Transaction& call) {
  const auto [entry, fresh] = files_.try_emplace(call.name);
  KnownFile& file = entry->second;
  if (fresh) {
    file.number = next_number_++ * servers_ + index_;
    // Behind burst buffers, whose clients have opened nothing, files have the machine's shape.
    const auto asked = parameters_.burst.any() ? ShapeHints{} : unpack_shape<ShapeHints>(call);
    file.shape = new_shape(parameters_, asked, file.number);
    file.bytes = call.bytes;
  }
  call.file = file.number;
  call.bytes = file.bytes;
  pack_shape(call, file.shape);
  return fresh;
}

}  // namespace mpisim::pfs
