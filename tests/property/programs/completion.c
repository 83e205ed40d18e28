/* Many requests at once, completed by Waitany, Waitsome, Testany, Testsome, Testall and Wait; small and large messages,
 * standard and synchronous sends. */
#include "common.h"

enum { most_requests = 64, big = 120000 };

static MPI_Request requests[most_requests];
static MPI_Status statuses[most_requests];
static int indices[most_requests];

static void complete(int how, int count)
{
    int left = count;
    while (left > 0) {
        int index, done = 0, flag;
        switch (how) {
        case 0:
            MPI_Waitany(count, requests, &index, statuses);
            note(index);
            note(statuses[0].MPI_SOURCE);
            left--;
            work(300);
            break;
        case 1:
            MPI_Waitsome(count, requests, &done, indices, statuses);
            for (int i = 0; i < done; i++)
                note(indices[i]);
            note(done);
            left -= done;
            work(500);
            break;
        case 2:
            MPI_Testany(count, requests, &index, &flag, statuses);
            note(flag);
            if (flag) {
                note(index);
                left--;
            }
            if (below(8) == 0) /* computing ends a row of fruitless polls, which cost more and more */
                work(100);
            break;
        case 3:
            MPI_Testsome(count, requests, &done, indices, statuses);
            for (int i = 0; i < done; i++)
                note(indices[i]);
            left -= done;
            if (below(8) == 0) /* computing ends a row of fruitless polls, which cost more and more */
                work(400);
            break;
        case 4:
            MPI_Testall(count, requests, &flag, statuses);
            if (flag)
                left = 0;
            if (below(8) == 0) /* computing ends a row of fruitless polls, which cost more and more */
                work(700);
            break;
        default:
            for (int i = count - 1; i >= 0; i--)
                MPI_Wait(&requests[i], statuses);
            left = 0;
        }
    }
    note((long long)(MPI_Wtime() * 1e12 + 0.5));
}

int main(int argc, char** argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    random_state = (unsigned long long)rank + 99;
    char* in = malloc((size_t)big * (size_t)ranks);
    char* out = calloc(big, 1);

    for (int round = 0; round < 6; round++) {
        int count = 0;
        for (int i = 1; i < ranks; i++) {
            const int from = (rank + i) % ranks;
            const int source = round % 4 < 2 ? MPI_ANY_SOURCE : from;
            MPI_Irecv(in + (size_t)big * (size_t)from, big, MPI_CHAR, source, round, MPI_COMM_WORLD, &requests[count++]);
        }
        work(below(20000));
        for (int i = 1; i < ranks; i++) {
            const int to = (rank + ranks - i) % ranks;
            const int size = below(3) == 0 ? big : 1 + below(2000);
            if (below(4) == 0)
                MPI_Issend(out, size, MPI_CHAR, to, round, MPI_COMM_WORLD, &requests[count++]);
            else
                MPI_Isend(out, size, MPI_CHAR, to, round, MPI_COMM_WORLD, &requests[count++]);
            work(below(2000));
        }
        complete(round % 6, count);
    }
    /* Persistent requests. */
    const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    MPI_Recv_init(in, 500, MPI_CHAR, left, 77, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(out, 500, MPI_CHAR, right, 77, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 5; i++) {
        MPI_Startall(2, requests);
        work(below(3000));
        MPI_Waitall(2, requests, statuses);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    report("completion", rank);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
