/* Each rank works in a directory of its own. */
#include <mpi.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, file, entries = 0;
  char path[4096], name[64];
  struct stat status;
  struct dirent* entry;
  DIR* directory;
  FILE* stream;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  sprintf(name, "dir-%d", rank);
  mkdir(name, 0755);
  if (chdir(name) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  umask(rank % 2 ? 077 : 022);
  MPI_Barrier(MPI_COMM_WORLD);
  if (getcwd(path, sizeof path) == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  printf("rank %d: in %s\n", rank, strrchr(path, '/') + 1);
  stream = fopen("data", "w");
  fprintf(stream, "%d\n", rank);
  fclose(stream);
  MPI_Barrier(MPI_COMM_WORLD);
  file = open("data", O_RDONLY);
  if (file < 0 || read(file, path, 1) != 1) MPI_Abort(MPI_COMM_WORLD, 1);
  close(file);
  stat("data", &status);
  printf("rank %d: data says %c, mode %o\n", rank, path[0], (unsigned)status.st_mode & 0777);
  rename("data", "renamed");
  directory = opendir(".");
  while ((entry = readdir(directory)) != NULL) entries += entry->d_name[0] != '.';
  closedir(directory);
  printf("rank %d: %d file, access %d %d\n", rank, entries, access("data", F_OK), access("renamed", F_OK));
  MPI_Barrier(MPI_COMM_WORLD);
  remove("renamed");
  if (chdir("..") != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  rmdir(name);
  printf("rank %d: gone %d\n", rank, access(name, F_OK));
  MPI_Finalize();
  return 0;
}
