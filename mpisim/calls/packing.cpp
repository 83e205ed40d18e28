// MPI_Pack and its family in the native representation (MPI-3.1 section 4.2), and the calls that look into a
// status (sections 3.2.5, 4.1.11, 12.3).
#include <climits>

#include "mpisim/arguments.hpp"

using namespace mpisim::mpi;

namespace {

/// Bytes that `count` basic elements of consecutive elements of `type` take.
std::uint64_t bytes_of_elements(MPI_Count count, const Datatype& type) {
  if (type.basic_elements() == 0) return 0;
  const auto wanted = static_cast<std::uint64_t>(count);
  std::uint64_t bytes = wanted / type.basic_elements() * type.size();
  std::uint64_t rest = wanted % type.basic_elements();
  // The end of the last partial datatype: the shortest packed form that holds `rest` basic elements.
  std::uint64_t low = 0, high = type.size();
  while (rest && low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (type.basic_elements_in(middle) < rest)
      low = middle + 1;
    else
      high = middle;
  }
  return bytes + low;
}

/// Elements of a status for MPI_Get_elements, those of a partial datatype included; MPI_UNDEFINED if the last
/// one is not whole.
MPI_Count elements(const MPI_Status& status, const Datatype& type) {
  if (type.size() == 0) return 0;
  const auto bytes = static_cast<std::uint64_t>(status.mpisim_count);
  const auto number =
      static_cast<MPI_Count>(bytes / type.size()) * static_cast<MPI_Count>(type.basic_elements()) +
      static_cast<MPI_Count>(type.basic_elements_in(bytes % type.size()));
  return bytes_of_elements(number, type) == bytes ? number : MPI_UNDEFINED;
}

int set_elements(MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
  MPISIM_REQUIRE_POINTER(status, nullptr);
  MPISIM_DATATYPE(type, datatype);
  MPISIM_REQUIRE(count >= 0, nullptr, MPI_ERR_COUNT, "count is {}", count);
  status->mpisim_count = static_cast<MPI_Count>(bytes_of_elements(count, *type));
  return MPI_SUCCESS;
}

}  // namespace

MPISIM_ENTRY(int, Pack,
             (const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, int outsize, int* position,
              MPI_Comm comm)) {
  MPISIM_CALL(MPI_Pack, local);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_REQUIRE(incount >= 0, communicator, MPI_ERR_COUNT, "incount is {}", incount);
  MPISIM_DATATYPE(type, datatype);
  MPISIM_REQUIRE(type->committed(), communicator, MPI_ERR_TYPE, "datatype has not been committed");
  MPISIM_REQUIRE_POINTER(position, communicator);
  MPISIM_REQUIRE(*position >= 0, communicator, MPI_ERR_ARG, "position is {}", *position);
  const std::uint64_t bytes = static_cast<std::uint64_t>(incount) * type->size();
  MPISIM_REQUIRE(
      bytes + static_cast<std::uint64_t>(*position) <= static_cast<std::uint64_t>(outsize < 0 ? 0 : outsize),
      communicator, MPI_ERR_TRUNCATE, "{} bytes at position {} do not fit into outsize {}", bytes, *position,
      outsize);
  type->pack(inbuf, static_cast<std::uint64_t>(incount), 0, bytes, static_cast<char*>(outbuf) + *position);
  core::charge_copy(bytes);
  *position += static_cast<int>(bytes);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Unpack,
             (const void* inbuf, int insize, int* position, void* outbuf, int outcount, MPI_Datatype datatype,
              MPI_Comm comm)) {
  MPISIM_CALL(MPI_Unpack, local);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_REQUIRE(outcount >= 0, communicator, MPI_ERR_COUNT, "outcount is {}", outcount);
  MPISIM_DATATYPE(type, datatype);
  MPISIM_REQUIRE(type->committed(), communicator, MPI_ERR_TYPE, "datatype has not been committed");
  MPISIM_REQUIRE_POINTER(position, communicator);
  MPISIM_REQUIRE(*position >= 0, communicator, MPI_ERR_ARG, "position is {}", *position);
  const std::uint64_t bytes = static_cast<std::uint64_t>(outcount) * type->size();
  MPISIM_REQUIRE(
      bytes + static_cast<std::uint64_t>(*position) <= static_cast<std::uint64_t>(insize < 0 ? 0 : insize),
      communicator, MPI_ERR_TRUNCATE, "{} bytes at position {} reach beyond insize {}", bytes, *position,
      insize);
  type->unpack(outbuf, static_cast<std::uint64_t>(outcount), 0, bytes,
               static_cast<const char*>(inbuf) + *position);
  core::charge_copy(bytes);
  *position += static_cast<int>(bytes);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Pack_size, (int incount, MPI_Datatype datatype, MPI_Comm comm, int* size)) {
  MPISIM_CALL(MPI_Pack_size, local);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_REQUIRE(incount >= 0, communicator, MPI_ERR_COUNT, "incount is {}", incount);
  MPISIM_DATATYPE(type, datatype);
  MPISIM_REQUIRE_POINTER(size, communicator);
  const std::uint64_t bytes = static_cast<std::uint64_t>(incount) * type->size();
  *size = bytes <= INT_MAX ? static_cast<int>(bytes) : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Get_count, (const MPI_Status* status, MPI_Datatype datatype, int* count)) {
  MPISIM_CALL(MPI_Get_count, local);
  MPISIM_REQUIRE_POINTER(status, nullptr);
  MPISIM_DATATYPE(type, datatype);
  MPISIM_REQUIRE_POINTER(count, nullptr);
  const auto bytes = static_cast<std::uint64_t>(status->mpisim_count);
  if (type->size() == 0)
    *count = bytes == 0 ? 0 : MPI_UNDEFINED;
  else if (bytes % type->size() || bytes / type->size() > INT_MAX)
    *count = MPI_UNDEFINED;
  else
    *count = static_cast<int>(bytes / type->size());
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Get_elements, (const MPI_Status* status, MPI_Datatype datatype, int* count)) {
  MPISIM_CALL(MPI_Get_elements, local);
  MPISIM_REQUIRE_POINTER(status, nullptr);
  MPISIM_DATATYPE(type, datatype);
  MPISIM_REQUIRE_POINTER(count, nullptr);
  const MPI_Count all = elements(*status, *type);
  *count = all <= INT_MAX ? static_cast<int>(all) : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Get_elements_x, (const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count)) {
  MPISIM_CALL(MPI_Get_elements_x, local);
  MPISIM_REQUIRE_POINTER(status, nullptr);
  MPISIM_DATATYPE(type, datatype);
  MPISIM_REQUIRE_POINTER(count, nullptr);
  *count = elements(*status, *type);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Status_set_elements, (MPI_Status * status, MPI_Datatype datatype, int count)) {
  MPISIM_CALL(MPI_Status_set_elements, local);
  return set_elements(status, datatype, count);
}

MPISIM_ENTRY(int, Status_set_elements_x, (MPI_Status * status, MPI_Datatype datatype, MPI_Count count)) {
  MPISIM_CALL(MPI_Status_set_elements_x, local);
  return set_elements(status, datatype, count);
}

MPISIM_ENTRY(int, Status_set_cancelled, (MPI_Status * status, int flag)) {
  MPISIM_CALL(MPI_Status_set_cancelled, local);
  MPISIM_REQUIRE_POINTER(status, nullptr);
  status->mpisim_cancelled = flag != 0;
  return MPI_SUCCESS;
}
