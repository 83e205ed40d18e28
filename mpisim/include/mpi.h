/* MPI-3.1 C binding of mpisim.
 *
 * Every function has an assembler label of its own (MPI_Send is mpisim_MPI_Send for the linker), so that
 * macros, function pointers and PMPI wrappers work as usual and the MPI library of the host is never met.
 *
 * Handles are integers: bits 30..27 the kind of object, bit 26 set if made at run time, bits 25..20 a
 * generation that tells a freed handle from a live one, bits 19..0 an index. Predefined handles are constants
 * for static initializers and switch. Zero is no valid handle of any kind.
 *
 * Compiles as C89 and later, and as C++ for the library's own sources.
 */
#ifndef MPISIM_MPI_H
#define MPISIM_MPI_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MPISIM 1
#define MPI_VERSION 3
#define MPI_SUBVERSION 1

/* ---- Types ------------------------------------------------------------------------------------------- */

typedef ptrdiff_t MPI_Aint;
__extension__ typedef long long MPI_Offset;
__extension__ typedef long long MPI_Count;
typedef int MPI_Fint;

typedef int MPI_Comm;
typedef int MPI_Datatype;
typedef int MPI_Group;
typedef int MPI_Op;
typedef int MPI_Request;
typedef int MPI_Info;
typedef int MPI_Errhandler;
typedef int MPI_Message;
typedef int MPI_File;
typedef int MPI_Win;

typedef struct MPI_Status {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  int mpisim_cancelled; /* of the library: read by MPI_Test_cancelled */
  MPI_Count mpisim_count; /* of the library: packed bytes received */
} MPI_Status;

/* ---- Handles ----------------------------------------------------------------------------------------- */

#define MPI_COMM_NULL ((MPI_Comm)0x08000000)
#define MPI_COMM_WORLD ((MPI_Comm)0x08000001)
#define MPI_COMM_SELF ((MPI_Comm)0x08000002)

#define MPI_GROUP_NULL ((MPI_Group)0x18000000)
#define MPI_GROUP_EMPTY ((MPI_Group)0x18000001)

#define MPI_REQUEST_NULL ((MPI_Request)0x28000000)

#define MPI_INFO_NULL ((MPI_Info)0x30000000)
#define MPI_INFO_ENV ((MPI_Info)0x30000001)

#define MPI_ERRHANDLER_NULL ((MPI_Errhandler)0x38000000)
#define MPI_ERRORS_ARE_FATAL ((MPI_Errhandler)0x38000001)
#define MPI_ERRORS_RETURN ((MPI_Errhandler)0x38000002)

#define MPI_KEYVAL_INVALID 0x40000000
#define MPI_TAG_UB 0x40000001
#define MPI_HOST 0x40000002
#define MPI_IO 0x40000003
#define MPI_WTIME_IS_GLOBAL 0x40000004
#define MPI_UNIVERSE_SIZE 0x40000005
#define MPI_APPNUM 0x40000006
#define MPI_LASTUSEDCODE 0x40000007
#define MPI_WIN_BASE 0x40000008
#define MPI_WIN_SIZE 0x40000009
#define MPI_WIN_DISP_UNIT 0x4000000a
#define MPI_WIN_CREATE_FLAVOR 0x4000000b
#define MPI_WIN_MODEL 0x4000000c

#define MPI_MESSAGE_NULL ((MPI_Message)0x48000000)
#define MPI_MESSAGE_NO_PROC ((MPI_Message)0x48000001)

#define MPI_FILE_NULL ((MPI_File)0x50000000)
#define MPI_WIN_NULL ((MPI_Win)0x58000000)

#define MPI_OP_NULL ((MPI_Op)0x20000000)
#define MPI_MAX ((MPI_Op)0x20000001)
#define MPI_MIN ((MPI_Op)0x20000002)
#define MPI_SUM ((MPI_Op)0x20000003)
#define MPI_PROD ((MPI_Op)0x20000004)
#define MPI_LAND ((MPI_Op)0x20000005)
#define MPI_BAND ((MPI_Op)0x20000006)
#define MPI_LOR ((MPI_Op)0x20000007)
#define MPI_BOR ((MPI_Op)0x20000008)
#define MPI_LXOR ((MPI_Op)0x20000009)
#define MPI_BXOR ((MPI_Op)0x2000000a)
#define MPI_MAXLOC ((MPI_Op)0x2000000b)
#define MPI_MINLOC ((MPI_Op)0x2000000c)
#define MPI_REPLACE ((MPI_Op)0x2000000d)
#define MPI_NO_OP ((MPI_Op)0x2000000e)

