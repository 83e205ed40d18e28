/* Part of mpi.h: what mpisim does not have yet, so that it is told by name: when a program that calls it is linked, or
 * with `mpisimcc -fmpi-missing=run-time` when the call is made. The arguments are not checked. */
#ifndef MPISIM_MPI_H
#error "include mpi.h"
#endif

typedef int MPI_Session;
typedef void MPI_Session_errhandler_function(MPI_Session*, int*, ...);
typedef struct mpisim_t_enum* MPI_T_enum;
typedef struct mpisim_t_cvar_handle* MPI_T_cvar_handle;
typedef struct mpisim_t_pvar_handle* MPI_T_pvar_handle;
typedef struct mpisim_t_pvar_session* MPI_T_pvar_session;
typedef struct mpisim_t_event_registration* MPI_T_event_registration;
typedef struct mpisim_t_event_instance* MPI_T_event_instance;

#define MPI_SESSION_NULL ((MPI_Session)0)
#define MPI_T_ENUM_NULL ((MPI_T_enum)0)
#define MPI_T_CVAR_HANDLE_NULL ((MPI_T_cvar_handle)0)
#define MPI_T_PVAR_HANDLE_NULL ((MPI_T_pvar_handle)0)
#define MPI_T_PVAR_SESSION_NULL ((MPI_T_pvar_session)0)
#define MPI_T_PVAR_ALL_HANDLES ((MPI_T_pvar_handle)1)
enum {
  MPI_T_VERBOSITY_USER_BASIC, MPI_T_VERBOSITY_USER_DETAIL, MPI_T_VERBOSITY_USER_ALL,
  MPI_T_VERBOSITY_TUNER_BASIC, MPI_T_VERBOSITY_TUNER_DETAIL, MPI_T_VERBOSITY_TUNER_ALL,
  MPI_T_VERBOSITY_MPIDEV_BASIC, MPI_T_VERBOSITY_MPIDEV_DETAIL, MPI_T_VERBOSITY_MPIDEV_ALL
};
enum {
  MPI_T_BIND_NO_OBJECT, MPI_T_BIND_MPI_COMM, MPI_T_BIND_MPI_DATATYPE, MPI_T_BIND_MPI_ERRHANDLER, MPI_T_BIND_MPI_FILE,
  MPI_T_BIND_MPI_GROUP, MPI_T_BIND_MPI_OP, MPI_T_BIND_MPI_REQUEST, MPI_T_BIND_MPI_WIN, MPI_T_BIND_MPI_MESSAGE,
  MPI_T_BIND_MPI_INFO, MPI_T_BIND_MPI_SESSION
};
enum {
  MPI_T_SCOPE_CONSTANT, MPI_T_SCOPE_READONLY, MPI_T_SCOPE_LOCAL, MPI_T_SCOPE_GROUP, MPI_T_SCOPE_GROUP_EQ,
  MPI_T_SCOPE_ALL, MPI_T_SCOPE_ALL_EQ
};
enum {
  MPI_T_PVAR_CLASS_STATE, MPI_T_PVAR_CLASS_LEVEL, MPI_T_PVAR_CLASS_SIZE, MPI_T_PVAR_CLASS_PERCENTAGE,
  MPI_T_PVAR_CLASS_HIGHWATERMARK, MPI_T_PVAR_CLASS_LOWWATERMARK, MPI_T_PVAR_CLASS_COUNTER,
  MPI_T_PVAR_CLASS_AGGREGATE, MPI_T_PVAR_CLASS_TIMER, MPI_T_PVAR_CLASS_GENERIC
};

#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ > 201710L)
#define MPISIM_UNCHECKED (...)
#else
#define MPISIM_UNCHECKED ()
#endif
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wstrict-prototypes"
#elif defined(__GNUC__) && !defined(__cplusplus)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#endif
#define MPISIM_LATER(name) MPISIM_DECLARE(int, name, MPISIM_UNCHECKED)

