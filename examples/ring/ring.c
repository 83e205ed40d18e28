/* Ring: a token of SIZE bytes goes LAPS times around all ranks; every rank adds its number to it.
 *
 * usage: ring [LAPS [SIZE]]        defaults: 10 laps, 1024 bytes (at least 8)
 *
 * Verifies the sum that the token carries and the pattern that fills the rest of it. Every rank prints how often it saw
 * the token.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_TOKEN = 7 };

static int rank, ranks;
static int laps = 10;
static int size = 1024;
static unsigned char* token;
static long visits; /* how often this rank held the token */
static int faults;

static void fill_token(void)
{
    for (int i = 0; i < size; i++)
        token[i] = (unsigned char)(i * 31 + 5);
    memset(token, 0, sizeof(long long));
}

/* What a rank does with the token: checks the bytes behind the sum, adds its number. */
static void handle_token(void)
{
    static long long last_sum = -1; /* the sum only grows */
    long long sum;

    memcpy(&sum, token, sizeof sum);
    if (sum < last_sum)
        faults++;
    last_sum = sum;
    for (int i = (int)sizeof sum; i < size; i++)
        if (token[i] != (unsigned char)(i * 31 + 5))
            faults++;
    sum += rank;
    memcpy(token, &sum, sizeof sum);
    visits++;
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1)
        laps = atoi(argv[1]);
    if (argc > 2)
        size = atoi(argv[2]);
    if (laps < 1 || size < (int)sizeof(long long)) {
        if (rank == 0)
            fprintf(stderr, "usage: ring [LAPS [SIZE]]   with LAPS >= 1 and SIZE >= 8\n");
        MPI_Finalize();
        return 2;
    }
    token = malloc((size_t)size);

    int next = (rank + 1) % ranks;
    int previous = (rank + ranks - 1) % ranks;
    double start = MPI_Wtime();
    if (rank == 0)
        fill_token();
    for (int lap = 0; lap < laps; lap++) {
        if (rank != 0)
            MPI_Recv(token, size, MPI_BYTE, previous, TAG_TOKEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        handle_token();
        if (ranks > 1)
            MPI_Send(token, size, MPI_BYTE, next, TAG_TOKEN, MPI_COMM_WORLD);
        if (rank == 0 && ranks > 1)
            MPI_Recv(token, size, MPI_BYTE, previous, TAG_TOKEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    double elapsed = MPI_Wtime() - start;

    if (rank == 0) {
        long long sum, expected = (long long)laps * ranks * (ranks - 1) / 2;
        memcpy(&sum, token, sizeof sum);
        if (sum != expected)
            faults++;
        printf("ring: the token carries %lld after %d laps over %d ranks\n", sum, laps, ranks);
    }
    printf("ring: rank %d held the token %ld times\n", rank, visits);
    if (visits != laps)
        faults++;
    MPI_Allreduce(MPI_IN_PLACE, &faults, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("time per hop: %.3f us\n", 1e6 * elapsed / ((double)laps * ranks));
        printf("ring: %s\n", faults == 0 ? "VERIFICATION SUCCESSFUL" : "VERIFICATION FAILED");
    }
    free(token);
    MPI_Finalize();
    return faults == 0 ? 0 : 1;
}
