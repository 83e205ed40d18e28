// Data representations: what stands in the file, what types measure there, what comes back.
#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "tests/unit/piosim/support.hpp"

using namespace mpisim;
using namespace mpisim::test;

namespace {

MPI_File open_new(const std::string& name) {
  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  return file;
}

// A representation of the program's own: ints as four decimal digits, everything else as in memory.
int digits_extent(MPI_Datatype type, MPI_Aint* extent, void* state) {
  ++*static_cast<int*>(state);
  int size = 0;
  MPI_Type_size(type, &size);
  *extent = type == MPI_INT ? 4 : size;
  return MPI_SUCCESS;
}

/// Items of contiguous ints only.
int write_digits(void* user, MPI_Datatype type, int count, void* file, MPI_Offset position, void*) {
  int size = 0;
  MPI_Type_size(type, &size);
  const int ints = size / static_cast<int>(sizeof(int));
  for (int i = 0; i < count * ints; ++i) {
    const int value = static_cast<int*>(user)[position * ints + i];
    if (value < 0) return MPI_ERR_CONVERSION;
    const std::string text = std::to_string(10000 + value % 10000).substr(1);
    std::memcpy(static_cast<char*>(file) + 4 * i, text.data(), 4);
  }
  return MPI_SUCCESS;
}

int read_digits(void* user, MPI_Datatype type, int count, void* file, MPI_Offset position, void*) {
  int size = 0;
  MPI_Type_size(type, &size);
  const int ints = size / static_cast<int>(sizeof(int));
  for (int i = 0; i < count * ints; ++i)
    static_cast<int*>(user)[position * ints + i] =
        std::stoi(std::string(static_cast<char*>(file) + 4 * i, 4));
  return MPI_SUCCESS;
}

}  // namespace

TEST_CASE("external32: big-endian, with the standard's sizes, through any view") {
  const Directory directory;
  const std::string name = directory.file("external.dat");
  for (const auto collective : {pio::Collective::barrier, pio::Collective::two_phase}) {
    std::filesystem::remove(name);
    const auto result = run_ranks(
        2, program([&](int rank) {
          MPI_File file = open_new(name);
          MPI_Datatype pattern, memory;
          // Each rank has every second pair of longs: in the file their extent is that of external32.
          MPI_Type_vector(3, 2, 4, MPI_LONG, &pattern);
          MPI_Type_commit(&pattern);
          MPI_Aint in_file = 0, of_vector = 0;
          EXPECT(!MPI_File_get_type_extent(file, MPI_LONG, &in_file) && in_file == sizeof(long));
          EXPECT(!MPI_File_set_view(file, 0, MPI_LONG, MPI_LONG, "external32", MPI_INFO_NULL));
          EXPECT(!MPI_File_get_type_extent(file, MPI_LONG, &in_file));
          EXPECT(!MPI_File_get_type_extent(file, pattern, &of_vector) && of_vector == 10 * in_file);
          MPI_Aint packed = 0;
          EXPECT(!MPI_Pack_external_size("external32", 1, MPI_LONG, &packed) && packed == in_file);
          EXPECT(
              !MPI_File_set_view(file, rank * 2 * in_file, MPI_LONG, pattern, "external32", MPI_INFO_NULL));
          MPI_Type_free(&pattern);
          char representation[MPI_MAX_DATAREP_STRING];
          MPI_Offset displacement;
          MPI_Datatype etype, filetype;
          EXPECT(!MPI_File_get_view(file, &displacement, &etype, &filetype, representation));
          EXPECT(!std::strcmp(representation, "external32") && etype == MPI_LONG);
          MPI_Type_free(&filetype);
          MPI_Type_vector(4, 1, 2, MPI_LONG, &memory);  // with gaps in memory
          MPI_Type_commit(&memory);
          long data[8], back[8];
          for (int i = 0; i < 8; ++i) data[i] = i % 2 ? -1 : 100 * rank + i / 2 - 150;
          MPI_Status status;
          int count = -1;
          EXPECT(!MPI_File_write_all(file, data, 1, memory, &status));
          MPI_Get_count(&status, memory, &count);
          EXPECT(count == 1);
          MPI_Offset position = -1;
          EXPECT(!MPI_File_get_position(file, &position) && position == 4);
          EXPECT(!MPI_File_get_byte_offset(file, 2, &position) && position == (4 + 2 * rank) * in_file);
          std::memset(back, -1, sizeof back);
          EXPECT(!MPI_File_read_at_all(file, 0, back, 1, memory, &status));
          EXPECT(!std::memcmp(back, data, sizeof data));
          // Beyond the end there is nothing, and the count is of longs in memory.
          MPI_Barrier(MPI_COMM_WORLD);
          EXPECT(!MPI_File_read_at(file, 3, back, 5, MPI_LONG, &status));
          MPI_Get_count(&status, MPI_LONG, &count);
          EXPECT(count == 1 && back[0] == data[6]);
          EXPECT(!MPI_File_seek(file, 0, MPI_SEEK_END));
          EXPECT(!MPI_File_get_position(file, &position) && position == 4);
          MPI_Request request;
          EXPECT(!MPI_File_iread_at(file, 1, back, 2, MPI_LONG, &request));
          EXPECT(!MPI_Wait(&request, &status));
          MPI_Get_count(&status, MPI_LONG, &count);
          EXPECT(count == 2 && back[0] == data[2] && back[1] == data[4]);
          MPI_Type_free(&memory);
          return MPI_File_close(&file);
        }),
        with(with_collective(collective)));
    CHECK(result.exit_code == 0);
    CHECK(warnings_of(result) == "");
    const std::string content = content_of(name);
    const std::size_t size = content.size() / 8;
    REQUIRE(size * 8 == content.size());
    const long values[8] = {-150, -149, -50, -49, -148, -147, -48, -47};
    for (std::size_t i = 0; i < 8; ++i)
      for (std::size_t byte = 0; byte < size; ++byte)
        CHECK(static_cast<unsigned char>(content[i * size + byte]) ==
              static_cast<unsigned char>(values[i] >> (8 * (size - 1 - byte))));
  }
}