/* Counts beyond the range of int (MPI-4.0). */
MPISIM_LATER(Bsend_c);
MPISIM_LATER(Bsend_init_c);
MPISIM_LATER(Buffer_attach_c);
MPISIM_LATER(Buffer_detach_c);
MPISIM_LATER(Get_count_c);
MPISIM_LATER(Get_elements_c);
MPISIM_LATER(Ibsend_c);
MPISIM_LATER(Imrecv_c);
MPISIM_LATER(Irecv_c);
MPISIM_LATER(Irsend_c);
MPISIM_LATER(Isend_c);
MPISIM_LATER(Isendrecv_c);
MPISIM_LATER(Isendrecv_replace_c);
MPISIM_LATER(Issend_c);
MPISIM_LATER(Mrecv_c);
MPISIM_LATER(Recv_c);
MPISIM_LATER(Recv_init_c);
MPISIM_LATER(Rsend_c);
MPISIM_LATER(Rsend_init_c);
MPISIM_LATER(Send_c);
MPISIM_LATER(Send_init_c);
MPISIM_LATER(Sendrecv_c);
MPISIM_LATER(Sendrecv_replace_c);
MPISIM_LATER(Ssend_c);
MPISIM_LATER(Ssend_init_c);
MPISIM_LATER(Pack_c);
MPISIM_LATER(Pack_external_c);
MPISIM_LATER(Pack_external_size_c);
MPISIM_LATER(Pack_size_c);
MPISIM_LATER(Unpack_c);
MPISIM_LATER(Unpack_external_c);
MPISIM_LATER(Type_contiguous_c);
MPISIM_LATER(Type_create_darray_c);
MPISIM_LATER(Type_create_hindexed_c);
MPISIM_LATER(Type_create_hindexed_block_c);
MPISIM_LATER(Type_create_hvector_c);
MPISIM_LATER(Type_create_indexed_block_c);
MPISIM_LATER(Type_create_resized_c);
MPISIM_LATER(Type_create_struct_c);
MPISIM_LATER(Type_create_subarray_c);
MPISIM_LATER(Type_get_contents_c);
MPISIM_LATER(Type_get_envelope_c);
MPISIM_LATER(Type_get_extent_c);
MPISIM_LATER(Type_get_true_extent_c);
MPISIM_LATER(Type_indexed_c);
MPISIM_LATER(Type_size_c);
MPISIM_LATER(Type_vector_c);
MPISIM_LATER(Op_create_c);
MPISIM_LATER(Reduce_local_c);
MPISIM_LATER(Status_set_elements_c);
MPISIM_LATER(Accumulate_c);
MPISIM_LATER(Get_c);
MPISIM_LATER(Get_accumulate_c);
MPISIM_LATER(Put_c);
MPISIM_LATER(Raccumulate_c);
MPISIM_LATER(Rget_c);
MPISIM_LATER(Rget_accumulate_c);
MPISIM_LATER(Rput_c);
MPISIM_LATER(Win_allocate_c);
MPISIM_LATER(Win_allocate_shared_c);
MPISIM_LATER(Win_create_c);
MPISIM_LATER(Win_shared_query_c);
MPISIM_LATER(File_get_type_extent_c);
MPISIM_LATER(Register_datarep_c);
MPISIM_LATER(Comm_attach_buffer_c);
MPISIM_LATER(Comm_detach_buffer_c);
MPISIM_LATER(Session_attach_buffer_c);
MPISIM_LATER(Session_detach_buffer_c);
MPISIM_LATER(Allgather_c);
MPISIM_LATER(Allgatherv_c);
MPISIM_LATER(Allreduce_c);
MPISIM_LATER(Alltoall_c);
MPISIM_LATER(Alltoallv_c);
MPISIM_LATER(Alltoallw_c);
MPISIM_LATER(Bcast_c);
MPISIM_LATER(Exscan_c);
MPISIM_LATER(Gather_c);
MPISIM_LATER(Gatherv_c);
MPISIM_LATER(Reduce_c);
MPISIM_LATER(Reduce_scatter_c);
MPISIM_LATER(Reduce_scatter_block_c);
MPISIM_LATER(Scan_c);
MPISIM_LATER(Scatter_c);
MPISIM_LATER(Scatterv_c);
MPISIM_LATER(Neighbor_allgather_c);
MPISIM_LATER(Neighbor_allgatherv_c);
MPISIM_LATER(Neighbor_alltoall_c);
MPISIM_LATER(Neighbor_alltoallv_c);
MPISIM_LATER(Neighbor_alltoallw_c);
MPISIM_LATER(Iallgather_c);
MPISIM_LATER(Iallgatherv_c);
MPISIM_LATER(Iallreduce_c);
MPISIM_LATER(Ialltoall_c);
MPISIM_LATER(Ialltoallv_c);
MPISIM_LATER(Ialltoallw_c);
MPISIM_LATER(Ibcast_c);
MPISIM_LATER(Iexscan_c);
MPISIM_LATER(Igather_c);
MPISIM_LATER(Igatherv_c);
MPISIM_LATER(Ireduce_c);
MPISIM_LATER(Ireduce_scatter_c);
MPISIM_LATER(Ireduce_scatter_block_c);
MPISIM_LATER(Iscan_c);
MPISIM_LATER(Iscatter_c);
MPISIM_LATER(Iscatterv_c);
MPISIM_LATER(Ineighbor_allgather_c);
MPISIM_LATER(Ineighbor_allgatherv_c);
MPISIM_LATER(Ineighbor_alltoall_c);
MPISIM_LATER(Ineighbor_alltoallv_c);
MPISIM_LATER(Ineighbor_alltoallw_c);
MPISIM_LATER(Allgather_init_c);
MPISIM_LATER(Allgatherv_init_c);
MPISIM_LATER(Allreduce_init_c);
MPISIM_LATER(Alltoall_init_c);
MPISIM_LATER(Alltoallv_init_c);
MPISIM_LATER(Alltoallw_init_c);
MPISIM_LATER(Bcast_init_c);
MPISIM_LATER(Exscan_init_c);
MPISIM_LATER(Gather_init_c);
MPISIM_LATER(Gatherv_init_c);
MPISIM_LATER(Reduce_init_c);
MPISIM_LATER(Reduce_scatter_init_c);
MPISIM_LATER(Reduce_scatter_block_init_c);
MPISIM_LATER(Scan_init_c);
MPISIM_LATER(Scatter_init_c);
MPISIM_LATER(Scatterv_init_c);
MPISIM_LATER(Neighbor_allgather_init_c);
MPISIM_LATER(Neighbor_allgatherv_init_c);
MPISIM_LATER(Neighbor_alltoall_init_c);
MPISIM_LATER(Neighbor_alltoallv_init_c);
MPISIM_LATER(Neighbor_alltoallw_init_c);
MPISIM_LATER(File_iread_c);
MPISIM_LATER(File_iread_all_c);
MPISIM_LATER(File_iread_at_c);
MPISIM_LATER(File_iread_at_all_c);
MPISIM_LATER(File_iread_shared_c);
MPISIM_LATER(File_iwrite_c);
MPISIM_LATER(File_iwrite_all_c);
MPISIM_LATER(File_iwrite_at_c);
MPISIM_LATER(File_iwrite_at_all_c);
MPISIM_LATER(File_iwrite_shared_c);
MPISIM_LATER(File_read_c);
MPISIM_LATER(File_read_all_c);
MPISIM_LATER(File_read_all_begin_c);
MPISIM_LATER(File_read_at_c);
MPISIM_LATER(File_read_at_all_c);
MPISIM_LATER(File_read_at_all_begin_c);
MPISIM_LATER(File_read_ordered_c);
MPISIM_LATER(File_read_ordered_begin_c);
MPISIM_LATER(File_read_shared_c);
MPISIM_LATER(File_write_c);
MPISIM_LATER(File_write_all_c);
MPISIM_LATER(File_write_all_begin_c);
MPISIM_LATER(File_write_at_c);
MPISIM_LATER(File_write_at_all_c);
MPISIM_LATER(File_write_at_all_begin_c);
MPISIM_LATER(File_write_ordered_c);
MPISIM_LATER(File_write_ordered_begin_c);
MPISIM_LATER(File_write_shared_c);

