/* Iow: the file system benchmark of the SESAME repository (AFRL-IF-RS-TR-2000-120, sections 6.4.1 and 7.4.4, figure 6.3), over
 * MPI-IO: how long does each access of a file take, by size of the record?
 *
 * usage: iow [KEY=VALUE ...]
 *   fm=creat|write|read    what is done to each file; several with + between them, in that order. default: creat
 *   nio=N                  accesses of each file; record g is that of rank g modulo the number of ranks. default: 64
 *   sio=BYTES              size of an access. default: 4096
 *   bio=BYTES, str=BYTES   where record 0 begins, and how far a record is from the next. default: 0, sio
 *   bf=N, nf=N             number of the first file, and how many. default: 0, 1
 *   wd=DIRECTORY           where the files iow-N.dat are. default: .
 *   cc=BYTES               before each file, writes and reads a file of that size to fill the caches with. default: 0
 *   mt=0|1|2               timings of rank 0, of every rank, of every access. default: 0
 *   rm=0|1                 removes the files at the end. default: 0
 *   check=0|1              reads back and compares what was written, after the timing. default: 1
 *
 * Lines that begin with `time` hold stamps in seconds since the start of the program, durations in microseconds (totals in
 * milliseconds). Verified: what is read is what was written, also by an earlier run with the same str, bio and sio.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum mode { CREAT, WRITE, READ, MODES };
#define MAX_PHASES 8
#define SHIFTS 251 /* contents of records differ by where in the pattern they begin */

static const char* mode_names[MODES] = {"creat", "write", "read"};

static int rank, ranks;
static enum mode phases[MAX_PHASES] = {CREAT};
static int phase_count = 1;
static long nio = 64, sio = 4096, bio = 0, str = -1, bf = 0, nf = 1, cc = 0, mt = 0, rm = 0, verify = 1;
static const char* wd = ".";

static double program_start;
static char *pattern, *buffer;
static long wrong_records;

static struct timing {
    double start, cache, cache_cleared, malloc, malloced, open, opened, io_start, io_end, end;
} timing;

static long own_nio; /* records of this rank */
static double* access_times;

static double now(void)
{
    return MPI_Wtime() - program_start;
}

