// Corners of MPI-IO that conformance suites look into: nothing to move, ends of files, handlers, communicators, files in
// sequence, accesses under way, sieving. As suite.c. usage: corners FOLDER
#include "suite.h"

// Ranks, or all of them, that have nothing to move.
static void nothing(void) {
  const char *part = "nothing";
  MPI_File fh = open_new(0);
  MPI_Status status;
  MPI_Request request;
  int out[10], in[10];
  const int mine = rank % 2 == 1 ? 10 : 0;
  for (int i = 0; i < 10; ++i) out[i] = rank * 10 + i;
  MUST(part, MPI_File_write_all(fh, NULL, 0, MPI_INT, &status) == MPI_SUCCESS && count_of(&status, MPI_INT) == 0);
  MUST(part, MPI_File_write_ordered(fh, mine ? out : NULL, mine, MPI_INT, &status) == MPI_SUCCESS);
  MUST(part, count_of(&status, MPI_INT) == mine);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(fh, 0, MPI_SEEK_SET);
  MUST(part, MPI_File_read_ordered(fh, in, mine, MPI_INT, &status) == MPI_SUCCESS && count_of(&status, MPI_INT) == mine);
  MUST(part, memcmp(in, out, sizeof(int) * (size_t)mine) == 0);
  MUST(part, MPI_File_iread_all(fh, in, 0, MPI_INT, &request) == MPI_SUCCESS);
  MUST(part, MPI_Wait(&request, &status) == MPI_SUCCESS && count_of(&status, MPI_INT) == 0);
  // A filetype without any data on one rank.
  MPI_Datatype empty;
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&empty);
  MUST(part, MPI_File_set_view(fh, 0, MPI_INT, rank == 0 ? empty : MPI_INT, "native", MPI_INFO_NULL) == MPI_SUCCESS);
  MUST(part, MPI_File_write_at_all(fh, 10 * rank, out, rank == 0 ? 0 : 10, MPI_INT, &status) == MPI_SUCCESS);
  MUST(part, MPI_File_read_at_all(fh, 10 * rank, in, rank == 0 ? 0 : 10, MPI_INT, &status) == MPI_SUCCESS);
  MUST(part, rank == 0 || memcmp(in, out, sizeof out) == 0);
  MPI_Type_free(&empty);
  // Blocks of a type that are empty.
  const int lengths[3] = {0, 2, 0}, places[3] = {0, 3, 9};
  MPI_Type_indexed(3, lengths, places, MPI_INT, &empty);
  MPI_Type_commit(&empty);
  MPI_File_set_view(fh, 8192 + 4096 * rank, MPI_INT, empty, "native", MPI_INFO_NULL);
  MUST(part, MPI_File_write_all(fh, out, 10, MPI_INT, &status) == MPI_SUCCESS);
  MUST(part, MPI_File_read_at_all(fh, 0, in, 10, MPI_INT, &status) == MPI_SUCCESS && memcmp(in, out, sizeof out) == 0);
  MPI_Type_free(&empty);
  MPI_File_close(&fh);
  done(part);
}

