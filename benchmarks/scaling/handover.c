/* The first and the last rank answer each other, ROUNDS times; the others wait for the end: usage: handover ROUNDS */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv)
{
    int rank, ranks;
    char word = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int rounds = argc > 1 ? atoi(argv[1]) : 10;
    for (int round = 0; round < rounds; round++) {
        if (rank == 0) {
            MPI_Send(&word, 1, MPI_BYTE, ranks - 1, 1, MPI_COMM_WORLD);
            MPI_Recv(&word, 1, MPI_BYTE, ranks - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == ranks - 1) {
            MPI_Recv(&word, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&word, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