static void check(int error, const char* what, const char* name)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    if (error == MPI_SUCCESS)
        return;
    MPI_Error_string(error, text, &length);
    fprintf(stderr, "iow: rank %d cannot %s %s: %s\n", rank, what, name, text);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static void* need(long bytes)
{
    void* memory = malloc(bytes > 0 ? (size_t)bytes : 1);

    if (memory == NULL) {
        fprintf(stderr, "iow: rank %d: no memory for %ld bytes\n", rank, bytes);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return memory;
}

static void make_pattern(void)
{
    pattern = need(sio + SHIFTS);
    for (long i = 0; i < sio + SHIFTS; i++)
        pattern[i] = (char)(i % SHIFTS + i / SHIFTS);
}

/* What record g of a file holds. */
static char* content(long number, long g)
{
    return pattern + (7 * number + g) % SHIFTS;
}

static MPI_Offset place(long g)
{
    return bio + (MPI_Offset)g * str;
}

static void must_move(const MPI_Status* status, const char* what, const char* name)
{
    int count;

    MPI_Get_count(status, MPI_BYTE, &count);
    if (count != sio) {
        fprintf(stderr, "iow: rank %d cannot %s %s: %d of %ld bytes moved\n", rank, what, name, count, sio);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

/* The rank's records one after the other; each access is timed. */
static void access_records(MPI_File file, const char* name, long number, int write)
{
    MPI_Status status;

    for (long i = 0; i < own_nio; i++) {
        long g = i * ranks + rank;
        double begin = MPI_Wtime();
        if (write)
            check(MPI_File_write_at(file, place(g), content(number, g), (int)sio, MPI_BYTE, &status), "write", name);
        else
            check(MPI_File_read_at(file, place(g), buffer, (int)sio, MPI_BYTE, &status), "read", name);
        access_times[i] = 1e6 * (MPI_Wtime() - begin);
        must_move(&status, write ? "write" : "read", name);
        if (!write)
            wrong_records += memcmp(buffer, content(number, g), (size_t)sio) != 0;
    }
}

/* Writes and reads a file that is not looked at any more. */
static void fill_caches(void)
{
    enum { CHUNK = 65536 };
    char name[1024];
    MPI_File file;

    if (cc == 0)
        return;
    snprintf(name, sizeof name, "%s/iow-cache.dat", wd);
    char* chunk = need(CHUNK);
    memset(chunk, 0, CHUNK);
    check(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file),
          "open", name);
    for (int write = 1; write >= 0; write--) {
        for (long at = (long)rank * CHUNK; at < cc; at += (long)ranks * CHUNK) {
            int bytes = (int)(cc - at < CHUNK ? cc - at : CHUNK);
            if (write)
                check(MPI_File_write_at(file, at, chunk, bytes, MPI_BYTE, MPI_STATUS_IGNORE), "write", name);
            else
                check(MPI_File_read_at(file, at, chunk, bytes, MPI_BYTE, MPI_STATUS_IGNORE), "read", name);
        }
        check(MPI_File_sync(file), "write", name);
    }
    check(MPI_File_close(&file), "close", name);
    free(chunk);
}

/* What all ranks have measured, on rank 0. */
static void tell_times(long number, enum mode mode)
{
    int *counts = need(ranks * (long)sizeof(int)), *begins = need(ranks * (long)sizeof(int)), count = (int)own_nio;
    struct timing* all = need(ranks * (long)sizeof *all);
    double total = timing.io_end - timing.open, slowest;
    double* times = need(nio * (long)sizeof *times);
    const int members = sizeof(struct timing) / sizeof(double);

    MPI_Gather(&timing, members, MPI_DOUBLE, all, members, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Gather(&count, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Reduce(&total, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int r = 0; r < ranks; r++)
            begins[r] = r == 0 ? 0 : begins[r - 1] + counts[r - 1];
    MPI_Gatherv(access_times, count, MPI_DOUBLE, times, counts, begins, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int r = 0; rank == 0 && r < (mt > 0 ? ranks : 1); r++) {
        const struct timing* t = &all[r];
        printf("time: file %ld %s, rank %d: start %.6f, cache clear %.6f + %.1f us, malloc %.6f + %.1f us, open %.6f + %.1f us, "
               "I/O %.6f to %.6f, total %.3f ms, end %.6f\n",
               number, mode_names[mode], r, t->start, t->cache, 1e6 * (t->cache_cleared - t->cache), t->malloc,
               1e6 * (t->malloced - t->malloc), t->open, 1e6 * (t->opened - t->open), t->io_start, t->io_end,
               1e3 * (t->io_end - t->io_start), t->end);
        for (int i = 0; mt > 1 && i < counts[r]; i++)
            printf("time: file %ld %s, record %d of rank %d: %.1f us\n", number, mode_names[mode], i * ranks + r, r,
                   times[begins[r] + i]);
    }
    if (rank == 0)
        printf("time: file %ld %s: %.6f s with opening, %.1f bytes/s\n", number, mode_names[mode], slowest,
               slowest > 0 ? (double)nio * (double)sio / slowest : 0.0);
    free(counts);
    free(begins);
    free(all);
    free(times);
}

static void name_of(long number, char name[1024])
{
    snprintf(name, 1024, "%s/iow-%ld.dat", wd, number);
}

static void measure(long number, enum mode mode)
{
    char name[1024];
    MPI_File file;

    name_of(number, name);
    MPI_Barrier(MPI_COMM_WORLD);
    timing.start = timing.cache = now();
    fill_caches();
    timing.cache_cleared = timing.malloc = now();
    buffer = need(sio);
    timing.malloced = now();
    MPI_Barrier(MPI_COMM_WORLD);
    timing.open = now();
    check(MPI_File_open(MPI_COMM_WORLD, name,
                        mode == CREAT   ? MPI_MODE_CREATE | MPI_MODE_WRONLY
                        : mode == WRITE ? MPI_MODE_WRONLY
                                        : MPI_MODE_RDONLY,
                        MPI_INFO_NULL, &file),
          "open", name);
    if (mode == CREAT)
        check(MPI_File_set_size(file, 0), "empty", name);
    timing.opened = timing.io_start = now();
    access_records(file, name, number, mode != READ);
    if (mode != READ)
        check(MPI_File_sync(file), "write", name);
    timing.io_end = now();
    check(MPI_File_close(&file), "close", name);
    timing.end = now();
    if (rank == 0)
        printf("iow: file %ld: %s, %ld records of %ld bytes, one every %ld bytes from %ld on\n", number, mode_names[mode], nio,
               sio, str, bio);
    tell_times(number, mode);
    free(buffer);
}

/* Reads and compares the records of all files. */
static void verify_files(void)
{
    char name[1024];
    MPI_File file;

    buffer = need(sio);
    for (long number = bf; number < bf + nf; number++) {
        name_of(number, name);
        check(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file), "open", name);
        access_records(file, name, number, 0);
        check(MPI_File_close(&file), "close", name);
    }
    free(buffer);
}

static int understand_phases(const char* text)
{
    phase_count = 0;
    for (;;) {
        size_t length = strcspn(text, "+");
        enum mode mode;
        for (mode = 0; mode < MODES; mode++)
            if (strlen(mode_names[mode]) == length && strncmp(text, mode_names[mode], length) == 0)
                break;
        if (mode == MODES || phase_count == MAX_PHASES)
            return 0;
        phases[phase_count++] = mode;
        if (text[length] == '\0')
            return 1;
        text += length + 1;
    }
}

static int understand(int argc, char** argv)
{
    static const struct {
        const char* key;
        long* value;
        long least;
    } numbers[] = {{"nio", &nio, 1}, {"sio", &sio, 1}, {"bio", &bio, 0}, {"str", &str, 1}, {"bf", &bf, 0}, {"nf", &nf, 1},
                   {"cc", &cc, 0},   {"mt", &mt, 0},   {"rm", &rm, 0},   {"check", &verify, 0}};
    const size_t known = sizeof numbers / sizeof numbers[0];

    for (int i = 1; i < argc; i++) {
        const char* equals = strchr(argv[i], '=');
        if (equals == NULL)
            return 0;
        size_t length = (size_t)(equals - argv[i]), k;
        if (length == 2 && strncmp(argv[i], "fm", 2) == 0) {
            if (!understand_phases(equals + 1))
                return 0;
        } else if (length == 2 && strncmp(argv[i], "wd", 2) == 0)
            wd = equals + 1;
        else {
            for (k = 0; k < known; k++)
                if (strlen(numbers[k].key) == length && strncmp(argv[i], numbers[k].key, length) == 0)
                    break;
            if (k == known)
                return 0;
            *numbers[k].value = atol(equals + 1);
            if (*numbers[k].value < numbers[k].least)
                return 0;
        }
    }
    if (str < 0)
        str = sio;
    return str >= sio && sio <= 1 << 30 && nio <= 1 << 24;
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    program_start = MPI_Wtime();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (!understand(argc, argv)) {
        if (rank == 0)
            fprintf(stderr, "usage: iow [fm=creat|write|read[+...]] [nio=N] [sio=BYTES] [bio=BYTES] [str=BYTES] [bf=N] [nf=N]\n"
                            "           [wd=DIRECTORY] [cc=BYTES] [mt=0|1|2] [rm=0|1] [check=0|1]   with str at least sio\n");
        MPI_Finalize();
        return 2;
    }
    own_nio = nio / ranks + (rank < nio % ranks);
    access_times = need(own_nio * (long)sizeof *access_times);
    make_pattern();
    for (long number = bf; number < bf + nf; number++)
        for (int p = 0; p < phase_count; p++)
            measure(number, phases[p]);
    if (verify)
        verify_files();

    long all_wrong = 0;
    MPI_Allreduce(&wrong_records, &all_wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (long number = bf; rank == 0 && rm && number < bf + nf; number++) {
        char name[1024];
        name_of(number, name);
        check(MPI_File_delete(name, MPI_INFO_NULL), "remove", name);
    }
    if (rank == 0)
        printf("iow: %s\n", all_wrong != 0                            ? "VERIFICATION FAILED"
                            : verify || phases[phase_count - 1] == READ ? "VERIFICATION SUCCESSFUL"
                                                                        : "not verified");
    free(access_times);
    free(pattern);
    MPI_Finalize();
    return all_wrong == 0 ? 0 : 1;
}
