/* MPI-IO, call by call: one line each with what came out, the same under another MPI library unless the test says so.
 * usage: chapter FOLDER [PART ...]   parts: see main */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;
static char path[1000];
static const char* folder;

static const char* name_of(const char* name) {
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

/* All ranks' numbers, in rank order. */
static void tell(const char* what, long long value) {
  long long all[64];
  MPI_Gather(&value, 1, MPI_LONG_LONG, all, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  printf("%s:", what);
  for (int i = 0; i < ranks; i++) printf(" %lld", all[i]);
  printf("\n");
}

static const char* class_name(int error) {
  static const struct {
    int class;
    const char* name;
  } names[] = {{MPI_SUCCESS, "MPI_SUCCESS"}, {MPI_ERR_IO, "MPI_ERR_IO"}, {MPI_ERR_ARG, "MPI_ERR_ARG"},
               {MPI_ERR_NOT_SAME, "MPI_ERR_NOT_SAME"}, {MPI_ERR_COUNT, "MPI_ERR_COUNT"}, {MPI_ERR_AMODE, "MPI_ERR_AMODE"},
               {MPI_ERR_ACCESS, "MPI_ERR_ACCESS"}, {MPI_ERR_READ_ONLY, "MPI_ERR_READ_ONLY"}, {MPI_ERR_TYPE, "MPI_ERR_TYPE"},
               {MPI_ERR_UNSUPPORTED_DATAREP, "MPI_ERR_UNSUPPORTED_DATAREP"}, {MPI_ERR_DUP_DATAREP, "MPI_ERR_DUP_DATAREP"},
               {MPI_ERR_UNSUPPORTED_OPERATION, "MPI_ERR_UNSUPPORTED_OPERATION"}, {MPI_ERR_FILE, "MPI_ERR_FILE"},
               {MPI_ERR_NO_SUCH_FILE, "MPI_ERR_NO_SUCH_FILE"}, {MPI_ERR_FILE_EXISTS, "MPI_ERR_FILE_EXISTS"}};
  int class;
  MPI_Error_class(error, &class);
  for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
    if (names[i].class == class) return names[i].name;
  return "another class";
}

static void tell_class(const char* what, int error) {
  if (rank == 0) printf("%s: %s\n", what, class_name(error));
}

static int count_of(MPI_Status* status, MPI_Datatype type) {
  int count;
  MPI_Get_count(status, type, &count);
  return count;
}

/* The bytes of a file as letters, sorted if ranks write in any order. */
static int compare(const void* a, const void* b) { return *(const char*)a - *(const char*)b; }
static void tell_content(const char* what, const char* name, int sorted) {
  char data[400] = "";
  if (rank != 0) return;
  FILE* in = fopen(name_of(name), "rb");
  size_t size = in ? fread(data, 1, sizeof data - 1, in) : 0;
  if (in) fclose(in);
  if (sorted) qsort(data, size, 1, compare);
  for (size_t i = 0; i < size; i++)
    if (data[i] == 0) data[i] = '.';
  data[size] = 0;
  printf("%s: %s\n", what, in ? data : "no file");
}

static MPI_File open_file(const char* name, int mode) {
  MPI_File file;
  int error = MPI_File_open(MPI_COMM_WORLD, name_of(name), mode, MPI_INFO_NULL, &file);
  if (error != MPI_SUCCESS) tell_class("cannot open", error);
  return file;
}

/* The ranks' bytes take turns. */
static void deal(MPI_File file) {
  MPI_Datatype turn;
  MPI_Type_create_resized(MPI_CHAR, 0, ranks, &turn);
  MPI_Type_commit(&turn);
  MPI_File_set_view(file, rank, MPI_CHAR, turn, "native", MPI_INFO_NULL);
  MPI_Type_free(&turn);
}

static void shared(void) {
  MPI_Status status;
  MPI_Offset position = -1;
  char mine[8], back[8] = "";
  memset(mine, 'a' + rank, sizeof mine);
  MPI_File file = open_file("shared.dat", MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_File_write_shared(file, mine, rank + 1, MPI_CHAR, &status);
  tell("write_shared", count_of(&status, MPI_CHAR));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_get_position_shared(file, &position);
  tell("get_position_shared", position);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_read_shared(file, back, 2, MPI_CHAR, &status);
  tell("read_shared", count_of(&status, MPI_CHAR));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(file, 0, MPI_SEEK_END);
  MPI_File_get_position_shared(file, &position);
  tell("seek_shared to the end", position);
  MPI_File_get_position(file, &position);
  tell("the individual pointer", position);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_close(&file);
  tell_content("shared", "shared.dat", 1);
}

static void ordered(void) {
  MPI_Status status;
  char mine[8], back[8] = "";
  memset(mine, 'a' + rank, sizeof mine);
  MPI_File file = open_file("ordered.dat", MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_File_write_ordered(file, mine, ranks - rank, MPI_CHAR, &status);
  tell("write_ordered", count_of(&status, MPI_CHAR));
  MPI_File_write_ordered_begin(file, mine, 1, MPI_CHAR);
  MPI_File_write_ordered_end(file, mine, &status);
  tell("write_ordered_end", count_of(&status, MPI_CHAR));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(file, 1, MPI_SEEK_SET);
  MPI_File_read_ordered(file, back, 2, MPI_CHAR, &status);
  tell("read_ordered", back[0] * 1000 + back[1]);
  MPI_File_read_ordered_begin(file, back, 1, MPI_CHAR);
  MPI_File_read_ordered_end(file, back, &status);
  tell("read_ordered_end", back[0]);
  MPI_File_close(&file);
  tell_content("ordered", "ordered.dat", 0);
}

static void nonblocking(void) {
  MPI_Request requests[3];
  MPI_Status statuses[3];
  MPI_Offset position = -1;
  char mine[8], back[9] = "";
  memset(mine, 'a' + rank, sizeof mine);
  mine[1] = 'A' + rank;
  MPI_File file = open_file("nonblocking.dat", MPI_MODE_CREATE | MPI_MODE_RDWR);
  deal(file);
  MPI_File_iwrite(file, mine, 3, MPI_CHAR, &requests[0]);
  MPI_File_get_position(file, &position);
  tell("position behind iwrite", position);
  MPI_File_iwrite_at(file, 3, mine, 2, MPI_CHAR, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  tell("iwrite", count_of(&statuses[0], MPI_CHAR));
  tell("iwrite_at", count_of(&statuses[1], MPI_CHAR));
  MPI_File_seek(file, 5, MPI_SEEK_SET);
  MPI_File_iwrite_all(file, mine, 1, MPI_CHAR, &requests[0]);
  MPI_Wait(&requests[0], statuses);
  MPI_File_iwrite_at_all(file, 6, mine + 1, 1, MPI_CHAR, &requests[0]);
  MPI_Wait(&requests[0], statuses);
  tell("iwrite_at_all", count_of(&statuses[0], MPI_CHAR));
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_iread_at(file, 0, back, 5, MPI_CHAR, &requests[0]);
  int flag = 0;
  while (!flag) MPI_Test(&requests[0], &flag, statuses);
  tell("iread_at", count_of(statuses, MPI_CHAR) * 1000 + back[1]);
  MPI_File_seek(file, 4, MPI_SEEK_SET);
  MPI_File_iread(file, back, 2, MPI_CHAR, &requests[0]);
  MPI_Wait(&requests[0], statuses);
  tell("iread", back[0] * 1000 + back[1]);
  MPI_File_iread_at_all(file, 0, back, 2, MPI_CHAR, &requests[0]);
  MPI_Wait(&requests[0], statuses);
  tell("iread_at_all", back[0] * 1000 + back[1]);
  MPI_File_close(&file);
  tell_content("nonblocking", "nonblocking.dat", 0);
}

static void split(void) {
  MPI_Status status;
  char mine[8], back[9] = "";
  memset(mine, 'a' + rank, sizeof mine);
  mine[2] = 'A' + rank;
  MPI_File file = open_file("split.dat", MPI_MODE_CREATE | MPI_MODE_RDWR);
  deal(file);
  MPI_File_write_all_begin(file, mine, 3, MPI_CHAR);
  MPI_File_write_all_end(file, mine, &status);
  tell("write_all_end", count_of(&status, MPI_CHAR));
  MPI_File_write_at_all_begin(file, 3, mine, 2, MPI_CHAR);
  MPI_File_write_at_all_end(file, mine, &status);
  tell("write_at_all_end", count_of(&status, MPI_CHAR));
  MPI_File_seek(file, 1, MPI_SEEK_SET);
  MPI_File_read_all_begin(file, back, 2, MPI_CHAR);
  tell_class("a second split collective", MPI_File_read_all_begin(file, back, 2, MPI_CHAR));
  MPI_File_read_all_end(file, back, &status);
  tell("read_all_end", back[0] * 1000 + back[1]);
  tell_class("an end without a beginning", MPI_File_read_all_end(file, back, &status));
  MPI_File_read_at_all_begin(file, 2, back, 2, MPI_CHAR);
  MPI_File_read_at_all_end(file, back, &status);
  tell("read_at_all_end", back[0] * 1000 + back[1]);
  MPI_File_close(&file);
  tell_content("split", "split.dat", 0);
}

static void atomic(void) {
  char mine[64], back[64];
  int flag = -1, mixed = 0;
  MPI_File file = open_file("atomic.dat", MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_File_get_atomicity(file, &flag);
  tell("atomicity", flag);
  MPI_File_set_atomicity(file, 1);
  MPI_File_get_atomicity(file, &flag);
  tell("atomicity that was set", flag);
  for (int round = 0; round < 10; round++) {
    memset(mine, 'a' + rank + round, sizeof mine);
    MPI_File_write_at(file, 0, mine, sizeof mine, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, 0, back, sizeof back, MPI_CHAR, MPI_STATUS_IGNORE);
    for (unsigned i = 1; i < sizeof back; i++) mixed += back[i] != back[0];
  }
  tell("bytes of other writes", mixed);
  MPI_File_set_atomicity(file, 0);
  MPI_File_close(&file);
}

static void sizes_and_modes(void) {
  MPI_Offset size = -1, position = -1;
  MPI_Group group, world;
  int mode = 0, relation = -1;
  MPI_File file = open_file("sizes.dat", MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR);
  MPI_File_set_size(file, 100);
  MPI_File_get_size(file, &size);
  tell("set_size", size);
  MPI_File_preallocate(file, 50);
  MPI_File_get_size(file, &size);
  tell("preallocate less", size);
  MPI_File_preallocate(file, 200);
  MPI_File_get_size(file, &size);
  tell("preallocate more", size);
  MPI_File_get_amode(file, &mode);
  tell("get_amode", mode == (MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR));
  MPI_File_get_group(file, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_compare(group, world, &relation);
  tell("get_group", relation == MPI_IDENT);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  MPI_File_close(&file);
  tell("a closed file", file == MPI_FILE_NULL);
  tell_class("exclusive and there", MPI_File_open(MPI_COMM_WORLD, name_of("sizes.dat"), MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  file = open_file("sizes.dat", MPI_MODE_WRONLY | MPI_MODE_APPEND);
  MPI_File_get_position(file, &position);
  tell("append", position);
  MPI_File_close(&file);
  file = open_file("gone.dat", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_UNIQUE_OPEN);
  MPI_File_close(&file);
  tell_content("delete on close", "gone.dat", 0);
  if (rank == 0) MPI_File_delete(name_of("sizes.dat"), MPI_INFO_NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  tell_content("delete", "sizes.dat", 0);
  tell_class("delete what is not there", MPI_File_delete(name_of("sizes.dat"), MPI_INFO_NULL));
}

static void views(void) {
  MPI_Offset offset = -1;
  MPI_Aint extent = -1;
  MPI_Datatype pattern, etype, filetype;
  int size = -1;
  char representation[MPI_MAX_DATAREP_STRING];
  MPI_File file = open_file("views.dat", MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_Type_vector(3, 2, 5, MPI_INT, &pattern);
  MPI_Type_commit(&pattern);
  MPI_File_set_view(file, 100, MPI_INT, pattern, "native", MPI_INFO_NULL);
  MPI_File_get_byte_offset(file, 3, &offset);
  tell("get_byte_offset", offset);
  MPI_File_get_byte_offset(file, 7, &offset);
  tell("get_byte_offset in the next tile", offset);
  MPI_File_get_view(file, &offset, &etype, &filetype, representation);
  MPI_Type_size(filetype, &size);
  tell("get_view", offset * 1000 + size);
  if (rank == 0) printf("representation: %s\n", representation);
  MPI_Type_free(&filetype);
  MPI_File_get_type_extent(file, pattern, &extent);
  tell("get_type_extent", extent);
  MPI_Type_free(&pattern);
  tell_class("an unknown representation", MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "nonsense", MPI_INFO_NULL));
  tell_class("a current displacement", MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  tell_class("a negative displacement", MPI_File_set_view(file, -1, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  tell_class("a negative count", MPI_File_write(file, &size, -1, MPI_INT, MPI_STATUS_IGNORE));
  tell_class("a negative offset", MPI_File_write_at(file, -1, &size, 1, MPI_INT, MPI_STATUS_IGNORE));
  tell_class("part of an etype", MPI_File_write(file, &size, 1, MPI_CHAR, MPI_STATUS_IGNORE));
  MPI_File_close(&file);
}

static int handled;
static void handler(MPI_File* file, int* code, ...) {
  (void)file;
  MPI_Error_class(*code, &handled);
}

static void handlers(void) {
  MPI_Errhandler mine, found;
  MPI_File file;
  MPI_File_create_errhandler(handler, &mine);
  MPI_File_get_errhandler(MPI_FILE_NULL, &found);
  tell("the default handler", found == MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&found);
  MPI_File_set_errhandler(MPI_FILE_NULL, mine);
  handled = 0;
  MPI_File_open(MPI_COMM_WORLD, name_of("none.dat"), MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  if (rank == 0) printf("the default handler that was set: %s\n", class_name(handled));
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
  file = open_file("handlers.dat", MPI_MODE_CREATE | MPI_MODE_WRONLY);
  MPI_File_set_errhandler(file, mine);
  handled = 0;
  MPI_File_read(file, &handled, 1, MPI_INT, MPI_STATUS_IGNORE);
  if (rank == 0) printf("the file's handler: %s\n", class_name(handled));
  handled = 0;
  MPI_File_call_errhandler(file, MPI_ERR_QUOTA);
  tell("call_errhandler", handled == MPI_ERR_QUOTA);
  MPI_Errhandler_free(&mine);
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 2) return 1;
  folder = argv[1];
  static const struct {
    const char* name;
    void (*run)(void);
  } parts[] = {{"shared", shared}, {"ordered", ordered}, {"nonblocking", nonblocking}, {"split", split}, {"atomic", atomic},
               {"sizes", sizes_and_modes}, {"views", views}, {"handlers", handlers}};
  for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    int wanted = argc == 2;
    for (int j = 2; j < argc; j++) wanted |= !strcmp(argv[j], parts[i].name);
    if (wanted) parts[i].run();
  }
  MPI_Finalize();
  return 0;
}
