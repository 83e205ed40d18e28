/* Rank 1 alone asks for the locale that the argument names. */
#include <locale.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("rank %d: at first %s\n", rank, setlocale(LC_ALL, NULL));
  if (rank == 1 && setlocale(LC_NUMERIC, argv[1]) == NULL) printf("no such locale\n");
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d: %.2f %s %s %.2f\n", rank, 1.5, localeconv()->decimal_point, setlocale(LC_NUMERIC, NULL),
         strtod(rank == 1 ? "2,25" : "2.25", NULL));
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(plain);
    printf("rank %d: plain %.2f, before %s\n", rank, 1.5, before == LC_GLOBAL_LOCALE ? "none" : "another");
    MPI_Barrier(MPI_COMM_WORLD);
    uselocale(LC_GLOBAL_LOCALE);
    freelocale(plain);
    printf("rank %d: again %.2f\n", rank, 1.5);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (argc > 2 && rank == 1) MPI_Recv(&rank, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* for ever */
  MPI_Finalize();
  return 0;
}
