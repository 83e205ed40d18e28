/* Heat2d: two-dimensional heat conduction on a square plate, explicit five-point (Jacobi) steps.
 *
 * usage: heat2d [N [STEPS [rows|blocks]]] [--checkpoint K] [--prefix NAME] [--restart FILE]
 *                                              defaults: 256 x 256 interior points, 100 steps, blocks, no checkpoints
 *
 * The plate is cut into blocks (a two-dimensional Cartesian grid of ranks) or rows. Each step exchanges the edges with
 * the neighbours, then relaxes; every CHECK_INTERVAL steps all ranks agree on the largest change.
 *
 * The edge of the plate is held at zero and the start is a sum of three sine modes. A sine mode is an eigenvector of the
 * discrete operator: a step multiplies mode (p,q) by 1 - 4 r (sin^2(p pi h / 2) + sin^2(q pi h / 2)), where r = dt/h^2 and
 * h = 1/(N+1). So the exact result of STEPS steps is known, and every point is checked against it.
 *
 * --checkpoint K writes the plate after every K steps to NAME-STEP.ckpt (NAME: heat2d), by one collective write through a
 * view of the rank's part. The head of the file is written when the rest is there: without it a file is no checkpoint.
 * --restart goes on from such a file, on any number of ranks, and ends with the same bits as a run from the start.
 */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NMODES 3
#define CHECK_INTERVAL 10
#define DIFFUSION 0.2 /* r; stable below 0.25 */

static const double PI = 3.14159265358979323846;

struct mode {
    int p, q;
    double amplitude;
};

static const struct mode modes[NMODES] = {{1, 1, 1.0}, {2, 3, 0.5}, {5, 4, 0.25}};

static int rank, ranks;
static int n = 256, steps = 100;
static int by_rows;
static int checkpoint_interval;
static const char *prefix = "heat2d", *restart_file;

static MPI_Comm plate;
static int dims[2], coords[2];
static int north, south, west, east;
static int row0, rows, col0, cols; /* this rank's part of the interior, counted from 0 */
static MPI_Datatype column;

static double weights[NMODES], *sine_rows[NMODES], *sine_cols[NMODES]; /* of the exact solution */
static double *now, *then; /* (rows + 2) x (cols + 2), with a border for the neighbours' edges */
#define AT(u, i, j) (u)[(size_t)(i) * (size_t)(cols + 2) + (size_t)(j)]

