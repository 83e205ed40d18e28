// Attributes and their keys (MPI-3.1 section 6.7).
#include <catch2/catch.hpp>

#include "mpisim/include/mpi.h"
#include "tests/unit/mpisim_local/rank_checks.hpp"

using mpisim::test::run;

namespace {

int copies, deletions;

int count_copy(MPI_Datatype, int, void*, void* in, void* out, int* flag) {
  ++copies;
  *static_cast<void**>(out) = in;
  *flag = 1;
  return MPI_SUCCESS;
}
int refuse_copy(MPI_Datatype, int, void*, void*, void*, int* flag) {
  *flag = 1;
  return MPI_ERR_OTHER;
}
int count_deletion(MPI_Datatype, int, void*, void*) {
  ++deletions;
  return MPI_SUCCESS;
}
/// `value` is the key, which another attribute may have freed before.
int free_key(MPI_Comm, int, void* value, void*) {
  ++deletions;
  int key = *static_cast<int*>(value);
  return MPI_Comm_free_keyval(&key);
}

}  // namespace

TEST_CASE("attributes of a freed key can be got and deleted") {
  CHECK(run(1, [](int) {
          MPI_Comm comm;
          MPI_Comm_dup(MPI_COMM_WORLD, &comm);
          int key, value = 5, flag;
          void* got = nullptr;
          MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, count_deletion, &key, nullptr);
          MPI_Comm_set_attr(comm, key, &value);
          const int kept = key;
          MPI_Comm_free_keyval(&key);
          RANK_CHECK(key == MPI_KEYVAL_INVALID);
          // New keys do not take the number of the one in use.
          int others[4];
          for (int& other : others) {
            MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &other, nullptr);
            RANK_CHECK(other != kept);
          }
          RANK_CHECK(MPI_Comm_get_attr(comm, kept, &got, &flag) == MPI_SUCCESS && flag && got == &value);
          deletions = 0;
          RANK_CHECK(MPI_Comm_delete_attr(comm, kept) == MPI_SUCCESS && deletions == 1);
          // Nothing uses it any more.
          MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
          RANK_CHECK(MPI_Comm_get_attr(comm, kept, &got, &flag) == MPI_ERR_KEYVAL);
          for (int& other : others) MPI_Comm_free_keyval(&other);
          MPI_Comm_free(&comm);
          return 0;
        }) == 0);
}

TEST_CASE("a key may be freed once more while attributes use it") {
  CHECK(run(1, [](int) {
          MPI_Comm first, second;
          MPI_Comm_dup(MPI_COMM_WORLD, &first);
          MPI_Comm_dup(MPI_COMM_WORLD, &second);
          int key;
          MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_key, &key, nullptr);
          int kept = key;
          MPI_Comm_set_attr(first, key, &kept);
          MPI_Comm_set_attr(second, key, &kept);
          deletions = 0;
          RANK_CHECK(MPI_Comm_free(&first) == MPI_SUCCESS);
          RANK_CHECK(MPI_Comm_free_keyval(&key) == MPI_SUCCESS);
          RANK_CHECK(MPI_Comm_free(&second) == MPI_SUCCESS);
          RANK_CHECK(deletions == 2);
          return 0;
        }) == 0);
}

TEST_CASE("duplicates of datatypes get the attributes, those of predefined types too") {
  CHECK(run(1, [](int) {
          int key, value = 1, flag;
          void* got = nullptr;
          MPI_Type_create_keyval(count_copy, count_deletion, &key, nullptr);
          MPI_Type_set_attr(MPI_INT, key, &value);
          MPI_Datatype copy, again;
          copies = deletions = 0;
          MPI_Type_dup(MPI_INT, &copy);
          MPI_Type_dup(copy, &again);
          RANK_CHECK(copies == 2);
          RANK_CHECK(MPI_Type_get_attr(again, key, &got, &flag) == MPI_SUCCESS && flag && got == &value);
          MPI_Type_free(&again);
          MPI_Type_free(&copy);
          RANK_CHECK(deletions == 2);
          MPI_Type_delete_attr(MPI_INT, key);
          MPI_Type_free_keyval(&key);
          return 0;
        }) == 0);
}

