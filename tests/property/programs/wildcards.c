/* Random sends; receives from anyone, from anyone with a tag, and from named ranks, mixed. */
#include "common.h"

enum { rounds = 12, most = 3000 };

int main(int argc, char** argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    random_state = (unsigned long long)rank + 17;
    static char buffer[most];
    MPI_Comm other; /* where receives of any tag do not take them */
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    int* out = calloc((size_t)ranks, sizeof *out);
    int* in = calloc((size_t)ranks, sizeof *in);

    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < ranks; i++)
            out[i] = i == rank ? 0 : below(4);
        MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
        int expected = 0, sent = 0;
        for (int i = 0; i < ranks; i++)
            expected += in[i];
        /* Everybody else's turn comes at another time; sends do not wait for receives. */
        MPI_Request* requests = malloc(sizeof(MPI_Request) * (size_t)ranks * 4);
        char* payload = calloc(most, 1);
        for (int i = 0; i < ranks; i++) {
            int to = (rank + i) % ranks;
            for (int k = 0; k < out[to]; k++) {
                work(below(3000));
                MPI_Isend(payload, 1 + below(most), MPI_CHAR, to, round * 2 + below(2), MPI_COMM_WORLD, &requests[sent++]);
            }
        }
        for (int k = 0; k < expected; k++) {
            MPI_Status status;
            int size;
            work(below(500));
            MPI_Recv(buffer, most, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_CHAR, &size);
            note(status.MPI_SOURCE);
            note(status.MPI_TAG);
            note(size);
        }
        MPI_Waitall(sent, requests, MPI_STATUSES_IGNORE);
        free(requests);
        free(payload);
        /* A named receive and one from anyone with a tag, whichever comes first. */
        int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
        work(below(4000));
        MPI_Send(&round, 1, MPI_INT, right, 1000 + 2 * round, other);
        MPI_Send(&rank, 1, MPI_INT, below(2) ? right : left, 1001 + 2 * round, other);
        int value;
        MPI_Recv(&value, 1, MPI_INT, left, 1000 + 2 * round, other, MPI_STATUS_IGNORE);
        note(value);
        MPI_Barrier(MPI_COMM_WORLD);
        int there = 1;
        while (there) {
            MPI_Status status;
            MPI_Iprobe(MPI_ANY_SOURCE, 1001 + 2 * round, other, &there, &status);
            if (there) {
                MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, other, MPI_STATUS_IGNORE);
                note(value);
            }
        }
    }
    report("wildcards", rank);
    free(out);
    free(in);
    /* What the last barrier did not bring is still under way. */
    MPI_Barrier(MPI_COMM_WORLD);
    for (int idle = 0; idle < 100;) { /* each poll is a tenth later than the one before: see docs/models.md, polling */
        MPI_Status status;
        int there, value;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, other, &there, &status);
        if (there)
            MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, other, MPI_STATUS_IGNORE);
        else
            idle++;
    }
    MPI_Comm_free(&other);
    MPI_Finalize();
    return 0;
}
