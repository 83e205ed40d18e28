/* Each rank has its own stdin, stdout, stderr and files, in all the ways that C programs use them. */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE* log_file;
static char big[1500];

static void say(const char* format, ...) {
  va_list list;
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
}

int main(int argc, char** argv) {
  int rank, size, i, saved, value = 0;
  char name[64], line[128];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  /* Pieces of a line from all ranks, with the others in between. */
  printf("rank %d", rank);
  MPI_Barrier(MPI_COMM_WORLD);
  putchar(':');
  fputs(" pieces", stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  fwrite(" of a line", 1, 10, stdout);
  putc('\n', stdout);
  say("rank %d: %s %5.2f %c\n", rank, "formatted", 1.5 * rank, 'x');
  fprintf(stderr, "rank %d: on stderr\n", rank);
  MPI_Barrier(MPI_COMM_WORLD);

  /* The standard input is rank 0's. */
  if (rank == 0 && fgets(line, sizeof line, stdin) != NULL && scanf("%d", &value) == 1)
    printf("rank 0: read %lu letters and %d\n", (unsigned long)strlen(line), value);
  if (rank != 0 && getchar() == EOF && feof(stdin)) printf("rank %d: no input\n", rank);

  /* Files: written, read back, positions. */
  sprintf(name, "streams-%d.txt", rank);
  log_file = fopen(name, "w+");
  if (log_file == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (i = 0; i < 2000; ++i) fprintf(log_file, "%d %d\n", rank, i);
  MPI_Barrier(MPI_COMM_WORLD);
  fflush(NULL);
  rewind(log_file);
  for (i = 0; fgets(line, sizeof line, log_file) != NULL; ++i) {
    int r, n;
    if (sscanf(line, "%d %d", &r, &n) != 2 || r != rank || n != i) printf("rank %d: line %d is %s", rank, i, line);
  }
  fseek(log_file, -5L, SEEK_END);
  if (fgets(line, sizeof line, log_file) != NULL)
    printf("rank %d: %d lines, the last ends in %s", rank, i, line);
  printf("rank %d: descriptor %s, %d\n", rank, fileno(log_file) > 2 ? "ok" : "WRONG", fileno(stdout));
  fclose(log_file);

  /* Output to a descriptor for a while, and long output in one piece. */
  fflush(stdout);
  saved = dup(1);
  if (freopen(name, "w", stderr) == NULL) printf("rank %d: freopen failed\n", rank);
  fprintf(stderr, "rank %d: into the file\n", rank);
  fclose(stderr);
  MPI_Barrier(MPI_COMM_WORLD);
  sprintf(line, "rank %d: written\n", rank);
  if (write(saved, line, strlen(line)) < 0) printf("write failed\n");
  close(saved);
  log_file = fopen(name, "r");
  if (fgets(line, sizeof line, log_file) != NULL) printf("file says %s", line);
  fclose(log_file);
  remove(name);
  memset(big, 'a' + rank, sizeof big - 2);
  puts(big);
  printf("rank %d: no newline at the end", rank);
  MPI_Barrier(MPI_COMM_WORLD);
  puts("");
  MPI_Finalize();
  printf("rank %d: after the end of MPI\n", rank);
  return 0;
}