static void cut_plate(void)
{
    int periods[2] = {0, 0};

    dims[0] = by_rows ? ranks : 0;
    dims[1] = by_rows ? 1 : 0;
    MPI_Dims_create(ranks, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &plate);
    MPI_Cart_coords(plate, rank, 2, coords);
    MPI_Cart_shift(plate, 0, 1, &north, &south);
    MPI_Cart_shift(plate, 1, 1, &west, &east);
    row0 = (int)((long)n * coords[0] / dims[0]);
    rows = (int)((long)n * (coords[0] + 1) / dims[0]) - row0;
    col0 = (int)((long)n * coords[1] / dims[1]);
    cols = (int)((long)n * (coords[1] + 1) / dims[1]) - col0;
    MPI_Type_vector(rows, 1, cols + 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
}

static void* need(size_t count)
{
    void* memory = calloc(count != 0 ? count : 1, sizeof(double));

    if (memory == NULL) {
        fprintf(stderr, "heat2d: no memory for %d x %d points\n", rows, cols);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return memory;
}

/* The modes along this rank's rows and columns. */
static void make_sines(void)
{
    double h = 1.0 / (n + 1);

    for (int m = 0; m < NMODES; m++) {
        sine_rows[m] = need((size_t)rows);
        sine_cols[m] = need((size_t)cols);
        for (int i = 0; i < rows; i++)
            sine_rows[m][i] = sin(modes[m].p * PI * h * (row0 + i + 1));
        for (int j = 0; j < cols; j++)
            sine_cols[m][j] = sin(modes[m].q * PI * h * (col0 + j + 1));
    }
}

/* What `exact` then tells: the solution after `step` steps. */
static void set_exact_step(int step)
{
    double h = 1.0 / (n + 1);

    for (int m = 0; m < NMODES; m++) {
        double sp = sin(modes[m].p * PI * h / 2), sq = sin(modes[m].q * PI * h / 2);
        weights[m] = modes[m].amplitude * pow(1 - 4 * DIFFUSION * (sp * sp + sq * sq), step);
    }
}

/* The exact value of the discrete problem at this rank's interior point (i, j). */
static double exact(int i, int j)
{
    double sum = 0;

    for (int m = 0; m < NMODES; m++)
        sum += weights[m] * sine_rows[m][i] * sine_cols[m][j];
    return sum;
}

static void start_temperatures(void)
{
    size_t size = (size_t)(rows + 2) * (size_t)(cols + 2);

    now = need(size);
    then = need(size);
    make_sines();
    set_exact_step(0);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            AT(now, i + 1, j + 1) = exact(i, j);
}

/* The first bytes of a checkpoint; N x N doubles follow, row by row. */
struct head {
    char magic[16];
    int64_t n, step;
    double change; /* as last agreed on */
    char reserved[24];
};

static const char magic[16] = "heat2d plate 1\n";

/* Tells why a call failed. Collective: whether it did on no rank. */
static int all_succeeded(int error, const char* what, const char* name)
{
    int good = error == MPI_SUCCESS, all;

    if (!good) {
        char text[MPI_MAX_ERROR_STRING];
        int length;
        MPI_Error_string(error, text, &length);
        fprintf(stderr, "heat2d: rank %d cannot %s %s: %s\n", rank, what, name, text);
    }
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_LAND, plate);
    return all;
}

/* This rank's part of the plate, in memory and in the file; ranks without points get an empty access. */
static int make_part(MPI_Datatype* memory, MPI_Datatype* in_file)
{
    int with_border[2] = {rows + 2, cols + 2}, part[2] = {rows, cols}, inside[2] = {1, 1};
    int whole[2] = {n, n}, begin[2] = {row0, col0}, count = rows > 0 && cols > 0;

    if (count == 1) {
        MPI_Type_create_subarray(2, with_border, part, inside, MPI_ORDER_C, MPI_DOUBLE, memory);
        MPI_Type_create_subarray(2, whole, part, begin, MPI_ORDER_C, MPI_DOUBLE, in_file);
    } else {
        MPI_Type_dup(MPI_DOUBLE, memory);
        MPI_Type_dup(MPI_DOUBLE, in_file);
    }
    MPI_Type_commit(memory);
    MPI_Type_commit(in_file);
    return count;
}

/* Moves this rank's part between memory and an open file; returns an error code. */
static int access_part(MPI_File file, int write)
{
    MPI_Datatype memory, in_file;
    MPI_Status status;
    int count = make_part(&memory, &in_file), moved;
    int error = MPI_File_set_view(file, sizeof(struct head), MPI_DOUBLE, in_file, "native", MPI_INFO_NULL);

    if (error == MPI_SUCCESS) {
        error = write ? MPI_File_write_all(file, now, count, memory, &status)
                      : MPI_File_read_all(file, now, count, memory, &status);
        MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    }
    if (error == MPI_SUCCESS) {
        MPI_Get_count(&status, memory, &moved);
        if (moved != count)
            error = MPI_ERR_IO;
    }
    MPI_Type_free(&memory);
    MPI_Type_free(&in_file);
    return error;
}

/* Returns whether it stands; what is incomplete is removed. */
static int write_checkpoint(int step, double change)
{
    char name[1024];
    struct head head = {.n = n, .step = step, .change = change};
    MPI_File file;
    int error = MPI_SUCCESS;

    snprintf(name, sizeof name, "%s-%d.ckpt", prefix, step);
    memcpy(head.magic, magic, sizeof magic);
    if (!all_succeeded(MPI_File_open(plate, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file), "open", name))
        return 0;
    int good = all_succeeded(MPI_File_set_size(file, 0), "empty", name) &&
               all_succeeded(access_part(file, 1), "write", name) && all_succeeded(MPI_File_sync(file), "write", name);
    if (good && rank == 0)
        error = MPI_File_write_at(file, 0, &head, sizeof head, MPI_BYTE, MPI_STATUS_IGNORE);
    good = good && all_succeeded(error, "write", name);
    error = MPI_File_close(&file);
    good = good && all_succeeded(error, "close", name);
    if (!good && rank == 0)
        MPI_File_delete(name, MPI_INFO_NULL);
    return good;
}

/* Returns the step to go on from, or -1. */
static int read_checkpoint(double* change)
{
    struct head head;
    MPI_File file;
    MPI_Offset size = 0;
    int step = -1;

    if (!all_succeeded(MPI_File_open(plate, restart_file, MPI_MODE_RDONLY, MPI_INFO_NULL, &file), "open", restart_file))
        return -1;
    memset(&head, 0, sizeof head);
    int error = MPI_File_get_size(file, &size);
    if (error == MPI_SUCCESS)
        error = MPI_File_read_at_all(file, 0, &head, sizeof head, MPI_BYTE, MPI_STATUS_IGNORE);
    if (all_succeeded(error, "read", restart_file)) {
        if (memcmp(head.magic, magic, sizeof magic) != 0 || size != (MPI_Offset)sizeof head + 8 * head.n * head.n) {
            if (rank == 0)
                fprintf(stderr, "heat2d: %s is no complete checkpoint\n", restart_file);
        } else if (head.n != n || head.step > steps) {
            if (rank == 0)
                fprintf(stderr, "heat2d: %s holds %d x %d points after %d steps: it does not fit %d x %d points, %d steps\n",
                        restart_file, (int)head.n, (int)head.n, (int)head.step, n, n, steps);
        } else if (all_succeeded(access_part(file, 0), "read", restart_file))
            step = (int)head.step;
    }
    MPI_File_close(&file);
    *change = head.change;
    return step;
}

/* Of all bits of the plate, the same however it is cut. */
static unsigned long long plate_checksum(void)
{
    uint64_t sum = 0, all, bits;

    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            memcpy(&bits, &AT(now, i + 1, j + 1), sizeof bits);
            bits += UINT64_C(0x9E3779B97F4A7C15) * ((uint64_t)(row0 + i) * (uint64_t)n + (uint64_t)(col0 + j) + 1);
            bits = (bits ^ (bits >> 32)) * UINT64_C(0xD6E8FEB86659FD93);
            sum += bits ^ (bits >> 32);
        }
    MPI_Allreduce(&sum, &all, 1, MPI_UINT64_T, MPI_SUM, plate);
    return all;
}