TEST_CASE("a failing copy function leaves no duplicate of a datatype") {
  CHECK(run(1, [](int) {
          MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
          MPI_Datatype type, copy = MPI_CHAR;
          MPI_Type_contiguous(2, MPI_INT, &type);
          int key;
          MPI_Type_create_keyval(refuse_copy, count_deletion, &key, nullptr);
          MPI_Type_set_attr(type, key, nullptr);
          RANK_CHECK(MPI_Type_dup(type, &copy) == MPI_ERR_OTHER);
          RANK_CHECK(copy == MPI_DATATYPE_NULL);
          MPI_Type_free(&type);
          MPI_Type_free_keyval(&key);
          return 0;
        }) == 0);
}

TEST_CASE("attributes of a datatype go with the last of its handles") {
  CHECK(run(1, [](int) {
          MPI_Datatype inner, outer, alias;
          MPI_Type_contiguous(3, MPI_INT, &inner);
          MPI_Type_contiguous(2, inner, &outer);
          int key, value = 5, flag, count;
          MPI_Aint no_addresses[1];
          void* got = nullptr;
          MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, count_deletion, &key, nullptr);
          MPI_Type_set_attr(inner, key, &value);
          deletions = 0;
          RANK_CHECK(MPI_Type_get_contents(outer, 1, 0, 1, &count, no_addresses, &alias) == MPI_SUCCESS);
          MPI_Type_free(&alias);
          RANK_CHECK(deletions == 0);
          RANK_CHECK(MPI_Type_get_attr(inner, key, &got, &flag) == MPI_SUCCESS && flag && got == &value);
          MPI_Type_get_contents(outer, 1, 0, 1, &count, no_addresses, &alias);
          MPI_Type_free(&inner);
          RANK_CHECK(deletions == 0);
          RANK_CHECK(MPI_Type_get_attr(alias, key, &got, &flag) == MPI_SUCCESS && flag && got == &value);
          MPI_Type_free(&alias);
          RANK_CHECK(deletions == 1);
          MPI_Type_free(&outer);
          MPI_Type_free_keyval(&key);
          return 0;
        }) == 0);
}

namespace {

MPI_Datatype seen_by_function;

void remember_type(void*, void*, int*, MPI_Datatype* type) {
  seen_by_function = *type;
}

}  // namespace

TEST_CASE("reduction functions get a handle that is still valid") {
  CHECK(run(1, [](int) {
          MPI_Datatype inner, outer, alias;
          MPI_Type_contiguous(3, MPI_INT, &inner);
          MPI_Type_commit(&inner);
          MPI_Type_contiguous(2, inner, &outer);
          int count;
          MPI_Aint no_addresses[1];
          MPI_Type_get_contents(outer, 1, 0, 1, &count, no_addresses, &alias);
          MPI_Type_free(&inner);
          MPI_Op op;
          MPI_Op_create(remember_type, 1, &op);
          int in[3] = {}, inout[3] = {};
          seen_by_function = MPI_DATATYPE_NULL;
          RANK_CHECK(MPI_Reduce_local(in, inout, 1, alias, op) == MPI_SUCCESS);
          RANK_CHECK(seen_by_function == alias);
          MPI_Type_free(&alias);
          MPI_Type_get_contents(outer, 1, 0, 1, &count, no_addresses, &alias);
          RANK_CHECK(MPI_Reduce_local(in, inout, 1, alias, op) == MPI_SUCCESS);
          RANK_CHECK(seen_by_function == alias);
          MPI_Op_free(&op);
          MPI_Type_free(&alias);
          MPI_Type_free(&outer);
          return 0;
        }) == 0);
}
