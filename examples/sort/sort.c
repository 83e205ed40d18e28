/* Sort: a parallel heapsort whose ranks exchange overlaps with their neighbours until there are none.
 *
 * usage: sort [KEYS [SEED]]        defaults: 20000 keys in all, seed 1
 *
 * Each rank makes its part of the keys (parts differ in size), sorts it by a heapsort, and then in turn with its right and
 * its left neighbour: both tell their edge, send what overlaps, and merge. How much overlaps the receiver finds out by
 * MPI_Probe. It ends when no pair overlapped. Every rank prints how many keys it holds. Verified: order inside ranks and
 * across their borders, and that the keys are those that were made (count, sum, sum of squares).
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_EDGE = 10, TAG_OVERLAP = 20, TAG_REPORT = 30 };

static int rank, ranks;
static long keys_total = 20000;
static unsigned seed = 1;

static int *keys, *merged, *received;
static int count;
static int received_room;

static struct {
    int rounds;
    long keys_sent, probes;
    double sorting, exchanging;
} statistics;

static struct summary {
    long long count;
    unsigned long long sum, squares;
} made, found;

static void* need(size_t bytes)
{
    void* memory = malloc(bytes != 0 ? bytes : 1);

    if (memory == NULL) {
        fprintf(stderr, "sort: rank %d: no memory for %zu bytes\n", rank, bytes);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return memory;
}

static struct summary summarise(void)
{
    struct summary s = {count, 0, 0};

    for (int i = 0; i < count; i++) {
        s.sum += (unsigned long long)keys[i];
        s.squares += (unsigned long long)keys[i] * (unsigned long long)keys[i];
    }
    return s;
}

/* Parts grow with the rank: part r has weight ranks + r. */
static long part_begin(int part)
{
    long weight = (long)part * ranks + (long)part * (part - 1) / 2;
    long all = (long)ranks * ranks + (long)ranks * (ranks - 1) / 2;

    return (long)((double)keys_total * (double)weight / (double)all);
}

static void make_keys(void)
{
    uint64_t state = UINT64_C(0x9E3779B97F4A7C15) * (seed + 1000003u * (unsigned)rank + 1u);

    count = (int)((rank == ranks - 1 ? keys_total : part_begin(rank + 1)) - part_begin(rank));
    keys = need((size_t)count * sizeof *keys);
    merged = need((size_t)count * sizeof *merged);
    for (int i = 0; i < count; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        keys[i] = (int)(state >> 33) % 1000000;
    }
}

static void sift_down(int* heap, int root, int size)
{
    int key = heap[root];

    for (;;) {
        int child = 2 * root + 1;
        if (child >= size)
            break;
        if (child + 1 < size && heap[child + 1] > heap[child])
            child++;
        if (heap[child] <= key)
            break;
        heap[root] = heap[child];
        root = child;
    }
    heap[root] = key;
}

static void heapsort_keys(void)
{
    for (int root = count / 2 - 1; root >= 0; root--)
        sift_down(keys, root, count);
    for (int last = count - 1; last > 0; last--) {
        int largest = keys[0];
        keys[0] = keys[last];
        keys[last] = largest;
        sift_down(keys, 0, last);
    }
}

