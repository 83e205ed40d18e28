/* Linked into a native MPI program: tells at its end how much processor time a rank has spent outside of MPI calls.
 *
 * Wraps the calls that the examples make, through the profiling interface. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static double outside, mark;

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#define ENTER outside += processor_seconds() - mark
#define LEAVE mark = processor_seconds()

#define WRAP(name, parameters, arguments)  \
    int MPI_##name parameters              \
    {                                      \
        ENTER;                             \
        const int error = PMPI_##name arguments; \
        LEAVE;                             \
        return error;                      \
    }

int MPI_Init(int* argc, char*** argv)
{
    const int error = PMPI_Init(argc, argv);
    LEAVE;
    return error;
}

int MPI_Finalize(void)
{
    ENTER;
    printf("outside MPI calls: %.6f\n", outside);
    fflush(stdout);
    return PMPI_Finalize();
}

WRAP(Send, (const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c), (b, n, t, to, tag, c))
WRAP(Recv, (void* b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Status* s), (b, n, t, from, tag, c, s))
WRAP(Isend, (const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request* r), (b, n, t, to, tag, c, r))
WRAP(Irecv, (void* b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Request* r), (b, n, t, from, tag, c, r))
WRAP(Wait, (MPI_Request * r, MPI_Status* s), (r, s))
WRAP(Waitall, (int n, MPI_Request r[], MPI_Status s[]), (n, r, s))
WRAP(Barrier, (MPI_Comm c), (c))
WRAP(Bcast, (void* b, int n, MPI_Datatype t, int root, MPI_Comm c), (b, n, t, root, c))
WRAP(Reduce, (const void* b, void* r, int n, MPI_Datatype t, MPI_Op o, int root, MPI_Comm c), (b, r, n, t, o, root, c))
WRAP(Allreduce, (const void* b, void* r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (b, r, n, t, o, c))
WRAP(Exscan, (const void* b, void* r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (b, r, n, t, o, c))
WRAP(Reduce_scatter, (const void* b, void* r, const int n[], MPI_Datatype t, MPI_Op o, MPI_Comm c), (b, r, n, t, o, c))
WRAP(Allgather, (const void* b, int n, MPI_Datatype t, void* r, int m, MPI_Datatype u, MPI_Comm c), (b, n, t, r, m, u, c))
WRAP(Allgatherv,
     (const void* b, int n, MPI_Datatype t, void* r, const int m[], const int d[], MPI_Datatype u, MPI_Comm c),
     (b, n, t, r, m, d, u, c))
WRAP(Alltoall, (const void* b, int n, MPI_Datatype t, void* r, int m, MPI_Datatype u, MPI_Comm c), (b, n, t, r, m, u, c))
WRAP(Alltoallv,
     (const void* b, const int n[], const int d[], MPI_Datatype t, void* r, const int m[], const int e[], MPI_Datatype u,
      MPI_Comm c),
     (b, n, d, t, r, m, e, u, c))
WRAP(Comm_split, (MPI_Comm c, int colour, int key, MPI_Comm* out), (c, colour, key, out))