#define MPI_DATATYPE_NULL ((MPI_Datatype)0x10000000)
#define MPI_CHAR ((MPI_Datatype)0x10000001)
#define MPI_SIGNED_CHAR ((MPI_Datatype)0x10000002)
#define MPI_UNSIGNED_CHAR ((MPI_Datatype)0x10000003)
#define MPI_BYTE ((MPI_Datatype)0x10000004)
#define MPI_WCHAR ((MPI_Datatype)0x10000005)
#define MPI_SHORT ((MPI_Datatype)0x10000006)
#define MPI_UNSIGNED_SHORT ((MPI_Datatype)0x10000007)
#define MPI_INT ((MPI_Datatype)0x10000008)
#define MPI_UNSIGNED ((MPI_Datatype)0x10000009)
#define MPI_LONG ((MPI_Datatype)0x1000000a)
#define MPI_UNSIGNED_LONG ((MPI_Datatype)0x1000000b)
#define MPI_LONG_LONG_INT ((MPI_Datatype)0x1000000c)
#define MPI_LONG_LONG MPI_LONG_LONG_INT
#define MPI_UNSIGNED_LONG_LONG ((MPI_Datatype)0x1000000d)
#define MPI_FLOAT ((MPI_Datatype)0x1000000e)
#define MPI_DOUBLE ((MPI_Datatype)0x1000000f)
#define MPI_LONG_DOUBLE ((MPI_Datatype)0x10000010)
#define MPI_INT8_T ((MPI_Datatype)0x10000011)
#define MPI_INT16_T ((MPI_Datatype)0x10000012)
#define MPI_INT32_T ((MPI_Datatype)0x10000013)
#define MPI_INT64_T ((MPI_Datatype)0x10000014)
#define MPI_UINT8_T ((MPI_Datatype)0x10000015)
#define MPI_UINT16_T ((MPI_Datatype)0x10000016)
#define MPI_UINT32_T ((MPI_Datatype)0x10000017)
#define MPI_UINT64_T ((MPI_Datatype)0x10000018)
#define MPI_C_BOOL ((MPI_Datatype)0x10000019)
#define MPI_C_COMPLEX ((MPI_Datatype)0x1000001a)
#define MPI_C_FLOAT_COMPLEX MPI_C_COMPLEX
#define MPI_C_DOUBLE_COMPLEX ((MPI_Datatype)0x1000001b)
#define MPI_C_LONG_DOUBLE_COMPLEX ((MPI_Datatype)0x1000001c)
#define MPI_AINT ((MPI_Datatype)0x1000001d)
#define MPI_OFFSET ((MPI_Datatype)0x1000001e)
#define MPI_COUNT ((MPI_Datatype)0x1000001f)
#define MPI_PACKED ((MPI_Datatype)0x10000020)
#define MPI_FLOAT_INT ((MPI_Datatype)0x10000021)
#define MPI_DOUBLE_INT ((MPI_Datatype)0x10000022)
#define MPI_LONG_INT ((MPI_Datatype)0x10000023)
#define MPI_2INT ((MPI_Datatype)0x10000024)
#define MPI_SHORT_INT ((MPI_Datatype)0x10000025)
#define MPI_LONG_DOUBLE_INT ((MPI_Datatype)0x10000026)
#define MPI_LB ((MPI_Datatype)0x10000027)
#define MPI_UB ((MPI_Datatype)0x10000028)
#define MPI_CXX_BOOL ((MPI_Datatype)0x10000029)
#define MPI_CXX_FLOAT_COMPLEX ((MPI_Datatype)0x1000002a)
#define MPI_CXX_DOUBLE_COMPLEX ((MPI_Datatype)0x1000002b)
#define MPI_CXX_LONG_DOUBLE_COMPLEX ((MPI_Datatype)0x1000002c)
#define MPI_CHARACTER ((MPI_Datatype)0x1000002d)
#define MPI_LOGICAL ((MPI_Datatype)0x1000002e)
#define MPI_INTEGER ((MPI_Datatype)0x1000002f)
#define MPI_REAL ((MPI_Datatype)0x10000030)
#define MPI_DOUBLE_PRECISION ((MPI_Datatype)0x10000031)
#define MPI_COMPLEX ((MPI_Datatype)0x10000032)
#define MPI_DOUBLE_COMPLEX ((MPI_Datatype)0x10000033)
#define MPI_INTEGER1 ((MPI_Datatype)0x10000034)
#define MPI_INTEGER2 ((MPI_Datatype)0x10000035)
#define MPI_INTEGER4 ((MPI_Datatype)0x10000036)
#define MPI_INTEGER8 ((MPI_Datatype)0x10000037)
#define MPI_REAL4 ((MPI_Datatype)0x10000038)
#define MPI_REAL8 ((MPI_Datatype)0x10000039)
#define MPI_REAL16 ((MPI_Datatype)0x1000003a)
#define MPI_COMPLEX8 ((MPI_Datatype)0x1000003b)
#define MPI_COMPLEX16 ((MPI_Datatype)0x1000003c)
#define MPI_COMPLEX32 ((MPI_Datatype)0x1000003d)
#define MPI_2INTEGER ((MPI_Datatype)0x1000003e)
#define MPI_2REAL ((MPI_Datatype)0x1000003f)
#define MPI_2DOUBLE_PRECISION ((MPI_Datatype)0x10000040)
/* Optional types that no Fortran compiler here has. */
#define MPI_INTEGER16 MPI_DATATYPE_NULL
#define MPI_REAL2 MPI_DATATYPE_NULL
#define MPI_COMPLEX4 MPI_DATATYPE_NULL

