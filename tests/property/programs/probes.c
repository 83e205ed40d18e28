/* Messages of unknown size: Probe, Iprobe, matched probes, from anyone and from named ranks; rank 0 hands out work. */
#include "common.h"

enum { tasks = 60, stop_tag = 9, task_tag = 1, result_tag = 2 };

static void master(int ranks)
{
    int handed = 0, running = 0;
    int task[64] = {0};
    for (int to = 1; to < ranks; to++, running++) {
        int size = 1 + below(64);
        task[0] = handed++;
        MPI_Send(task, size, MPI_INT, to, task_tag, MPI_COMM_WORLD);
    }
    while (running > 0) {
        MPI_Status status;
        int size;
        char result[4096];
        if (handed % 3 == 0) {
            MPI_Message message;
            MPI_Mprobe(MPI_ANY_SOURCE, result_tag, MPI_COMM_WORLD, &message, &status);
            MPI_Get_count(&status, MPI_CHAR, &size);
            MPI_Mrecv(result, size, MPI_CHAR, &message, &status);
        } else if (handed % 3 == 1) {
            int there = 0;
            while (!there) {
                MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
                work(200);
            }
            MPI_Get_count(&status, MPI_CHAR, &size);
            MPI_Recv(result, size, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
        } else {
            MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_CHAR, &size);
            MPI_Recv(result, size, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
        }
        note(status.MPI_SOURCE);
        note(size);
        note_bytes(result, size < 16 ? size : 16);
        if (handed < tasks) {
            task[0] = handed++;
            MPI_Send(task, 1 + below(64), MPI_INT, status.MPI_SOURCE, task_tag, MPI_COMM_WORLD);
        } else {
            MPI_Send(task, 0, MPI_INT, status.MPI_SOURCE, stop_tag, MPI_COMM_WORLD);
            running--;
        }
    }
}

static void worker(void)
{
    for (;;) {
        MPI_Status status;
        int size, task[64];
        char result[4096];
        MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &size);
        MPI_Recv(task, size, MPI_INT, 0, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (status.MPI_TAG == stop_tag)
            return;
        note(task[0]);
        work(1000 + below(20000));
        memset(result, task[0], sizeof result);
        MPI_Send(result, 1 + below(4096), MPI_CHAR, 0, result_tag, MPI_COMM_WORLD);
    }
}

int main(int argc, char** argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    random_state = (unsigned long long)rank * 3 + 1;
    if (ranks > 1) {
        if (rank == 0)
            master(ranks);
        else
            worker();
    }
    report("probes", rank);
    MPI_Finalize();
    return 0;
}
