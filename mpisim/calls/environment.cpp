// Inquiries about the environment and memory (MPI-3.1 sections 8.1, 8.2, 14.2.1).
#include <cstdlib>
#include <cstring>

#include "mpisim/arguments.hpp"
#include "mpisim/rank_state.hpp"
#include "runtime/rank_environment.hpp"

using namespace mpisim::mpi;

MPISIM_ENTRY(int, Get_version, (int* version, int* subversion)) {
  MPISIM_CALL(MPI_Get_version, local);
  MPISIM_REQUIRE_POINTER(version, nullptr);
  MPISIM_REQUIRE_POINTER(subversion, nullptr);
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Get_library_version, (char* version, int* resultlen)) {
  MPISIM_CALL(MPI_Get_library_version, local);
  MPISIM_REQUIRE_POINTER(version, nullptr);
  MPISIM_REQUIRE_POINTER(resultlen, nullptr);
  constexpr char text[] = "mpisim " MPISIM_VERSION ", a simulated MPI-3.1 library";
  std::memcpy(version, text, sizeof text);
  *resultlen = sizeof text - 1;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Get_processor_name, (char* name, int* resultlen)) {
  MPISIM_CALL(MPI_Get_processor_name, local);
  MPISIM_REQUIRE_POINTER(name, nullptr);
  MPISIM_REQUIRE_POINTER(resultlen, nullptr);
  std::string node = mpisim::runtime::current_environment()->services().node_name();
  node.resize(std::min<std::size_t>(node.size(), MPI_MAX_PROCESSOR_NAME - 1));
  std::memcpy(name, node.c_str(), node.size() + 1);
  *resultlen = static_cast<int>(node.size());
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Alloc_mem, (MPI_Aint size, MPI_Info info, void* baseptr)) {
  MPISIM_CALL(MPI_Alloc_mem, local);
  MPISIM_REQUIRE(size >= 0, nullptr, MPI_ERR_ARG, "size is {}", size);
  MPISIM_REQUIRE(info == MPI_INFO_NULL || handles().info(info), nullptr, MPI_ERR_INFO, "{}",
                 bad_handle("info", HandleKind::info, info));
  MPISIM_REQUIRE_POINTER(baseptr, nullptr);
  void* memory = std::malloc(size ? static_cast<std::size_t>(size) : 1);
  MPISIM_REQUIRE(memory, nullptr, MPI_ERR_NO_MEM, "the host has no {} bytes left", size);
  *static_cast<void**>(baseptr) = memory;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Free_mem, (void* base)) {
  MPISIM_CALL(MPI_Free_mem, local);
  std::free(base);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Pcontrol, (const int level, ...)) {
  MPISIM_CALL(MPI_Pcontrol, local);
  handles().state().profiling_level = level;
  return MPI_SUCCESS;
}
