/* Part of mpi.h: neighbourhood collectives, one-sided communication, files, dynamic processes, generalized
 * requests, handle conversion. */
#ifndef MPISIM_MPI_H
#error "include mpi.h"
#endif

/* Neighbourhood collectives (section 7.6). */
MPISIM_DECLARE(int, Neighbor_allgather, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm));
MPISIM_DECLARE(int, Neighbor_allgatherv, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm));
MPISIM_DECLARE(int, Neighbor_alltoall, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm));
MPISIM_DECLARE(int, Neighbor_alltoallv, (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm));
MPISIM_DECLARE(int, Neighbor_alltoallw, (const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm));
MPISIM_DECLARE(int, Ineighbor_allgather, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request));
MPISIM_DECLARE(int, Ineighbor_allgatherv, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request));
MPISIM_DECLARE(int, Ineighbor_alltoall, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request));
MPISIM_DECLARE(int, Ineighbor_alltoallv, (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request));
MPISIM_DECLARE(int, Ineighbor_alltoallw, (const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request));

/* One-sided communication (chapter 11). */
MPISIM_DECLARE(int, Win_create, (void* base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win));
MPISIM_DECLARE(int, Win_allocate, (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win));
MPISIM_DECLARE(int, Win_allocate_shared, (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win));
MPISIM_DECLARE(int, Win_shared_query, (MPI_Win win, int rank, MPI_Aint* size, int* disp_unit, void* baseptr));
MPISIM_DECLARE(int, Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win* win));
MPISIM_DECLARE(int, Win_attach, (MPI_Win win, void* base, MPI_Aint size));
MPISIM_DECLARE(int, Win_detach, (MPI_Win win, const void* base));
MPISIM_DECLARE(int, Win_free, (MPI_Win* win));
MPISIM_DECLARE(int, Win_get_group, (MPI_Win win, MPI_Group* group));
MPISIM_DECLARE(int, Win_set_info, (MPI_Win win, MPI_Info info));
MPISIM_DECLARE(int, Win_get_info, (MPI_Win win, MPI_Info* info_used));
MPISIM_DECLARE(int, Put, (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win));
MPISIM_DECLARE(int, Get, (void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win));
MPISIM_DECLARE(int, Accumulate, (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win));
MPISIM_DECLARE(int, Get_accumulate, (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, void* result_addr, int result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win));
MPISIM_DECLARE(int, Fetch_and_op, (const void* origin_addr, void* result_addr, MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win));
MPISIM_DECLARE(int, Compare_and_swap, (const void* origin_addr, const void* compare_addr, void* result_addr, MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Win win));
MPISIM_DECLARE(int, Rput, (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request* request));
MPISIM_DECLARE(int, Rget, (void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request* request));
MPISIM_DECLARE(int, Raccumulate, (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request* request));
MPISIM_DECLARE(int, Rget_accumulate, (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, void* result_addr, int result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request* request));
MPISIM_DECLARE(int, Win_fence, (int assert, MPI_Win win));
MPISIM_DECLARE(int, Win_start, (MPI_Group group, int assert, MPI_Win win));
MPISIM_DECLARE(int, Win_complete, (MPI_Win win));
MPISIM_DECLARE(int, Win_post, (MPI_Group group, int assert, MPI_Win win));
MPISIM_DECLARE(int, Win_wait, (MPI_Win win));
MPISIM_DECLARE(int, Win_test, (MPI_Win win, int* flag));
MPISIM_DECLARE(int, Win_lock, (int lock_type, int rank, int assert, MPI_Win win));
MPISIM_DECLARE(int, Win_lock_all, (int assert, MPI_Win win));
MPISIM_DECLARE(int, Win_unlock, (int rank, MPI_Win win));
MPISIM_DECLARE(int, Win_unlock_all, (MPI_Win win));
MPISIM_DECLARE(int, Win_flush, (int rank, MPI_Win win));
MPISIM_DECLARE(int, Win_flush_all, (MPI_Win win));
MPISIM_DECLARE(int, Win_flush_local, (int rank, MPI_Win win));
MPISIM_DECLARE(int, Win_flush_local_all, (MPI_Win win));
MPISIM_DECLARE(int, Win_sync, (MPI_Win win));
MPISIM_DECLARE(int, Win_set_name, (MPI_Win win, const char* win_name));
MPISIM_DECLARE(int, Win_get_name, (MPI_Win win, char* win_name, int* resultlen));
MPISIM_DECLARE(int, Win_create_keyval, (MPI_Win_copy_attr_function* copy, MPI_Win_delete_attr_function* del, int* keyval, void* extra_state));
MPISIM_DECLARE(int, Win_free_keyval, (int* keyval));
MPISIM_DECLARE(int, Win_set_attr, (MPI_Win win, int keyval, void* attribute_val));
MPISIM_DECLARE(int, Win_get_attr, (MPI_Win win, int keyval, void* attribute_val, int* flag));
MPISIM_DECLARE(int, Win_delete_attr, (MPI_Win win, int keyval));
MPISIM_DECLARE(int, Win_create_errhandler, (MPI_Win_errhandler_function* function, MPI_Errhandler* errhandler));
MPISIM_DECLARE(int, Win_set_errhandler, (MPI_Win win, MPI_Errhandler errhandler));
MPISIM_DECLARE(int, Win_get_errhandler, (MPI_Win win, MPI_Errhandler* errhandler));
MPISIM_DECLARE(int, Win_call_errhandler, (MPI_Win win, int errorcode));

