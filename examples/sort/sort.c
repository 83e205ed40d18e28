/* Sort: a parallel heapsort whose ranks exchange overlaps with their neighbours until there are none, as the workload of the
 * SESAME repository (AFRL-IF-RS-TR-2000-120, section 7.1) does.
 *
 * usage: sort [KEYS [SEED [INPUT OUTPUT [keep]]]]       defaults: 20000 keys in all, seed 1, no files
 *
 * The keys are random doubles. Each rank has its part of them (parts differ in size), sorts it by a heapsort, and then in turn
 * with its right and its left neighbour: both tell their edge, send what overlaps, and merge. How much overlaps the receiver
 * finds out by MPI_Probe. It ends when no pair overlapped. Every rank prints how many keys it holds.
 *
 * With files, the keys are written to INPUT, each rank reads its part of it, and writes its sorted part to OUTPUT; with `keep`,
 * INPUT is sorted as it is, with as many keys as it holds (KEYS and SEED do not count then).
 *
 * Verified: order inside ranks and across their borders, and that the keys are those that were made or read (count, sum, sum of
 * squares of their bits); with files the same of OUTPUT, read back in other parts.
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

static double *keys, *merged, *received;
static int count;
static const char *input, *output;
static int keep_input;
static int received_room;

static struct {
    int rounds;
    long keys_sent, probes;
    double reading, sorting, exchanging, writing;
} statistics;

/* Of any part of the keys; those of parts add up. */
struct summary {
    unsigned long long count, sum, squares;
};

