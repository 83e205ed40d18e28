/* Loops that ask again and again: Test, Iprobe, the clock. */
#include "common.h"

int main(int argc, char** argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    random_state = (unsigned long long)rank + 5;
    const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;

    for (int round = 0; round < 8; round++) {
        int token = rank * 100 + round, got = -1, done = 0, polls = 0;
        MPI_Request request, sending;
        MPI_Irecv(&got, 1, MPI_INT, round % 2 ? left : MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &request);
        /* One rank is late, so that the others poll for long. */
        if (rank == round % ranks)
            work(50000);
        const double until = MPI_Wtime() + 1e-6 * (1 + below(20));
        while (MPI_Wtime() < until)
            work(10);
        MPI_Isend(&token, 1, MPI_INT, right, round, MPI_COMM_WORLD, &sending);
        while (!done) {
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            polls++;
            if (polls % 4 == 3)
                work(below(300));
        }
        note(got);
        note(polls);
        note((long long)(MPI_Wtime() * 1e12 + 0.5));
        MPI_Wait(&sending, MPI_STATUS_IGNORE);

        MPI_Send(&token, 1, MPI_INT, left, 500 + round, MPI_COMM_WORLD);
        MPI_Status status;
        polls = done = 0;
        while (!done) {
            MPI_Iprobe(MPI_ANY_SOURCE, 500 + round, MPI_COMM_WORLD, &done, &status);
            polls++;
        }
        MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, 500 + round, MPI_COMM_WORLD, &status);
        note(got);
        note(polls);
    }
    report("polling", rank);
    MPI_Finalize();
    return 0;
}