/* Persistent collectives (MPI-4.0). */
MPISIM_LATER(Barrier_init);
MPISIM_LATER(Allgather_init);
MPISIM_LATER(Allgatherv_init);
MPISIM_LATER(Allreduce_init);
MPISIM_LATER(Alltoall_init);
MPISIM_LATER(Alltoallv_init);
MPISIM_LATER(Alltoallw_init);
MPISIM_LATER(Bcast_init);
MPISIM_LATER(Exscan_init);
MPISIM_LATER(Gather_init);
MPISIM_LATER(Gatherv_init);
MPISIM_LATER(Reduce_init);
MPISIM_LATER(Reduce_scatter_init);
MPISIM_LATER(Reduce_scatter_block_init);
MPISIM_LATER(Scan_init);
MPISIM_LATER(Scatter_init);
MPISIM_LATER(Scatterv_init);
MPISIM_LATER(Neighbor_allgather_init);
MPISIM_LATER(Neighbor_allgatherv_init);
MPISIM_LATER(Neighbor_alltoall_init);
MPISIM_LATER(Neighbor_alltoallv_init);
MPISIM_LATER(Neighbor_alltoallw_init);

/* Partitioned communication, combined non-blocking calls (MPI-4.0). */
MPISIM_LATER(Psend_init);
MPISIM_LATER(Precv_init);
MPISIM_LATER(Pready);
MPISIM_LATER(Pready_range);
MPISIM_LATER(Pready_list);
MPISIM_LATER(Parrived);
MPISIM_LATER(Isendrecv);
MPISIM_LATER(Isendrecv_replace);

