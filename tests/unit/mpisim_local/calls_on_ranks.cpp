// The C entry points on several ranks in this process.
#include <catch2/catch.hpp>
#include <cstring>
#include <set>
#include <vector>

#include "mpisim/include/mpi.h"
#include "tests/unit/mpisim_local/rank_checks.hpp"

using namespace mpisim;
using test::run;

namespace {

int sum_over(MPI_Comm comm) {
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  return sum;
}

}  // namespace

TEST_CASE("split orders by key, then rank, and leaves out undefined colours") {
  for (const int hosts : {1, 2}) {
    CHECK(run(
              7,
              [](int rank) {
                MPI_Comm part;
                const int color = rank == 3 ? MPI_UNDEFINED : rank % 2;
                RANK_CHECK(MPI_Comm_split(MPI_COMM_WORLD, color, -rank, &part) == MPI_SUCCESS);
                if (rank == 3) {
                  RANK_CHECK(part == MPI_COMM_NULL);
                  return 0;
                }
                int size, place;
                MPI_Comm_size(part, &size);
                MPI_Comm_rank(part, &place);
                RANK_CHECK(size == (rank % 2 ? 2 : 4));
                RANK_CHECK(place == (rank % 2 ? (rank == 5 ? 0 : 1) : (6 - rank) / 2));
                RANK_CHECK(sum_over(part) == size);
                MPI_Comm again;
                MPI_Comm_dup(part, &again);
                int same;
                MPI_Comm_compare(part, again, &same);
                RANK_CHECK(same == MPI_CONGRUENT);
                MPI_Comm_free(&part);
                RANK_CHECK(part == MPI_COMM_NULL);
                RANK_CHECK(sum_over(again) == size);
                MPI_Comm_free(&again);
                return 0;
              },
              hosts) == 0);
  }
}

TEST_CASE("create, create_group, groups and translation") {
  CHECK(run(6, [](int rank) {
          MPI_Group world, odd, evens;
          MPI_Comm_group(MPI_COMM_WORLD, &world);
          const int odds[] = {5, 3, 1};
          MPI_Group_incl(world, 3, odds, &odd);
          MPI_Group_difference(world, odd, &evens);
          MPI_Comm made;
          MPI_Comm_create(MPI_COMM_WORLD, rank % 2 ? odd : evens, &made);
          RANK_CHECK(sum_over(made) == 3);
          int place;
          MPI_Comm_rank(made, &place);
          RANK_CHECK(place == (rank % 2 ? (5 - rank) / 2 : rank / 2));
          MPI_Comm_free(&made);
          if (rank % 2) {
            for (int round = 0; round < 3; ++round) {
              RANK_CHECK(MPI_Comm_create_group(MPI_COMM_WORLD, odd, 4, &made) == MPI_SUCCESS);
              RANK_CHECK(sum_over(made) == 3);
              MPI_Comm_free(&made);
            }
          }
          int in_world[3];
          const int ranks[] = {0, 1, MPI_PROC_NULL};
          MPI_Group_translate_ranks(odd, 3, ranks, world, in_world);
          RANK_CHECK(in_world[0] == 5 && in_world[1] == 3 && in_world[2] == MPI_PROC_NULL);
          MPI_Group_translate_ranks(world, 3, ranks, odd, in_world);
          RANK_CHECK(in_world[0] == MPI_UNDEFINED && in_world[1] == 2);
          MPI_Group_free(&world);
          MPI_Group_free(&odd);
          MPI_Group_free(&evens);
          return 0;
        }) == 0);
}