/* ---- Addresses with a meaning of their own ------------------------------------------------------------ */

#define MPI_BOTTOM ((void*)0)
#define MPI_IN_PLACE ((void*)1)
#define MPI_STATUS_IGNORE ((MPI_Status*)0)
#define MPI_STATUSES_IGNORE ((MPI_Status*)0)
/* Parameters that take them are pointers: gcc warns of constants where an array is declared. */
#define MPI_UNWEIGHTED ((int*)2)
#define MPI_WEIGHTS_EMPTY ((int*)3)
#define MPI_ARGV_NULL ((char**)0)
#define MPI_ARGVS_NULL ((char***)0)
#define MPI_ERRCODES_IGNORE ((int*)0)
#define MPI_F_STATUS_IGNORE ((MPI_Fint*)0)
#define MPI_F_STATUSES_IGNORE ((MPI_Fint*)0)
#define MPI_F_STATUS_SIZE ((int)(sizeof(MPI_Status) / sizeof(MPI_Fint)))

/* ---- Numbers ----------------------------------------------------------------------------------------- */

#define MPI_ANY_SOURCE (-1)
#define MPI_PROC_NULL (-2)
#define MPI_ROOT (-4)
#define MPI_ANY_TAG (-1)
#define MPI_UNDEFINED (-32766)

#define MPI_MAX_PROCESSOR_NAME 256
#define MPI_MAX_ERROR_STRING 512
#define MPI_MAX_OBJECT_NAME 64
#define MPI_MAX_LIBRARY_VERSION_STRING 256
#define MPI_MAX_INFO_KEY 36
#define MPI_MAX_INFO_VAL 1024
#define MPI_MAX_PORT_NAME 1024
#define MPI_MAX_DATAREP_STRING 128
#define MPI_BSEND_OVERHEAD 128