// Reads that meet the end of the file or begin behind it, also where no disk of the machine reaches.
static void ends(void) {
  const char *part = "ends";
  MPI_File fh = open_new(0);
  MPI_Status status;
  MPI_Request request;
  double numbers[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  char bytes[100];
  if (rank == 0) MPI_File_write_at(fh, 0, numbers, 10, MPI_DOUBLE, &status);
  MPI_File_sync(fh);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(fh);
  MUST(part, MPI_File_read_at(fh, 75, bytes, 100, MPI_BYTE, &status) == MPI_SUCCESS && count_of(&status, MPI_BYTE) == 5);
  MUST(part, count_of(&status, MPI_INT) == MPI_UNDEFINED);
  MUST(part, MPI_File_read_at(fh, 80, bytes, 100, MPI_BYTE, &status) == MPI_SUCCESS && count_of(&status, MPI_BYTE) == 0);
  const MPI_Offset far = (MPI_Offset)1 << 50;
  MUST(part, MPI_File_read_at(fh, far, bytes, 9, MPI_BYTE, &status) == MPI_SUCCESS && count_of(&status, MPI_BYTE) == 0);
  MUST(part, MPI_File_read_at_all(fh, far + rank, bytes, 9, MPI_BYTE, &status) == MPI_SUCCESS);
  MUST(part, count_of(&status, MPI_BYTE) == 0);
  MPI_Datatype three;
  MPI_Type_contiguous(3, MPI_DOUBLE, &three);
  MPI_Type_commit(&three);
  int elements;
  MUST(part, MPI_File_read_at(fh, 16, numbers, 4, three, &status) == MPI_SUCCESS);
  MUST(part, count_of(&status, three) == MPI_UNDEFINED);
  MPI_Get_elements(&status, three, &elements);
  MUST(part, elements == 8 && numbers[7] == 9);
  MPI_File_iread_at_all(fh, 56, numbers, 4, three, &request);
  MPI_Wait(&request, &status);
  MUST(part, count_of(&status, three) == 1 && numbers[0] == 7);
  MPI_File_read_at_all_begin(fh, 64, numbers, 4, three);
  MPI_File_read_at_all_end(fh, numbers, &status);
  MPI_Get_elements(&status, three, &elements);
  MUST(part, elements == 2);
  MPI_Type_free(&three);
  MPI_Offset at;
  MPI_File_seek(fh, -8, MPI_SEEK_END);
  MPI_File_get_position(fh, &at);
  MUST(part, at == 72);
  MPI_File_close(&fh);
  done(part);
}

static int called, called_with;
static void handler(MPI_File *fh, int *code, ...) {
  (void)fh;
  ++called;
  MPI_Error_class(*code, &called_with);
}

// Handlers of one file, and of those to come.
static void handlers(void) {
  const char *part = "handlers";
  MPI_Errhandler mine, before;
  MPI_File fh = open_new(0);
  MPI_File_create_errhandler(handler, &mine);
  MPI_File_get_errhandler(fh, &before);
  MPI_File_set_errhandler(fh, mine);
  MPI_File_seek(fh, -1, MPI_SEEK_SET);
  MUST(part, called == 1 && called_with == MPI_ERR_ARG);
  MPI_File_set_errhandler(fh, before);
  MUST(part, MPI_File_seek(fh, -1, MPI_SEEK_SET) != MPI_SUCCESS && called == 1);
  MPI_File_close(&fh);
  MPI_File_set_errhandler(MPI_FILE_NULL, mine);
  MPI_Errhandler_free(&mine);
  MUST(part, mine == MPI_ERRHANDLER_NULL);
  MPI_File_open(MPI_COMM_WORLD, "no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &fh);
  MUST(part, called == 2 && called_with == MPI_ERR_NO_SUCH_FILE && fh == MPI_FILE_NULL);
  MPI_File_delete("no/such/file", MPI_INFO_NULL);
  MUST(part, called == 3);
  fh = open_new(0);
  called = 0;
  MPI_File_seek(fh, -1, MPI_SEEK_SET);
  MUST(part, called == 1);
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
  MPI_File_close(&fh);
  MUST(part, class_of(MPI_File_close(&fh)) == MPI_ERR_FILE);
  done(part);
}

// Files of other communicators, which are freed before them; many files at once.
static void communicators(void) {
  const char *part = "communicators";
  enum { files = 20 };
  MPI_Comm half;
  int half_rank, half_size, out = rank, in = -1;
  char other[1100];
  MPI_File fh, many[files];
  MPI_Status status;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_rank(half, &half_rank);
  MPI_Comm_size(half, &half_size);
  const int modes = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  snprintf(other, sizeof other, "%s.half%d", name, rank % 2);
  MUST(part, MPI_File_open(half, other, modes, MPI_INFO_NULL, &fh) == MPI_SUCCESS);
  MPI_Comm_free(&half);
  MPI_File_write_at_all(fh, 4 * half_rank, &out, 1, MPI_INT, &status);
  MPI_File_read_at_all(fh, 4 * ((half_rank + 1) % half_size), &in, 1, MPI_INT, &status);
  MUST(part, in >= 0 && in % 2 == rank % 2 && (in != rank || half_size == 1));
  MUST(part, MPI_File_f2c(MPI_File_c2f(fh)) == fh);
  MPI_File_close(&fh);
  for (int i = 0; i < files; ++i) {
    snprintf(other, sizeof other, "%s.%d.%d", name, rank, i);
    MUST(part, MPI_File_open(MPI_COMM_SELF, other, modes | MPI_MODE_EXCL, MPI_INFO_NULL, &many[i]) == MPI_SUCCESS);
    MPI_File_write(many[i], &i, 1, MPI_INT, &status);
  }
  for (int i = files - 1; i >= 0; --i) {
    MPI_File_read_at(many[i], 0, &in, 1, MPI_INT, &status);
    MUST(part, in == i);
    MPI_File_close(&many[i]);
    MUST(part, many[i] == MPI_FILE_NULL);
  }
  done(part);
}

// Files that have no pointers but the shared one, and files that one adds to.
static void sequence(void) {
  const char *part = "sequence";
  MPI_File fh = open_new(0);
  MPI_Status status;
  MPI_Offset at;
  int out[4] = {rank, 1, 2, 3}, in[4];
  MPI_File_write_at_all(fh, 16 * rank, out, 4, MPI_INT, &status);
  MPI_File_close(&fh);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_APPEND | MPI_MODE_RDWR, MPI_INFO_NULL, &fh);
  MPI_File_get_position(fh, &at);
  MUST(part, at == 16 * size);
  MPI_File_get_position_shared(fh, &at);
  MUST(part, at == 16 * size);
  MPI_File_write_ordered(fh, out, 4, MPI_INT, &status);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_get_size(fh, &at);
  MUST(part, at == 32 * size);
  MPI_File_close(&fh);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR, MPI_INFO_NULL, &fh);
  MUST(part, MPI_File_set_view(fh, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL) != MPI_SUCCESS);
  MPI_File_close(&fh);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &fh);
  MUST(part, class_of(MPI_File_set_size(fh, 1)) == MPI_ERR_UNSUPPORTED_OPERATION);
  MPI_File_close(&fh);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &fh);
  MUST(part, class_of(MPI_File_read(fh, in, 1, MPI_INT, &status)) == MPI_ERR_UNSUPPORTED_OPERATION);
  MUST(part, class_of(MPI_File_seek(fh, 0, MPI_SEEK_SET)) == MPI_ERR_UNSUPPORTED_OPERATION);
  MUST(part, MPI_File_read_ordered(fh, in, 16, MPI_BYTE, &status) == MPI_SUCCESS && in[0] == rank);
  MUST(part, MPI_File_set_view(fh, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL) == MPI_SUCCESS);
  MUST(part, MPI_File_read_ordered(fh, in, 4, MPI_INT, &status) == MPI_SUCCESS && in[0] == rank && in[3] == 3);
  MPI_File_close(&fh);
  done(part);
}