static void* need(size_t bytes)
{
    void* memory = malloc(bytes != 0 ? bytes : 1);

    if (memory == NULL) {
        fprintf(stderr, "sort: rank %d: no memory for %zu bytes\n", rank, bytes);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return memory;
}

static struct summary summarise(const double* values, int number)
{
    struct summary s = {(unsigned long long)number, 0, 0};

    for (int i = 0; i < number; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        s.sum += bits;
        s.squares += bits * bits;
    }
    return s;
}

/* Of all ranks' keys together. */
static struct summary summarise_all(const double* values, int number)
{
    struct summary own = summarise(values, number), all;

    MPI_Allreduce(&own, &all, 3, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static int same(struct summary a, struct summary b)
{
    return a.count == b.count && a.sum == b.sum && a.squares == b.squares;
}

/* Parts grow with the rank: part r has weight ranks + r. */
static long part_begin(int part)
{
    long weight = (long)part * ranks + (long)part * (part - 1) / 2;
    long all = (long)ranks * ranks + (long)ranks * (ranks - 1) / 2;

    return (long)((double)keys_total * (double)weight / (double)all);
}

static void take_part(void)
{
    count = (int)((rank == ranks - 1 ? keys_total : part_begin(rank + 1)) - part_begin(rank));
    keys = need((size_t)count * sizeof *keys);
    merged = need((size_t)count * sizeof *merged);
}

/* Key i is the same on every number of ranks: splitmix64, scaled to [0, 1). */
static void make_keys(void)
{
    for (int i = 0; i < count; i++) {
        uint64_t x = UINT64_C(0x9E3779B97F4A7C15) * ((uint64_t)seed * UINT64_C(1000000007) + (uint64_t)(part_begin(rank) + i) + 1);
        x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
        x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
        keys[i] = (double)((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
    }
}

static void check(int error, const char* what, const char* name)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    if (error == MPI_SUCCESS)
        return;
    MPI_Error_string(error, text, &length);
    fprintf(stderr, "sort: rank %d cannot %s %s: %s\n", rank, what, name, text);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static MPI_File open_file(const char* name, int mode)
{
    MPI_File file;

    check(MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &file), "open", name);
    if (mode & MPI_MODE_CREATE)
        check(MPI_File_set_size(file, 0), "empty", name);
    check(MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL), "set the view of", name);
    return file;
}

static void must_move(const MPI_Status* status, int expected, const char* what, const char* name)
{
    int moved;

    MPI_Get_count(status, MPI_DOUBLE, &moved);
    if (moved != expected) {
        fprintf(stderr, "sort: rank %d cannot %s %s: %d of %d keys moved\n", rank, what, name, moved, expected);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

/* This rank's part, in the order of ranks. */
static void write_part(const char* name)
{
    MPI_File file = open_file(name, MPI_MODE_CREATE | MPI_MODE_WRONLY);
    MPI_Status status;

    check(MPI_File_write_at_all(file, part_begin(rank), keys, count, MPI_DOUBLE, &status), "write", name);
    must_move(&status, count, "write", name);
    check(MPI_File_close(&file), "close", name);
}

static void read_keys(const char* name, long first, double* values, int number)
{
    MPI_File file = open_file(name, MPI_MODE_RDONLY);
    MPI_Status status;

    check(MPI_File_read_at_all(file, first, values, number, MPI_DOUBLE, &status), "read", name);
    must_move(&status, number, "read", name);
    check(MPI_File_close(&file), "close", name);
}

static long keys_in(const char* name)
{
    MPI_File file = open_file(name, MPI_MODE_RDONLY);
    MPI_Offset size;

    check(MPI_File_get_size(file, &size), "ask for the size of", name);
    check(MPI_File_close(&file), "close", name);
    if (size % (MPI_Offset)sizeof(double) != 0) {
        if (rank == 0)
            fprintf(stderr, "sort: %s has %lld bytes: these are no doubles\n", name, (long long)size);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return (long)(size / (MPI_Offset)sizeof(double));
}

/* Reads equal shares of OUTPUT, each with the first key of the next; returns whether they are in order and the keys `expected`. */
static int verify_output(struct summary expected)
{
    long first = keys_total * rank / ranks, end = keys_total * (rank + 1) / ranks;
    int number = (int)(end - first), more = end < keys_total, good = keys_in(output) == keys_total;
    double* values = need((size_t)(number + more) * sizeof *values);

    if (good) {
        read_keys(output, first, values, number + more);
        for (int i = 1; i < number + more; i++)
            good = good && values[i - 1] <= values[i];
        good = same(summarise_all(values, number), expected) && good;
    }
    free(values);
    return good;
}

static void sift_down(double* heap, int root, int size)
{
    double key = heap[root];

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
        double largest = keys[0];
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
    MPI_Get_count(&status, MPI_DOUBLE, &length);
    statistics.probes++;
    if (length > received_room) {
        free(received);
        received_room = length;
        received = need((size_t)length * sizeof *received);
    }
    MPI_Recv(received, length, MPI_DOUBLE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
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
    int to_right = neighbour > rank, length, first, sent;
    double edge = 0;

    if (count > 0)
        edge = to_right ? keys[count - 1] : keys[0];
    MPI_Isend(&edge, count > 0, MPI_DOUBLE, neighbour, TAG_EDGE, MPI_COMM_WORLD, &request);
    length = receive_some(neighbour, TAG_EDGE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (length == 0 || count == 0)
        return 0;
    double other_edge = received[0];
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
    MPI_Isend(keys + first, sent, MPI_DOUBLE, neighbour, TAG_OVERLAP, MPI_COMM_WORLD, &request);
    length = receive_some(neighbour, TAG_OVERLAP);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (to_right)
        keep_smallest(length);
    else
        keep_largest(length);
    double* swap = keys;
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

/* Rank 0 collects every rank's smallest and largest key, of ranks that have some, in the order in which they come. */
static int verify_borders(void)
{
    double report[2] = {0, 0}, last = -1;
    int faults = 0;

    for (int i = 1; i < count; i++)
        faults += keys[i - 1] > keys[i];
    if (count > 0) {
        report[0] = keys[0];
        report[1] = keys[count - 1];
    }
    if (rank != 0) {
        MPI_Send(report, count > 0 ? 2 : 0, MPI_DOUBLE, 0, TAG_REPORT, MPI_COMM_WORLD);
        return faults;
    }
    double(*reports)[2] = need((size_t)ranks * sizeof *reports);
    int* lengths = need((size_t)ranks * sizeof *lengths);
    memcpy(reports[0], report, sizeof report);
    lengths[0] = count > 0 ? 2 : 0;
    for (int i = 1; i < ranks; i++) {
        MPI_Status status;
        int length;
        MPI_Probe(MPI_ANY_SOURCE, TAG_REPORT, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_DOUBLE, &length);
        MPI_Recv(reports[status.MPI_SOURCE], length, MPI_DOUBLE, status.MPI_SOURCE, TAG_REPORT, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        lengths[status.MPI_SOURCE] = length;
    }
    for (int r = 0; r < ranks; r++) {
        if (lengths[r] == 0)
            continue;
        faults += reports[r][0] < last;
        last = reports[r][1];
    }
    free(reports);
    free(lengths);
    return faults;
}

/* The keys of this rank, made or read; returns their summary over all ranks. */
static struct summary get_keys(void)
{
    struct summary made = {0, 0, 0};

    if (keep_input)
        keys_total = keys_in(input);
    take_part();
    if (!keep_input) {
        make_keys();
        made = summarise_all(keys, count);
        if (input == NULL)
            return made;
        write_part(input);
        memset(keys, 0, (size_t)count * sizeof *keys);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    read_keys(input, part_begin(rank), keys, count);
    statistics.reading = MPI_Wtime() - start;
    struct summary read = summarise_all(keys, count);
    if (!keep_input && !same(read, made) && rank == 0)
        printf("sort: %s does not hold the keys that were written\n", input);
    return keep_input ? read : made;
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
    if (argc > 4) {
        input = argv[3];
        output = argv[4];
    }
    keep_input = argc > 5 && strcmp(argv[5], "keep") == 0;
    if (keys_total < 0 || keys_total > 1000000000 || argc == 4 || (argc > 5 && !keep_input)) {
        if (rank == 0)
            fprintf(stderr, "usage: sort [KEYS [SEED [INPUT OUTPUT [keep]]]]   with KEYS up to 1000000000\n");
        MPI_Finalize();
        return 2;
    }
    struct summary given = get_keys();

    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    heapsort_keys();
    statistics.sorting = MPI_Wtime() - start;
    exchange_until_none();
    statistics.exchanging = MPI_Wtime() - start - statistics.sorting;
    if (output != NULL) {
        start = MPI_Wtime();
        write_part(output);
        statistics.writing = MPI_Wtime() - start;
    }

    int faults = verify_borders();
    faults += !same(summarise_all(keys, count), given);
    if (output != NULL)
        faults += !verify_output(given);
    MPI_Allreduce(MPI_IN_PLACE, &faults, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

    printf("sort: rank %d holds %d keys, the middle one is %.6f, sent %ld in %d rounds\n", rank, count,
           count > 0 ? keys[count / 2] : -1, statistics.keys_sent, statistics.rounds);
    double times[4] = {statistics.reading, statistics.sorting, statistics.exchanging, statistics.writing}, slowest[4];
    long probes;
    MPI_Reduce(times, slowest, 4, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&statistics.probes, &probes, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("sort: %ld keys on %d ranks, %ld probes\n", keys_total, ranks, probes);
        if (input != NULL)
            printf("sort: from %s to %s\n", input, output);
        printf("time in seconds: read %.6f, heapsort %.6f, exchange %.6f, write %.6f\n", slowest[0], slowest[1], slowest[2],
               slowest[3]);
        printf("sort: %s\n", faults == 0 ? "VERIFICATION SUCCESSFUL" : "VERIFICATION FAILED");
    }
    free(keys);
    free(merged);
    free(received);
    MPI_Finalize();
    return faults == 0 ? 0 : 1;
}