static void exchange_edges(void)
{
    MPI_Request requests[8];

    MPI_Irecv(&AT(now, 0, 1), cols, MPI_DOUBLE, north, 0, plate, &requests[0]);
    MPI_Irecv(&AT(now, rows + 1, 1), cols, MPI_DOUBLE, south, 1, plate, &requests[1]);
    MPI_Irecv(&AT(now, 1, 0), 1, column, west, 2, plate, &requests[2]);
    MPI_Irecv(&AT(now, 1, cols + 1), 1, column, east, 3, plate, &requests[3]);
    MPI_Isend(&AT(now, rows, 1), cols, MPI_DOUBLE, south, 0, plate, &requests[4]);
    MPI_Isend(&AT(now, 1, 1), cols, MPI_DOUBLE, north, 1, plate, &requests[5]);
    MPI_Isend(&AT(now, 1, cols), 1, column, east, 2, plate, &requests[6]);
    MPI_Isend(&AT(now, 1, 1), 1, column, west, 3, plate, &requests[7]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

/* One step; returns the largest change of a temperature on this rank. */
static double relax(void)
{
    double largest = 0;

    for (int i = 1; i <= rows; i++)
        for (int j = 1; j <= cols; j++) {
            double change = DIFFUSION * (AT(now, i - 1, j) + AT(now, i + 1, j) + AT(now, i, j - 1) + AT(now, i, j + 1) -
                                         4 * AT(now, i, j));
            AT(then, i, j) = AT(now, i, j) + change;
            if (fabs(change) > largest)
                largest = fabs(change);
        }
    double* swap = now;
    now = then;
    then = swap;
    return largest;
}

/* The command line; returns whether it makes sense. */
static int understand(int argc, char** argv)
{
    int position = 0;

    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-') {
            if (i + 1 == argc)
                return 0;
            const char* value = argv[i + 1];
            if (strcmp(argv[i], "--checkpoint") == 0 && atoi(value) > 0)
                checkpoint_interval = atoi(value);
            else if (strcmp(argv[i], "--prefix") == 0)
                prefix = value;
            else if (strcmp(argv[i], "--restart") == 0)
                restart_file = value;
            else
                return 0;
            i++;
        } else if (position == 0) {
            n = atoi(argv[i]);
            position++;
        } else if (position == 1) {
            steps = atoi(argv[i]);
            position++;
        } else if (position == 2) {
            by_rows = strcmp(argv[i], "rows") == 0;
            if (!by_rows && strcmp(argv[i], "blocks") != 0)
                return 0;
            position++;
        } else
            return 0;
    }
    return n >= 1 && steps >= 0 && n >= (by_rows ? ranks : 1);
}

