// What conformance suites of MPI-IO exercise (in the manner of ROMIO's tests), each part with checks of its own: one line
// "PART: ok", or the first fault of each rank. Runs under any MPI with 2 to 8 ranks.
#include "suite.h"

// Several requests of a rank under way, completed out of order.
static void async_multiple(void) {
  enum { n = 6, each = 1000 };
  static int out[n][each], in[n][each];
  MPI_Request requests[n];
  MPI_Status statuses[n];
  MPI_File fh = open_new(0);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < each; ++j) out[i][j] = (rank * n + i) * each + j;
    MPI_File_iwrite_at(fh, (MPI_Offset)sizeof(int) * (rank * n + i) * each, out[i], each, MPI_INT, &requests[i]);
  }
  MPI_Waitall(n, requests, statuses);
  for (int i = 0; i < n; ++i) {
    int count;
    MPI_Get_count(&statuses[i], MPI_INT, &count);
    MUST("async-multiple", count == each);
  }
  MPI_File_sync(fh);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(fh);
  const int other = (rank + 1) % size;
  for (int i = 0; i < n; ++i)
    MPI_File_iread_at(fh, (MPI_Offset)sizeof(int) * (other * n + i) * each, in[i], each, MPI_INT, &requests[i]);
  for (int left = n; left > 0; --left) {
    int index;
    MPI_Waitany(n, requests, &index, statuses);
    MUST("async-multiple", in[index][0] == (other * n + index) * each);
    MUST("async-multiple", in[index][each - 1] == (other * n + index) * each + each - 1);
  }
  MPI_File_close(&fh);
  done("async-multiple");
}

// Gaps in memory, in the file, and in both; each form of access.
static void noncontig(const char *part, int form) {
  enum { n = 500 };
  int out[4 * n], in[4 * n];
  MPI_Datatype memory, shown, resized;
  MPI_Type_vector(n, 1, 2, MPI_INT, &memory);
  MPI_Type_commit(&memory);
  const int lengths[2] = {1, 1}, places[2] = {rank, 3 * size - 1 - rank};
  MPI_Type_indexed(2, lengths, places, MPI_INT, &shown);
  MPI_Type_create_resized(shown, 0, 3 * size * (MPI_Aint)sizeof(int), &resized);
  MPI_Type_commit(&resized);
  MPI_File fh = open_new(0);
  MPI_File_set_view(fh, 40, MPI_INT, resized, "native", MPI_INFO_NULL);
  for (int i = 0; i < 4 * n; ++i) out[i] = rank * 10000 + i, in[i] = -1;
  MPI_Status status;
  MPI_Request request;
  for (int half = 0; half < 2; ++half) {
    int *data = half == 0 ? out : in;
    for (int i = 0; i < 2; ++i) {
      const MPI_Offset at = (MPI_Offset)i * n;
      if (form == 0) {
        (half == 0 ? MPI_File_write_at(fh, at, data + 2 * n * i, 1, memory, &status)
                   : MPI_File_read_at(fh, at, data + 2 * n * i, 1, memory, &status));
      } else if (form == 1) {
        (half == 0 ? MPI_File_write_at_all(fh, at, data + 2 * n * i, 1, memory, &status)
                   : MPI_File_read_at_all(fh, at, data + 2 * n * i, 1, memory, &status));
      } else if (form == 2) {
        (half == 0 ? MPI_File_iwrite_at(fh, at, data + 2 * n * i, 1, memory, &request)
                   : MPI_File_iread_at(fh, at, data + 2 * n * i, 1, memory, &request));
        MPI_Wait(&request, &status);
      } else if (form == 3) {
        (half == 0 ? MPI_File_iwrite_at_all(fh, at, data + 2 * n * i, 1, memory, &request)
                   : MPI_File_iread_at_all(fh, at, data + 2 * n * i, 1, memory, &request));
        MPI_Wait(&request, &status);
      } else if (half == 0) {
        MPI_File_write_at_all_begin(fh, at, data + 2 * n * i, 1, memory);
        MPI_File_write_at_all_end(fh, data + 2 * n * i, &status);
      } else {
        MPI_File_read_at_all_begin(fh, at, data + 2 * n * i, 1, memory);
        MPI_File_read_at_all_end(fh, data + 2 * n * i, &status);
      }
      int count;
      MPI_Get_elements(&status, memory, &count);
      MUST(part, count == n);
    }
    MPI_File_sync(fh);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(fh);
  }
  for (int i = 0; i < 4 * n; ++i) MUST(part, in[i] == (i % 2 == 0 ? out[i] : -1));
  MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  int pair[2];
  MPI_File_read_at(fh, 10 + rank, &pair[0], 1, MPI_INT, &status);
  MPI_File_read_at(fh, 10 + 3 * size - 1 - rank, &pair[1], 1, MPI_INT, &status);
  MUST(part, pair[0] == rank * 10000 && pair[1] == rank * 10000 + 2);
  MPI_Type_free(&memory);
  MPI_Type_free(&shown);
  MPI_Type_free(&resized);
  MPI_File_close(&fh);
  done(part);
}