TEST_CASE("inter-communicators connect two groups and merge") {
  for (const int hosts : {1, 2}) {
    CHECK(run(
              5,
              [](int rank) {
                MPI_Comm side, inter, merged, twin;
                const int color = rank >= 2;
                MPI_Comm_split(MPI_COMM_WORLD, color, rank, &side);
                MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, color ? 0 : 2, 9, &inter);
                int size, remote, flag;
                MPI_Comm_test_inter(inter, &flag);
                MPI_Comm_size(inter, &size);
                MPI_Comm_remote_size(inter, &remote);
                RANK_CHECK(flag && size == (color ? 3 : 2) && remote == 5 - size);
                // Rank i of each side exchanges with rank i of the other.
                int place, other = -1;
                MPI_Comm_rank(inter, &place);
                if (place < 2) {
                  MPI_Sendrecv(&rank, 1, MPI_INT, place, 0, &other, 1, MPI_INT, place, 0, inter,
                               MPI_STATUS_IGNORE);
                  RANK_CHECK(other == (color ? rank - 2 : rank + 2));
                }
                MPI_Comm_dup(inter, &twin);
                int same;
                MPI_Comm_compare(inter, twin, &same);
                RANK_CHECK(same == MPI_CONGRUENT);
                MPI_Intercomm_merge(twin, !color, &merged);
                MPI_Comm_rank(merged, &place);
                RANK_CHECK(place == (color ? rank - 2 : rank + 3));
                RANK_CHECK(sum_over(merged) == 5);
                MPI_Comm_free(&merged);
                MPI_Comm_free(&twin);
                MPI_Comm_free(&inter);
                MPI_Comm_free(&side);
                return 0;
              },
              hosts) == 0);
  }
}

TEST_CASE("Cartesian grids, their rows and shifts") {
  CHECK(run(7, [](int rank) {
          int dims[] = {0, 0};
          const int periods[] = {0, 1};
          MPI_Dims_create(6, 2, dims);
          RANK_CHECK(dims[0] == 3 && dims[1] == 2);
          MPI_Comm grid, row;
          MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
          if (rank == 6) {
            RANK_CHECK(grid == MPI_COMM_NULL);
            return 0;
          }
          int kind, from, to, at[2], size[2], periodic[2];
          MPI_Topo_test(grid, &kind);
          RANK_CHECK(kind == MPI_CART);
          MPI_Cart_get(grid, 2, size, periodic, at);
          RANK_CHECK(size[0] == 3 && periodic[1] == 1 && at[0] == rank / 2 && at[1] == rank % 2);
          MPI_Cart_shift(grid, 0, 1, &from, &to);
          RANK_CHECK(from == (rank < 2 ? MPI_PROC_NULL : rank - 2));
          RANK_CHECK(to == (rank > 3 ? MPI_PROC_NULL : rank + 2));
          const int remain[] = {0, 1};
          MPI_Cart_sub(grid, remain, &row);
          int n;
          MPI_Cartdim_get(row, &n);
          RANK_CHECK(n == 1 && sum_over(row) == 2);
          MPI_Comm_rank(row, &n);
          RANK_CHECK(n == rank % 2);
          MPI_Comm_free(&row);
          MPI_Comm_free(&grid);
          return 0;
        }) == 0);
}

TEST_CASE("graphs, distributed graphs") {
  CHECK(run(4, [](int rank) {
          const int index[] = {2, 3, 4, 6}, edges[] = {1, 3, 0, 3, 0, 2};
          MPI_Comm graph;
          MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &graph);
          int count, found[2];
          MPI_Graph_neighbors_count(graph, 3, &count);
          RANK_CHECK(count == 2);
          MPI_Graph_neighbors(graph, 3, 2, found);
          RANK_CHECK(found[0] == 0 && found[1] == 2);
          MPI_Comm_free(&graph);
          // Rank 0 knows all edges of a ring.
          int sources[] = {0, 1, 2, 3}, degrees[] = {1, 1, 1, 1}, destinations[] = {1, 2, 3, 0},
              weights[] = {5, 6, 7, 8};
          MPI_Dist_graph_create(MPI_COMM_WORLD, rank == 0 ? 4 : 0, sources, degrees, destinations, weights,
                                MPI_INFO_NULL, 0, &graph);
          int in, out, weighted, source, source_weight, destination, destination_weight;
          MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
          RANK_CHECK(in == 1 && out == 1 && weighted);
          MPI_Dist_graph_neighbors(graph, 1, &source, &source_weight, 1, &destination, &destination_weight);
          RANK_CHECK(source == (rank + 3) % 4 && destination == (rank + 1) % 4);
          RANK_CHECK(source_weight == 5 + source && destination_weight == 5 + rank);
          MPI_Comm_free(&graph);
          return 0;
        }) == 0);
}

