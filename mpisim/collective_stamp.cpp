#include "mpisim/collective_stamp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "mpisim/datatype.hpp"
#include "mpisim/handles.hpp"
#include "mpisim/predefined_types.hpp"

namespace mpisim::mpi {
namespace {

constexpr CollectiveStamp call_bits = 0xff;
constexpr unsigned data_shift = 8, operation_shift = 12;
constexpr unsigned detail_bits = 0xf;

std::array<const char*, 256> names{};

constexpr std::array<const char*, 16> operations = {
    "",        "MPI_MAX",  "MPI_MIN",  "MPI_SUM",    "MPI_PROD",   "MPI_LAND",    "MPI_BAND",  "MPI_LOR",
    "MPI_BOR", "MPI_LXOR", "MPI_BXOR", "MPI_MINLOC", "MPI_MAXLOC", "MPI_REPLACE", "MPI_NO_OP", ""};
constexpr std::array<MPI_Op, 16> operation_handles = {
    MPI_OP_NULL, MPI_MAX,  MPI_MIN,  MPI_SUM,    MPI_PROD,   MPI_LAND,    MPI_BAND,  MPI_LOR,
    MPI_BOR,     MPI_LXOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP, MPI_OP_NULL};

struct Kind {
  BasicKind kind;
  std::uint32_t size;
  const char* name;
};
// Single bytes are what programs call anything, so they are not among them.
constexpr std::array<Kind, 11> kinds = {{{BasicKind::none, 0, ""},
                                         {BasicKind::signed_integer, 2, "2-byte integers"},
                                         {BasicKind::signed_integer, 4, "4-byte integers"},
                                         {BasicKind::signed_integer, 8, "8-byte integers"},
                                         {BasicKind::floating, 4, "4-byte floating-point numbers"},
                                         {BasicKind::floating, 8, "8-byte floating-point numbers"},
                                         {BasicKind::floating, 16, "16-byte floating-point numbers"},
                                         {BasicKind::complex, 8, "8-byte complex numbers"},
                                         {BasicKind::complex, 16, "16-byte complex numbers"},
                                         {BasicKind::complex, 32, "32-byte complex numbers"},
                                         {BasicKind::pair, 0, "pairs"}}};

unsigned data_of(CollectiveStamp stamp) {
  return (stamp >> data_shift) & detail_bits;
}
unsigned operation_of(CollectiveStamp stamp) {
  return (stamp >> operation_shift) & detail_bits;
}

bool fit(unsigned a, unsigned b) {
  return a == 0 || b == 0 || a == b;
}

unsigned kind_index(const Datatype& type) {
  const unsigned index = handle_bits::predefined_index(HandleKind::datatype, type.uniform_basic());
  if (index == 0 || index > predefined_type_count) return 0;
  const PredefinedType& basic = predefined_type(index);
  const BasicKind kind = basic.kind == BasicKind::unsigned_integer ? BasicKind::signed_integer : basic.kind;
  const auto found = std::ranges::find_if(kinds, [&](const Kind& each) {
    return each.kind == kind && (each.size == 0 || each.size == basic.size);
  });
  return found == kinds.end() ? 0 : static_cast<unsigned>(found - kinds.begin());
}

}  // namespace

void name_collective(CollectiveStamp stamp, const char* name) {
  names[stamp & call_bits] = name;
}

const char* collective_name(CollectiveStamp stamp) {
  const char* name = names[stamp & call_bits];
  return name != nullptr ? name : "another collective";
}

bool has_root(CollectiveStamp stamp) {
  constexpr std::array<std::string_view, 6> rooted = {"MPI_Bcast",   "MPI_Gather",   "MPI_Gatherv",
                                                      "MPI_Scatter", "MPI_Scatterv", "MPI_Reduce"};
  return std::ranges::find(rooted, collective_name(stamp)) != rooted.end();
}

std::string described_collective(CollectiveStamp stamp, int root) {
  std::string text = collective_name(stamp);
  if (operation_of(stamp) != 0) text += fmt::format(" with {}", operations[operation_of(stamp)]);
  if (has_root(stamp)) text += fmt::format(" (root {})", root);
  return text;
}

CollectiveStamp with_details(CollectiveStamp stamp, MPI_Op op, const Datatype& type) {
  const auto found = std::ranges::find(operation_handles, op);
  const auto operation =
      found == operation_handles.end() ? 0U : static_cast<unsigned>(found - operation_handles.begin());
  return static_cast<CollectiveStamp>((stamp & call_bits) | (kind_index(type) << data_shift) |
                                      (operation << operation_shift));
}

Agreement compare(CollectiveStamp a, CollectiveStamp b) {
  if ((a & call_bits) != (b & call_bits) || !fit(operation_of(a), operation_of(b)))
    return Agreement::other_call;
  return fit(data_of(a), data_of(b)) ? Agreement::same : Agreement::other_data;
}

const char* kind_of_data(CollectiveStamp stamp) {
  return kinds[data_of(stamp)].name;
}

}  // namespace mpisim::mpi
