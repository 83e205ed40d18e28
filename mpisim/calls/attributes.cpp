// Attributes and their keys (MPI-3.1 section 6.7). The keys of communicators, datatypes and windows are of
// one kind, since all handles are integers.
#include "mpisim/attributes.hpp"

#include "mpisim/arguments.hpp"
#include "mpisim/communicator_extras.hpp"
#include "mpisim/rank_state.hpp"
#include "mpisim/type_description.hpp"

using namespace mpisim::mpi;

namespace {

int create_keyval(AttributeOwner owner, Keyval::Copy* copy, Keyval::Delete* remove, int* keyval,
                  void* extra_state) {
  MPISIM_REQUIRE_POINTER(keyval, nullptr);
  auto* key = new Keyval{owner, copy ? copy : PMPI_COMM_NULL_COPY_FN,
                         remove ? remove : PMPI_COMM_NULL_DELETE_FN, extra_state, &handles().keyvals};
  *keyval = key->handle = handles().keyvals.add(key);
  return MPI_SUCCESS;
}

int free_keyval(AttributeOwner owner, int* keyval) {
  MPISIM_REQUIRE_POINTER(keyval, nullptr);
  MPISIM_OBJECT(key, keyval, nullptr, MPI_ERR_KEYVAL, keyval, *keyval);
  MPISIM_REQUIRE(key->owner == owner, nullptr, MPI_ERR_KEYVAL, "keyval belongs to another kind of object");
  key->free();
  *keyval = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}

/// Value of a predefined attribute of communicators; null if the key is none. They are cached on
/// MPI_COMM_WORLD (section 8.1.2), and seen on the others as well, as programs expect.
void* predefined_attribute(int keyval) {
  PredefinedAttributes& values = handles().state().attributes;
  switch (keyval) {
    case MPI_TAG_UB:
      return &values.tag_upper_bound;
    case MPI_HOST:
      return &values.host;
    case MPI_IO:
      return &values.io;
    case MPI_WTIME_IS_GLOBAL:
      return &values.wtime_is_global;
    case MPI_UNIVERSE_SIZE:
      return &(values.universe_size = core::world_size());
    case MPI_APPNUM:
      return &values.application_number;
    case MPI_LASTUSEDCODE:
      return &(values.last_used_code = handles().state().errors.last_used_code());
    default:
      return nullptr;
  }
}

bool is_predefined(int keyval) {
  return keyval > MPI_KEYVAL_INVALID && keyval <= MPI_WIN_MODEL;
}

/// Looks up a key for set, get and delete.
#define MPISIM_KEYVAL(variable, owner_kind, comm)                                       \
  MPISIM_REQUIRE(!is_predefined(keyval), comm, MPI_ERR_KEYVAL,                          \
                 "keyval is predefined: its attribute cannot be changed");              \
  MPISIM_OBJECT(variable, keyval, comm, MPI_ERR_KEYVAL, keyval, keyval);                \
  MPISIM_REQUIRE((variable)->owner == AttributeOwner::owner_kind, comm, MPI_ERR_KEYVAL, \
                 "keyval belongs to another kind of object")

int set_on_communicator(MPI_Comm comm, int keyval, void* value) {
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_KEYVAL(key, communicator, communicator);
  const int error = communicator->extras().attributes.set(comm, key, value);
  MPISIM_REQUIRE(!error, communicator, error, "the attribute's delete function returned {}", error);
  return MPI_SUCCESS;
}

int get_from_communicator(MPI_Comm comm, int keyval, void* value, int* flag) {
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_REQUIRE_POINTER(value, communicator);
  MPISIM_REQUIRE_POINTER(flag, communicator);
  *flag = 0;
  if (void* predefined = predefined_attribute(keyval)) {
    *static_cast<void**>(value) = predefined;
    *flag = 1;
    return MPI_SUCCESS;
  }
  MPISIM_KEYVAL(key, communicator, communicator);
  const CommunicatorExtras* extras = communicator->extras_if_any();
  if (const AttributeSet::Entry* entry = extras ? extras->attributes.find(key) : nullptr) {
    *static_cast<void**>(value) = entry->value;
    *flag = 1;
  }
  return MPI_SUCCESS;
}

int delete_from_communicator(MPI_Comm comm, int keyval) {
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_KEYVAL(key, communicator, communicator);
  const int error = communicator->extras().attributes.erase(comm, key);
  MPISIM_REQUIRE(!error, communicator, error, "the attribute's delete function returned {}", error);
  return MPI_SUCCESS;
}

}  // namespace

// The functions that programs name when a key needs no callback. They are ordinary functions of the program.
#define MPISIM_ATTRIBUTE_FUNCTIONS(object, handle)                                           \
  MPISIM_ENTRY(int, object##_NULL_COPY_FN, (handle, int, void*, void*, void*, int* flag)) {  \
    *flag = 0;                                                                               \
    return MPI_SUCCESS;                                                                      \
  }                                                                                          \
  MPISIM_ENTRY(int, object##_NULL_DELETE_FN, (handle, int, void*, void*)) {                  \
    return MPI_SUCCESS;                                                                      \
  }                                                                                          \
  MPISIM_ENTRY(int, object##_DUP_FN, (handle, int, void*, void* in, void* out, int* flag)) { \
    *static_cast<void**>(out) = in;                                                          \
    *flag = 1;                                                                               \
    return MPI_SUCCESS;                                                                      \
  }
