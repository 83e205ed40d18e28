/* Error classes of wrong calls with MPI_ERRORS_RETURN, handlers of the program, added classes. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, handled;

static void handler(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  ++handled;
}

static void show(const char* name, int code) {
  int class_of;
  MPI_Error_class(code, &class_of);
  printf("%d %s: class %d\n", rank, name, class_of);
}

int main(int argc, char** argv) {
  MPI_Datatype type;
  MPI_Comm comm;
  MPI_Group group, other;
  MPI_Errhandler own;
  MPI_Op op = MPI_SUM;
  int n, flag, added, code, bad[2] = {0, 9};
  char text[MPI_MAX_ERROR_STRING], value[8];
  MPI_Info info;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  show("negative count", MPI_Send(&n, -1, MPI_INT, 0, 0, MPI_COMM_WORLD));
  show("bad rank", MPI_Send(&n, 1, MPI_INT, 99, 0, MPI_COMM_WORLD));
  show("bad tag", MPI_Send(&n, 1, MPI_INT, 0, -7, MPI_COMM_WORLD));
  show("null type", MPI_Send(&n, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD));
  show("null communicator", MPI_Comm_size(MPI_COMM_NULL, &n));
  MPI_Type_contiguous(2, MPI_INT, &type);
  show("uncommitted", MPI_Send(&n, 1, type, 0, 0, MPI_COMM_WORLD));
  MPI_Type_free(&type);
  show("freed type", MPI_Type_size(type, &n));
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  show("bad group rank", MPI_Group_incl(group, 2, bad, &other));
  MPI_Group_free(&group);
  show("operation", MPI_Op_free(&op));
  show("root", MPI_Bcast(&n, 1, MPI_INT, 99, MPI_COMM_WORLD));
  show("world freed", MPI_Comm_free(&(MPI_Comm){MPI_COMM_WORLD}));

  MPI_Comm_create_errhandler(handler, &own);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, own);
  MPI_Errhandler_free(&own);
  MPI_Send(&n, 1, MPI_INT, 99, 0, comm);
  MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
  printf("%d handled %d, handler null %d\n", rank, handled, own == MPI_ERRHANDLER_NULL);
  MPI_Comm_free(&comm);

  MPI_Add_error_class(&added);
  MPI_Add_error_code(added, &code);
  MPI_Add_error_string(code, "of our own");
  MPI_Error_string(code, text, &n);
  MPI_Error_class(code, &flag);
  printf("%d added %d: %s %d\n", rank, flag == added, text, n);

  MPI_Info_create(&info);
  MPI_Info_set(info, "one", "first");
  MPI_Info_set(info, "two", "second");
  MPI_Info_set(info, "one", "again");
  MPI_Info_get_nkeys(info, &n);
  MPI_Info_get(info, "one", 3, value, &flag);
  printf("%d info %d %d %s\n", rank, n, flag, value);
  MPI_Info_get_valuelen(info, "two", &n, &flag);
  MPI_Info_get_nthkey(info, 1, text);
  printf("%d info %d %d %s\n", rank, n, flag, text);
  show("absent key", MPI_Info_delete(info, "three"));
  MPI_Info_free(&info);
  MPI_Finalize();
  return 0;
}
