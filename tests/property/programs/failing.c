/* Ends in the way that its argument says: deadlock, abort, exit, late (ranks that return different codes). */
#include "common.h"

int main(int argc, char** argv)
{
    int rank, ranks, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    random_state = (unsigned long long)rank;
    const char* how = argc > 1 ? argv[1] : "late";
    work(below(4000));
    if (strcmp(how, "deadlock") == 0) {
        report("failing", rank);
        MPI_Recv(&value, 1, MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (strcmp(how, "abort") == 0) {
        if (rank == ranks - 1)
            MPI_Abort(MPI_COMM_WORLD, 7);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    report("failing", rank);
    MPI_Finalize();
    return rank == 0 ? 0 : 10 + rank;
}
