/* Every rank exchanges SIZE bytes with its neighbours on a ring, ROUNDS times: usage: ring_sendrecv ROUNDS SIZE */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int rounds = argc > 1 ? atoi(argv[1]) : 10;
    const int size = argc > 2 ? atoi(argv[2]) : 1024;
    char* out = calloc((size_t)size, 1);
    char* in = calloc((size_t)size, 1);
    const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;

    out[0] = (char)rank;
    for (int round = 0; round < rounds; round++) {
        MPI_Sendrecv(out, size, MPI_BYTE, next, 1, in, size, MPI_BYTE, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        out[0] = in[0];
    }
    const int expected = ((rank - rounds) % ranks + ranks) % ranks;
    if (out[0] != (char)expected) {
        fprintf(stderr, "rank %d: got %d, not %d\n", rank, out[0], (char)expected);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
