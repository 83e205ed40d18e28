/* Files and messages: a master hands out pieces of a file to whoever asks first, workers write and read them back;
 * between the rounds all write collectively through views, and each rank keeps a file of its own. */
#include "common.h"

enum { pieces = 14, most = 2000, apart = 100000, tile = 96 };

static void bag_of_pieces(MPI_File file, int rank, int ranks)
{
    static char data[most];
    int piece = 0;
    if (rank == 0) {
        for (int left = ranks - 1; left > 0; piece++) {
            MPI_Status status;
            MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
            note(status.MPI_SOURCE);
            int next = piece < pieces ? piece : -1;
            left -= next < 0;
            MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
        }
        return;
    }
    for (;;) {
        MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Recv(&piece, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (piece < 0) return;
        note(piece);
        int size = 1 + below(most);
        work(below(3000));
        memset(data, rank + piece, (size_t)size);
        MPI_File_write_at(file, (MPI_Offset)piece * apart, data, size, MPI_CHAR, MPI_STATUS_IGNORE);
        memset(data, 0, (size_t)size);
        MPI_File_read_at(file, (MPI_Offset)piece * apart, data, size, MPI_CHAR, MPI_STATUS_IGNORE);
        note_bytes(data, size);
    }
}

static void together(MPI_File file, int rank, int ranks)
{
    char data[4 * tile];
    MPI_Datatype part, view;
    MPI_Type_vector(3, tile / 4, tile / 3, MPI_CHAR, &part);
    MPI_Type_create_resized(part, 0, (MPI_Aint)tile * ranks, &view);
    MPI_Type_commit(&view);
    MPI_File_set_view(file, (MPI_Offset)pieces * apart + 7 + rank * tile, MPI_CHAR, view, "native", MPI_INFO_NULL);
    for (unsigned i = 0; i < sizeof data; i++)
        data[i] = (char)(rank * 50 + (int)i);
    work(below(5000));
    int count = 1 + below((int)sizeof data);
    MPI_File_write_all(file, data, count, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    memset(data, 0, sizeof data);
    MPI_File_read_all(file, data, count, MPI_CHAR, MPI_STATUS_IGNORE);
    note_bytes(data, count);
    MPI_File_set_view(file, 0, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL);
    MPI_Type_free(&part);
    MPI_Type_free(&view);
}

int main(int argc, char** argv)
{
    int rank, ranks;
    char name[40];
    MPI_File shared, own;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    random_state = (unsigned long long)rank + 3;
    MPI_File_open(MPI_COMM_WORLD, "shared.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &shared);
    MPI_File_set_size(shared, 0);
    work(below(4000));
    snprintf(name, sizeof name, "own-%d.dat", rank);
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &own);
    for (int round = 0; round < 2; round++) {
        bag_of_pieces(shared, rank, ranks);
        MPI_File_write(own, name, (int)sizeof name, MPI_CHAR, MPI_STATUS_IGNORE);
        together(shared, rank, ranks);
    }
    MPI_Offset size;
    MPI_File_get_size(own, &size);
    note(size);
    MPI_File_close(&own);
    MPI_File_close(&shared);
    if (rank == 0) MPI_File_delete("shared.dat", MPI_INFO_NULL);
    report("files", rank);
    MPI_Finalize();
    return 0;
}