// Calls that must not come before an access is complete, and those that may; a request that is freed.
static void pending(void) {
  const char *part = "pending";
  MPI_File fh = open_new(0);
  MPI_Status status;
  MPI_Request request;
  int out[4] = {rank, 1, 2, 3}, in[4];
  for (int split = 0; split < 2; ++split) {
    if (split)
      MPI_File_write_at_all_begin(fh, 16 * rank, out, 4, MPI_INT);
    else
      MPI_File_iwrite_at_all(fh, 16 * rank, out, 4, MPI_INT, &request);
    MUST(part, class_of(MPI_File_set_view(fh, 4, MPI_INT, MPI_INT, "native", MPI_INFO_NULL)) == MPI_ERR_IO);
    MUST(part, class_of(MPI_File_set_size(fh, 1)) == MPI_ERR_IO);
    MUST(part, class_of(MPI_File_preallocate(fh, 9999)) == MPI_ERR_IO);
    MUST(part, class_of(MPI_File_sync(fh)) == MPI_ERR_IO);
    MUST(part, !split || class_of(MPI_File_read_all(fh, in, 1, MPI_INT, &status)) == MPI_ERR_IO);
    MUST(part, MPI_File_set_atomicity(fh, 1) == MPI_SUCCESS && MPI_File_set_atomicity(fh, 0) == MPI_SUCCESS);
    if (split)
      MPI_File_write_at_all_end(fh, out, &status);
    else
      MPI_Wait(&request, &status);
    MUST(part, count_of(&status, MPI_INT) == 4);
    MUST(part, MPI_File_sync(fh) == MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Offset bytes;
    MPI_File_get_size(fh, &bytes);
    MUST(part, bytes == 16 * size);
    MPI_File_read_at_all(fh, 16 * ((rank + 1) % size), in, 4, MPI_INT, &status);
    MUST(part, in[0] == (rank + 1) % size && in[3] == 3);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_File_close(&fh);
  MUST(part, fh == MPI_FILE_NULL);
  done(part);
}

// Holes between what a call writes keep what was there, with one aggregator, small rounds and sieving.
static void sieving(void) {
  const char *part = "sieving";
  enum { n = 3000 };
  const char *hints[][2] = {{"cb_buffer_size", "4096"}, {"cb_nodes", "1"}, {"romio_ds_write", "enable"}, {"romio_cb_read", "disable"}};
  MPI_Info info;
  MPI_Info_create(&info);
  for (int i = 0; i < 4; ++i) MPI_Info_set(info, hints[i][0], hints[i][1]);
  if (rank == 0) MPI_File_delete(name, MPI_INFO_NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File fh;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &fh);
  MPI_Info_free(&info);
  const int all = 2 * n * size;
  int *whole = malloc(sizeof(int) * (size_t)all), out[n];
  MPI_Status status;
  MPI_Datatype comb;
  for (int i = 0; i < all; ++i) whole[i] = -i;
  if (rank == 0) MPI_File_write_at(fh, 0, whole, all, MPI_INT, &status);
  for (int i = 0; i < n; ++i) out[i] = rank * n + i;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Type_vector(n, 1, 2 * size, MPI_INT, &comb);
  MPI_Type_commit(&comb);
  MPI_File_set_view(fh, 8 * rank, MPI_INT, comb, "native", MPI_INFO_NULL);
  MUST(part, MPI_File_write_all(fh, out, n, MPI_INT, &status) == MPI_SUCCESS && count_of(&status, MPI_INT) == n);
  MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MUST(part, MPI_File_read_at_all(fh, 0, whole, all, MPI_INT, &status) == MPI_SUCCESS && count_of(&status, MPI_INT) == all);
  for (int i = 0; i < n * size; ++i) {
    MUST(part, whole[2 * i] == i % size * n + i / size);
    MUST(part, whole[2 * i + 1] == -(2 * i + 1));
  }
  free(whole);
  MPI_Type_free(&comb);
  MPI_File_close(&fh);
  done(part);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  snprintf(name, sizeof name, "%s/corners.dat", argv[1]);
  nothing();
  ends();
  handlers();
  communicators();
  sequence();
  pending();
  sieving();
  if (rank == 0) MPI_File_delete(name, MPI_INFO_NULL);
  MPI_Finalize();
  return 0;
}