enum { MPI_IDENT = 0, MPI_CONGRUENT, MPI_SIMILAR, MPI_UNEQUAL };
enum { MPI_THREAD_SINGLE = 0, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE };
enum { MPI_CART = 1, MPI_GRAPH = 2, MPI_DIST_GRAPH = 3 };
enum { MPI_COMM_TYPE_SHARED = 0 };
enum { MPI_ORDER_C = 0, MPI_ORDER_FORTRAN = 1 };
enum { MPI_DISTRIBUTE_BLOCK = 0, MPI_DISTRIBUTE_CYCLIC = 1, MPI_DISTRIBUTE_NONE = 2, MPI_DISTRIBUTE_DFLT_DARG = -1 };
enum { MPI_TYPECLASS_INTEGER = 1, MPI_TYPECLASS_REAL = 2, MPI_TYPECLASS_COMPLEX = 3 };
enum {
  MPI_COMBINER_NAMED = 0, MPI_COMBINER_DUP, MPI_COMBINER_CONTIGUOUS, MPI_COMBINER_VECTOR,
  MPI_COMBINER_HVECTOR_INTEGER, MPI_COMBINER_HVECTOR, MPI_COMBINER_INDEXED, MPI_COMBINER_HINDEXED_INTEGER,
  MPI_COMBINER_HINDEXED, MPI_COMBINER_INDEXED_BLOCK, MPI_COMBINER_STRUCT_INTEGER, MPI_COMBINER_STRUCT,
  MPI_COMBINER_SUBARRAY, MPI_COMBINER_DARRAY, MPI_COMBINER_F90_REAL, MPI_COMBINER_F90_COMPLEX,
  MPI_COMBINER_F90_INTEGER, MPI_COMBINER_RESIZED, MPI_COMBINER_HINDEXED_BLOCK
};

/* Macros with other libraries: programs ask for them with #ifdef. */
#define MPI_IDENT MPI_IDENT
#define MPI_CONGRUENT MPI_CONGRUENT
#define MPI_SIMILAR MPI_SIMILAR
#define MPI_UNEQUAL MPI_UNEQUAL
#define MPI_THREAD_SINGLE MPI_THREAD_SINGLE
#define MPI_THREAD_FUNNELED MPI_THREAD_FUNNELED
#define MPI_THREAD_SERIALIZED MPI_THREAD_SERIALIZED
#define MPI_THREAD_MULTIPLE MPI_THREAD_MULTIPLE
#define MPI_CART MPI_CART
#define MPI_GRAPH MPI_GRAPH
#define MPI_DIST_GRAPH MPI_DIST_GRAPH
#define MPI_COMM_TYPE_SHARED MPI_COMM_TYPE_SHARED
#define MPI_ORDER_C MPI_ORDER_C
#define MPI_ORDER_FORTRAN MPI_ORDER_FORTRAN
#define MPI_DISTRIBUTE_BLOCK MPI_DISTRIBUTE_BLOCK
#define MPI_DISTRIBUTE_CYCLIC MPI_DISTRIBUTE_CYCLIC
#define MPI_DISTRIBUTE_NONE MPI_DISTRIBUTE_NONE
#define MPI_DISTRIBUTE_DFLT_DARG MPI_DISTRIBUTE_DFLT_DARG
#define MPI_TYPECLASS_INTEGER MPI_TYPECLASS_INTEGER
#define MPI_TYPECLASS_REAL MPI_TYPECLASS_REAL
#define MPI_TYPECLASS_COMPLEX MPI_TYPECLASS_COMPLEX
#define MPI_COMBINER_NAMED MPI_COMBINER_NAMED
#define MPI_COMBINER_DUP MPI_COMBINER_DUP
#define MPI_COMBINER_CONTIGUOUS MPI_COMBINER_CONTIGUOUS
#define MPI_COMBINER_VECTOR MPI_COMBINER_VECTOR
#define MPI_COMBINER_HVECTOR_INTEGER MPI_COMBINER_HVECTOR_INTEGER
#define MPI_COMBINER_HVECTOR MPI_COMBINER_HVECTOR
#define MPI_COMBINER_INDEXED MPI_COMBINER_INDEXED
#define MPI_COMBINER_HINDEXED_INTEGER MPI_COMBINER_HINDEXED_INTEGER
#define MPI_COMBINER_HINDEXED MPI_COMBINER_HINDEXED
#define MPI_COMBINER_INDEXED_BLOCK MPI_COMBINER_INDEXED_BLOCK
#define MPI_COMBINER_STRUCT_INTEGER MPI_COMBINER_STRUCT_INTEGER
#define MPI_COMBINER_STRUCT MPI_COMBINER_STRUCT
#define MPI_COMBINER_SUBARRAY MPI_COMBINER_SUBARRAY
#define MPI_COMBINER_DARRAY MPI_COMBINER_DARRAY
#define MPI_COMBINER_F90_REAL MPI_COMBINER_F90_REAL
#define MPI_COMBINER_F90_COMPLEX MPI_COMBINER_F90_COMPLEX
#define MPI_COMBINER_F90_INTEGER MPI_COMBINER_F90_INTEGER
#define MPI_COMBINER_RESIZED MPI_COMBINER_RESIZED
#define MPI_COMBINER_HINDEXED_BLOCK MPI_COMBINER_HINDEXED_BLOCK

