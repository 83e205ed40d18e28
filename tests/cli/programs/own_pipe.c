/* Dies of a pipe of its own that nobody reads, as a program would anywhere. */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char** argv)
{
    int ends[2], rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 && pipe(ends) == 0) {
        close(ends[0]);
        if (write(ends[1], "x", 1) != 1)
            return 1;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
