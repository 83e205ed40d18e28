#pragma once
// Arrays of equal disks (RAID): what their members do for a request of the array.
//
//   none  one disk
//   0     chunks of `chunk` bytes go round the members
//   1     every member has all data: a write goes to all, a read to one, which whoever serves the plan
//   chooses 5     rows of a chunk on each member, of which one holds the parity of the others, on member
//         n - 1 - row mod n; the data of the row follow behind it, round the members ("left-symmetric"). A
//         write of a whole row writes its n chunks. A write of less first reads what it overwrites and the
//         parity of it, then writes both: 2 reads and 2 writes if it touches one chunk
//
// Neighbouring bytes of a member are one request. Sources: P. M. Chen, E. K. Lee, G. A. Gibson, R. H. Katz,
// D. A. Patterson, "RAID: high-performance, reliable secondary storage", ACM Computing Surveys 26(2), 1994;
// E. K. Lee, R. H. Katz, "Performance consequences of parity placement in disk arrays", ASPLOS 1991. Left
// out: failed members and rebuilding, a cache of the array's controller, reading the rest of a row instead
// where that is less. Cost: O(chunks).
#include <cstdint>
#include <vector>

#include "disk_models/disk_model.hpp"

namespace mpisim::disk {

enum class RaidLevel : std::uint8_t { none, raid0, raid1, raid5 };

struct ArrayParameters {
  RaidLevel level = RaidLevel::none;
  std::uint32_t members = 1;  ///< at least 1; raid1 2, raid5 3
  std::uint64_t chunk = std::uint64_t{64}
                        << 10;  ///< bytes, at least 1; members * chunk at most most_row_bytes
};

/// Most bytes of a row, members * chunk: beyond it rows would be longer than files on disks without bounds
/// lie apart, and addresses could wrap.
inline constexpr std::uint64_t most_row_bytes = std::uint64_t{1} << 44;

/// Any member that has the data may serve it.
inline constexpr std::uint32_t any_member = ~std::uint32_t{0};

struct MemberRequest {
  std::uint32_t member = 0;
  Request request;
};

/// Requests that may be served side by side, then those that need their results.
struct Chain {
  std::vector<MemberRequest> first;
  std::vector<MemberRequest> then;
};

class Array {
 public:
  /// `member`: the space of each.
  Array(const ArrayParameters& parameters, const Space& member);

  std::uint32_t members() const { return parameters_.members; }
  Space space() const;
  /// Chains that do not wait for each other; those of a request of no bytes are those of its place.
  std::vector<Chain> plan(const Request& request) const;

 private:
  void striped(const Request& request, std::vector<MemberRequest>& out) const;
  void mirrored(const Request& request, Chain& out) const;
  void read_rows(const Request& request, std::vector<MemberRequest>& out) const;
  void write_rows(const Request& request, std::vector<Chain>& out) const;
  Chain write_part_of_row(const Request& request) const;
  std::uint64_t row_bytes() const { return (parameters_.members - 1) * parameters_.chunk; }

  ArrayParameters parameters_;
  Space member_;
};

/// An array that serves one request after the other, each member in the order of its requests: for disks that
/// nobody else uses.
Factory array_factory(const ArrayParameters& parameters, const Factory& member);

}  // namespace mpisim::disk
