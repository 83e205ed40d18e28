/* Many contiguous accesses of a file, each rank in a part of its own, at offsets that do not depend on what they cost.
 *
 * usage: accesses FILE REQUESTS BYTES PLACES READS [sequential]
 *
 * Each rank makes REQUESTS accesses of BYTES bytes, READS of 100 of them reads, at one of PLACES places of BYTES bytes,
 * drawn at random or in turn. With -DBARE it is a program of one process that makes the same accesses by pread and pwrite:
 * what the data itself costs. Verified: every byte of data moves that is asked for, once it has been written. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BARE
#include <fcntl.h>
#include <unistd.h>
typedef int File;
#define WRITE(file, offset, data, bytes) (pwrite(file, data, bytes, offset) == (bytes))
#define READ(file, offset, data, bytes) (pread(file, data, bytes, offset) == (bytes))
#else
#include <mpi.h>
typedef MPI_File File;
#define WRITE(file, offset, data, bytes) \
  (MPI_File_write_at(file, offset, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS)
#define READ(file, offset, data, bytes) \
  (MPI_File_read_at(file, offset, data, bytes, MPI_BYTE, &status) == MPI_SUCCESS && count_of(&status) == (bytes))

static MPI_Status status;
static int count_of(const MPI_Status* of) {
  int count = -1;
  MPI_Get_count(of, MPI_BYTE, &count);
  return count;
}
#endif

static int access_all(File file, int64_t begin, long requests, int bytes, long places, unsigned reads, int sequential) {
  char* data = malloc((size_t)bytes);
  uint64_t state = 0x9E3779B97F4A7C15u + (uint64_t)begin;
  memset(data, 'x', (size_t)bytes);
  /* The end of the file is where it stays. */
  int good = WRITE(file, begin + (int64_t)(places - 1) * bytes, data, bytes);
  for (long i = 0; i < requests && good; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const uint64_t drawn = state >> 33;
    const long place = sequential ? i % places : (long)(drawn % (uint64_t)places);
    const int64_t offset = begin + (int64_t)place * bytes;
    good = (drawn >> 8) % 100 < reads ? READ(file, offset, data, bytes) : WRITE(file, offset, data, bytes);
  }
  free(data);
  return good;
}

int main(int argc, char** argv) {
  if (argc < 6) {
    fprintf(stderr, "usage: accesses FILE REQUESTS BYTES PLACES READS [sequential]\n");
    return 2;
  }
  const long requests = atol(argv[2]), places = atol(argv[4]);
  const int bytes = atoi(argv[3]), sequential = argc > 6;
  const unsigned reads = (unsigned)atoi(argv[5]);
#ifdef BARE
  const int file = open(argv[1], O_CREAT | O_RDWR, 0666);
  const int good = access_all(file, 0, requests, bytes, places, reads, sequential);
  close(file);
  unlink(argv[1]);
#else
  int rank;
  MPI_File file;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  const int good = access_all(file, (int64_t)rank * places * bytes, requests, bytes, places, reads, sequential);
  MPI_File_close(&file);
  MPI_Finalize();
#endif
  return good ? 0 : 1;
}
