/* ROUNDS times an Alltoall of SIZE bytes per pair: usage: alltoall ROUNDS SIZE */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int rounds = argc > 1 ? atoi(argv[1]) : 1, size = argc > 2 ? atoi(argv[2]) : 1000;
    char* out = calloc((size_t)size, (size_t)ranks);
    char* in = calloc((size_t)size, (size_t)ranks);
    for (int i = 0; i < ranks; i++) out[(long)i * size] = (char)(rank + i);
    for (int round = 0; round < rounds; round++) {
        MPI_Alltoall(out, size, MPI_BYTE, in, size, MPI_BYTE, MPI_COMM_WORLD);
    }
    for (int i = 0; i < ranks; i++) {
        if (in[(long)i * size] == (char)(rank + i)) continue;
        fprintf(stderr, "rank %d: wrong from %d\n", rank, i);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
