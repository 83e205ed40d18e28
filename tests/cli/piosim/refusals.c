/* What goes wrong with files, one line each: the class of the error, the same on all ranks.
 * usage: refusals FOLDER FULL   in FOLDER: readonly.dat, short.dat with the ints 0 to 19; FULL: a file that takes no data */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, ranks;

static const char* name_of(int class) {
  static const struct {
    int class;
    const char* name;
  } names[] = {{MPI_SUCCESS, "MPI_SUCCESS"},
               {MPI_ERR_NO_SUCH_FILE, "MPI_ERR_NO_SUCH_FILE"},
               {MPI_ERR_FILE_EXISTS, "MPI_ERR_FILE_EXISTS"},
               {MPI_ERR_ACCESS, "MPI_ERR_ACCESS"},
               {MPI_ERR_AMODE, "MPI_ERR_AMODE"},
               {MPI_ERR_READ_ONLY, "MPI_ERR_READ_ONLY"},
               {MPI_ERR_NO_SPACE, "MPI_ERR_NO_SPACE"},
               {MPI_ERR_BAD_FILE, "MPI_ERR_BAD_FILE"},
               {MPI_ERR_FILE, "MPI_ERR_FILE"},
               {MPI_ERR_IO, "MPI_ERR_IO"}};
  for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
    if (names[i].class == class) return names[i].name;
  return "another class";
}

/* Collective: `wrong` counts what else is not as it should be on this rank. */
static void tell(const char* what, int error, int wrong) {
  int class, least, most, all_wrong;
  MPI_Error_class(error, &class);
  MPI_Allreduce(&class, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&class, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank != 0) return;
  printf("%s: %s%s%s\n", what, name_of(class), least != most ? ", ranks differ" : "", all_wrong ? ", WRONG" : "");
}

static void open_it(const char* what, const char* folder, const char* name, int amode) {
  char path[1000];
  MPI_File file = MPI_FILE_NULL;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  const int error = MPI_File_open(MPI_COMM_WORLD, path, amode, MPI_INFO_NULL, &file);
  tell(what, error, (error == MPI_SUCCESS) != (file != MPI_FILE_NULL));
  if (file != MPI_FILE_NULL) MPI_File_close(&file);
}

/* Each rank reads 8 ints of the 10 that the view shows of short.dat, from number 6 * rank on. */
static void read_short(const char* folder, int together) {
  char path[1000];
  int data[8], count = -1;
  MPI_File file;
  MPI_Datatype every_second;
  MPI_Status status;
  snprintf(path, sizeof path, "%s/short.dat", folder);
  memset(data, -1, sizeof data);
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &every_second);
  MPI_Type_commit(&every_second);
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  MPI_File_set_view(file, 0, MPI_INT, every_second, "native", MPI_INFO_NULL);
  const int error = together ? MPI_File_read_at_all(file, 6 * rank, data, 8, MPI_INT, &status)
                             : MPI_File_read_at(file, 6 * rank, data, 8, MPI_INT, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  int wrong = 0, expected = 10 - 6 * rank;
  if (expected > 8) expected = 8;
  if (expected < 0) expected = 0;
  for (int i = 0; i < 8; i++) wrong += data[i] != (i < expected ? 2 * (6 * rank + i) : -1);
  tell(together ? "shorter than the view, together" : "shorter than the view", error, count != expected || wrong);
  MPI_File_close(&file);
  MPI_Type_free(&every_second);
}

static void fill(const char* full, int together) {
  static char data[5000];
  MPI_File file;
  MPI_Status status;
  int error = MPI_File_open(MPI_COMM_WORLD, full, MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  if (error != MPI_SUCCESS) {
    tell("opening the full disk", error, 0);
    return;
  }
  error = together ? MPI_File_write_at_all(file, rank * 5000, data, 5000, MPI_CHAR, &status)
                   : MPI_File_write_at(file, rank * 5000, data, 5000, MPI_CHAR, &status);
  tell(together ? "full disk, together" : "full disk", error, 0);
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3) return 1;
  const char* folder = argv[1];

  open_it("missing directory", folder, "none/new.dat", MPI_MODE_CREATE | MPI_MODE_WRONLY);
  open_it("missing file", folder, "none.dat", MPI_MODE_RDONLY);
  open_it("two accesses", folder, "new.dat", MPI_MODE_CREATE | MPI_MODE_RDONLY | MPI_MODE_WRONLY);
  open_it("no access", folder, "new.dat", MPI_MODE_CREATE);
  open_it("create and read only", folder, "new.dat", MPI_MODE_CREATE | MPI_MODE_RDONLY);
  open_it("sequential and both", folder, "new.dat", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL);
  open_it("exclusive and there", folder, "short.dat", MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR);
  open_it("read-only file", folder, "readonly.dat", MPI_MODE_WRONLY);
  open_it("read-only file to read", folder, "readonly.dat", MPI_MODE_RDONLY);

  char path[1000];
  MPI_File file;
  snprintf(path, sizeof path, "%s/short.dat", folder);
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  tell("writing what is open to read", MPI_File_write_at(file, 0, &rank, 1, MPI_INT, MPI_STATUS_IGNORE), 0);
  tell("together", MPI_File_write_at_all(file, 0, &rank, 1, MPI_INT, MPI_STATUS_IGNORE), 0);
  MPI_File_close(&file);
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  tell("reading what is open to write", MPI_File_read_at(file, 0, &rank, 1, MPI_INT, MPI_STATUS_IGNORE), 0);
  MPI_File_close(&file);

  for (int together = 0; together < 2; together++) {
    read_short(folder, together);
    fill(argv[2], together);
  }
  MPI_Finalize();
  return 0;
}
