/* Every blocking collective with several counts, roots, types and operations, in place and not. Each rank prints a
   checksum of what it received; the output is compared with that under another MPI library. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static unsigned long long checksum = 1469598103934665603ULL;
static int lines;

static void mix(const void *data, size_t bytes) {
  const unsigned char *byte = data;
  for (size_t i = 0; i < bytes; i++) checksum = (checksum ^ byte[i]) * 1099511628211ULL;
}
static void report(const char *what) {
  printf("%d %3d %-24s %016llx\n", rank, lines++, what, checksum);
}

/* x -> a x + b modulo a prime, composed: associative, not commutative */
typedef struct { long long a, b; } Affine;
static void compose(void *in, void *inout, int *length, MPI_Datatype *type) {
  Affine *lower = in, *upper = inout;
  (void)type;
  for (int i = 0; i < *length; i++) {
    Affine result = {lower[i].a * upper[i].a % 998244353, (lower[i].a * upper[i].b + lower[i].b) % 998244353};
    upper[i] = result;
  }
}

static int *fill(int *data, int count, int salt) {
  for (int i = 0; i < count; i++) data[i] = rank * 7919 + i * 13 + salt;
  return data;
}

static void move_data(int count, MPI_Datatype gapped) {
  int *mine = malloc(sizeof(int) * (count + 1) * size * 3);
  int *all = malloc(sizeof(int) * (count + 1) * size * 3);
  size_t room = sizeof(int) * (count + 1) * size * 3;
  int *counts = malloc(sizeof(int) * size), *displs = malloc(sizeof(int) * size);
  for (int root = 0; root < size; root += size > 2 ? size - 1 : 1) {
    MPI_Bcast(fill(mine, count, root), count, MPI_INT, root, MPI_COMM_WORLD);
    mix(mine, sizeof(int) * count);
    memset(all, 0, room);
    MPI_Gather(fill(mine, count, 1), count, MPI_INT, all, count, MPI_INT, root, MPI_COMM_WORLD);
    mix(all, room);
    /* two ints with a gap: extent three ints */
    memset(all, 0, room);
    MPI_Gather(rank == root ? MPI_IN_PLACE : fill(mine, 2 * (count / 2), 2), 2 * (count / 2), MPI_INT, all, count / 2,
               gapped, root, MPI_COMM_WORLD);
    if (rank == root) memset(all + 3 * (count / 2) * rank, 0, sizeof(int) * 3 * (count / 2));
    mix(all, room);
    fill(all, count * size, 3);
    MPI_Scatter(all, count, MPI_INT, rank == root ? MPI_IN_PLACE : (void *)mine, count, MPI_INT, root, MPI_COMM_WORLD);
    mix(mine, sizeof(int) * count);
    int position = 0;
    for (int i = 0; i < size; i++) {
      counts[i] = (i * 3 + count) % (count + 1);
      displs[i] = position;
      position += counts[i] + 1;
    }
    memset(all, 0, room);
    MPI_Gatherv(fill(mine, count, 4), counts[rank], MPI_INT, all, counts, displs, MPI_INT, root, MPI_COMM_WORLD);
    mix(all, room);
    memset(mine, 0, room);
    fill(all, position, 5);
    MPI_Scatterv(all, counts, displs, MPI_INT, mine, counts[rank], MPI_INT, root, MPI_COMM_WORLD);
    mix(mine, room);
    report("rooted");
    if (size == 1) break;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  memset(all, 0, room);
  MPI_Allgather(fill(mine, count, 6), count, MPI_INT, all, count, MPI_INT, MPI_COMM_WORLD);
  mix(all, room);
  fill(all + rank * count, count, 7);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, count, MPI_INT, MPI_COMM_WORLD);
  mix(all, room);
  memset(all, 0, room);
  MPI_Allgatherv(fill(mine, count, 8), counts[rank], MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD);
  mix(all, room);
  report("allgather");
  memset(all, 0, room);
  MPI_Alltoall(fill(mine, count * size, 9), count, MPI_INT, all, count, MPI_INT, MPI_COMM_WORLD);
  mix(all, room);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, all, count, MPI_INT, MPI_COMM_WORLD);
  mix(all, room);
  for (int i = 0, position = 0; i < size; i++) {
    counts[i] = (i + rank) % (count + 1);
    displs[i] = position;
    position += counts[i] + 1;
  }
  memset(all, 0, room);
  fill(mine, 3 * (count + 1) * size, 10);
  MPI_Alltoallv(mine, counts, displs, MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD);
  mix(all, room);
  MPI_Datatype *types = malloc(sizeof(MPI_Datatype) * size);
  for (int i = 0; i < size; i++) {
    types[i] = (i + rank) % 2 ? MPI_INT : MPI_FLOAT;
    displs[i] *= (int)sizeof(int);
  }
  memset(all, 0, room);
  MPI_Alltoallw(mine, counts, displs, types, all, counts, displs, types, MPI_COMM_WORLD);
  mix(all, room);
  report("alltoall");
  free(types), free(counts), free(displs), free(mine), free(all);
}