// A distributed array, block by cyclic, written together and read with another distribution.
static void darray(void) {
  const int sizes[2] = {24, 36};
  int dims[2] = {0, 0};
  MPI_Dims_create(size, 2, dims);
  int distributions[2][2] = {{MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK}};
  int arguments[2][2] = {{MPI_DISTRIBUTE_DFLT_DARG, 5}, {2, MPI_DISTRIBUTE_DFLT_DARG}};
  MPI_File fh = open_new(0);
  int *whole = malloc(sizeof(int) * 24 * 36), *mine = malloc(sizeof(int) * 24 * 36);
  for (int round = 0; round < 2; ++round) {
    MPI_Datatype type;
    MPI_Type_create_darray(size, rank, 2, sizes, distributions[round], arguments[round], dims, MPI_ORDER_C, MPI_INT, &type);
    MPI_Type_commit(&type);
    int bytes;
    MPI_Type_size(type, &bytes);
    const int count = bytes / (int)sizeof(int);
    MPI_File_set_view(fh, 0, MPI_INT, type, "native", MPI_INFO_NULL);
    for (int i = 0; i < 24 * 36; ++i) whole[i] = i;
    int position = 0;
    MPI_Pack(whole, 1, type, mine, 24 * 36 * (int)sizeof(int), &position, MPI_COMM_SELF);
    MPI_Status status;
    if (round == 0) {
      MPI_File_write_all(fh, mine, count, MPI_INT, &status);
    } else {
      int *back = calloc(24 * 36, sizeof(int));
      MPI_File_read_all(fh, back, count, MPI_INT, &status);
      MUST("darray", memcmp(back, mine, (size_t)bytes) == 0);
      free(back);
    }
    int moved;
    MPI_Get_count(&status, MPI_INT, &moved);
    MUST("darray", moved == count);
    MPI_Type_free(&type);
  }
  free(whole);
  free(mine);
  MPI_Offset bytes;
  MPI_File_get_size(fh, &bytes);
  MUST("darray", bytes == 24 * 36 * (MPI_Offset)sizeof(int));
  MPI_File_close(&fh);
  done("darray");
}

// Offsets beyond 4 GiB.
static void large_file(void) {
  MPI_File fh = open_new(MPI_MODE_DELETE_ON_CLOSE);
  const MPI_Offset far = 5LL << 30;
  MPI_Offset at;
  int value = 7 + rank, back = 0;
  MPI_Status status;
  MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_seek(fh, far / 4 + rank, MPI_SEEK_SET);
  MPI_File_write(fh, &value, 1, MPI_INT, &status);
  MPI_File_get_position(fh, &at);
  MUST("large_file", at == far / 4 + rank + 1);
  MPI_File_sync(fh);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_get_size(fh, &at);
  MUST("large_file", at == far + 4 * size);
  MPI_File_seek(fh, -size + rank, MPI_SEEK_END);
  MPI_File_read(fh, &back, 1, MPI_INT, &status);
  MUST("large_file", back == value);
  MPI_File_close(&fh);
  MUST("large_file", MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &fh) != MPI_SUCCESS);
  done("large_file");
}

