/* Ring, Barrier, Allreduce, dup and split of the world, once each: what the largest run does. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
    int from = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, next, 1, &from, 1, MPI_INT, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    long mine = rank, sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm copy, half;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_split(copy, rank % 2, rank, &half);
    int members;
    MPI_Comm_size(half, &members);
    if (from != previous || sum != (long)ranks * (ranks - 1) / 2 || members != (ranks + 1 - rank % 2) / 2) {
        fprintf(stderr, "rank %d: from %d, sum %ld, %d members\n", rank, from, sum, members);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_free(&half);
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
