/* What every program of this folder uses: it sets its data to values of its own rank, meets the other ranks, and looks
 * whether it still finds them. Prints nothing but the verdict, so that native and privatized output compare equal. */
#ifndef GOLDEN_CHECK_H
#define GOLDEN_CHECK_H
#include <stdio.h>
#ifdef GOLDEN_MPI
#include <mpi.h>
static int golden_rank(void) { int rank; MPI_Comm_rank(MPI_COMM_WORLD, &rank); return rank; }
#define START() do { MPI_Init(0, 0); } while (0)
#define MEET() MPI_Barrier(MPI_COMM_WORLD)
#define FINISH() MPI_Finalize()
#else
static int golden_rank(void) { return 3; }
#define START() do { } while (0)
#define MEET() do { } while (0)
#define FINISH() do { } while (0)
#endif
static int golden_bad;
#define CHECK(c) do { if (!(c)) { printf("line %d: %s\n", __LINE__, #c); golden_bad = 1; } } while (0)
#define VERDICT() do { printf("%s\n", golden_bad ? "bad" : "ok"); fflush(stdout); FINISH(); } while (0)
#endif
