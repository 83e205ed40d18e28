/* Files: a part of each rank, one that all see through interleaved views, and behind them what the shared pointer
 * writes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script_run.h"

static MPI_Offset shared_part(const struct part* part)
{
    return (MPI_Offset)2 * own_part * part->size;
}

/* Everything that was written through the pointer before is in the file, and may be written over. */
static void shared_pointer_to_begin(MPI_File file, const struct part* part)
{
    MPI_File_sync(file);
    MPI_Barrier(part->comm);
    MPI_File_sync(file);
    MPI_File_seek_shared(file, shared_part(part), MPI_SEEK_SET);
}

/* All ranks see what the shared pointer has written so far, and where it is. */
static void look_at_shared(struct run* run, MPI_File file, const struct part* part)
{
    MPI_Offset end, begin = shared_part(part);
    MPI_File_sync(file);
    MPI_Barrier(part->comm);
    MPI_File_sync(file);
    MPI_File_get_position_shared(file, &end);
    note(run, end);
    const int size = end - begin < most_bytes ? (int)(end - begin) : most_bytes;
    memset(run->buffer, 0, (size_t)size + 1);
    MPI_File_read_at(file, begin, run->buffer, size, MPI_CHAR, MPI_STATUS_IGNORE);
    for (int i = 0; i < size; i += 1 + size / 64)
        note(run, run->buffer[i]);
    MPI_Barrier(part->comm); /* before anybody writes more */
}

void do_open(struct run* run)
{
    const int file = number(run, 1), comm = number(run, 2);
    const struct part* part = &run->comms[comm];
    run->file_comm[file] = comm;
    if (part->comm == MPI_COMM_NULL) return;
    char name[512];
    int first = 0; /* communicators that were split off together have a file each */
    while (part->rank_of[first] == MPI_UNDEFINED)
        first++;
    snprintf(name, sizeof name, "%sfile-%d-%d.dat", run->around->folder, file, first);
    if (MPI_File_open(part->comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &run->files[file]) != MPI_SUCCESS)
        fail(run, "the file cannot be opened");
    /* At once as long as it will ever be: what a read finds must not depend on what others write behind it. */
    else MPI_File_set_size(run->files[file], shared_part(part));
    shared_pointer_to_begin(run->files[file], part);
}

/* Begun, and waited for when others may have had their turn; by the shared pointer, whose order time decides. */
static void access_later(struct run* run, MPI_File file, MPI_Offset at, int size)
{
    MPI_Request request;
    MPI_Status status;
    int count;
    char* data = message_of(run, run->line, size);
    if (is(run, 1, "iread")) MPI_File_iread_at(file, at, run->buffer, size, MPI_CHAR, &request);
    else if (is(run, 1, "iwrite")) MPI_File_iwrite_at(file, at, data, size, MPI_CHAR, &request);
    else MPI_File_iwrite_shared(file, data, size, MPI_CHAR, &request);
    run->around->sleep(run->line % 3 * 500000L);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_CHAR, &count);
    note(run, count);
    if (is(run, 1, "iread")) note_data(run, run->buffer, size);
    free(data);
}

void do_access(struct run* run)
{
    const MPI_File file = run->files[number(run, 2)];
    if (number(run, 3) != run->rank || file == MPI_FILE_NULL) return;
    const int size = number(run, 5);
    const MPI_Offset at = (MPI_Offset)run->comms[run->file_comm[number(run, 2)]].rank * own_part + number(run, 4);
    MPI_Status status;
    int count;
    if (is(run, 1, "iwrite") || is(run, 1, "iread") || is(run, 1, "shared")) {
        access_later(run, file, at, size);
        return;
    }
    if (is(run, 1, "seekwrite") || is(run, 1, "seekread")) MPI_File_seek(file, at, MPI_SEEK_SET);
    if (is(run, 1, "write") || is(run, 1, "seekwrite")) {
        char* data = message_of(run, run->line, size);
        if (is(run, 1, "write")) MPI_File_write_at(file, at, data, size, MPI_CHAR, &status);
        else MPI_File_write(file, data, size, MPI_CHAR, &status);
        free(data);
    } else {
        memset(run->buffer, 0, (size_t)size);
        if (is(run, 1, "read")) MPI_File_read_at(file, at, run->buffer, size, MPI_CHAR, &status);
        else MPI_File_read(file, run->buffer, size, MPI_CHAR, &status);
        note_data(run, run->buffer, size);
    }
    MPI_Get_count(&status, MPI_CHAR, &count);
    note(run, count);
}

void do_together(struct run* run)
{
    const int number_of = number(run, 2), size = number(run, 3);
    const MPI_File file = run->files[number_of];
    if (file == MPI_FILE_NULL) return;
    const struct part* part = &run->comms[run->file_comm[number_of]];
    if (is(run, 1, "ordered")) {
        char* mine = message_of(run, run->line, size);
        MPI_File_write_ordered(file, mine, size, MPI_CHAR, MPI_STATUS_IGNORE);
        look_at_shared(run, file, part);
        free(mine);
        return;
    }
    const MPI_Offset base = (MPI_Offset)own_part * part->size + (MPI_Offset)tile * part->rank;
    MPI_Datatype pieces, view;
    MPI_Type_vector(3, tile / 4, tile / 3, MPI_CHAR, &pieces);
    MPI_Type_create_resized(pieces, 0, (MPI_Aint)tile * part->size, &view);
    MPI_Type_commit(&view);
    MPI_File_set_view(file, base, MPI_CHAR, view, "native", MPI_INFO_NULL);
    char* data = message_of(run, run->line, size);
    memset(run->buffer, 0, (size_t)size + 1);
    if (is(run, 1, "write")) MPI_File_write_all(file, data, size, MPI_CHAR, MPI_STATUS_IGNORE);
    else if (is(run, 1, "writeat")) MPI_File_write_at_all(file, 5, data, size, MPI_CHAR, MPI_STATUS_IGNORE);
    else if (is(run, 1, "splitwrite")) {
        MPI_File_write_all_begin(file, data, size, MPI_CHAR);
        run->around->sleep(run->line % 3 * 500000L);
        MPI_File_write_all_end(file, data, MPI_STATUS_IGNORE);
    } else if (is(run, 1, "read")) MPI_File_read_all(file, run->buffer, size, MPI_CHAR, MPI_STATUS_IGNORE);
    else MPI_File_read_at_all(file, 5, run->buffer, size, MPI_CHAR, MPI_STATUS_IGNORE);
    note_data(run, run->buffer, size);
    MPI_File_set_view(file, 0, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL);
    shared_pointer_to_begin(file, part); /* which a new view has set to 0 */
    MPI_Type_free(&pieces);
    MPI_Type_free(&view);
    free(data);
}

void do_sync(struct run* run)
{
    const MPI_File file = run->files[number(run, 1)];
    if (file == MPI_FILE_NULL) return;
    const struct part* part = &run->comms[run->file_comm[number(run, 1)]];
    MPI_Offset size;
    MPI_File_sync(file);
    MPI_Barrier(part->comm);
    MPI_File_get_size(file, &size);
    note(run, size);
    MPI_Barrier(part->comm); /* before anybody writes more */
}

void close_file(struct run* run, int file)
{
    if (run->files[file] != MPI_FILE_NULL) MPI_File_close(&run->files[file]);
}