static void reduce_data(int count, MPI_Datatype affine, MPI_Op composition) {
  long *in = malloc(sizeof(long) * (count + 1) * size), *out = malloc(sizeof(long) * (count + 1) * size);
  Affine *map = malloc(sizeof(Affine) * (count + 1) * size), *result = malloc(sizeof(Affine) * (count + 1) * size);
  for (int i = 0; i < count * size; i++) {
    in[i] = (rank + 1) * (i + 3) % 101;
    map[i].a = rank + i + 2;
    map[i].b = 3 * rank + i;
  }
  const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR};
  for (int o = 0; o < 10; o++) {
    MPI_Allreduce(in, out, count, MPI_LONG, ops[o], MPI_COMM_WORLD);
    mix(out, sizeof(long) * count);
  }
  memset(result, 0, sizeof(Affine) * (count + 1) * size);
  for (int root = 0; root < size; root++) {
    MPI_Reduce(map, result, count, affine, composition, root, MPI_COMM_WORLD);
    mix(result, sizeof(Affine) * count);
    if (rank == root) memcpy(out, in, sizeof(long) * count);
    MPI_Reduce(rank == root ? MPI_IN_PLACE : in, out, count, MPI_LONG, MPI_SUM, root, MPI_COMM_WORLD);
    if (rank == root) mix(out, sizeof(long) * count);
  }
  MPI_Allreduce(map, result, count, affine, composition, MPI_COMM_WORLD);
  mix(result, sizeof(Affine) * count);
  memcpy(result, map, sizeof(Affine) * count);
  MPI_Allreduce(MPI_IN_PLACE, result, count, affine, composition, MPI_COMM_WORLD);
  mix(result, sizeof(Affine) * count);
  report("reduce");
  MPI_Scan(map, result, count, affine, composition, MPI_COMM_WORLD);
  mix(result, sizeof(Affine) * count);
  memcpy(out, in, sizeof(long) * count);
  MPI_Scan(MPI_IN_PLACE, out, count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  mix(out, sizeof(long) * count);
  memset(result, 0, sizeof(Affine) * count);
  MPI_Exscan(map, result, count, affine, composition, MPI_COMM_WORLD);
  if (rank > 0) mix(result, sizeof(Affine) * count);
  report("scan");
  MPI_Reduce_scatter_block(map, result, count, affine, composition, MPI_COMM_WORLD);
  mix(result, sizeof(Affine) * count);
  int *counts = malloc(sizeof(int) * size);
  for (int i = 0; i < size; i++) counts[i] = i % 2 ? count / 2 : count;
  MPI_Reduce_scatter(in, out, counts, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  mix(out, sizeof(long) * counts[rank]);
  memcpy(out, in, sizeof(long) * count * size);
  MPI_Reduce_scatter_block(MPI_IN_PLACE, out, count, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  mix(out, sizeof(long) * count);
  report("reduce_scatter");
  free(counts), free(in), free(out), free(map), free(result);
}

static void between_groups(void) {
  if (size < 2) return;
  MPI_Comm half, between;
  const int upper = rank >= (size + 1) / 2;
  MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : (size + 1) / 2, 99, &between);
  int me, others;
  MPI_Comm_rank(between, &me);
  MPI_Comm_remote_size(between, &others);
  int value = 10 * rank + 1, sum = 0, *all = calloc(others, sizeof(int)), *out = calloc(others, sizeof(int));
  MPI_Barrier(between);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, between);
  mix(&sum, sizeof sum);
  MPI_Allgather(&value, 1, MPI_INT, all, 1, MPI_INT, between);
  mix(all, sizeof(int) * others);
  for (int i = 0; i < others; i++) out[i] = 100 * rank + i;
  MPI_Alltoall(out, 1, MPI_INT, all, 1, MPI_INT, between);
  mix(all, sizeof(int) * others);
  const int root = upper ? 0 : me == 0 ? MPI_ROOT : MPI_PROC_NULL;
  int data = me == 0 ? 4711 : 0;
  MPI_Bcast(&data, 1, MPI_INT, root, between);
  mix(&data, sizeof data);
  memset(all, 0, sizeof(int) * others);
  MPI_Gather(&value, 1, MPI_INT, all, 1, MPI_INT, root, between);
  mix(all, sizeof(int) * others);
  sum = 0;
  MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_MAX, root, between);
  mix(&sum, sizeof sum);
  report("between groups");
  free(all), free(out);
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Datatype pair, gapped, affine;
  MPI_Op composition;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_create_resized(pair, 0, 3 * sizeof(int), &gapped);
  MPI_Type_commit(&gapped);
  MPI_Type_free(&pair);
  MPI_Type_contiguous(2, MPI_LONG_LONG, &affine);
  MPI_Type_commit(&affine);
  MPI_Op_create(compose, 0, &composition);
  const int counts[] = {0, 1, 6, 301, 5000};
  for (int i = 0; i < 5; i++) {
    move_data(counts[i], gapped);
    reduce_data(counts[i], affine, composition);
  }
  between_groups();
  MPI_Op_free(&composition);
  MPI_Type_free(&affine);
  MPI_Type_free(&gapped);
  MPI_Finalize();
  return 0;
}
