/* The access pattern of IOR: every rank writes and reads `segments` blocks, each in transfers of a given size, by POSIX
 * calls or MPI-IO, in a file of its own or in one file for all.
 *
 * usage: iorlike [KEY=VALUE ...]
 *   api=posix|mpiio        default: posix
 *   files=own|one          a file for each rank, or one for all, where block s of rank r is number s * ranks + r. default: own
 *   block=BYTES            default: 65536
 *   transfer=BYTES         of one call; divides block. default: 8192
 *   segments=N             default: 2
 *   order=same|random      of the transfers of a rank. default: same
 *   collective=0|1         mpiio: collective calls. default: 0
 *   sync=0|1               fsync or MPI_File_sync after writing. default: 1
 *   shift=N                rank r reads what rank r + N has written. default: 1
 *   keep=0|1               leaves the files where they are. default: 0
 *   name=PREFIX            of the files PREFIX.NUMBER or PREFIX. default: iorlike
 *
 * Lines that begin with `time` are measurements. Verified: every byte read is what its writer wrote.
 */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum phase { WRITE, READ };

static int rank, ranks;
static const char *api = "posix", *files = "own", *order = "same", *name = "iorlike";
static long block = 65536, transfer = 8192, segments = 2, collective, sync_files = 1, shift = 1, keep;
static char* buffer;
static long* places;

static void fail(const char* what, const char* path) {
  fprintf(stderr, "rank %d: %s %s: %s\n", rank, what, path, strerror(errno));
  MPI_Abort(MPI_COMM_WORLD, 2);
}

static int option(const char* argument) {
  static const struct {
    const char* key;
    const char** text;
    long* number;
  } options[] = {{"api", &api, NULL}, {"files", &files, NULL}, {"order", &order, NULL}, {"name", &name, NULL},
                 {"block", NULL, &block}, {"transfer", NULL, &transfer}, {"segments", NULL, &segments},
                 {"collective", NULL, &collective}, {"sync", NULL, &sync_files}, {"shift", NULL, &shift},
                 {"keep", NULL, &keep}};
  for (unsigned i = 0; i < sizeof options / sizeof options[0]; i++) {
    const size_t length = strlen(options[i].key);
    if (strncmp(argument, options[i].key, length) || argument[length] != '=') continue;
    if (options[i].text) *options[i].text = argument + length + 1;
    if (options[i].number) *options[i].number = atol(argument + length + 1);
    return 1;
  }
  return 0;
}

static int sensible(void) {
  return (!strcmp(api, "posix") || !strcmp(api, "mpiio")) && (!strcmp(files, "own") || !strcmp(files, "one")) &&
         (!strcmp(order, "same") || !strcmp(order, "random")) && block > 0 && transfer > 0 && block % transfer == 0 &&
         segments > 0 && shift >= 0 && (!collective || !strcmp(api, "mpiio"));
}

/* Byte i of transfer t of a rank. */
static char content(int writer, long t, long i) { return (char)(writer * 31 + t * 7 + i * 3 + 1); }

/* The transfers in the order in which they are made: the same on every machine. */
static void arrange(void) {
  const long count = segments * (block / transfer);
  unsigned long long state = 12345 + (unsigned long long)rank;
  for (long t = 0; t < count; t++) places[t] = t;
  if (strcmp(order, "random")) return;
  for (long t = count - 1; t > 0; t--) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const long other = (long)((state >> 33) % (unsigned long long)(t + 1)), kept = places[t];
    places[t] = places[other];
    places[other] = kept;
  }
}

/* Where transfer t of a rank begins in its file. */
static long long offset_of(int writer, long t) {
  const long per_block = block / transfer, segment = t / per_block;
  if (!strcmp(files, "own")) return (long long)t * transfer;
  return ((long long)segment * ranks + writer) * block + (long long)(t % per_block) * transfer;
}