/* One-sided communication. */
#define MPI_MODE_NOCHECK 1
#define MPI_MODE_NOPRECEDE 2
#define MPI_MODE_NOPUT 4
#define MPI_MODE_NOSTORE 8
#define MPI_MODE_NOSUCCEED 16
#define MPI_LOCK_EXCLUSIVE 1
#define MPI_LOCK_SHARED 2
#define MPI_WIN_FLAVOR_CREATE 1
#define MPI_WIN_FLAVOR_ALLOCATE 2
#define MPI_WIN_FLAVOR_DYNAMIC 3
#define MPI_WIN_FLAVOR_SHARED 4
#define MPI_WIN_UNIFIED 0
#define MPI_WIN_SEPARATE 1

/* Files. */
#define MPI_MODE_CREATE 1
#define MPI_MODE_RDONLY 2
#define MPI_MODE_WRONLY 4
#define MPI_MODE_RDWR 8
#define MPI_MODE_DELETE_ON_CLOSE 16
#define MPI_MODE_UNIQUE_OPEN 32
#define MPI_MODE_EXCL 64
#define MPI_MODE_APPEND 128
#define MPI_MODE_SEQUENTIAL 256
#define MPI_SEEK_SET 600
#define MPI_SEEK_CUR 602
#define MPI_SEEK_END 604
#define MPI_DISPLACEMENT_CURRENT (-54278278)

/* ---- Error classes ----------------------------------------------------------------------------------- */

#define MPI_SUCCESS 0
#define MPI_ERR_BUFFER 1
#define MPI_ERR_COUNT 2
#define MPI_ERR_TYPE 3
#define MPI_ERR_TAG 4
#define MPI_ERR_COMM 5
#define MPI_ERR_RANK 6
#define MPI_ERR_REQUEST 7
#define MPI_ERR_ROOT 8
#define MPI_ERR_GROUP 9
#define MPI_ERR_OP 10
#define MPI_ERR_TOPOLOGY 11
#define MPI_ERR_DIMS 12
#define MPI_ERR_ARG 13
#define MPI_ERR_UNKNOWN 14
#define MPI_ERR_TRUNCATE 15
#define MPI_ERR_OTHER 16
#define MPI_ERR_INTERN 17
#define MPI_ERR_IN_STATUS 18
#define MPI_ERR_PENDING 19
#define MPI_ERR_ACCESS 20
#define MPI_ERR_AMODE 21
#define MPI_ERR_ASSERT 22
#define MPI_ERR_BAD_FILE 23
#define MPI_ERR_BASE 24
#define MPI_ERR_CONVERSION 25
#define MPI_ERR_DISP 26
#define MPI_ERR_DUP_DATAREP 27
#define MPI_ERR_FILE_EXISTS 28
#define MPI_ERR_FILE_IN_USE 29
#define MPI_ERR_FILE 30
#define MPI_ERR_INFO_KEY 31
#define MPI_ERR_INFO_NOKEY 32
#define MPI_ERR_INFO_VALUE 33
#define MPI_ERR_INFO 34
#define MPI_ERR_IO 35
#define MPI_ERR_KEYVAL 36
#define MPI_ERR_LOCKTYPE 37
#define MPI_ERR_NAME 38
#define MPI_ERR_NO_MEM 39
#define MPI_ERR_NOT_SAME 40
#define MPI_ERR_NO_SPACE 41
#define MPI_ERR_NO_SUCH_FILE 42
#define MPI_ERR_PORT 43
#define MPI_ERR_QUOTA 44
#define MPI_ERR_READ_ONLY 45
#define MPI_ERR_RMA_CONFLICT 46
#define MPI_ERR_RMA_SYNC 47
#define MPI_ERR_SERVICE 48
#define MPI_ERR_SIZE 49
#define MPI_ERR_SPAWN 50
#define MPI_ERR_UNSUPPORTED_DATAREP 51
#define MPI_ERR_UNSUPPORTED_OPERATION 52
#define MPI_ERR_WIN 53
#define MPI_ERR_RMA_RANGE 54
#define MPI_ERR_RMA_ATTACH 55
#define MPI_ERR_RMA_FLAVOR 56
#define MPI_ERR_RMA_SHARED 57
#define MPI_ERR_LASTCODE 63