/* Files (chapter 13). */
MPISIM_DECLARE(int, File_open, (MPI_Comm comm, const char* filename, int amode, MPI_Info info, MPI_File* fh));
MPISIM_DECLARE(int, File_close, (MPI_File* fh));
MPISIM_DECLARE(int, File_delete, (const char* filename, MPI_Info info));
MPISIM_DECLARE(int, File_set_size, (MPI_File fh, MPI_Offset size));
MPISIM_DECLARE(int, File_preallocate, (MPI_File fh, MPI_Offset size));
MPISIM_DECLARE(int, File_get_size, (MPI_File fh, MPI_Offset* size));
MPISIM_DECLARE(int, File_get_group, (MPI_File fh, MPI_Group* group));
MPISIM_DECLARE(int, File_get_amode, (MPI_File fh, int* amode));
MPISIM_DECLARE(int, File_set_info, (MPI_File fh, MPI_Info info));
MPISIM_DECLARE(int, File_get_info, (MPI_File fh, MPI_Info* info_used));
MPISIM_DECLARE(int, File_set_view, (MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char* datarep, MPI_Info info));
MPISIM_DECLARE(int, File_get_view, (MPI_File fh, MPI_Offset* disp, MPI_Datatype* etype, MPI_Datatype* filetype, char* datarep));
MPISIM_DECLARE(int, File_read_at, (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype, MPI_Status* status));
MPISIM_DECLARE(int, File_read_at_all, (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype, MPI_Status* status));
MPISIM_DECLARE(int, File_write_at, (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status));
MPISIM_DECLARE(int, File_write_at_all, (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status));
MPISIM_DECLARE(int, File_iread_at, (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype, MPI_Request* request));
MPISIM_DECLARE(int, File_iwrite_at, (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype, MPI_Request* request));
MPISIM_DECLARE(int, File_iread_at_all, (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype, MPI_Request* request));
MPISIM_DECLARE(int, File_iwrite_at_all, (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype, MPI_Request* request));
MPISIM_DECLARE(int, File_read, (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status));
MPISIM_DECLARE(int, File_read_all, (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status));
MPISIM_DECLARE(int, File_write, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status));
MPISIM_DECLARE(int, File_write_all, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status));
MPISIM_DECLARE(int, File_iread, (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Request* request));
MPISIM_DECLARE(int, File_iwrite, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Request* request));
MPISIM_DECLARE(int, File_iread_all, (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Request* request));
MPISIM_DECLARE(int, File_iwrite_all, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Request* request));
MPISIM_DECLARE(int, File_seek, (MPI_File fh, MPI_Offset offset, int whence));
MPISIM_DECLARE(int, File_get_position, (MPI_File fh, MPI_Offset* offset));
MPISIM_DECLARE(int, File_get_byte_offset, (MPI_File fh, MPI_Offset offset, MPI_Offset* disp));
MPISIM_DECLARE(int, File_read_shared, (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status));
MPISIM_DECLARE(int, File_write_shared, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status));
MPISIM_DECLARE(int, File_iread_shared, (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Request* request));
MPISIM_DECLARE(int, File_iwrite_shared, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Request* request));
MPISIM_DECLARE(int, File_read_ordered, (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status));
MPISIM_DECLARE(int, File_write_ordered, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status));
MPISIM_DECLARE(int, File_seek_shared, (MPI_File fh, MPI_Offset offset, int whence));
MPISIM_DECLARE(int, File_get_position_shared, (MPI_File fh, MPI_Offset* offset));
MPISIM_DECLARE(int, File_read_at_all_begin, (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype));
MPISIM_DECLARE(int, File_read_at_all_end, (MPI_File fh, void* buf, MPI_Status* status));
MPISIM_DECLARE(int, File_write_at_all_begin, (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype));
MPISIM_DECLARE(int, File_write_at_all_end, (MPI_File fh, const void* buf, MPI_Status* status));
MPISIM_DECLARE(int, File_read_all_begin, (MPI_File fh, void* buf, int count, MPI_Datatype datatype));
MPISIM_DECLARE(int, File_read_all_end, (MPI_File fh, void* buf, MPI_Status* status));
MPISIM_DECLARE(int, File_write_all_begin, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype));
MPISIM_DECLARE(int, File_write_all_end, (MPI_File fh, const void* buf, MPI_Status* status));
MPISIM_DECLARE(int, File_read_ordered_begin, (MPI_File fh, void* buf, int count, MPI_Datatype datatype));
MPISIM_DECLARE(int, File_read_ordered_end, (MPI_File fh, void* buf, MPI_Status* status));
MPISIM_DECLARE(int, File_write_ordered_begin, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype));
MPISIM_DECLARE(int, File_write_ordered_end, (MPI_File fh, const void* buf, MPI_Status* status));
MPISIM_DECLARE(int, File_get_type_extent, (MPI_File fh, MPI_Datatype datatype, MPI_Aint* extent));
MPISIM_DECLARE(int, Register_datarep, (const char* datarep, MPI_Datarep_conversion_function* read_conversion_fn, MPI_Datarep_conversion_function* write_conversion_fn, MPI_Datarep_extent_function* dtype_file_extent_fn, void* extra_state));
MPISIM_DECLARE(int, File_set_atomicity, (MPI_File fh, int flag));
MPISIM_DECLARE(int, File_get_atomicity, (MPI_File fh, int* flag));
MPISIM_DECLARE(int, File_sync, (MPI_File fh));
MPISIM_DECLARE(int, File_create_errhandler, (MPI_File_errhandler_function* function, MPI_Errhandler* errhandler));
MPISIM_DECLARE(int, File_set_errhandler, (MPI_File file, MPI_Errhandler errhandler));
MPISIM_DECLARE(int, File_get_errhandler, (MPI_File file, MPI_Errhandler* errhandler));
MPISIM_DECLARE(int, File_call_errhandler, (MPI_File fh, int errorcode));