// Bytes in the file are those that the standard says.
static void external32(void) {
  MPI_File fh = open_new(0);
  int numbers[2] = {0x01020304, rank}, back[2] = {0, 0};
  double real = 1.5, real_back = 0;
  MPI_Status status;
  MPI_File_set_view(fh, rank * 16, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL);
  MPI_File_write(fh, numbers, 2, MPI_INT, &status);
  MPI_File_set_view(fh, rank * 16 + 8, MPI_DOUBLE, MPI_DOUBLE, "external32", MPI_INFO_NULL);
  MPI_File_write(fh, &real, 1, MPI_DOUBLE, &status);
  int count;
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  MUST("external32", count == 1);
  unsigned char bytes[16], expected[16] = {1, 2, 3, 4, 0, 0, 0, (unsigned char)rank, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0};
  MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  MPI_File_read_at(fh, rank * 16, bytes, 16, MPI_BYTE, &status);
  MUST("external32", memcmp(bytes, expected, 16) == 0);
  MPI_File_set_view(fh, rank * 16, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL);
  MPI_File_read_all(fh, back, 2, MPI_INT, &status);
  MUST("external32", back[0] == numbers[0] && back[1] == rank);
  MPI_File_set_view(fh, rank * 16 + 8, MPI_DOUBLE, MPI_DOUBLE, "external32", MPI_INFO_NULL);
  MPI_File_read(fh, &real_back, 1, MPI_DOUBLE, &status);
  MUST("external32", real_back == real);
  MPI_Aint extent;
  MPI_File_get_type_extent(fh, MPI_INT, &extent);
  MUST("external32", extent == 4);
  MPI_File_close(&fh);
  done("external32");
}

// A representation of the program's own: every integer as two, the second inverted.
static int extent_of(MPI_Datatype type, MPI_Aint *extent, void *state) {
  int bytes;
  MPI_Type_size(type, &bytes);
  *extent = 2 * (MPI_Aint)bytes;
  return state == &faults ? MPI_SUCCESS : MPI_ERR_OTHER;
}
static int to_file(void *user, MPI_Datatype type, int count, void *file, MPI_Offset position, void *state) {
  (void)type, (void)position, (void)state;
  for (int i = 0; i < count; ++i) {
    ((int *)file)[2 * i] = ((int *)user)[i];
    ((int *)file)[2 * i + 1] = ~((int *)user)[i];
  }
  return MPI_SUCCESS;
}
static int from_file(void *user, MPI_Datatype type, int count, void *file, MPI_Offset position, void *state) {
  (void)type, (void)position, (void)state;
  for (int i = 0; i < count; ++i) ((int *)user)[i] = ((int *)file)[2 * i];
  return MPI_SUCCESS;
}
static void datarep(void) {
  MUST("datarep", MPI_Register_datarep("twice", from_file, to_file, extent_of, &faults) == MPI_SUCCESS);
  int error_class = 0;
  MPI_Error_class(MPI_Register_datarep("twice", from_file, to_file, extent_of, &faults), &error_class);
  MUST("datarep", error_class == MPI_ERR_DUP_DATAREP);
  MUST("datarep", MPI_Register_datarep("plain", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extent_of, &faults) == MPI_SUCCESS);
  MPI_File fh = open_new(0);
  int out[3] = {rank, 5, -9}, back[3] = {0}, raw[6];
  MPI_Status status;
  MPI_File_set_view(fh, rank * 24, MPI_INT, MPI_INT, "twice", MPI_INFO_NULL);
  MPI_File_write_all(fh, out, 3, MPI_INT, &status);
  MPI_File_read_at(fh, 0, back, 3, MPI_INT, &status);
  MUST("datarep", memcmp(out, back, sizeof out) == 0);
  MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_read_at(fh, rank * 6, raw, 6, MPI_INT, &status);
  for (int i = 0; i < 3; ++i) MUST("datarep", raw[2 * i] == out[i] && raw[2 * i + 1] == ~out[i]);
  MPI_File_close(&fh);
  done("datarep");
}

// Hints come back; those of ROMIO are no error.
static void file_info(void) {
  const char *given[][2] = {{"cb_buffer_size", "8388608"}, {"cb_nodes", "2"}, {"romio_cb_write", "enable"},
                            {"romio_ds_read", "disable"}, {"ind_rd_buffer_size", "2097152"}};
  MPI_Info info, used;
  MPI_Info_create(&info);
  for (int i = 0; i < 5; ++i) MPI_Info_set(info, given[i][0], given[i][1]);
  MPI_Info_set(info, "no_such_hint", "1");
  MPI_File fh;
  MUST("file_info", MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &fh) == MPI_SUCCESS);
  MPI_File_get_info(fh, &used);
  int keys = 0;
  MPI_Info_get_nkeys(used, &keys);
  for (int i = 0; i < keys; ++i) {
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
    int there;
    MPI_Info_get_nthkey(used, i, key);
    MPI_Info_get(used, key, MPI_MAX_INFO_VAL, value, &there);
    MUST("file_info", there && strcmp(key, "no_such_hint") != 0);
    for (int j = 0; j < 5; ++j)
      if (strcmp(key, given[j][0]) == 0) MUST("file_info", strcmp(value, given[j][1]) == 0);
  }
  MUST("file_info", MPI_File_set_info(fh, info) == MPI_SUCCESS);
  MUST("file_info", MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "native", info) == MPI_SUCCESS);
  MPI_Info_free(&used);
  MPI_Info_free(&info);
  MPI_File_close(&fh);
  done("file_info");
}

