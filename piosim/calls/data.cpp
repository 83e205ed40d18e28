// Data accesses (MPI-3.1 sections 13.4.2 to 13.4.4): blocking, nonblocking and collective, by explicit
// offsets, individual and shared file pointers.
#include "piosim/arguments.hpp"
#include "piosim/data_call.hpp"

using namespace mpisim::mpi;
using namespace mpisim::pio;

namespace {

DataCall read_call(void* buffer, int count, MPI_Datatype datatype, Pointer pointer, MPI_Offset offset = 0) {
  return {Kind::read, pointer, offset, buffer, count, datatype};
}

DataCall write_call(const void* buffer, int count, MPI_Datatype datatype, Pointer pointer,
                    MPI_Offset offset = 0) {
  return {Kind::write, pointer, offset, const_cast<void*>(buffer), count, datatype};
}

}  // namespace

MPISIM_ENTRY(int, File_read_at,
             (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype,
              MPI_Status* status)) {
  MPISIM_CALL(MPI_File_read_at, input_output);
  return access_blocking(fh, read_call(buf, count, datatype, Pointer::explicit_offset, offset), status);
}

MPISIM_ENTRY(int, File_read_at_all,
             (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype,
              MPI_Status* status)) {
  MPISIM_CALL(MPI_File_read_at_all, input_output);
  return access_collectively(fh, read_call(buf, count, datatype, Pointer::explicit_offset, offset), status);
}

MPISIM_ENTRY(int, File_read, (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status)) {
  MPISIM_CALL(MPI_File_read, input_output);
  return access_blocking(fh, read_call(buf, count, datatype, Pointer::individual), status);
}

MPISIM_ENTRY(int, File_read_all,
             (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status)) {
  MPISIM_CALL(MPI_File_read_all, input_output);
  return access_collectively(fh, read_call(buf, count, datatype, Pointer::individual), status);
}

MPISIM_ENTRY(int, File_read_shared,
             (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status)) {
  MPISIM_CALL(MPI_File_read_shared, input_output);
  return access_blocking(fh, read_call(buf, count, datatype, Pointer::shared), status);
}

MPISIM_ENTRY(int, File_read_ordered,
             (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status)) {
  MPISIM_CALL(MPI_File_read_ordered, input_output);
  return access_collectively(fh, read_call(buf, count, datatype, Pointer::shared), status);
}

MPISIM_ENTRY(int, File_write_at,
             (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype,
              MPI_Status* status)) {
  MPISIM_CALL(MPI_File_write_at, input_output);
  return access_blocking(fh, write_call(buf, count, datatype, Pointer::explicit_offset, offset), status);
}

MPISIM_ENTRY(int, File_write_at_all,
             (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype,
              MPI_Status* status)) {
  MPISIM_CALL(MPI_File_write_at_all, input_output);
  return access_collectively(fh, write_call(buf, count, datatype, Pointer::explicit_offset, offset), status);
}

MPISIM_ENTRY(int, File_write,
             (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status)) {
  MPISIM_CALL(MPI_File_write, input_output);
  return access_blocking(fh, write_call(buf, count, datatype, Pointer::individual), status);
}

MPISIM_ENTRY(int, File_write_all,
             (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status)) {
  MPISIM_CALL(MPI_File_write_all, input_output);
  return access_collectively(fh, write_call(buf, count, datatype, Pointer::individual), status);
}

MPISIM_ENTRY(int, File_write_shared,
             (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status)) {
  MPISIM_CALL(MPI_File_write_shared, input_output);
  return access_blocking(fh, write_call(buf, count, datatype, Pointer::shared), status);
}

MPISIM_ENTRY(int, File_write_ordered,
             (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status)) {
  MPISIM_CALL(MPI_File_write_ordered, input_output);
  return access_collectively(fh, write_call(buf, count, datatype, Pointer::shared), status);
}

MPISIM_ENTRY(int, File_iread_at,
             (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype,
              MPI_Request* request)) {
  MPISIM_CALL(MPI_File_iread_at, input_output);
  return access_nonblocking(fh, read_call(buf, count, datatype, Pointer::explicit_offset, offset), request);
}

MPISIM_ENTRY(int, File_iread_at_all,
             (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype,
              MPI_Request* request)) {
  MPISIM_CALL(MPI_File_iread_at_all, input_output);
  return access_collectively_nonblocking(
      fh, read_call(buf, count, datatype, Pointer::explicit_offset, offset), request);
}

MPISIM_ENTRY(int, File_iread,
             (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Request* request)) {
  MPISIM_CALL(MPI_File_iread, input_output);
  return access_nonblocking(fh, read_call(buf, count, datatype, Pointer::individual), request);
}

MPISIM_ENTRY(int, File_iread_all,
             (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Request* request)) {
  MPISIM_CALL(MPI_File_iread_all, input_output);
  return access_collectively_nonblocking(fh, read_call(buf, count, datatype, Pointer::individual), request);
}

MPISIM_ENTRY(int, File_iread_shared,
             (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Request* request)) {
  MPISIM_CALL(MPI_File_iread_shared, input_output);
  return access_nonblocking(fh, read_call(buf, count, datatype, Pointer::shared), request);
}

MPISIM_ENTRY(int, File_iwrite_at,
             (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype,
              MPI_Request* request)) {
  MPISIM_CALL(MPI_File_iwrite_at, input_output);
  return access_nonblocking(fh, write_call(buf, count, datatype, Pointer::explicit_offset, offset), request);
}

MPISIM_ENTRY(int, File_iwrite_at_all,
             (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype,
              MPI_Request* request)) {
  MPISIM_CALL(MPI_File_iwrite_at_all, input_output);
  return access_collectively_nonblocking(
      fh, write_call(buf, count, datatype, Pointer::explicit_offset, offset), request);
}

MPISIM_ENTRY(int, File_iwrite,
             (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Request* request)) {
  MPISIM_CALL(MPI_File_iwrite, input_output);
  return access_nonblocking(fh, write_call(buf, count, datatype, Pointer::individual), request);
}

MPISIM_ENTRY(int, File_iwrite_all,
             (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Request* request)) {
  MPISIM_CALL(MPI_File_iwrite_all, input_output);
  return access_collectively_nonblocking(fh, write_call(buf, count, datatype, Pointer::individual), request);
}

MPISIM_ENTRY(int, File_iwrite_shared,
             (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Request* request)) {
  MPISIM_CALL(MPI_File_iwrite_shared, input_output);
  return access_nonblocking(fh, write_call(buf, count, datatype, Pointer::shared), request);
}
