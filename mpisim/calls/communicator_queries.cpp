// Local calls about communicators: size, rank, comparison, names, info.
#include <algorithm>
#include <cstring>

#include "mpisim/arguments.hpp"
#include "mpisim/communicator_extras.hpp"
#include "mpisim/group_algebra.hpp"
#include "mpisim/info.hpp"

using namespace mpisim::mpi;

MPISIM_ENTRY(int, Comm_size, (MPI_Comm comm, int* size)) {
  MPISIM_CALL(MPI_Comm_size, local);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_REQUIRE_POINTER(size, communicator);
  *size = communicator->size();
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Comm_rank, (MPI_Comm comm, int* rank)) {
  MPISIM_CALL(MPI_Comm_rank, local);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_REQUIRE_POINTER(rank, communicator);
  *rank = communicator->rank();
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Comm_test_inter, (MPI_Comm comm, int* flag)) {
  MPISIM_CALL(MPI_Comm_test_inter, local);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_REQUIRE_POINTER(flag, communicator);
  *flag = communicator->is_inter();
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Comm_remote_size, (MPI_Comm comm, int* size)) {
  MPISIM_CALL(MPI_Comm_remote_size, local);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_REQUIRE(communicator->is_inter(), communicator, MPI_ERR_COMM, "comm is no inter-communicator");
  MPISIM_REQUIRE_POINTER(size, communicator);
  *size = communicator->shared().remote->size();
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Comm_group, (MPI_Comm comm, MPI_Group* group)) {
  MPISIM_CALL(MPI_Comm_group, local);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_REQUIRE_POINTER(group, communicator);
  *group = handles().add_group(communicator->shared().local);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Comm_remote_group, (MPI_Comm comm, MPI_Group* group)) {
  MPISIM_CALL(MPI_Comm_remote_group, local);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_REQUIRE(communicator->is_inter(), communicator, MPI_ERR_COMM, "comm is no inter-communicator");
  MPISIM_REQUIRE_POINTER(group, communicator);
  *group = handles().add_group(communicator->shared().remote);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Comm_compare, (MPI_Comm comm1, MPI_Comm comm2, int* result)) {
  MPISIM_CALL(MPI_Comm_compare, local);
  MPISIM_COMMUNICATOR(first, comm1);
  MPISIM_COMMUNICATOR(second, comm2);
  MPISIM_REQUIRE_POINTER(result, first);
  if (comm1 == comm2) {
    *result = MPI_IDENT;
  } else if (first->is_inter() != second->is_inter()) {
    *result = MPI_UNEQUAL;
  } else {
    *result = compare_groups(*first->shared().local, *second->shared().local);
    if (first->is_inter())
      *result = std::max(*result, compare_groups(*first->shared().remote, *second->shared().remote));
    if (*result == MPI_IDENT) *result = MPI_CONGRUENT;
  }
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Comm_set_name, (MPI_Comm comm, const char* comm_name)) {
  MPISIM_CALL(MPI_Comm_set_name, local);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_REQUIRE_POINTER(comm_name, communicator);
  communicator->extras().name.assign(comm_name, strnlen(comm_name, MPI_MAX_OBJECT_NAME - 1));
  communicator->extras().named = true;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Comm_get_name, (MPI_Comm comm, char* comm_name, int* resultlen)) {
  MPISIM_CALL(MPI_Comm_get_name, local);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_REQUIRE_POINTER(comm_name, communicator);
  MPISIM_REQUIRE_POINTER(resultlen, communicator);
  const std::string name = communicator->name();
  std::memcpy(comm_name, name.c_str(), name.size() + 1);
  *resultlen = static_cast<int>(name.size());
  return MPI_SUCCESS;
}

// Hints of communicators change nothing here, and only hints in use are to be told (MPI-3.1 section 6.4.4).
MPISIM_ENTRY(int, Comm_set_info, (MPI_Comm comm, MPI_Info info)) {
  MPISIM_CALL(MPI_Comm_set_info, local);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_REQUIRE(handles().info(info) || info == MPI_INFO_NULL, communicator, MPI_ERR_INFO, "{}",
                 bad_handle("info", HandleKind::info, info));
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Comm_get_info, (MPI_Comm comm, MPI_Info* info_used)) {
  MPISIM_CALL(MPI_Comm_get_info, local);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_REQUIRE_POINTER(info_used, communicator);
  *info_used = handles().add_info(std::make_unique<Info>());
  return MPI_SUCCESS;
}