// Two ranks write the same bytes: no mixture is seen in atomic mode.
static void atomicity(void) {
  enum { n = 3000 };
  static char out[n], in[n];
  MPI_File fh = open_new(0);
  MPI_File_set_atomicity(fh, 1);
  MPI_Status status;
  MPI_Datatype comb;
  MPI_Type_vector(n / 10, 10, 20, MPI_CHAR, &comb);
  MPI_Type_commit(&comb);
  for (int round = 0; round < 2; ++round) {
    if (round == 1) MPI_File_set_view(fh, 0, MPI_CHAR, comb, "native", MPI_INFO_NULL);
    if (rank == 0) {
      memset(out, 'z', n);
      MPI_File_write_at(fh, 0, out, n, MPI_CHAR, &status);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    memset(out, 'a' + rank, n);
    if (rank % 2 == 0) {
      MPI_File_write_at(fh, 0, out, n, MPI_CHAR, &status);
    } else {
      MPI_File_read_at(fh, 0, in, n, MPI_CHAR, &status);
      for (int i = 1; i < n; ++i) MUST("atomicity", in[i] == in[0]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Type_free(&comb);
  MPI_File_close(&fh);
  done("atomicity");
}

static void shared_pointers(void) {
  MPI_File fh = open_new(0);
  MPI_Status status;
  MPI_Offset at;
  int out[4], in[4] = {-1, -1, -1, -1};
  for (int i = 0; i < 4; ++i) out[i] = rank * 4 + i;
  MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_write_ordered(fh, out, 4, MPI_INT, &status);
  MPI_File_get_position_shared(fh, &at);
  MUST("shared", at == 4 * size);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(fh, 0, MPI_SEEK_SET);
  MPI_File_read_ordered(fh, in, 4, MPI_INT, &status);
  MUST("shared", memcmp(in, out, sizeof out) == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(fh, -4 * size, MPI_SEEK_CUR);
  MPI_File_read_shared(fh, in, 4, MPI_INT, &status);
  MUST("shared", in[0] % 4 == 0 && in[3] == in[0] + 3);
  int sum = in[0] / 4, all;
  MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MUST("shared", all == size * (size - 1) / 2);
  MPI_File_close(&fh);
  done("shared");
}

static void errors(void) {
  MPI_File fh;
  MPI_Errhandler handler;
  int error_class = 0;
  MPI_File_get_errhandler(MPI_FILE_NULL, &handler);
  MUST("errors", handler == MPI_ERRORS_RETURN);
  MPI_Error_class(MPI_File_open(MPI_COMM_WORLD, "no/such/directory/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &fh), &error_class);
  MUST("errors", error_class == MPI_ERR_NO_SUCH_FILE);
  fh = open_new(0);
  MPI_Error_class(MPI_File_seek(fh, -1, MPI_SEEK_SET), &error_class);
  MUST("errors", error_class == MPI_ERR_ARG);
  MPI_Offset at;
  MPI_Error_class(MPI_File_get_byte_offset(fh, 3, &at), &error_class);
  MUST("errors", error_class == MPI_SUCCESS && at == 3);
  MPI_File_close(&fh);
  MUST("errors", fh == MPI_FILE_NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Error_class(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR, MPI_INFO_NULL, &fh),
                  &error_class);
  MUST("errors", error_class == MPI_ERR_FILE_EXISTS);
  done("errors");
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  snprintf(name, sizeof name, "%s/suite.dat", argv[1]);
  async_multiple();
  noncontig("noncontig", 0);
  noncontig("noncontig_coll", 1);
  noncontig("i_noncontig", 2);
  noncontig("i_noncontig_coll", 3);
  noncontig("split_coll", 4);
  darray();
  if (argc < 3) {  // what Open MPI 4.1's own MPI-IO refuses
    external32();
    datarep();
  }
  large_file();
  file_info();
  atomicity();
  shared_pointers();
  errors();
  if (rank == 0) MPI_File_delete(name, MPI_INFO_NULL);
  MPI_Finalize();
  return 0;
}