namespace {
int deleted;

int copy_increment(MPI_Comm, int, void*, void* in, void* out, int* flag) {
  *static_cast<void**>(out) = static_cast<char*>(in) + 1;
  *flag = 1;
  return MPI_SUCCESS;
}
int count_deletions(MPI_Comm, int, void*, void*) {
  ++deleted;
  return MPI_SUCCESS;
}
}  // namespace

TEST_CASE("attributes are copied and deleted through the program's functions") {
  deleted = 0;
  CHECK(run(1, [](int) {
          int key, flag;
          char anchor[4];
          void* value;
          MPI_Comm_create_keyval(copy_increment, count_deletions, &key, nullptr);
          MPI_Comm one, two;
          MPI_Comm_dup(MPI_COMM_WORLD, &one);
          MPI_Comm_set_attr(one, key, anchor);
          MPI_Comm_dup(one, &two);
          MPI_Comm_get_attr(two, key, &value, &flag);
          RANK_CHECK(flag && value == anchor + 1);
          MPI_Comm_set_attr(two, key, anchor);
          RANK_CHECK(deleted == 1);
          MPI_Comm_delete_attr(two, key);
          MPI_Comm_get_attr(two, key, &value, &flag);
          RANK_CHECK(!flag && deleted == 2);
          MPI_Comm_free_keyval(&key);
          RANK_CHECK(key == MPI_KEYVAL_INVALID);
          MPI_Comm_free(&one);
          RANK_CHECK(deleted == 3);
          MPI_Comm_free(&two);
          RANK_CHECK(deleted == 3);
          int* tag;
          MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, &tag, &flag);
          RANK_CHECK(flag && *tag >= 32767);
          return 0;
        }) == 0);
}

TEST_CASE("contents of datatypes, packing, info, error codes") {
  CHECK(run(1, [](int) {
          MPI_Datatype column, again[1];
          MPI_Type_vector(3, 1, 4, MPI_INT, &column);
          MPI_Type_commit(&column);
          int integers[3], n, a, d, combiner;
          MPI_Type_get_envelope(column, &n, &a, &d, &combiner);
          RANK_CHECK(n == 3 && a == 0 && d == 1 && combiner == MPI_COMBINER_VECTOR);
          MPI_Type_get_contents(column, 3, 0, 1, integers, nullptr, again);
          RANK_CHECK(integers[0] == 3 && integers[1] == 1 && integers[2] == 4 && again[0] == MPI_INT);
          int matrix[12], back[12] = {};
          for (int i = 0; i < 12; ++i) matrix[i] = i;
          char buffer[12];
          int position = 0;
          MPI_Pack(matrix + 1, 1, column, buffer, 12, &position, MPI_COMM_WORLD);
          RANK_CHECK(position == 12);
          position = 0;
          MPI_Unpack(buffer, 12, &position, back, 3, MPI_INT, MPI_COMM_WORLD);
          RANK_CHECK(back[0] == 1 && back[1] == 5 && back[2] == 9);
          MPI_Type_free(&column);

          MPI_Info info;
          MPI_Info_create(&info);
          MPI_Info_set(info, "stripe", "64");
          char value[8];
          int flag;
          MPI_Info_get(info, "stripe", 7, value, &flag);
          RANK_CHECK(flag && !std::strcmp(value, "64"));
          MPI_Info_get(info, "absent", 7, value, &flag);
          RANK_CHECK(!flag);
          MPI_Info_free(&info);

          int error_class, code, found;
          MPI_Add_error_class(&error_class);
          MPI_Add_error_code(error_class, &code);
          MPI_Add_error_string(code, "broken");
          char text[MPI_MAX_ERROR_STRING];
          int length;
          MPI_Error_string(code, text, &length);
          MPI_Error_class(code, &found);
          RANK_CHECK(found == error_class && !std::strcmp(text, "broken") && length == 6);
          return 0;
        }) == 0);
}

