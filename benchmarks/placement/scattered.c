/*
 * Rings of GROUP ranks each whose members are scattered over all ranks, and of which the first quarter of the ranks works
 * WORK times as long between two messages: usage: scattered ROUNDS GROUP WORK
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BYTES = 1024, STEPS = 500, STRIDE = 7 };

/* Steps of a generator of random numbers: work that no compiler leaves out. */
static unsigned work(unsigned state, int times)
{
    for (int step = 0; step < STEPS * times; step++) {
        state = state * 1664525U + 1013904223U;
    }
    return state;
}

int main(int argc, char** argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int rounds = argc > 1 ? atoi(argv[1]) : 10;
    const int group = argc > 2 ? atoi(argv[2]) : 16;
    const int times = argc > 3 ? atoi(argv[3]) : 1;
    if (rounds < 1 || group < 1 || times < 1 || ranks % (2 * group) != 0) {
        fprintf(stderr, "usage: scattered ROUNDS GROUP WORK   on a multiple of 2 GROUP ranks\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }

    /* Rank = slot * rings + ring, and neighbours on a ring are STRIDE slots apart: neither ranges of ranks nor ranks in turn
     * keep a ring together, since every other slot counts the rings from the end. */
    const int rings = ranks / group;
    const int slot = rank / rings;
    const int ring = slot % 2 == 0 ? rank % rings : rings - 1 - rank % rings;
    const int after = (slot + STRIDE) % group, before = (slot + group - STRIDE % group) % group;
    const int next = after * rings + (after % 2 == 0 ? ring : rings - 1 - ring);
    const int previous = before * rings + (before % 2 == 0 ? ring : rings - 1 - ring);

    char out[BYTES] = {0}, in[BYTES];
    unsigned state = (unsigned)rank;
    for (int round = 0; round < rounds; round++) {
        state = work(state, rank < ranks / 4 ? times : 1);
        MPI_Sendrecv(out, BYTES, MPI_BYTE, next, 1, in, BYTES, MPI_BYTE, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        out[0] = (char)state;
    }
    MPI_Finalize();
    return 0;
}
