// Split collective data accesses (MPI-3.1 section 13.4.5).
#include "piosim/arguments.hpp"
#include "piosim/data_call.hpp"

using namespace mpisim::mpi;
using namespace mpisim::pio;

MPISIM_ENTRY(int, File_read_at_all_begin,
             (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype)) {
  MPISIM_CALL(MPI_File_read_at_all_begin, input_output);
  return begin_split(fh, {Kind::read, Pointer::explicit_offset, offset, buf, count, datatype});
}

MPISIM_ENTRY(int, File_read_at_all_end, (MPI_File fh, void* /*buf*/, MPI_Status* status)) {
  MPISIM_CALL(MPI_File_read_at_all_end, input_output);
  return end_split(fh, Kind::read, Pointer::explicit_offset, status);
}

MPISIM_ENTRY(int, File_read_all_begin, (MPI_File fh, void* buf, int count, MPI_Datatype datatype)) {
  MPISIM_CALL(MPI_File_read_all_begin, input_output);
  return begin_split(fh, {Kind::read, Pointer::individual, 0, buf, count, datatype});
}

MPISIM_ENTRY(int, File_read_all_end, (MPI_File fh, void* /*buf*/, MPI_Status* status)) {
  MPISIM_CALL(MPI_File_read_all_end, input_output);
  return end_split(fh, Kind::read, Pointer::individual, status);
}

MPISIM_ENTRY(int, File_read_ordered_begin, (MPI_File fh, void* buf, int count, MPI_Datatype datatype)) {
  MPISIM_CALL(MPI_File_read_ordered_begin, input_output);
  return begin_split(fh, {Kind::read, Pointer::shared, 0, buf, count, datatype});
}

MPISIM_ENTRY(int, File_read_ordered_end, (MPI_File fh, void* /*buf*/, MPI_Status* status)) {
  MPISIM_CALL(MPI_File_read_ordered_end, input_output);
  return end_split(fh, Kind::read, Pointer::shared, status);
}

MPISIM_ENTRY(int, File_write_at_all_begin,
             (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype)) {
  MPISIM_CALL(MPI_File_write_at_all_begin, input_output);
  return begin_split(
      fh, {Kind::write, Pointer::explicit_offset, offset, const_cast<void*>(buf), count, datatype});
}

MPISIM_ENTRY(int, File_write_at_all_end, (MPI_File fh, const void* /*buf*/, MPI_Status* status)) {
  MPISIM_CALL(MPI_File_write_at_all_end, input_output);
  return end_split(fh, Kind::write, Pointer::explicit_offset, status);
}

MPISIM_ENTRY(int, File_write_all_begin, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype)) {
  MPISIM_CALL(MPI_File_write_all_begin, input_output);
  return begin_split(fh, {Kind::write, Pointer::individual, 0, const_cast<void*>(buf), count, datatype});
}

MPISIM_ENTRY(int, File_write_all_end, (MPI_File fh, const void* /*buf*/, MPI_Status* status)) {
  MPISIM_CALL(MPI_File_write_all_end, input_output);
  return end_split(fh, Kind::write, Pointer::individual, status);
}

MPISIM_ENTRY(int, File_write_ordered_begin,
             (MPI_File fh, const void* buf, int count, MPI_Datatype datatype)) {
  MPISIM_CALL(MPI_File_write_ordered_begin, input_output);
  return begin_split(fh, {Kind::write, Pointer::shared, 0, const_cast<void*>(buf), count, datatype});
}

MPISIM_ENTRY(int, File_write_ordered_end, (MPI_File fh, const void* /*buf*/, MPI_Status* status)) {
  MPISIM_CALL(MPI_File_write_ordered_end, input_output);
  return end_split(fh, Kind::write, Pointer::shared, status);
}
