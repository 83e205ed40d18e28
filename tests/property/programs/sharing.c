/* What ranks share beside a file's data: locks of atomic mode, shared pointers, and accesses that go on while they
 * compute and talk. Ranks come at times that only the simulation knows, so contents depend on the order. */
#include "common.h"

enum { region = 60 };

static void comb(MPI_File file, int displacement)
{
    MPI_Datatype tooth;
    MPI_Type_create_resized(MPI_CHAR, 0, 3, &tooth);
    MPI_Type_commit(&tooth);
    MPI_File_set_view(file, displacement, MPI_CHAR, tooth, "native", MPI_INFO_NULL);
    MPI_Type_free(&tooth);
}

/* Overlapping accesses of many pieces: what is read is one rank's, and whose depends on time. */
static void atomic(MPI_File file, int rank)
{
    char mine[region], seen[region];
    MPI_File_set_atomicity(file, 1);
    comb(file, 0);
    for (int round = 0; round < 6; round++) {
        memset(mine, 'a' + rank, sizeof mine);
        work(below(20000));
        MPI_Request request;
        int first = below(8);
        if (round % 2)
            MPI_File_iwrite_at(file, first, mine, region - 8, MPI_CHAR, &request);
        else
            MPI_File_iread_at(file, first, mine, region - 8, MPI_CHAR, &request);
        work(below(2000));
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_File_read_at(file, 8, seen, region / 2, MPI_CHAR, MPI_STATUS_IGNORE);
        note_bytes(seen, region / 2);
        for (int i = 1; i < region / 2; i++)
            if (seen[i] != seen[0]) note(-1000 - round);
    }
    MPI_File_write_at_all(file, rank, mine, region / 2, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_set_atomicity(file, 0);
}

/* A log that everybody writes to, and reads on from where others have read. */
static void log_of_all(MPI_File file, int rank, int ranks)
{
    MPI_File_set_view(file, 1000, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL);
    char data[20];
    for (int round = 0; round < 5; round++) {
        work(below(9000));
        int size = 1 + below((int)sizeof data);
        memset(data, 'A' + rank, sizeof data);
        MPI_Request request;
        if (round % 2) {
            MPI_File_write_shared(file, data, size, MPI_CHAR, MPI_STATUS_IGNORE);
        } else {
            MPI_File_iwrite_shared(file, data, size, MPI_CHAR, &request);
            int next = (rank + 1) % ranks, token = round;
            MPI_Sendrecv_replace(&token, 1, MPI_INT, next, 5, (rank + ranks - 1) % ranks, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            int flag = 0, polls = 0;
            while (!flag) {
                MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
                polls++;
            }
            note(polls);
        }
        MPI_Offset position;
        MPI_File_get_position_shared(file, &position);
        note(position);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    for (int count = 1; count > 0;) {
        MPI_Status status;
        work(below(5000));
        MPI_File_read_shared(file, data, 1 + below((int)sizeof data), MPI_CHAR, &status);
        MPI_Get_count(&status, MPI_CHAR, &count);
        note_bytes(data, count);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek_shared(file, 0, MPI_SEEK_END);
    MPI_File_write_ordered_begin(file, data, 1 + rank % 3, MPI_CHAR);
    work(below(9000));
    MPI_File_write_ordered_end(file, data, MPI_STATUS_IGNORE);
}

/* Several accesses under way at once, finished in the order in which they are complete. */
static void under_way(MPI_File file, int rank, int ranks)
{
    enum { many = 4, most = 3000 };
    static char data[many][most];
    MPI_Request requests[many];
    MPI_File_set_view(file, 4096, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < many; i++) {
            MPI_Offset place = (MPI_Offset)(i * ranks + rank) * most;
            int size = 1 + below(most);
            memset(data[i], round ? 0 : rank + i, most);
            if (round)
                MPI_File_iread_at(file, place, data[i], size, MPI_CHAR, &requests[i]);
            else
                MPI_File_iwrite_at(file, place, data[i], size, MPI_CHAR, &requests[i]);
            work(below(3000));
        }
        for (int left = many; left > 0; left--) {
            int which;
            MPI_Status status;
            MPI_Waitany(many, requests, &which, &status);
            note(which);
            int count;
            MPI_Get_count(&status, MPI_CHAR, &count);
            note_bytes(data[which], count);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_File_write_at_all_begin(file, (MPI_Offset)rank * most, data[0], most, MPI_CHAR);
    work(below(30000));
    MPI_File_write_at_all_end(file, data[0], MPI_STATUS_IGNORE);
}

int main(int argc, char** argv)
{
    int rank, ranks;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    random_state = (unsigned long long)rank + 7;
    MPI_File_open(MPI_COMM_WORLD, "sharing.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_size(file, 0);
    MPI_File_set_size(file, 1000);
    atomic(file, rank);
    log_of_all(file, rank, ranks);
    under_way(file, rank, ranks);
    MPI_File_close(&file);
    if (rank == 0) MPI_File_delete("sharing.dat", MPI_INFO_NULL);
    report("sharing", rank);
    MPI_Finalize();
    return 0;
}