TEST_CASE("elements of a status are undefined if the last is not whole") {
  CHECK(run(1, [](int) {
          MPI_Datatype pair;
          const int lengths[] = {1, 1};
          const MPI_Aint places[] = {0, 8};
          const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
          MPI_Type_create_struct(2, lengths, places, types, &pair);
          MPI_Type_commit(&pair);
          const std::pair<int, int> elements_of_bytes[] = {
              {0, 0},  {2, MPI_UNDEFINED},  {4, 1}, {8, MPI_UNDEFINED}, {12, 2},
              {16, 3}, {17, MPI_UNDEFINED}, {24, 4}};
          for (const auto& [bytes, elements] : elements_of_bytes) {
            MPI_Status status;
            int count = -1;
            MPI_Count large = -1;
            MPI_Status_set_elements(&status, MPI_BYTE, bytes);
            RANK_CHECK(MPI_Get_elements(&status, pair, &count) == MPI_SUCCESS && count == elements);
            RANK_CHECK(MPI_Get_elements_x(&status, pair, &large) == MPI_SUCCESS && large == elements);
          }
          MPI_Type_free(&pair);
          return 0;
        }) == 0);
}

TEST_CASE("external32 is big-endian and has the standard's sizes") {
  CHECK(run(1, [](int) {
          struct {
            int i;
            long l;
            short s;
            long double d;
          } out = {0x01020304, -2, -5, 1.5L}, in = {};
          const int lengths[] = {1, 1, 1, 1};
          const MPI_Aint places[] = {0, 8, 16, 32};
          const MPI_Datatype types[] = {MPI_INT, MPI_LONG, MPI_SHORT, MPI_LONG_DOUBLE};
          MPI_Datatype type;
          MPI_Type_create_struct(4, lengths, places, types, &type);
          MPI_Type_commit(&type);
          MPI_Aint size, position = 0;
          char representation[] = "external32";
          MPI_Pack_external_size(representation, 1, type, &size);
          RANK_CHECK(size == 4 + 4 + 2 + 16);
          MPI_Aint truth_size;
          MPI_Pack_external_size(representation, 3, MPI_C_BOOL, &truth_size);
          RANK_CHECK(truth_size == 3);
          unsigned char packed[26];
          MPI_Pack_external(representation, &out, 1, type, packed, 26, &position);
          RANK_CHECK(position == 26 && packed[0] == 1 && packed[3] == 4);
          RANK_CHECK(packed[4] == 0xff && packed[7] == 0xfe && packed[9] == 0xfb);
          RANK_CHECK(packed[10] == 0x3f && packed[11] == 0xff && packed[12] == 0x80);  // binary128 of 1.5
          position = 0;
          MPI_Unpack_external(representation, packed, 26, &position, &in, 1, type);
          RANK_CHECK(in.i == out.i && in.l == out.l && in.s == out.s && in.d == out.d);
          MPI_Type_free(&type);
          return 0;
        }) == 0);
}

namespace {
int seen_error;
void remember(MPI_Comm*, int* error, ...) {
  seen_error = *error;
}
}  // namespace

TEST_CASE("errors go to the communicator's handler") {
  CHECK(run(1, [](int) {
          MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
          MPI_Datatype type;
          RANK_CHECK(MPI_Type_contiguous(-1, MPI_INT, &type) == MPI_ERR_COUNT);
          RANK_CHECK(MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &type) == MPI_ERR_TYPE);
          int size;
          RANK_CHECK(MPI_Comm_size(MPI_COMM_NULL, &size) == MPI_ERR_COMM);
          MPI_Group group;
          MPI_Comm_group(MPI_COMM_WORLD, &group);
          const int ranks[] = {7};
          MPI_Group other;
          RANK_CHECK(MPI_Group_incl(group, 1, ranks, &other) == MPI_ERR_RANK);
          MPI_Group_free(&group);
          RANK_CHECK(MPI_Group_size(group, &size) == MPI_ERR_GROUP);
          RANK_CHECK(MPI_Comm_free(&(type = MPI_COMM_WORLD)) == MPI_ERR_COMM);

          MPI_Errhandler handler;
          MPI_Comm_create_errhandler(remember, &handler);
          MPI_Comm copy;
          MPI_Comm_dup(MPI_COMM_WORLD, &copy);
          MPI_Comm_set_errhandler(copy, handler);
          MPI_Errhandler_free(&handler);
          seen_error = 0;
          MPI_Comm_call_errhandler(copy, MPI_ERR_OTHER);
          RANK_CHECK(seen_error == MPI_ERR_OTHER);
          MPI_Comm_free(&copy);
          return 0;
        }) == 0);
}
