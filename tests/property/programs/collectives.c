/* Every blocking collective at several sizes, over the world and over halves of it, ranks arriving at different times. */
#include "common.h"

enum { most = 5000 };

static void not_commutative(void* in, void* inout, int* length, MPI_Datatype* type)
{
    (void)type;
    for (int i = 0; i < *length; i++) {
        const int a = ((int*)in)[i], b = ((int*)inout)[i];
        ((int*)inout)[i] = a * 3 + b * 7 + 1;
    }
}

static void all_of(MPI_Comm comm, int count)
{
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const size_t n = (size_t)count, r = (size_t)ranks;
    int* a = malloc(n * r * sizeof *a);
    int* b = calloc(n * r, sizeof *b);
    int* counts = malloc(r * sizeof *counts);
    int* offsets = malloc(r * sizeof *offsets);
    MPI_Op op;
    MPI_Op_create(not_commutative, 0, &op);
    for (size_t i = 0; i < n * r; i++)
        a[i] = below(1000);
    for (int i = 0, at = 0; i < ranks; at += counts[i++]) {
        counts[i] = (i * 7 + count) % (count + 1);
        offsets[i] = at;
    }
    const int root = count % ranks;

#define STEP(call)                                                                                                    \
    work(below(3000));                                                                                                \
    call;                                                                                                             \
    note_bytes(b, (int)(n * sizeof *b > 64 ? 64 : n * sizeof *b))
    STEP(MPI_Barrier(comm));
    STEP(MPI_Bcast(b, count, MPI_INT, root, comm));
    STEP(MPI_Reduce(a, b, count, MPI_INT, MPI_SUM, root, comm));
    STEP(MPI_Reduce(a, b, count, MPI_INT, op, root, comm));
    STEP(MPI_Allreduce(a, b, count, MPI_INT, MPI_MAX, comm));
    STEP(MPI_Allreduce(a, b, count, MPI_INT, op, comm));
    STEP(MPI_Gather(a, count, MPI_INT, b, count, MPI_INT, root, comm));
    STEP(MPI_Scatter(a, count, MPI_INT, b, count, MPI_INT, root, comm));
    STEP(MPI_Allgather(a, count, MPI_INT, b, count, MPI_INT, comm));
    STEP(MPI_Alltoall(a, count, MPI_INT, b, count, MPI_INT, comm));
    STEP(MPI_Scan(a, b, count, MPI_INT, MPI_SUM, comm));
    STEP(MPI_Exscan(a, b, count, MPI_INT, MPI_SUM, comm));
    STEP(MPI_Reduce_scatter_block(a, b, count, MPI_INT, MPI_SUM, comm));
    STEP(MPI_Reduce_scatter(a, b, counts, MPI_INT, MPI_SUM, comm));
    STEP(MPI_Allgatherv(a, counts[rank], MPI_INT, b, counts, offsets, MPI_INT, comm));
    STEP(MPI_Gatherv(a, counts[rank], MPI_INT, b, counts, offsets, MPI_INT, root, comm));
    STEP(MPI_Scatterv(a, counts, offsets, MPI_INT, b, counts[rank], MPI_INT, root, comm));
#undef STEP
    MPI_Op_free(&op);
    free(a);
    free(b);
    free(counts);
    free(offsets);
}

int main(int argc, char** argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    random_state = (unsigned long long)rank + 1234;
    all_of(MPI_COMM_WORLD, 1);
    all_of(MPI_COMM_WORLD, 300);
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    all_of(half, 40);
    all_of(half, most);
    MPI_Comm_free(&half);
    report("collectives", rank);
    MPI_Finalize();
    return 0;
}