/* Receives a message of unknown length into `received`; returns its length. */
static int receive_some(int source, int tag)
{
    MPI_Status status;
    int length;

    MPI_Probe(source, tag, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &length);
    statistics.probes++;
    if (length > received_room) {
        free(received);
        received_room = length;
        received = need((size_t)length * sizeof *received);
    }
    MPI_Recv(received, length, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return length;
}

/* The smallest `count` of own and received keys stay here. */
static void keep_smallest(int length)
{
    int mine = 0, other = 0;

    for (int i = 0; i < count; i++)
        merged[i] = other == length || (mine < count && keys[mine] <= received[other]) ? keys[mine++] : received[other++];
}

static void keep_largest(int length)
{
    int mine = count - 1, other = length - 1;

    for (int i = count - 1; i >= 0; i--)
        merged[i] = other < 0 || (mine >= 0 && keys[mine] >= received[other]) ? keys[mine--] : received[other--];
}

/* Exchanges what overlaps with a neighbour; returns whether anything did. */
static int exchange(int neighbour)
{
    MPI_Request request;
    int to_right = neighbour > rank, edge = 0, length, first, sent;

    if (count > 0)
        edge = to_right ? keys[count - 1] : keys[0];
    MPI_Isend(&edge, count > 0, MPI_INT, neighbour, TAG_EDGE, MPI_COMM_WORLD, &request);
    length = receive_some(neighbour, TAG_EDGE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (length == 0 || count == 0)
        return 0;
    int other_edge = received[0];
    if (to_right ? edge <= other_edge : other_edge <= edge)
        return 0;

    if (to_right) { /* all that is larger than the smallest over there */
        for (first = count; first > 0 && keys[first - 1] > other_edge; first--)
            ;
        sent = count - first;
    } else {
        first = 0;
        for (sent = 0; sent < count && keys[sent] < other_edge; sent++)
            ;
    }
    MPI_Isend(keys + first, sent, MPI_INT, neighbour, TAG_OVERLAP, MPI_COMM_WORLD, &request);
    length = receive_some(neighbour, TAG_OVERLAP);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (to_right)
        keep_smallest(length);
    else
        keep_largest(length);
    int* swap = keys;
    keys = merged;
    merged = swap;
    statistics.keys_sent += sent;
    return 1;
}

static void exchange_until_none(void)
{
    int any = 1;

    while (any) {
        int overlapped = 0;
        for (int phase = 0; phase < 2; phase++) {
            int neighbour = (rank + phase) % 2 == 0 ? rank + 1 : rank - 1;
            if (neighbour >= 0 && neighbour < ranks)
                overlapped |= exchange(neighbour);
        }
        statistics.rounds++;
        MPI_Allreduce(&overlapped, &any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    }
}

/* Rank 0 collects every rank's count, smallest and largest key, in the order in which they come. */
static int verify_borders(void)
{
    int report[3] = {count, 0, 0}, faults = 0, last = -1;

    for (int i = 1; i < count; i++)
        faults += keys[i - 1] > keys[i];
    if (count > 0) {
        report[1] = keys[0];
        report[2] = keys[count - 1];
    }
    if (rank != 0) {
        MPI_Send(report, count > 0 ? 3 : 1, MPI_INT, 0, TAG_REPORT, MPI_COMM_WORLD);
        return faults;
    }
    int(*reports)[3] = need((size_t)ranks * sizeof *reports);
    memset(reports, 0, (size_t)ranks * sizeof *reports);
    memcpy(reports[0], report, sizeof report);
    for (int i = 1; i < ranks; i++) {
        MPI_Status status;
        int length;
        MPI_Probe(MPI_ANY_SOURCE, TAG_REPORT, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &length);
        MPI_Recv(reports[status.MPI_SOURCE], length, MPI_INT, status.MPI_SOURCE, TAG_REPORT, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
    for (int r = 0; r < ranks; r++) {
        if (reports[r][0] == 0)
            continue;
        faults += reports[r][1] < last;
        last = reports[r][2];
    }
    free(reports);
    return faults;
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1)
        keys_total = atol(argv[1]);
    if (argc > 2)
        seed = (unsigned)atoi(argv[2]);
    if (keys_total < 0 || keys_total > 1000000000) {
        if (rank == 0)
            fprintf(stderr, "usage: sort [KEYS [SEED]]   with KEYS up to 1000000000\n");
        MPI_Finalize();
        return 2;
    }
    make_keys();
    made = summarise();

    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    heapsort_keys();
    statistics.sorting = MPI_Wtime() - start;
    exchange_until_none();
    statistics.exchanging = MPI_Wtime() - start - statistics.sorting;

    found = summarise();
    int faults = verify_borders();
    unsigned long long difference[3] = {(unsigned long long)(found.count - made.count), found.sum - made.sum,
                                        found.squares - made.squares};
    MPI_Allreduce(MPI_IN_PLACE, difference, 3, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &faults, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    int good = faults == 0 && difference[0] == 0 && difference[1] == 0 && difference[2] == 0;

    printf("sort: rank %d holds %d keys, the middle one is %d, sent %ld in %d rounds\n", rank, count,
           count > 0 ? keys[count / 2] : -1, statistics.keys_sent, statistics.rounds);
    double times[2] = {statistics.sorting, statistics.exchanging}, slowest[2];
    long probes;
    MPI_Reduce(times, slowest, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&statistics.probes, &probes, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("sort: %ld keys on %d ranks, %ld probes\n", keys_total, ranks, probes);
        printf("time in seconds: heapsort %.6f, exchange %.6f\n", slowest[0], slowest[1]);
        printf("sort: %s\n", good ? "VERIFICATION SUCCESSFUL" : "VERIFICATION FAILED");
    }
    free(keys);
    free(merged);
    free(received);
    MPI_Finalize();
    return good ? 0 : 1;
}