/* Sessions, and communicators without a parent (MPI-4.0). */
MPISIM_LATER(Session_init);
MPISIM_LATER(Session_finalize);
MPISIM_LATER(Session_get_num_psets);
MPISIM_LATER(Session_get_nth_psetlen);
MPISIM_LATER(Session_get_nth_pset);
MPISIM_LATER(Session_get_info);
MPISIM_LATER(Session_get_pset_info);
MPISIM_LATER(Session_create_errhandler);
MPISIM_LATER(Session_set_errhandler);
MPISIM_LATER(Session_get_errhandler);
MPISIM_LATER(Session_call_errhandler);
MPISIM_LATER(Session_c2f);
MPISIM_LATER(Session_f2c);
MPISIM_LATER(Group_from_session_pset);
MPISIM_LATER(Comm_create_from_group);
MPISIM_LATER(Intercomm_create_from_groups);
MPISIM_LATER(Comm_idup_with_info);
MPISIM_LATER(Info_create_env);
MPISIM_LATER(Info_get_string);

/* MPI-4.1. */
MPISIM_LATER(Comm_attach_buffer);
MPISIM_LATER(Comm_detach_buffer);
MPISIM_LATER(Comm_flush_buffer);
MPISIM_LATER(Comm_iflush_buffer);
MPISIM_LATER(Session_attach_buffer);
MPISIM_LATER(Session_detach_buffer);
MPISIM_LATER(Session_flush_buffer);
MPISIM_LATER(Session_iflush_buffer);
MPISIM_LATER(Buffer_flush);
MPISIM_LATER(Buffer_iflush);
MPISIM_LATER(Get_hw_resource_info);
MPISIM_LATER(Remove_error_class);
MPISIM_LATER(Remove_error_code);
MPISIM_LATER(Remove_error_string);
MPISIM_LATER(Request_get_status_all);
MPISIM_LATER(Request_get_status_any);
MPISIM_LATER(Request_get_status_some);
MPISIM_LATER(Status_get_error);
MPISIM_LATER(Status_get_source);
MPISIM_LATER(Status_get_tag);
MPISIM_LATER(Status_set_error);
MPISIM_LATER(Status_set_source);
MPISIM_LATER(Status_set_tag);
MPISIM_LATER(Type_get_value_index);

/* The tool information interface (MPI-3.1 chapter 14, events of MPI-4.0). */
MPISIM_LATER(T_init_thread);
MPISIM_LATER(T_finalize);
MPISIM_LATER(T_enum_get_info);
MPISIM_LATER(T_enum_get_item);
MPISIM_LATER(T_cvar_get_num);
MPISIM_LATER(T_cvar_get_info);
MPISIM_LATER(T_cvar_get_index);
MPISIM_LATER(T_cvar_handle_alloc);
MPISIM_LATER(T_cvar_handle_free);
MPISIM_LATER(T_cvar_read);
MPISIM_LATER(T_cvar_write);
MPISIM_LATER(T_pvar_get_num);
MPISIM_LATER(T_pvar_get_info);
MPISIM_LATER(T_pvar_get_index);
MPISIM_LATER(T_pvar_session_create);
MPISIM_LATER(T_pvar_session_free);
MPISIM_LATER(T_pvar_handle_alloc);
MPISIM_LATER(T_pvar_handle_free);
MPISIM_LATER(T_pvar_start);
MPISIM_LATER(T_pvar_stop);
MPISIM_LATER(T_pvar_read);
MPISIM_LATER(T_pvar_write);
MPISIM_LATER(T_pvar_reset);
MPISIM_LATER(T_pvar_readreset);
MPISIM_LATER(T_category_get_num);
MPISIM_LATER(T_category_get_info);
MPISIM_LATER(T_category_get_index);
MPISIM_LATER(T_category_get_num_events);
MPISIM_LATER(T_category_get_cvars);
MPISIM_LATER(T_category_get_pvars);
MPISIM_LATER(T_category_get_events);
MPISIM_LATER(T_category_get_categories);
MPISIM_LATER(T_category_changed);
MPISIM_LATER(T_source_get_num);
MPISIM_LATER(T_source_get_info);
MPISIM_LATER(T_source_get_timestamp);
MPISIM_LATER(T_event_get_num);
MPISIM_LATER(T_event_get_info);
MPISIM_LATER(T_event_get_index);
MPISIM_LATER(T_event_handle_alloc);
MPISIM_LATER(T_event_handle_set_info);
MPISIM_LATER(T_event_handle_get_info);
MPISIM_LATER(T_event_register_callback);
MPISIM_LATER(T_event_callback_set_info);
MPISIM_LATER(T_event_callback_get_info);
MPISIM_LATER(T_event_handle_free);
MPISIM_LATER(T_event_set_dropped_handler);
MPISIM_LATER(T_event_read);
MPISIM_LATER(T_event_copy);
MPISIM_LATER(T_event_get_timestamp);
MPISIM_LATER(T_event_get_source);

#if defined(__clang__)
#pragma clang diagnostic pop
#elif defined(__GNUC__) && !defined(__cplusplus)
#pragma GCC diagnostic pop
#endif
