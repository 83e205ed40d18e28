/* IS, the integer sort of the NAS parallel benchmarks, from its specification (NAS-94-007, 2.5; sizes as in NPB 3).
 *
 * usage: is [S|W|A|B]        default: class S, or what -DCLASS='"W"' says when it is compiled
 *
 * Ranks keys ten times by a bucket sort: ranks agree on the sizes of the buckets (MPI_Allreduce), deal the buckets out so
 * that each gets about the same number of keys, exchange the keys (MPI_Alltoall of counts, MPI_Alltoallv of keys) and
 * count. Runs on any number of ranks. Every ranking is verified against five official ranks, the last one by sorting.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CLASS
#define CLASS "S"
#endif

#define ITERATIONS 10
#define TESTS 5
#define MAX_BUCKETS 1024
#define MODULUS_MASK ((UINT64_C(1) << 46) - 1)
#define MULTIPLIER UINT64_C(1220703125) /* 5^13 */
#define SEED UINT64_C(314159265)

typedef int key_type;

/* The rank of test key i in iteration k: rank[i] + sign[i] * (k + shift[i]). */
static const struct problem {
    char name;
    int keys_log, largest_log, buckets_log;
    long index[TESTS], rank[TESTS];
    int sign[TESTS], shift[TESTS];
} problems[] = {
    {'S', 16, 11, 9, {48427, 17148, 23627, 62548, 4431}, {0, 18, 346, 64917, 65463}, {1, 1, 1, -1, -1}, {0, 0, 0, 0, 0}},
    {'W', 20, 16, 10, {357773, 934767, 875723, 898999, 404505}, {1249, 11698, 1039987, 1043896, 1048018},
     {1, 1, -1, -1, -1}, {-2, -2, 0, 0, 0}},
    {'A', 23, 19, 10, {2112377, 662041, 5336171, 3642833, 4250760}, {104, 17523, 123928, 8288932, 8388264},
     {1, 1, 1, -1, -1}, {-1, -1, -1, -1, -1}},
    {'B', 25, 21, 10, {41869, 812306, 5102857, 18232239, 26860214}, {33422937, 10244, 59149, 33135281, 99},
     {-1, 1, 1, -1, 1}, {0, 0, 0, 0, 0}},
};

static int rank, ranks;
static const struct problem* problem;
static int buckets, bucket_shift;
static long keys_total, first_key, keys_here;
static long largest_key;

static key_type *keys, *keys_sorted_by_bucket, *keys_received;
static long received_room;
static int* occurrences; /* of each key value of this rank's buckets, summed up in place */
static long occurrences_room;

static int bucket_size[MAX_BUCKETS], bucket_size_total[MAX_BUCKETS];
static int bucket_start[MAX_BUCKETS + 1];
static int *send_count, *send_place, *receive_count, *receive_place;
static int first_bucket, last_bucket; /* of this rank; none if last < first */
static long keys_below, keys_mine;    /* smaller keys that other ranks hold; keys that came here */

static key_type test_keys[TESTS];
static int passed;