/* ---- Functions that programs pass to MPI -------------------------------------------------------------- */

typedef void MPI_User_function(void*, void*, int*, MPI_Datatype*);
typedef int MPI_Copy_function(MPI_Comm, int, void*, void*, void*, int*);
typedef int MPI_Delete_function(MPI_Comm, int, void*, void*);
typedef int MPI_Comm_copy_attr_function(MPI_Comm, int, void*, void*, void*, int*);
typedef int MPI_Comm_delete_attr_function(MPI_Comm, int, void*, void*);
typedef int MPI_Type_copy_attr_function(MPI_Datatype, int, void*, void*, void*, int*);
typedef int MPI_Type_delete_attr_function(MPI_Datatype, int, void*, void*);
typedef int MPI_Win_copy_attr_function(MPI_Win, int, void*, void*, void*, int*);
typedef int MPI_Win_delete_attr_function(MPI_Win, int, void*, void*);
typedef void MPI_Comm_errhandler_function(MPI_Comm*, int*, ...);
typedef void MPI_File_errhandler_function(MPI_File*, int*, ...);
typedef void MPI_Win_errhandler_function(MPI_Win*, int*, ...);
typedef MPI_Comm_errhandler_function MPI_Handler_function;
typedef MPI_Comm_errhandler_function MPI_Comm_errhandler_fn;
typedef MPI_File_errhandler_function MPI_File_errhandler_fn;
typedef MPI_Win_errhandler_function MPI_Win_errhandler_fn;
typedef int MPI_Grequest_query_function(void*, MPI_Status*);
typedef int MPI_Grequest_free_function(void*);
typedef int MPI_Grequest_cancel_function(void*, int);
typedef int MPI_Datarep_extent_function(MPI_Datatype, MPI_Aint*, void*);
typedef int MPI_Datarep_conversion_function(void*, MPI_Datatype, int, void*, MPI_Offset, void*);

#define MPI_CONVERSION_FN_NULL ((MPI_Datarep_conversion_function*)0)
#define MPI_NULL_COPY_FN MPI_COMM_NULL_COPY_FN
#define MPI_NULL_DELETE_FN MPI_COMM_NULL_DELETE_FN
#define MPI_DUP_FN MPI_COMM_DUP_FN

/* Declares MPI_name and PMPI_name. */
#define MPISIM_DECLARE(result, name, arguments)             \
  result MPI_##name arguments __asm__("mpisim_MPI_" #name); \
  result PMPI_##name arguments __asm__("mpisim_PMPI_" #name)

/* Of mpisim alone; `#ifdef MPISIM` keeps the call out of other libraries' way. The caller promises that all
 * messages of the run to it on `comm` with `tag` come from one source (MPI_ANY_TAG: that each tag comes from one
 * source), though receives say MPI_ANY_SOURCE. Receives and probes that name the tag then need no synchronisation.
 * Local. A promise that is not kept ends the run with exit status 5. */
int MPIX_Mpisim_deterministic(MPI_Comm comm, int tag) __asm__("mpisim_MPIX_Mpisim_deterministic");

#include "mpisim_functions.h"
#include "mpisim_functions_extended.h"
#include "mpisim_functions_later.h"

#ifdef __cplusplus
}
#endif
#endif
