// Datatypes as objects: commit, free, sizes, contents, names (MPI-3.1 sections 4.1.5 to 4.1.13, 6.8).
#include <climits>
#include <cstring>

#include "mpisim/arguments.hpp"
#include "mpisim/fortran_kinds.hpp"
#include "mpisim/predefined_types.hpp"
#include "mpisim/rank_state.hpp"
#include "mpisim/type_description.hpp"

using namespace mpisim::mpi;

namespace {

/// Sizes beyond the result's range are MPI_UNDEFINED (section 4.1.5).
int as_int(std::uint64_t value) {
  return value <= INT_MAX ? static_cast<int>(value) : MPI_UNDEFINED;
}

}  // namespace

MPISIM_ENTRY(int, Type_commit, (MPI_Datatype * datatype)) {
  MPISIM_CALL(MPI_Type_commit, local);
  MPISIM_REQUIRE_POINTER(datatype, nullptr);
  MPISIM_DATATYPE(type, *datatype);
  if (!type->predefined()) type->commit();  // predefined ones are shared: not even to be written
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Type_free, (MPI_Datatype * datatype)) {
  MPISIM_CALL(MPI_Type_free, local);
  MPISIM_REQUIRE_POINTER(datatype, nullptr);
  MPISIM_DATATYPE(type, *datatype);
  MPISIM_REQUIRE(!type->predefined() && !is_fortran_kind(*type), nullptr, MPI_ERR_TYPE,
                 "datatype is predefined and cannot be freed");
  // Attributes belong to the object: they go with the last of its handles.
  if (type->handles == 1 && type->description_if_any())
    if (const int error = type->description().attributes.erase_all(*datatype))
      return raise(nullptr, error, "an attribute's delete function failed");
  handles().remove_datatype(*datatype);
  *datatype = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Type_size, (MPI_Datatype datatype, int* size)) {
  MPISIM_CALL(MPI_Type_size, local);
  MPISIM_DATATYPE(type, datatype);
  MPISIM_REQUIRE_POINTER(size, nullptr);
  *size = as_int(type->size());
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Type_size_x, (MPI_Datatype datatype, MPI_Count* size)) {
  MPISIM_CALL(MPI_Type_size_x, local);
  MPISIM_DATATYPE(type, datatype);
  MPISIM_REQUIRE_POINTER(size, nullptr);
  *size = static_cast<MPI_Count>(type->size());
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Type_get_extent, (MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent)) {
  MPISIM_CALL(MPI_Type_get_extent, local);
  MPISIM_DATATYPE(type, datatype);
  MPISIM_REQUIRE_POINTER(lb, nullptr);
  MPISIM_REQUIRE_POINTER(extent, nullptr);
  *lb = type->lower_bound();
  *extent = type->extent();
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Type_get_extent_x, (MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent)) {
  MPISIM_CALL(MPI_Type_get_extent_x, local);
  MPISIM_DATATYPE(type, datatype);
  MPISIM_REQUIRE_POINTER(lb, nullptr);
  MPISIM_REQUIRE_POINTER(extent, nullptr);
  *lb = type->lower_bound();
  *extent = type->extent();
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Type_get_true_extent, (MPI_Datatype datatype, MPI_Aint* true_lb, MPI_Aint* true_extent)) {
  MPISIM_CALL(MPI_Type_get_true_extent, local);
  MPISIM_DATATYPE(type, datatype);
  MPISIM_REQUIRE_POINTER(true_lb, nullptr);
  MPISIM_REQUIRE_POINTER(true_extent, nullptr);
  *true_lb = type->true_lower_bound();
  *true_extent = type->true_extent();
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Type_get_true_extent_x,
             (MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent)) {
  MPISIM_CALL(MPI_Type_get_true_extent_x, local);
  MPISIM_DATATYPE(type, datatype);
  MPISIM_REQUIRE_POINTER(true_lb, nullptr);
  MPISIM_REQUIRE_POINTER(true_extent, nullptr);
  *true_lb = type->true_lower_bound();
  *true_extent = type->true_extent();
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Type_extent, (MPI_Datatype datatype, MPI_Aint* extent)) {
  MPISIM_CALL(MPI_Type_extent, local);
  MPISIM_DATATYPE(type, datatype);
  MPISIM_REQUIRE_POINTER(extent, nullptr);
  *extent = type->extent();
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Type_lb, (MPI_Datatype datatype, MPI_Aint* displacement)) {
  MPISIM_CALL(MPI_Type_lb, local);
  MPISIM_DATATYPE(type, datatype);
  MPISIM_REQUIRE_POINTER(displacement, nullptr);
  *displacement = type->lower_bound();
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Type_ub, (MPI_Datatype datatype, MPI_Aint* displacement)) {
  MPISIM_CALL(MPI_Type_ub, local);
  MPISIM_DATATYPE(type, datatype);
  MPISIM_REQUIRE_POINTER(displacement, nullptr);
  *displacement = type->lower_bound() + type->extent();
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Type_get_envelope,
             (MPI_Datatype datatype, int* num_integers, int* num_addresses, int* num_datatypes,
              int* combiner)) {
  MPISIM_CALL(MPI_Type_get_envelope, local);
  MPISIM_DATATYPE(type, datatype);
  MPISIM_REQUIRE(num_integers && num_addresses && num_datatypes && combiner, nullptr, MPI_ERR_ARG,
                 "a result argument is a null pointer");
  const TypeDescription* made = type->description_if_any();
  *num_integers = made ? static_cast<int>(made->integers.size()) : 0;
  *num_addresses = made ? static_cast<int>(made->addresses.size()) : 0;
  *num_datatypes = made ? static_cast<int>(made->types.size()) : 0;
  *combiner = made ? made->combiner : MPI_COMBINER_NAMED;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Type_get_contents,
             (MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes,
              int array_of_integers[], MPI_Aint array_of_addresses[], MPI_Datatype array_of_datatypes[])) {
  MPISIM_CALL(MPI_Type_get_contents, local);
  MPISIM_DATATYPE(type, datatype);
  const TypeDescription* made = type->description_if_any();
  MPISIM_REQUIRE(made && made->combiner != MPI_COMBINER_NAMED, nullptr, MPI_ERR_TYPE,
                 "datatype is predefined: it has no contents");
  MPISIM_REQUIRE(max_integers >= static_cast<int>(made->integers.size()), nullptr, MPI_ERR_ARG,
                 "max_integers is {}, but there are {}", max_integers, made->integers.size());
  MPISIM_REQUIRE(max_addresses >= static_cast<int>(made->addresses.size()), nullptr, MPI_ERR_ARG,
                 "max_addresses is {}, but there are {}", max_addresses, made->addresses.size());
  MPISIM_REQUIRE(max_datatypes >= static_cast<int>(made->types.size()), nullptr, MPI_ERR_ARG,
                 "max_datatypes is {}, but there are {}", max_datatypes, made->types.size());
  std::copy(made->integers.begin(), made->integers.end(), array_of_integers);
  std::copy(made->addresses.begin(), made->addresses.end(), array_of_addresses);
  for (const TypePointer& old : made->types) *array_of_datatypes++ = handle_for_program(*old);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Type_set_name, (MPI_Datatype datatype, const char* type_name)) {
  MPISIM_CALL(MPI_Type_set_name, local);
  MPISIM_DATATYPE(type, datatype);
  MPISIM_REQUIRE_POINTER(type_name, nullptr);
  std::string& name = type->predefined() ? handles().state().type_names[datatype] : type->description().name;
  name.assign(type_name, strnlen(type_name, MPI_MAX_OBJECT_NAME - 1));
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Type_get_name, (MPI_Datatype datatype, char* type_name, int* resultlen)) {
  MPISIM_CALL(MPI_Type_get_name, local);
  MPISIM_DATATYPE(type, datatype);
  MPISIM_REQUIRE_POINTER(type_name, nullptr);
  MPISIM_REQUIRE_POINTER(resultlen, nullptr);
  std::string name;
  if (type->predefined()) {
    const auto& given = handles().state().type_names;
    const auto found = given.find(datatype);
    name = found != given.end() ? found->second : predefined_type(handle_bits::index_of(datatype)).name;
  } else if (type->description_if_any()) {
    name = type->description_if_any()->name;
  }
  std::memcpy(type_name, name.c_str(), name.size() + 1);
  *resultlen = static_cast<int>(name.size());
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Type_match_size, (int typeclass, int size, MPI_Datatype* datatype)) {
  MPISIM_CALL(MPI_Type_match_size, local);
  MPISIM_REQUIRE_POINTER(datatype, nullptr);
  struct Match {
    int typeclass, size;
    MPI_Datatype type;
  };
  static constexpr Match matches[] = {
      {MPI_TYPECLASS_INTEGER, 1, MPI_INT8_T},     {MPI_TYPECLASS_INTEGER, 2, MPI_INT16_T},
      {MPI_TYPECLASS_INTEGER, 4, MPI_INT32_T},    {MPI_TYPECLASS_INTEGER, 8, MPI_INT64_T},
      {MPI_TYPECLASS_REAL, 4, MPI_FLOAT},         {MPI_TYPECLASS_REAL, 8, MPI_DOUBLE},
      {MPI_TYPECLASS_REAL, 16, MPI_REAL16},       {MPI_TYPECLASS_COMPLEX, 8, MPI_COMPLEX8},
      {MPI_TYPECLASS_COMPLEX, 16, MPI_COMPLEX16}, {MPI_TYPECLASS_COMPLEX, 32, MPI_COMPLEX32}};
  for (const Match& match : matches)
    if (match.typeclass == typeclass && match.size == size) {
      *datatype = match.type;
      return MPI_SUCCESS;
    }
  return raise(nullptr, MPI_ERR_ARG, fmt::format("no type of class {} has {} bytes", typeclass, size));
}

MPISIM_ENTRY(int, Get_address, (const void* location, MPI_Aint* address)) {
  MPISIM_CALL(MPI_Get_address, local);
  MPISIM_REQUIRE_POINTER(address, nullptr);
  *address = reinterpret_cast<MPI_Aint>(location);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Address, (void* location, MPI_Aint* address)) {
  MPISIM_CALL(MPI_Address, local);
  MPISIM_REQUIRE_POINTER(address, nullptr);
  *address = reinterpret_cast<MPI_Aint>(location);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(MPI_Aint, Aint_add, (MPI_Aint base, MPI_Aint disp)) {
  return base + disp;
}
MPISIM_ENTRY(MPI_Aint, Aint_diff, (MPI_Aint addr1, MPI_Aint addr2)) {
  return addr1 - addr2;
}
