/* How long a file is that MPI-IO writes and that POSIX calls of the same program make shorter and longer, as both see
 * it: after each of a random row of accesses one line, the same under another MPI library.
 * usage: lengths FOLDER SEED */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int rank, ranks;
static unsigned long long state;

static unsigned below(unsigned limit) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)(state >> 33) % limit;
}

static long long looked_at(const char* path, int descriptor, FILE* stream, unsigned way) {
  struct stat about;
  switch (way) {
    case 0:
      return stat(path, &about) == 0 ? (long long)about.st_size : -1;
    case 1:
      return fstat(descriptor, &about) == 0 ? (long long)about.st_size : -1;
    case 2:
      return (long long)lseek(descriptor, 0, SEEK_END);
    case 3:
      return (long long)lseek(0, 0, SEEK_END); /* the descriptor's duplicate */
    case 4:
      return fseek(stream, 0, SEEK_END) == 0 ? ftell(stream) : -1;
    default: {
      FILE* fresh = fopen(path, "rb");
      if (!fresh) return -1;
      const long long end = fseek(fresh, 0, SEEK_END) == 0 ? ftell(fresh) : -1;
      fclose(fresh);
      return end;
    }
  }
}

static void resize(const char* path, unsigned way, long bytes) {
  int descriptor = -1;
  switch (way) {
    case 0:
      if (truncate(path, bytes) != 0) exit(2);
      return;
    case 1:
      descriptor = open(path, O_WRONLY);
      if (ftruncate(descriptor, bytes) != 0) exit(2);
      break;
    case 2:
      descriptor = open(path, O_WRONLY | O_TRUNC);
      break;
    default: {
      FILE* stream = fopen(path, "w");
      fputs("short", stream);
      fclose(stream);
      return;
    }
  }
  close(descriptor);
}

int main(int argc, char** argv) {
  char path[1000], data[3000] = "";
  MPI_File file;
  MPI_Offset size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3) return 1;
  snprintf(path, sizeof path, "%s/lengths.dat", argv[1]);
  state = strtoull(argv[2], NULL, 10);
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  int descriptor = open(path, O_RDONLY);
  FILE* stream = fopen(path, "rb");
  dup2(descriptor, 0);
  for (int step = 0; step < 40; step++) {
    const unsigned action = below(11), writer = below((unsigned)ranks), looker = below((unsigned)ranks), way = below(6);
    const unsigned by = below(4);
    const MPI_Offset at = below(40000);
    const int bytes = (int)below(sizeof data) + 1;
    if (action == 0) {
      MPI_File_write_at_all(file, at + rank * bytes, data, bytes, MPI_CHAR, MPI_STATUS_IGNORE);
    } else if (action == 1) {
      MPI_File_set_size(file, at);
    } else if (action == 2) {
      MPI_File_preallocate(file, at);
    } else if (action == 3) {
      MPI_File_sync(file);
    } else if (action == 4 || action == 5) {
      if ((int)writer == rank) resize(path, by, (long)at);
    } else if ((int)writer == rank) {
      MPI_File_write_at(file, at, data, bytes, MPI_CHAR, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if ((int)looker == rank) {
      MPI_Status status;
      int count = -1;
      MPI_File_read_at(file, at, data, 1000, MPI_CHAR, &status);
      MPI_Get_count(&status, MPI_CHAR, &count);
      MPI_File_get_size(file, &size);
      printf("%d: %lld of %lld, by way %u; read %d\n", step, looked_at(path, descriptor, stream, way), (long long)size, way,
             count);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  fclose(stream);
  close(descriptor);
  MPI_File_close(&file);
  if (rank == 0) printf("closed: %lld\n", looked_at(path, -1, NULL, 0));
  MPI_Finalize();
  return 0;
}