MPISIM_ATTRIBUTE_FUNCTIONS(COMM, MPI_Comm)
MPISIM_ATTRIBUTE_FUNCTIONS(TYPE, MPI_Datatype)
MPISIM_ATTRIBUTE_FUNCTIONS(WIN, MPI_Win)

MPISIM_ENTRY(int, Comm_create_keyval,
             (MPI_Comm_copy_attr_function * copy, MPI_Comm_delete_attr_function* del, int* keyval,
              void* extra_state)) {
  MPISIM_CALL(MPI_Comm_create_keyval, local);
  return create_keyval(AttributeOwner::communicator, copy, del, keyval, extra_state);
}

MPISIM_ENTRY(int, Comm_free_keyval, (int* keyval)) {
  MPISIM_CALL(MPI_Comm_free_keyval, local);
  return free_keyval(AttributeOwner::communicator, keyval);
}

MPISIM_ENTRY(int, Comm_set_attr, (MPI_Comm comm, int keyval, void* attribute_val)) {
  MPISIM_CALL(MPI_Comm_set_attr, local);
  return set_on_communicator(comm, keyval, attribute_val);
}

MPISIM_ENTRY(int, Comm_get_attr, (MPI_Comm comm, int keyval, void* attribute_val, int* flag)) {
  MPISIM_CALL(MPI_Comm_get_attr, local);
  return get_from_communicator(comm, keyval, attribute_val, flag);
}

MPISIM_ENTRY(int, Comm_delete_attr, (MPI_Comm comm, int keyval)) {
  MPISIM_CALL(MPI_Comm_delete_attr, local);
  return delete_from_communicator(comm, keyval);
}

MPISIM_ENTRY(int, Keyval_create,
             (MPI_Copy_function * copy_fn, MPI_Delete_function* delete_fn, int* keyval, void* extra_state)) {
  MPISIM_CALL(MPI_Keyval_create, local);
  return create_keyval(AttributeOwner::communicator, copy_fn, delete_fn, keyval, extra_state);
}

MPISIM_ENTRY(int, Keyval_free, (int* keyval)) {
  MPISIM_CALL(MPI_Keyval_free, local);
  return free_keyval(AttributeOwner::communicator, keyval);
}

MPISIM_ENTRY(int, Attr_put, (MPI_Comm comm, int keyval, void* attribute_val)) {
  MPISIM_CALL(MPI_Attr_put, local);
  return set_on_communicator(comm, keyval, attribute_val);
}

MPISIM_ENTRY(int, Attr_get, (MPI_Comm comm, int keyval, void* attribute_val, int* flag)) {
  MPISIM_CALL(MPI_Attr_get, local);
  return get_from_communicator(comm, keyval, attribute_val, flag);
}

MPISIM_ENTRY(int, Attr_delete, (MPI_Comm comm, int keyval)) {
  MPISIM_CALL(MPI_Attr_delete, local);
  return delete_from_communicator(comm, keyval);
}

MPISIM_ENTRY(int, Type_create_keyval,
             (MPI_Type_copy_attr_function * copy, MPI_Type_delete_attr_function* del, int* keyval,
              void* extra_state)) {
  MPISIM_CALL(MPI_Type_create_keyval, local);
  return create_keyval(AttributeOwner::datatype, copy, del, keyval, extra_state);
}

MPISIM_ENTRY(int, Type_free_keyval, (int* keyval)) {
  MPISIM_CALL(MPI_Type_free_keyval, local);
  return free_keyval(AttributeOwner::datatype, keyval);
}

MPISIM_ENTRY(int, Type_set_attr, (MPI_Datatype datatype, int keyval, void* attribute_val)) {
  MPISIM_CALL(MPI_Type_set_attr, local);
  MPISIM_DATATYPE(type, datatype);
  MPISIM_KEYVAL(key, datatype, nullptr);
  const int error = handles().attributes_of(*type).set(datatype, key, attribute_val);
  MPISIM_REQUIRE(!error, nullptr, error, "the attribute's delete function returned {}", error);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Type_get_attr, (MPI_Datatype datatype, int keyval, void* attribute_val, int* flag)) {
  MPISIM_CALL(MPI_Type_get_attr, local);
  MPISIM_DATATYPE(type, datatype);
  MPISIM_REQUIRE_POINTER(attribute_val, nullptr);
  MPISIM_REQUIRE_POINTER(flag, nullptr);
  MPISIM_KEYVAL(key, datatype, nullptr);
  const AttributeSet::Entry* entry = handles().attributes_of(*type).find(key);
  *flag = entry != nullptr;
  if (entry) *static_cast<void**>(attribute_val) = entry->value;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Type_delete_attr, (MPI_Datatype datatype, int keyval)) {
  MPISIM_CALL(MPI_Type_delete_attr, local);
  MPISIM_DATATYPE(type, datatype);
  MPISIM_KEYVAL(key, datatype, nullptr);
  const int error = handles().attributes_of(*type).erase(datatype, key);
  MPISIM_REQUIRE(!error, nullptr, error, "the attribute's delete function returned {}", error);
  return MPI_SUCCESS;
}