static void clean_up(void)
{
    MPI_Type_free(&column);
    MPI_Comm_free(&plate);
    for (int m = 0; m < NMODES; m++) {
        free(sine_rows[m]);
        free(sine_cols[m]);
    }
    free(now);
    free(then);
    MPI_Finalize();
}

/* The exit status when files cannot be used, which has been told. */
static int give_up(void)
{
    clean_up();
    return 2;
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (!understand(argc, argv)) {
        if (rank == 0)
            fprintf(stderr, "usage: heat2d [N [STEPS [rows|blocks]]] [--checkpoint K] [--prefix NAME] [--restart FILE]\n"
                            "       with N at least the number of rows of ranks\n");
        MPI_Finalize();
        return 2;
    }
    cut_plate();
    start_temperatures();

    int first = 0, checkpoints = 0;
    double change = 0, largest_change = 0, in_checkpoints = 0;
    if (restart_file != NULL && (first = read_checkpoint(&largest_change)) < 0)
        return give_up();
    double begin = MPI_Wtime();
    for (int step = first + 1; step <= steps; step++) {
        exchange_edges();
        change = relax();
        if (step % CHECK_INTERVAL == 0)
            MPI_Allreduce(&change, &largest_change, 1, MPI_DOUBLE, MPI_MAX, plate);
        if (checkpoint_interval > 0 && step % checkpoint_interval == 0) {
            double begin_checkpoint = MPI_Wtime();
            if (!write_checkpoint(step, largest_change))
                return give_up();
            in_checkpoints += MPI_Wtime() - begin_checkpoint;
            checkpoints++;
        }
    }
    double times[2] = {MPI_Wtime() - begin - in_checkpoints, in_checkpoints}, slowest[2];

    set_exact_step(steps);
    double local[2] = {0, 0}, sums[2], error = 0, largest_error;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            double u = AT(now, i + 1, j + 1), off = fabs(u - exact(i, j));
            local[0] += u;
            local[1] += u * u;
            if (off > error || isnan(off))
                error = off;
        }
    MPI_Allreduce(local, sums, 2, MPI_DOUBLE, MPI_SUM, plate);
    MPI_Allreduce(&error, &largest_error, 1, MPI_DOUBLE, MPI_MAX, plate);
    MPI_Reduce(times, slowest, 2, MPI_DOUBLE, MPI_MAX, 0, plate);
    unsigned long long checksum = plate_checksum();
    int good = largest_error < 1e-12 * (steps + 10);
    if (rank == 0) {
        printf("heat2d: %d x %d points on %d x %d ranks, %d steps\n", n, n, dims[0], dims[1], steps);
        printf("heat2d: last change %.8e, checksum %.8e, mean square %.8e\n", largest_change, sums[0] / n / n,
               sums[1] / n / n);
        printf("heat2d: all bits: %016llx\n", checksum);
        if (restart_file != NULL)
            printf("heat2d: went on from step %d\n", first);
        if (checkpoint_interval > 0)
            printf("heat2d: %d checkpoints of %lld bytes\n", checkpoints, (long long)sizeof(struct head) + 8LL * n * n);
        printf("time per step: %.3f us\n", steps > first ? 1e6 * slowest[0] / (steps - first) : 0.0);
        if (checkpoints > 0)
            printf("time per checkpoint: %.3f us\n", 1e6 * slowest[1] / checkpoints);
        printf("heat2d: %s\n", good ? "VERIFICATION SUCCESSFUL" : "VERIFICATION FAILED");
    }
    clean_up();
    return good ? 0 : 1;
}
