/* Groups, constructors, inter-communicators, attributes. */
#include <mpi.h>
#include <stdio.h>

static int rank, size, deletions;

static void show(const char* name, MPI_Comm comm) {
  int n, me, sum, kind;
  if (comm == MPI_COMM_NULL) {
    printf("%d %s: none\n", rank, name);
    return;
  }
  MPI_Comm_size(comm, &n);
  MPI_Comm_rank(comm, &me);
  MPI_Comm_compare(comm, MPI_COMM_WORLD, &kind);
  MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  printf("%d %s: %d of %d, compares %d, prefix %d\n", rank, name, me, n, kind, sum);
  MPI_Comm_free(&comm);
}

static int copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm;
  (void)key;
  *(void**)out = (char*)in + *(int*)extra;
  *flag = 1;
  return MPI_SUCCESS;
}

static int drop(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm;
  (void)key;
  (void)value;
  (void)extra;
  ++deletions;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Comm comm, half, inter, twin;
  MPI_Group world, some, rest, both;
  int ranks[3] = {5, 0, 3}, ranges[2][3] = {{0, 4, 2}, {5, 5, 1}}, out[3], i, result;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  show("dup", comm);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 3 == 2 ? MPI_UNDEFINED : rank % 3, -rank, &comm);
  show("split", comm);
  MPI_Comm_split(MPI_COMM_WORLD, 4, rank % 2, &comm);
  show("split by key", comm);
  MPI_Comm_split_type(MPI_COMM_SELF, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
  show("split by node", comm);

  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 3, ranks, &some);
  MPI_Group_excl(world, 3, ranks, &rest);
  MPI_Comm_create(MPI_COMM_WORLD, some, &comm);
  show("create", comm);
  MPI_Group_rank(rest, &result);
  if (result != MPI_UNDEFINED) {
    MPI_Comm_create_group(MPI_COMM_WORLD, rest, 17, &comm);
    show("create_group", comm);
  }
  MPI_Group_translate_ranks(some, 3, (int[]){2, 1, 0}, world, out);
  printf("%d translate %d %d %d\n", rank, out[0], out[1], out[2]);
  MPI_Group_union(rest, some, &both);
  MPI_Group_compare(both, world, &result);
  printf("%d union compares %d\n", rank, result == MPI_SIMILAR);
  MPI_Group_free(&both);
  MPI_Group_range_incl(world, 2, ranges, &both);
  MPI_Group_size(both, &result);
  printf("%d range %d", rank, result);
  MPI_Group_translate_ranks(both, 3, (int[]){0, 1, 2}, some, out);
  for (i = 0; i < 3; ++i) printf(" %d", out[i]);
  printf("\n");
  MPI_Group_free(&both);
  MPI_Group_intersection(some, rest, &both);
  MPI_Group_size(both, &result);
  printf("%d intersection %d\n", rank, result);
  MPI_Group_free(&some);
  MPI_Group_free(&rest);
  MPI_Group_free(&world);

  MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 99, &inter);
  MPI_Comm_remote_size(inter, &result);
  printf("%d remote size %d\n", rank, result);
  MPI_Comm_dup(inter, &twin);
  MPI_Comm_compare(inter, twin, &result);
  printf("%d twin %d\n", rank, result == MPI_CONGRUENT);
  {
    MPI_Comm part;
    MPI_Comm_split(twin, rank % 2, -rank, &part);
    MPI_Comm_size(part, &result);
    printf("%d part %d", rank, result);
    MPI_Comm_remote_size(part, &result);
    printf(" %d", result);
    MPI_Comm_rank(part, &result);
    printf(" %d\n", result);
    MPI_Comm_free(&part);
    /* only two members of the larger side, and one of the smaller */
    MPI_Comm_group(twin, &both);
    MPI_Group_incl(both, rank < 2 ? 1 : 2, (int[]){1, 0}, &some);
    MPI_Comm_create(twin, some, &part);
    printf("%d chosen %d\n", rank, part != MPI_COMM_NULL);
    if (part != MPI_COMM_NULL) {
      MPI_Comm_rank(part, &result);
      printf("%d chosen rank %d\n", rank, result);
      MPI_Comm_free(&part);
    }
    MPI_Group_free(&both);
    MPI_Group_free(&some);
  }
  MPI_Intercomm_merge(twin, rank < 2, &comm);
  show("merged", comm);
  MPI_Comm_free(&twin);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);

  {
    static int step = 3;
    char base[8];
    int key, flag, *bound;
    void* value;
    MPI_Comm_create_keyval(copy, drop, &key, &step);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_attr(comm, key, base);
    MPI_Comm_dup(comm, &twin);
    MPI_Comm_get_attr(twin, key, &value, &flag);
    printf("%d attribute %d %ld\n", rank, flag, flag ? (long)((char*)value - base) : 0L);
    MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag);
    MPI_Comm_free(&twin);
    MPI_Comm_delete_attr(comm, key);
    MPI_Comm_free(&comm);
    MPI_Comm_free_keyval(&key);
    printf("%d deletions %d, absent %d\n", rank, deletions, flag);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
    printf("%d tags %d\n", rank, flag && *bound >= 32767);
  }
  {
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    printf("%d %s %d\n", rank, name, length);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "a name");
    MPI_Comm_get_name(comm, name, &length);
    printf("%d %s %d\n", rank, name, length);
    MPI_Comm_free(&comm);
  }
  MPI_Finalize();
  return 0;
}