TEST_CASE("a program's own representation") {
  const Directory directory;
  const std::string name = directory.file("digits.dat");
  const auto result = run_ranks(
      1, program([&](int) {
        int asked = 0;
        EXPECT(!MPI_Register_datarep("digits", read_digits, write_digits, digits_extent, &asked));
        EXPECT(MPI_Register_datarep("digits", read_digits, write_digits, digits_extent, &asked) ==
               MPI_ERR_DUP_DATAREP);
        EXPECT(MPI_Register_datarep("native", read_digits, write_digits, digits_extent, &asked) ==
               MPI_ERR_DUP_DATAREP);
        EXPECT(MPI_Register_datarep("none", read_digits, write_digits, nullptr, &asked) == MPI_ERR_ARG);
        MPI_File file = open_new(name);
        MPI_Datatype pair;
        MPI_Type_contiguous(2, MPI_INT, &pair);
        MPI_Type_commit(&pair);
        EXPECT(!MPI_File_set_view(file, 1, MPI_INT, MPI_INT, "digits", MPI_INFO_NULL) && asked > 0);
        MPI_Aint extent = 0;
        EXPECT(!MPI_File_get_type_extent(file, pair, &extent) && extent == 8);
        const int data[4] = {7, 1234, 56, 999};
        int back[4] = {}, count = -1, bad = -1;
        MPI_Status status;
        EXPECT(!MPI_File_write(file, data, 2, pair, &status));
        MPI_Get_count(&status, MPI_INT, &count);
        EXPECT(count == 4);
        EXPECT(!MPI_File_read_at(file, 1, back, 4, MPI_INT, &status));
        MPI_Get_count(&status, MPI_INT, &count);
        EXPECT(count == 3 && back[0] == 1234 && back[1] == 56 && back[2] == 999 && back[3] == 0);
        EXPECT(MPI_File_write(file, &bad, 1, MPI_INT, &status) == MPI_ERR_CONVERSION);
        MPI_Type_free(&pair);
        return MPI_File_close(&file);
      }),
      with({}));
  CHECK(result.exit_code == 0);
  CHECK(content_of(name) == std::string(1, '\0') + "0007123400560999");
}

TEST_CASE("displacements in elements are scaled with the representation, those in bytes are not") {
  const Directory directory;
  const auto result = run_ranks(
      1, program([&](int) {
        MPI_File file = open_new(directory.file("extents.dat"));
        EXPECT(!MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "external32", MPI_INFO_NULL));
        MPI_Aint unit = 0;
        EXPECT(!MPI_File_get_type_extent(file, MPI_WCHAR, &unit));
        EXPECT(unit != sizeof(wchar_t));  // or the rest shows nothing
        const auto extent_of = [&](MPI_Datatype type) {
          MPI_Aint extent = -1;
          MPI_Type_commit(&type);
          if (MPI_File_get_type_extent(file, type, &extent)) extent = -2;
          MPI_Type_free(&type);
          return extent;
        };
        MPI_Datatype type;
        const int lengths[2] = {1, 2}, places[2] = {1, 5};
        const MPI_Aint bytes[2] = {0, 100};
        MPI_Type_indexed(2, lengths, places, MPI_WCHAR, &type);
        EXPECT(extent_of(type) == 6 * unit);
        MPI_Type_create_indexed_block(2, 2, places, MPI_WCHAR, &type);
        EXPECT(extent_of(type) == 6 * unit);
        const int sizes[2] = {4, 6}, parts[2] = {2, 2}, starts[2] = {1, 1};
        MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_WCHAR, &type);
        EXPECT(extent_of(type) == 24 * unit);
        const int distributions[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
        const int dargs[2] = {MPI_DISTRIBUTE_DFLT_DARG, 1}, grid[2] = {2, 2};
        MPI_Type_create_darray(4, 1, 2, sizes, distributions, dargs, grid, MPI_ORDER_C, MPI_WCHAR, &type);
        EXPECT(extent_of(type) == 24 * unit);
        MPI_Type_dup(MPI_WCHAR, &type);
        EXPECT(extent_of(type) == unit);
        MPI_Type_create_hvector(2, 1, 100, MPI_WCHAR, &type);
        EXPECT(extent_of(type) == 100 + unit);
        MPI_Type_create_hindexed(2, lengths, bytes, MPI_WCHAR, &type);
        EXPECT(extent_of(type) == 100 + 2 * unit);
        MPI_Type_create_hindexed_block(2, 1, bytes, MPI_WCHAR, &type);
        EXPECT(extent_of(type) == 100 + unit);
        const MPI_Datatype types[2] = {MPI_WCHAR, MPI_CHAR};
        MPI_Type_create_struct(2, lengths, bytes, types, &type);
        EXPECT(extent_of(type) == 102);
        MPI_Type_create_resized(MPI_WCHAR, 0, 50, &type);
        EXPECT(extent_of(type) == 50);
        return MPI_File_close(&file);
      }),
      with({}));
  CHECK(result.exit_code == 0);
}
