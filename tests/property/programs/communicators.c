/* Several communicators in use at once: split by rank and by key, duplicates, Cartesian grids; wildcards in each. */
#include "common.h"

int main(int argc, char** argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    random_state = (unsigned long long)rank + 31;
    int dimensions[2] = {0, 0}, periods[2] = {1, 0}, coordinates[2];
    MPI_Comm grid, row, copy, some;
    MPI_Dims_create(ranks, 2, dimensions);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dimensions, periods, 1, &grid);
    int grid_rank;
    MPI_Comm_rank(grid, &grid_rank);
    MPI_Cart_coords(grid, grid_rank, 2, coordinates);
    work(below(8000));
    MPI_Comm_split(grid, coordinates[0], rank, &row);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_split(copy, rank % 3 == 2 ? MPI_UNDEFINED : rank % 3, 0, &some);

    for (int round = 0; round < 6; round++) {
        for (int axis = 0; axis < 2; axis++) {
            int before, after, value = rank * 10 + round, got = -1;
            MPI_Cart_shift(grid, axis, 1, &before, &after);
            work(below(2000));
            MPI_Sendrecv(&value, 1, MPI_INT, after, axis, &got, 1, MPI_INT, before, axis, grid, MPI_STATUS_IGNORE);
            note(got);
        }
        int row_rank, row_size, sum = 0, mine = rank;
        MPI_Comm_rank(row, &row_rank);
        MPI_Comm_size(row, &row_size);
        if (row_rank == 0) {
            for (int i = 1; i < row_size; i++) {
                MPI_Status status;
                int got;
                MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 3, row, &status);
                note(status.MPI_SOURCE);
                note(got);
            }
        } else {
            work(below(9000));
            MPI_Send(&mine, 1, MPI_INT, 0, 3, row);
        }
        /* The same tags in the duplicate go their own way. */
        MPI_Request request;
        int from_copy = -1;
        MPI_Irecv(&from_copy, 1, MPI_INT, MPI_ANY_SOURCE, 3, copy, &request);
        MPI_Send(&round, 1, MPI_INT, (rank + 1) % ranks, 3, copy);
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, row);
        note(sum);
        if (some != MPI_COMM_NULL) {
            MPI_Bcast(&sum, 1, MPI_INT, 0, some);
            note(sum);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        note(from_copy);
        note((long long)(MPI_Wtime() * 1e12 + 0.5));
    }
    if (some != MPI_COMM_NULL)
        MPI_Comm_free(&some);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
    report("communicators", rank);
    MPI_Finalize();
    return 0;
}
