/* Heat2d: two-dimensional heat conduction on a square plate, explicit five-point (Jacobi) steps.
 *
 * usage: heat2d [N [STEPS [rows|blocks]]]      defaults: 256 x 256 interior points, 100 steps, blocks
 *
 * The plate is cut into blocks (a two-dimensional Cartesian grid of ranks) or rows. Each step exchanges the edges with
 * the neighbours, then relaxes; every CHECK_INTERVAL steps all ranks agree on the largest change.
 *
 * The edge of the plate is held at zero and the start is a sum of three sine modes. A sine mode is an eigenvector of the
 * discrete operator: a step multiplies mode (p,q) by 1 - 4 r (sin^2(p pi h / 2) + sin^2(q pi h / 2)), where r = dt/h^2 and
 * h = 1/(N+1). So the exact result of STEPS steps is known, and every point is checked against it.
 */
#include <math.h>
#include <mpi.h>
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

static MPI_Comm plate;
static int dims[2], coords[2];
static int north, south, west, east;
static int row0, rows, col0, cols; /* this rank's part of the interior, counted from 0 */
static MPI_Datatype column;

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

/* The exact value of the discrete problem at global interior point (i, j) after k steps. */
static double exact(int i, int j, int k)
{
    double h = 1.0 / (n + 1), sum = 0;

    for (int m = 0; m < NMODES; m++) {
        double sp = sin(modes[m].p * PI * h / 2), sq = sin(modes[m].q * PI * h / 2);
        double factor = 1 - 4 * DIFFUSION * (sp * sp + sq * sq);
        sum += modes[m].amplitude * pow(factor, k) * sin(modes[m].p * PI * h * (i + 1)) * sin(modes[m].q * PI * h * (j + 1));
    }
    return sum;
}

static void start_temperatures(void)
{
    size_t size = (size_t)(rows + 2) * (size_t)(cols + 2);

    now = calloc(size, sizeof *now);
    then = calloc(size, sizeof *then);
    if (now == NULL || then == NULL) {
        fprintf(stderr, "heat2d: no memory for %d x %d points\n", rows, cols);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            AT(now, i + 1, j + 1) = exact(row0 + i, col0 + j, 0);
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

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1)
        n = atoi(argv[1]);
    if (argc > 2)
        steps = atoi(argv[2]);
    if (argc > 3)
        by_rows = strcmp(argv[3], "rows") == 0;
    if (n < 1 || steps < 0 || n < (by_rows ? ranks : 1) || (argc > 3 && !by_rows && strcmp(argv[3], "blocks") != 0)) {
        if (rank == 0)
            fprintf(stderr, "usage: heat2d [N [STEPS [rows|blocks]]]   with N at least the number of rows of ranks\n");
        MPI_Finalize();
        return 2;
    }
    cut_plate();
    start_temperatures();

    double begin = MPI_Wtime(), change = 0, largest_change = 0;
    for (int step = 1; step <= steps; step++) {
        exchange_edges();
        change = relax();
        if (step % CHECK_INTERVAL == 0)
            MPI_Allreduce(&change, &largest_change, 1, MPI_DOUBLE, MPI_MAX, plate);
    }
    double elapsed = MPI_Wtime() - begin;

    double local[2] = {0, 0}, sums[2], error = 0, largest_error, slowest;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            double u = AT(now, i + 1, j + 1), off = fabs(u - exact(row0 + i, col0 + j, steps));
            local[0] += u;
            local[1] += u * u;
            if (off > error || isnan(off))
                error = off;
        }
    MPI_Allreduce(local, sums, 2, MPI_DOUBLE, MPI_SUM, plate);
    MPI_Allreduce(&error, &largest_error, 1, MPI_DOUBLE, MPI_MAX, plate);
    MPI_Reduce(&elapsed, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, plate);
    int good = largest_error < 1e-12 * (steps + 10);
    if (rank == 0) {
        printf("heat2d: %d x %d points on %d x %d ranks, %d steps\n", n, n, dims[0], dims[1], steps);
        printf("heat2d: last change %.8e, checksum %.8e, mean square %.8e\n", largest_change, sums[0] / n / n,
               sums[1] / n / n);
        printf("time per step: %.3f us\n", steps > 0 ? 1e6 * slowest / steps : 0.0);
        printf("heat2d: %s\n", good ? "VERIFICATION SUCCESSFUL" : "VERIFICATION FAILED");
    }
    MPI_Type_free(&column);
    MPI_Comm_free(&plate);
    free(now);
    free(then);
    MPI_Finalize();
    return good ? 0 : 1;
}
