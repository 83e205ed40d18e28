/* Handles and constants where C wants constant expressions. */
#include <mpi.h>

MPI_Comm communicators[] = {MPI_COMM_NULL, MPI_COMM_WORLD, MPI_COMM_SELF};
MPI_Request request = MPI_REQUEST_NULL;
MPI_Datatype optional[] = {MPI_INTEGER8, MPI_INTEGER16, MPI_REAL2, MPI_REAL16, MPI_COMPLEX4, MPI_COMPLEX32};
MPI_Win window = MPI_WIN_NULL;
MPI_File file = MPI_FILE_NULL;
void* addresses[] = {MPI_BOTTOM, MPI_IN_PLACE};
int* weights[] = {MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY};
MPI_Status* ignored = MPI_STATUS_IGNORE;
char processor_name[MPI_MAX_PROCESSOR_NAME + MPI_MAX_ERROR_STRING + MPI_MAX_OBJECT_NAME + MPI_MAX_INFO_KEY +
                    MPI_MAX_INFO_VAL + MPI_MAX_PORT_NAME + MPI_MAX_LIBRARY_VERSION_STRING + MPI_MAX_DATAREP_STRING];
int (*rank_function)(MPI_Comm, int*) = MPI_Comm_rank;
struct {
  MPI_Datatype type;
  MPI_Op op;
} table[] = {{MPI_DOUBLE, MPI_SUM}, {MPI_2INT, MPI_MINLOC}};

#if MPI_VERSION != 3 || MPI_SUBVERSION != 1
#error "wrong version"
#endif

/* Enumerators, which #ifdef has to find as well. */
#ifndef MPI_THREAD_MULTIPLE
#error "MPI_THREAD_MULTIPLE is no macro"
#endif
#ifndef MPI_COMM_TYPE_SHARED
#error "MPI_COMM_TYPE_SHARED is no macro"
#endif
#ifndef MPI_COMBINER_HINDEXED_BLOCK
#error "MPI_COMBINER_HINDEXED_BLOCK is no macro"
#endif
#ifndef MPI_DIST_GRAPH
#error "MPI_DIST_GRAPH is no macro"
#endif
#ifndef MPI_DISTRIBUTE_DFLT_DARG
#error "MPI_DISTRIBUTE_DFLT_DARG is no macro"
#endif
#ifndef MPI_ORDER_C
#error "MPI_ORDER_C is no macro"
#endif
#ifndef MPI_SIMILAR
#error "MPI_SIMILAR is no macro"
#endif
#ifndef MPI_TYPECLASS_COMPLEX
#error "MPI_TYPECLASS_COMPLEX is no macro"
#endif
enum { levels = MPI_THREAD_MULTIPLE + 1 };

int size_of(MPI_Datatype type);
int size_of(MPI_Datatype type) {
  switch (type) {
    case MPI_CHAR: case MPI_SIGNED_CHAR: case MPI_UNSIGNED_CHAR: case MPI_BYTE: case MPI_PACKED: return 1;
    case MPI_SHORT: case MPI_UNSIGNED_SHORT: return sizeof(short);
    case MPI_INT: case MPI_UNSIGNED: case MPI_INTEGER: return sizeof(int);
    case MPI_LONG: case MPI_UNSIGNED_LONG: return sizeof(long);
    case MPI_LONG_LONG: case MPI_UNSIGNED_LONG_LONG: case MPI_OFFSET: case MPI_COUNT: return sizeof(MPI_Count);
    case MPI_FLOAT: case MPI_REAL: return sizeof(float);
    case MPI_DOUBLE: case MPI_DOUBLE_PRECISION: return sizeof(double);
    case MPI_DATATYPE_NULL: return -1;
    default: return 0;
  }
}

/* A program's own wrapper replaces the MPI name and calls the PMPI one. */
int MPI_Barrier(MPI_Comm comm) {
  MPI_Status status;
  status.MPI_SOURCE = MPI_ANY_SOURCE;
  status.MPI_TAG = MPI_ANY_TAG;
  status.MPI_ERROR = MPI_SUCCESS;
  return status.MPI_SOURCE == MPI_PROC_NULL ? MPI_ERR_OTHER : PMPI_Barrier(comm);
}
