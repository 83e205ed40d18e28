/* Master and workers: the master receives from anyone and answers, MESSAGES times per worker. Every receive of the
 * master needs the protocol. usage: wildcard MESSAGES */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int messages = argc > 1 ? atoi(argv[1]) : 10;
    char buffer[64] = {0};
    if (rank == 0) {
        for (long i = 0; i < (long)messages * (ranks - 1); i++) {
            MPI_Status status;
            MPI_Recv(buffer, sizeof buffer, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
            MPI_Send(buffer, sizeof buffer, MPI_BYTE, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
        }
    } else {
        for (int i = 0; i < messages; i++) {
            MPI_Send(buffer, sizeof buffer, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
            MPI_Recv(buffer, sizeof buffer, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
