// Info objects (MPI-3.1 chapter 9).
#include <algorithm>
#include <cstring>

#include "mpisim/arguments.hpp"
#include "mpisim/info.hpp"

using namespace mpisim::mpi;

// The length of a key is limited, and so checked.
#define MPISIM_INFO_KEY(key)                                                                    \
  MPISIM_REQUIRE_POINTER(key, nullptr);                                                         \
  MPISIM_REQUIRE(*(key) != 0 && std::strlen(key) < MPI_MAX_INFO_KEY, nullptr, MPI_ERR_INFO_KEY, \
                 "key is empty or has more than {} characters", MPI_MAX_INFO_KEY - 1)

#define MPISIM_OWN_INFO(variable, argument)                                                           \
  MPISIM_REQUIRE((argument) != MPI_INFO_ENV, nullptr, MPI_ERR_INFO, "MPI_INFO_ENV is not to change"); \
  MPISIM_INFO(variable, argument)

MPISIM_ENTRY(int, Info_create, (MPI_Info * info)) {
  MPISIM_CALL(MPI_Info_create, local);
  MPISIM_REQUIRE_POINTER(info, nullptr);
  *info = handles().add_info(std::make_unique<Info>());
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Info_set, (MPI_Info info, const char* key, const char* value)) {
  MPISIM_CALL(MPI_Info_set, local);
  MPISIM_OWN_INFO(object, info);
  MPISIM_INFO_KEY(key);
  MPISIM_REQUIRE_POINTER(value, nullptr);
  MPISIM_REQUIRE(std::strlen(value) < MPI_MAX_INFO_VAL, nullptr, MPI_ERR_INFO_VALUE,
                 "value has more than {} characters", MPI_MAX_INFO_VAL - 1);
  object->set(key, value);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Info_delete, (MPI_Info info, const char* key)) {
  MPISIM_CALL(MPI_Info_delete, local);
  MPISIM_OWN_INFO(object, info);
  MPISIM_INFO_KEY(key);
  MPISIM_REQUIRE(object->erase(key), nullptr, MPI_ERR_INFO_NOKEY, "info has no key \"{}\"", key);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Info_get, (MPI_Info info, const char* key, int valuelen, char* value, int* flag)) {
  MPISIM_CALL(MPI_Info_get, local);
  MPISIM_INFO(object, info);
  MPISIM_INFO_KEY(key);
  MPISIM_REQUIRE_POINTER(value, nullptr);
  MPISIM_REQUIRE_POINTER(flag, nullptr);
  MPISIM_REQUIRE(valuelen >= 0, nullptr, MPI_ERR_ARG, "valuelen is {}", valuelen);
  const std::string* found = object->get(key);
  *flag = found != nullptr;
  if (found) {
    const std::size_t length = std::min(found->size(), static_cast<std::size_t>(valuelen));
    std::memcpy(value, found->data(), length);
    value[length] = 0;
  }
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Info_get_valuelen, (MPI_Info info, const char* key, int* valuelen, int* flag)) {
  MPISIM_CALL(MPI_Info_get_valuelen, local);
  MPISIM_INFO(object, info);
  MPISIM_INFO_KEY(key);
  MPISIM_REQUIRE_POINTER(valuelen, nullptr);
  MPISIM_REQUIRE_POINTER(flag, nullptr);
  const std::string* found = object->get(key);
  *flag = found != nullptr;
  if (found) *valuelen = static_cast<int>(found->size());
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Info_get_nkeys, (MPI_Info info, int* nkeys)) {
  MPISIM_CALL(MPI_Info_get_nkeys, local);
  MPISIM_INFO(object, info);
  MPISIM_REQUIRE_POINTER(nkeys, nullptr);
  *nkeys = static_cast<int>(object->pairs.size());
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Info_get_nthkey, (MPI_Info info, int n, char* key)) {
  MPISIM_CALL(MPI_Info_get_nthkey, local);
  MPISIM_INFO(object, info);
  MPISIM_REQUIRE(n >= 0 && n < static_cast<int>(object->pairs.size()), nullptr, MPI_ERR_INFO_KEY,
                 "n is {}, but info has {} keys", n, object->pairs.size());
  MPISIM_REQUIRE_POINTER(key, nullptr);
  const std::string& found = object->pairs[static_cast<std::size_t>(n)].first;
  std::memcpy(key, found.c_str(), found.size() + 1);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Info_dup, (MPI_Info info, MPI_Info* newinfo)) {
  MPISIM_CALL(MPI_Info_dup, local);
  MPISIM_INFO(object, info);
  MPISIM_REQUIRE_POINTER(newinfo, nullptr);
  *newinfo = handles().add_info(std::make_unique<Info>(*object));
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Info_free, (MPI_Info * info)) {
  MPISIM_CALL(MPI_Info_free, local);
  MPISIM_REQUIRE_POINTER(info, nullptr);
  MPISIM_OWN_INFO(object, *info);
  handles().remove_info(*info);
  *info = MPI_INFO_NULL;
  return MPI_SUCCESS;
}