/* Dynamic processes (chapter 10). */
MPISIM_DECLARE(int, Comm_spawn, (const char* command, char* argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* intercomm, int array_of_errcodes[]));
MPISIM_DECLARE(int, Comm_spawn_multiple, (int count, char* array_of_commands[], char** array_of_argv[], const int array_of_maxprocs[], const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm* intercomm, int array_of_errcodes[]));
MPISIM_DECLARE(int, Comm_get_parent, (MPI_Comm* parent));
MPISIM_DECLARE(int, Comm_accept, (const char* port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* newcomm));
MPISIM_DECLARE(int, Comm_connect, (const char* port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* newcomm));
MPISIM_DECLARE(int, Comm_disconnect, (MPI_Comm* comm));
MPISIM_DECLARE(int, Comm_join, (int fd, MPI_Comm* intercomm));
MPISIM_DECLARE(int, Open_port, (MPI_Info info, char* port_name));
MPISIM_DECLARE(int, Close_port, (const char* port_name));
MPISIM_DECLARE(int, Publish_name, (const char* service_name, MPI_Info info, const char* port_name));
MPISIM_DECLARE(int, Unpublish_name, (const char* service_name, MPI_Info info, const char* port_name));
MPISIM_DECLARE(int, Lookup_name, (const char* service_name, MPI_Info info, char* port_name));

/* Generalized requests (chapter 12). */
MPISIM_DECLARE(int, Grequest_start, (MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn, MPI_Grequest_cancel_function* cancel_fn, void* extra_state, MPI_Request* request));
MPISIM_DECLARE(int, Grequest_complete, (MPI_Request request));

/* Conversion of handles to and from Fortran's (section 17.2). */
MPISIM_DECLARE(MPI_Fint, Comm_c2f, (MPI_Comm comm));
MPISIM_DECLARE(MPI_Comm, Comm_f2c, (MPI_Fint comm));
MPISIM_DECLARE(MPI_Fint, Type_c2f, (MPI_Datatype datatype));
MPISIM_DECLARE(MPI_Datatype, Type_f2c, (MPI_Fint datatype));
MPISIM_DECLARE(MPI_Fint, Group_c2f, (MPI_Group group));
MPISIM_DECLARE(MPI_Group, Group_f2c, (MPI_Fint group));
MPISIM_DECLARE(MPI_Fint, Request_c2f, (MPI_Request request));
MPISIM_DECLARE(MPI_Request, Request_f2c, (MPI_Fint request));
MPISIM_DECLARE(MPI_Fint, File_c2f, (MPI_File file));
MPISIM_DECLARE(MPI_File, File_f2c, (MPI_Fint file));
MPISIM_DECLARE(MPI_Fint, Win_c2f, (MPI_Win win));
MPISIM_DECLARE(MPI_Win, Win_f2c, (MPI_Fint win));
MPISIM_DECLARE(MPI_Fint, Op_c2f, (MPI_Op op));
MPISIM_DECLARE(MPI_Op, Op_f2c, (MPI_Fint op));
MPISIM_DECLARE(MPI_Fint, Info_c2f, (MPI_Info info));
MPISIM_DECLARE(MPI_Info, Info_f2c, (MPI_Fint info));
MPISIM_DECLARE(MPI_Fint, Errhandler_c2f, (MPI_Errhandler errhandler));
MPISIM_DECLARE(MPI_Errhandler, Errhandler_f2c, (MPI_Fint errhandler));
MPISIM_DECLARE(MPI_Fint, Message_c2f, (MPI_Message message));
MPISIM_DECLARE(MPI_Message, Message_f2c, (MPI_Fint message));
MPISIM_DECLARE(int, Status_c2f, (const MPI_Status* c_status, MPI_Fint* f_status));
MPISIM_DECLARE(int, Status_f2c, (const MPI_Fint* f_status, MPI_Status* c_status));