static long run(enum phase phase, int writer, double* seconds) {
  char path[1000];
  const int own = !strcmp(files, "own"), posix = !strcmp(api, "posix");
  const long count = segments * (block / transfer);
  long wrong = 0;
  int descriptor = -1;
  MPI_File file = MPI_FILE_NULL;
  if (own)
    snprintf(path, sizeof path, "%s.%08d", name, writer);
  else
    snprintf(path, sizeof path, "%s", name);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  if (posix) {
    descriptor = open(path, phase == WRITE ? O_CREAT | O_WRONLY : O_RDONLY, 0666);
    if (descriptor < 0) fail("cannot open", path);
  } else if (MPI_File_open(own ? MPI_COMM_SELF : MPI_COMM_WORLD, path, phase == WRITE ? MPI_MODE_CREATE | MPI_MODE_WRONLY : MPI_MODE_RDONLY, MPI_INFO_NULL, &file) != MPI_SUCCESS) {
    fail("cannot open", path);
  }
  for (long i = 0; i < count; i++) {
    const long t = places[i];
    const long long offset = offset_of(writer, t);
    long done = transfer;
    if (phase == WRITE)
      for (long b = 0; b < transfer; b++) buffer[b] = content(writer, t, b);
    else
      memset(buffer, 0, (size_t)transfer);
    if (posix) {
      done = phase == WRITE ? pwrite(descriptor, buffer, (size_t)transfer, offset) : pread(descriptor, buffer, (size_t)transfer, offset);
    } else if (collective) {
      if (phase == WRITE)
        MPI_File_write_at_all(file, offset, buffer, (int)transfer, MPI_BYTE, MPI_STATUS_IGNORE);
      else
        MPI_File_read_at_all(file, offset, buffer, (int)transfer, MPI_BYTE, MPI_STATUS_IGNORE);
    } else if (phase == WRITE) {
      MPI_File_write_at(file, offset, buffer, (int)transfer, MPI_BYTE, MPI_STATUS_IGNORE);
    } else {
      MPI_File_read_at(file, offset, buffer, (int)transfer, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    if (done != transfer) fail(phase == WRITE ? "cannot write" : "cannot read", path);
    for (long b = 0; phase == READ && b < transfer; b++) wrong += buffer[b] != content(writer, t, b);
  }
  if (phase == WRITE && sync_files) posix ? fsync(descriptor) : MPI_File_sync(file);
  if (posix)
    close(descriptor);
  else
    MPI_File_close(&file);
  MPI_Barrier(MPI_COMM_WORLD);
  *seconds = MPI_Wtime() - begin;
  if (phase == READ && !keep && (own || rank == 0)) unlink(path);
  return wrong;
}

int main(int argc, char** argv) {
  double seconds[2];
  long wrong, all_wrong;
  int good = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 1; i < argc; i++) good = good && option(argv[i]);
  if (!good || !sensible()) {
    if (rank == 0) fprintf(stderr, "iorlike: see the head of iorlike.c for its arguments\n");
    MPI_Finalize();
    return 2;
  }
  buffer = malloc((size_t)transfer);
  places = malloc((size_t)(segments * (block / transfer)) * sizeof *places);
  arrange();
  run(WRITE, rank, &seconds[WRITE]);
  wrong = run(READ, (int)((rank + shift) % ranks), &seconds[READ]);
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    const double megabytes = (double)ranks * (double)segments * (double)block / 1e6;
    printf("%s, %s, %d ranks, %ld segments of %ld bytes in transfers of %ld\n", api, strcmp(files, "own") ? "one file" : "a file for each rank", ranks, segments, block, transfer);
    printf("time write %.6f s, %.3f MB/s\n", seconds[WRITE], megabytes / seconds[WRITE]);
    printf("time read %.6f s, %.3f MB/s\n", seconds[READ], megabytes / seconds[READ]);
    printf("iorlike: VERIFICATION %s\n", all_wrong ? "FAILED" : "SUCCESSFUL");
  }
  MPI_Bcast(&all_wrong, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  free(buffer);
  free(places);
  MPI_Finalize();
  return all_wrong != 0;
}
