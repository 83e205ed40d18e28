/* Requests: random reads and writes of a shared file, the synthetic workload of the SESAME report (AFRL-IF-RS-TR-2000-120,
 * section 8.2.4).
 *
 * usage: requests [BLOCKS [WARM_UP [MEASURED [READS [BLOCK [FILE]]]]]]
 * defaults: a file of 1024 blocks, 5000 requests to warm the caches up and 5000 that are measured, 80 % reads, 8192 bytes,
 * requests.dat
 *
 * Every rank makes its requests one after the other, each of one to four consecutive blocks somewhere in the file; number of
 * blocks, place and kind are drawn from a generator of its own. What is written to a place is always the same, so that every
 * read can be verified although nobody knows who wrote last: the words of a block are the place in the file and its square.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_BLOCKS 4

static int rank, ranks;
static long blocks = 1024, warm_up = 5000, measured = 5000, reads = 80, block = 8192;
static const char* name = "requests.dat";
static MPI_File file;
static uint64_t state;
static uint64_t* buffer;
static long wrong;

static long below(long bound)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (long)((state >> 33) % (uint64_t)bound);
}

static void check(int error, const char* what)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    if (error == MPI_SUCCESS)
        return;
    MPI_Error_string(error, text, &length);
    fprintf(stderr, "requests: rank %d cannot %s %s: %s\n", rank, what, name, text);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static uint64_t word_at(uint64_t place)
{
    return place % 2 == 0 ? place : place * place;
}

static void fill(long first, long count)
{
    const uint64_t words = (uint64_t)block / sizeof *buffer;
    uint64_t i;

    for (i = 0; i < (uint64_t)count * words; ++i)
        buffer[i] = word_at((uint64_t)first * words + i);
}

static void verify(long first, long count)
{
    const uint64_t words = (uint64_t)block / sizeof *buffer;
    uint64_t i;

    for (i = 0; i < (uint64_t)count * words; ++i)
        wrong += buffer[i] != word_at((uint64_t)first * words + i);
}

static double make_requests(long requests)
{
    double start, time, slowest;

    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    while (requests-- > 0) {
        const long count = 1 + below(MOST_BLOCKS);
        const long first = below(blocks - count + 1);
        const MPI_Offset offset = (MPI_Offset)first * block;

        if (below(100) < reads) {
            check(MPI_File_read_at(file, offset, buffer, (int)(count * block), MPI_BYTE, MPI_STATUS_IGNORE), "read");
            verify(first, count);
        } else {
            fill(first, count);
            check(MPI_File_write_at(file, offset, buffer, (int)(count * block), MPI_BYTE, MPI_STATUS_IGNORE), "write");
        }
    }
    time = MPI_Wtime() - start;
    MPI_Allreduce(&time, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

static long number(int argc, char** argv, int place, long fallback, long least)
{
    char* end;
    long value;

    if (argc <= place)
        return fallback;
    value = strtol(argv[place], &end, 10);
    if (*end == '\0' && value >= least)
        return value;
    if (rank == 0)
        fprintf(stderr, "usage: requests [BLOCKS [WARM_UP [MEASURED [READS [BLOCK [FILE]]]]]]\n");
    MPI_Finalize();
    exit(2);
}

int main(int argc, char** argv)
{
    double warming, measuring;
    long i, all_wrong;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    blocks = number(argc, argv, 1, blocks, MOST_BLOCKS);
    warm_up = number(argc, argv, 2, warm_up, 0);
    measured = number(argc, argv, 3, measured, 0);
    reads = number(argc, argv, 4, reads, 0);
    block = number(argc, argv, 5, block, (long)sizeof *buffer) / (long)sizeof *buffer * (long)sizeof *buffer;
    if (argc > 6)
        name = argv[6];
    buffer = malloc((size_t)(MOST_BLOCKS * block));
    if (buffer == NULL)
        MPI_Abort(MPI_COMM_WORLD, 2);
    state = (uint64_t)rank + 1;

    check(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file), "open");
    for (i = rank; i < blocks; i += ranks) {
        fill(i, 1);
        check(MPI_File_write_at(file, (MPI_Offset)i * block, buffer, (int)block, MPI_BYTE, MPI_STATUS_IGNORE), "write");
    }
    warming = make_requests(warm_up);
    measuring = make_requests(measured);
    check(MPI_File_close(&file), "close");

    MPI_Reduce(&wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("requests: %s\n", all_wrong == 0 ? "VERIFICATION SUCCESSFUL" : "VERIFICATION FAILED");
        printf("time to warm up %.6f s\n", warming);
        printf("time of the measured requests %.6f s\n", measuring);
    }
    MPI_Bcast(&all_wrong, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    free(buffer);
    MPI_Finalize();
    return all_wrong == 0 ? 0 : 1;
}
