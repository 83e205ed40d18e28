/* Ping-pong: latency and bandwidth between pairs of ranks over message sizes.
 *
 * usage: pingpong [MAXIMUM [REPETITIONS]]        defaults: 1048576 bytes, 10 repetitions
 *
 * Rank r of the lower half plays with rank r + (ranks + 1) / 2; a rank without partner plays with itself by MPI_Sendrecv.
 * Verifies contents, lengths and sources of all messages.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define TAG_PING 1
#define TAG_PONG 2

static int rank, ranks, partner;
static int maximum = 1 << 20;
static int repetitions = 10;
static unsigned char *ball, *answer;
static unsigned long long bytes_checked;
static int faults;

static struct {
    int size;
    double round_trip;
} results[64];
static int nresults;

static unsigned char pattern(int sender, int round, int i)
{
    return (unsigned char)(sender * 7 + round * 13 + i);
}

static void fill(int size, int round)
{
    for (int i = 0; i < size; i++)
        ball[i] = pattern(rank, round, i);
}

static void check(const MPI_Status* status, int size, int round, int tag)
{
    int count;

    MPI_Get_count(status, MPI_BYTE, &count);
    if (count != size || status->MPI_SOURCE != partner || status->MPI_TAG != tag)
        faults++;
    for (int i = 0; i < size; i++)
        if (answer[i] != pattern(partner, round, i))
            faults++;
    bytes_checked += (unsigned long long)size;
}

static double play(int size)
{
    MPI_Status status;
    double start, spent = 0;

    for (int round = 0; round < repetitions; round++) {
        fill(size, round);
        start = MPI_Wtime();
        if (partner == rank) {
            MPI_Sendrecv(ball, size, MPI_BYTE, rank, TAG_PING, answer, maximum, MPI_BYTE, rank, TAG_PING, MPI_COMM_WORLD,
                         &status);
        } else if (rank < partner) {
            MPI_Send(ball, size, MPI_BYTE, partner, TAG_PING, MPI_COMM_WORLD);
            MPI_Recv(answer, maximum, MPI_BYTE, partner, TAG_PONG, MPI_COMM_WORLD, &status);
        } else {
            MPI_Recv(answer, maximum, MPI_BYTE, partner, TAG_PING, MPI_COMM_WORLD, &status);
            MPI_Send(ball, size, MPI_BYTE, partner, TAG_PONG, MPI_COMM_WORLD);
        }
        spent += MPI_Wtime() - start;
        check(&status, size, round, partner == rank ? TAG_PING : rank < partner ? TAG_PONG : TAG_PING);
    }
    return spent / repetitions;
}

int main(int argc, char** argv)
{
    unsigned long long total;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1)
        maximum = atoi(argv[1]);
    if (argc > 2)
        repetitions = atoi(argv[2]);
    if (maximum < 1 || repetitions < 1) {
        if (rank == 0)
            fprintf(stderr, "usage: pingpong [MAXIMUM [REPETITIONS]]   both at least 1\n");
        MPI_Finalize();
        return 2;
    }
    ball = malloc((size_t)maximum);
    answer = malloc((size_t)maximum);

    int half = (ranks + 1) / 2;
    partner = rank < half ? rank + half : rank - half;
    if (partner >= ranks)
        partner = rank;

    /* 0, 1, 4, 16, ... bytes and the maximum itself */
    for (int size = 0; size < maximum; size = size == 0 ? 1 : size > maximum / 4 ? maximum : size * 4) {
        MPI_Barrier(MPI_COMM_WORLD);
        results[nresults].size = size;
        results[nresults++].round_trip = play(size);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    results[nresults].size = maximum;
    results[nresults++].round_trip = play(maximum);

    MPI_Reduce(&bytes_checked, &total, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &faults, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        for (int i = 0; i < nresults; i++) {
            double one_way = results[i].round_trip / 2;
            printf("time one way, %d bytes: %.3f us, %.3f MB/s\n", results[i].size, 1e6 * one_way,
                   one_way > 0 ? results[i].size / one_way / 1e6 : 0.0);
        }
        printf("pingpong: %d ranks, %d sizes up to %d bytes, %llu bytes checked\n", ranks, nresults, maximum, total);
        printf("pingpong: %s\n", faults == 0 ? "VERIFICATION SUCCESSFUL" : "VERIFICATION FAILED");
    }
    free(ball);
    free(answer);
    MPI_Finalize();
    return faults == 0 ? 0 : 1;
}