static void* need(size_t bytes)
{
    void* memory = calloc(1, bytes != 0 ? bytes : 1);

    if (memory == NULL) {
        fprintf(stderr, "is: rank %d: no memory for %zu bytes\n", rank, bytes);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return memory;
}

static uint64_t power(uint64_t a, uint64_t n)
{
    uint64_t result = 1;

    for (; n != 0; n >>= 1, a = (a * a) & MODULUS_MASK)
        if (n & 1)
            result = (result * a) & MODULUS_MASK;
    return result;
}

/* Each key is the mean of four random numbers, scaled to the largest key. */
static void make_keys(void)
{
    uint64_t x = (SEED * power(MULTIPLIER, (uint64_t)first_key * 4)) & MODULUS_MASK;
    double quarter = (double)(largest_key / 4);

    for (long i = 0; i < keys_here; i++) {
        double sum = 0;
        for (int k = 0; k < 4; k++) {
            x = (x * MULTIPLIER) & MODULUS_MASK;
            sum += (double)x * 0x1p-46;
        }
        keys[i] = (key_type)(quarter * sum);
    }
}

static void set_key(long index, key_type value)
{
    if (index >= first_key && index < first_key + keys_here)
        keys[index - first_key] = value;
}

/* Every rank learns the values of the test keys. */
static void fetch_test_keys(void)
{
    key_type mine[TESTS];

    for (int i = 0; i < TESTS; i++) {
        long at = problem->index[i] - first_key;
        mine[i] = at >= 0 && at < keys_here ? keys[at] : 0;
    }
    MPI_Allreduce(mine, test_keys, TESTS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void sort_by_bucket(void)
{
    int place[MAX_BUCKETS];

    memset(bucket_size, 0, sizeof bucket_size);
    for (long i = 0; i < keys_here; i++)
        bucket_size[keys[i] >> bucket_shift]++;
    bucket_start[0] = 0;
    for (int b = 0; b < buckets; b++) {
        place[b] = bucket_start[b];
        bucket_start[b + 1] = bucket_start[b] + bucket_size[b];
    }
    for (long i = 0; i < keys_here; i++)
        keys_sorted_by_bucket[place[keys[i] >> bucket_shift]++] = keys[i];
}

/* Bucket b goes to the rank in whose even share of all keys the bucket's first key falls. */
static void deal_buckets(void)
{
    long before = 0;

    first_bucket = buckets;
    last_bucket = -1;
    keys_below = keys_mine = 0;
    memset(send_count, 0, (size_t)ranks * sizeof *send_count);
    for (int b = 0; b < buckets; b++) {
        int owner = (int)(before * ranks / keys_total);
        if (owner >= ranks)
            owner = ranks - 1;
        send_count[owner] += bucket_size[b];
        if (owner == rank) {
            if (last_bucket < 0) {
                first_bucket = b;
                keys_below = before;
            }
            last_bucket = b;
            keys_mine += bucket_size_total[b];
        }
        before += bucket_size_total[b];
    }
}

static void exchange_keys(void)
{
    MPI_Alltoall(send_count, 1, MPI_INT, receive_count, 1, MPI_INT, MPI_COMM_WORLD);
    send_place[0] = receive_place[0] = 0;
    for (int r = 1; r < ranks; r++) {
        send_place[r] = send_place[r - 1] + send_count[r - 1];
        receive_place[r] = receive_place[r - 1] + receive_count[r - 1];
    }
    if (keys_mine > received_room) {
        free(keys_received);
        received_room = keys_mine + keys_mine / 8;
        keys_received = need((size_t)received_room * sizeof *keys_received);
    }
    MPI_Alltoallv(keys_sorted_by_bucket, send_count, send_place, MPI_INT, keys_received, receive_count, receive_place,
                  MPI_INT, MPI_COMM_WORLD);
}

/* After this, occurrences[k] is the number of keys here that are at most (first key value of this rank) + k. */
static void count_keys(void)
{
    long values = last_bucket < first_bucket ? 0 : (long)(last_bucket - first_bucket + 1) << bucket_shift;
    key_type base = (key_type)((long)first_bucket << bucket_shift);

    if (values > occurrences_room) {
        free(occurrences);
        occurrences_room = values;
        occurrences = need((size_t)occurrences_room * sizeof *occurrences);
    }
    memset(occurrences, 0, (size_t)values * sizeof *occurrences);
    for (long i = 0; i < keys_mine; i++)
        occurrences[keys_received[i] - base]++;
    for (long k = 1; k < values; k++)
        occurrences[k] += occurrences[k - 1];
}

static void verify_ranks(int iteration)
{
    for (int i = 0; i < TESTS; i++) {
        key_type key = test_keys[i];
        int bucket = key >> bucket_shift;
        if (key <= 0 || bucket < first_bucket || bucket > last_bucket)
            continue;
        long k = key - ((long)first_bucket << bucket_shift);
        long found = keys_below + (k > 0 ? occurrences[k - 1] : 0);
        if (found == problem->rank[i] + problem->sign[i] * (iteration + problem->shift[i]))
            passed++;
        else
            printf("is: iteration %d, test %d: rank %ld is wrong\n", iteration, i, found);
    }
}

static void rank_keys(int iteration)
{
    set_key(iteration, iteration);
    set_key(iteration + ITERATIONS, (key_type)(largest_key - iteration));
    fetch_test_keys();
    sort_by_bucket();
    MPI_Allreduce(bucket_size, bucket_size_total, buckets, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    deal_buckets();
    exchange_keys();
    count_keys();
    verify_ranks(iteration);
}

/* Puts the keys in order by their ranks; counts places where a key is smaller than its predecessor, here or on the
 * previous rank that has any. */
static long verify_order(void)
{
    key_type* sorted = need((size_t)keys_mine * sizeof *sorted);
    key_type base = (key_type)((long)first_bucket << bucket_shift), edge = -1, previous = -1;
    long wrong = 0, sum_wrong, all;

    for (long i = 0; i < keys_mine; i++)
        sorted[--occurrences[keys_received[i] - base]] = keys_received[i];
    if (keys_mine > 0)
        edge = sorted[keys_mine - 1];
    MPI_Exscan(&edge, &previous, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        previous = -1;
    for (long i = 0; i < keys_mine; i++) {
        if (sorted[i] < previous)
            wrong++;
        previous = sorted[i];
    }
    free(sorted);
    MPI_Allreduce(&wrong, &sum_wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&keys_mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return sum_wrong + (all != keys_total);
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char* class_name = argc > 1 ? argv[1] : CLASS;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        if (problems[i].name == class_name[0] && class_name[1] == '\0')
            problem = &problems[i];
    if (problem == NULL) {
        if (rank == 0)
            fprintf(stderr, "is: unknown class '%s'; S, W, A and B are known\n", class_name);
        MPI_Finalize();
        return 2;
    }

    keys_total = 1L << problem->keys_log;
    largest_key = 1L << problem->largest_log;
    buckets = 1 << problem->buckets_log;
    bucket_shift = problem->largest_log - problem->buckets_log;
    first_key = keys_total * rank / ranks;
    keys_here = keys_total * (rank + 1) / ranks - first_key;
    keys = need((size_t)keys_here * sizeof *keys);
    keys_sorted_by_bucket = need((size_t)keys_here * sizeof *keys);
    send_count = need(4 * (size_t)ranks * sizeof *send_count);
    send_place = send_count + ranks;
    receive_count = send_place + ranks;
    receive_place = receive_count + ranks;

    make_keys();
    rank_keys(1); /* touches all memory, untimed */
    passed = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int iteration = 1; iteration <= ITERATIONS; iteration++)
        rank_keys(iteration);
    double elapsed = MPI_Wtime() - start, slowest;
    MPI_Reduce(&elapsed, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);

    long wrong = verify_order();
    MPI_Allreduce(MPI_IN_PLACE, &passed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    int good = wrong == 0 && passed == ITERATIONS * TESTS;
    if (rank == 0) {
        printf("is: class %c, %ld keys below %ld on %d ranks\n", problem->name, keys_total, largest_key, ranks);
        printf("is: %d of %d partial verifications passed, %ld keys out of order\n", passed, ITERATIONS * TESTS, wrong);
        printf("time in seconds: %.6f\n", slowest);
        printf("is: %s\n", good ? "VERIFICATION SUCCESSFUL" : "VERIFICATION FAILED");
    }
    free(keys);
    free(keys_sorted_by_bucket);
    free(keys_received);
    free(occurrences);
    free(send_count);
    MPI_Finalize();
    return good ? 0 : 1;
}
