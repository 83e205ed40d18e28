/* LU: a pipelined wavefront, as in the LU application of the NAS parallel benchmarks (symmetric successive
 * over-relaxation of a system with five unknowns a point), on an own model problem.
 *
 * usage: lu [S|W|A [ITERATIONS]]        default: class S, or what -DCLASS='"W"' says when it is compiled; 60 iterations
 *
 * The cube of points is cut into columns on a two-dimensional grid of ranks. The lower sweep runs from the south-west to
 * the north-east, plane by plane, so that ranks work on different planes at the same time; the upper sweep runs back.
 * Receives name no source (MPI_ANY_SOURCE) but a tag that only one source uses.
 *
 * The equation is A u = f with the seven-point operator (A u)_p = D_p u_p - sum over neighbours q of C_d u_q, where D_p and
 * C_d are 5 x 5 blocks. f is A applied to a known field, which is therefore the exact solution; borders hold it from the
 * start. Verified: the error falls below 1e-8 of that at first, and the residual with it.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CLASS
#define CLASS "S"
#endif

#define NV 5 /* unknowns a point */
#define OMEGA 1.2
#define DEFAULT_ITERATIONS 60

/* Tags: which way a message goes, and who sent it. */
enum way { EASTWARD, NORTHWARD, WESTWARD, SOUTHWARD, FACE_EAST, FACE_NORTH, FACE_WEST, FACE_SOUTH, WAYS };
#define TAG(way, source) (100 + (way) + WAYS * (source))

typedef double vec[NV];
typedef double block[NV][NV];

static const struct problem {
    char name;
    int n;
} problems[] = {{'S', 12}, {'W', 33}, {'A', 64}};

/* Coefficients of the exact field: polynomials of third degree in each coordinate. */
static const double field[NV][10] = {
    {2.0, 0.0, 0.0, 4.0, 5.0, 3.0, 0.5, 0.02, 0.01, 0.03},
    {1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.01, 0.03, 0.02},
    {2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.04, 0.03, 0.05},
    {2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.03, 0.05, 0.04},
    {5.0, 4.0, 3.0, 2.0, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03},
};

static int rank, ranks;
static int n, iterations = DEFAULT_ITERATIONS;
static int dims[2], column, row; /* of the grid of ranks */
static int west = -1, east = -1, south = -1, north = -1;
static int i_first, ni, j_first, nj;

static vec *u, *f, *r; /* (n + 2) x (nj + 2) x (ni + 2) points; r: residual, then the change of u */
#define AT(a, i, j, k) (a)[((size_t)(k) * (size_t)(nj + 2) + (size_t)(j)) * (size_t)(ni + 2) + (size_t)(i)]

static block coupling[3]; /* C_d of the three axes */
static vec *line_out, *line_in, *face_out, *face_in;
static vec* line_held[2]; /* what a pending MPI_Isend of the wavefront still reads, for the two directions */
static MPI_Request sending[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};

static void* need(size_t count, size_t size)
{
    void* memory = calloc(count != 0 ? count : 1, size);

    if (memory == NULL) {
        fprintf(stderr, "lu: rank %d: no memory for %zu elements\n", rank, count);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return memory;
}

static void exact(int i, int j, int k, vec value)
{
    double x = (double)i / (n + 1), y = (double)j / (n + 1), z = (double)k / (n + 1);

    for (int m = 0; m < NV; m++) {
        const double* c = field[m];
        value[m] = c[0] + x * (c[1] + x * (c[4] + x * c[7])) + y * (c[2] + y * (c[5] + y * c[8])) +
                   z * (c[3] + z * (c[6] + z * c[9]));
    }
}

static void make_coupling(void)
{
    for (int d = 0; d < 3; d++)
        for (int a = 0; a < NV; a++)
            for (int b = 0; b < NV; b++)
                coupling[d][a][b] = a == b ? 1.0 : 0.02 * ((a + 2 * b + d) % 3 - 1);
}

/* The diagonal block varies from point to point. */
static void diagonal(int i, int j, int k, block d)
{
    for (int a = 0; a < NV; a++)
        for (int b = 0; b < NV; b++)
            d[a][b] = a == b ? 6.5 + 0.1 * ((i + j + k) % 4) : 0.03 * ((i + 2 * j + 3 * k + a - b) % 5 - 2);
}

static void subtract_product(vec out, const block m, const vec x)
{
    for (int a = 0; a < NV; a++)
        for (int b = 0; b < NV; b++)
            out[a] -= m[a][b] * x[b];
}

/* x := d^-1 x by elimination; d is diagonally dominant, so no pivots are sought. d is overwritten. */
static void solve_block(block d, vec x)
{
    for (int p = 0; p < NV; p++) {
        double pivot = 1 / d[p][p];
        for (int a = p + 1; a < NV; a++) {
            double factor = d[a][p] * pivot;
            for (int b = p + 1; b < NV; b++)
                d[a][b] -= factor * d[p][b];
            x[a] -= factor * x[p];
        }
    }
    for (int p = NV - 1; p >= 0; p--) {
        for (int b = p + 1; b < NV; b++)
            x[p] -= d[p][b] * x[b];
        x[p] /= d[p][p];
    }
}

static void cut_cube(void)
{
    MPI_Dims_create(ranks, 2, dims);
    column = rank % dims[1];
    row = rank / dims[1];
    if (column > 0)
        west = rank - 1;
    if (column < dims[1] - 1)
        east = rank + 1;
    if (row > 0)
        south = rank - dims[1];
    if (row < dims[0] - 1)
        north = rank + dims[1];
    i_first = n * column / dims[1] + 1;
    ni = n * (column + 1) / dims[1] + 1 - i_first;
    j_first = n * row / dims[0] + 1;
    nj = n * (row + 1) / dims[0] + 1 - j_first;

    size_t points = (size_t)(ni + 2) * (size_t)(nj + 2) * (size_t)(n + 2);
    size_t line = (size_t)(ni > nj ? ni : nj);
    u = need(points, sizeof *u);
    f = need(points, sizeof *f);
    r = need(points, sizeof *r);
    line_in = need(line, sizeof *line_in);
    line_held[0] = need(line, sizeof *line_out);
    line_held[1] = need(line, sizeof *line_out);
    face_out = need(2 * line * (size_t)n, sizeof *face_out);
    face_in = need(2 * line * (size_t)n, sizeof *face_in);
}

/* f := A (exact field); u := exact field on the borders of the cube and something else inside. */
static void start_values(void)
{
    for (int k = 0; k <= n + 1; k++)
        for (int j = 0; j <= nj + 1; j++)
            for (int i = 0; i <= ni + 1; i++) {
                int gi = i_first + i - 1, gj = j_first + j - 1;
                exact(gi, gj, k, AT(u, i, j, k));
            }
    for (int k = 1; k <= n; k++)
        for (int j = 1; j <= nj; j++)
            for (int i = 1; i <= ni; i++) {
                block d;
                vec sum = {0};
                diagonal(i_first + i - 1, j_first + j - 1, k, d);
                for (int a = 0; a < NV; a++)
                    for (int b = 0; b < NV; b++)
                        d[a][b] = -d[a][b];
                subtract_product(sum, (const double(*)[NV])d, AT(u, i, j, k));
                subtract_product(sum, (const double(*)[NV])coupling[0], AT(u, i - 1, j, k));
                subtract_product(sum, (const double(*)[NV])coupling[0], AT(u, i + 1, j, k));
                subtract_product(sum, (const double(*)[NV])coupling[1], AT(u, i, j - 1, k));
                subtract_product(sum, (const double(*)[NV])coupling[1], AT(u, i, j + 1, k));
                subtract_product(sum, (const double(*)[NV])coupling[2], AT(u, i, j, k - 1));
                subtract_product(sum, (const double(*)[NV])coupling[2], AT(u, i, j, k + 1));
                memcpy(AT(f, i, j, k), sum, sizeof(vec));
            }
    for (int k = 1; k <= n; k++)
        for (int j = 0; j <= nj + 1; j++)
            for (int i = 0; i <= ni + 1; i++) {
                int gi = i_first + i - 1, gj = j_first + j - 1;
                if (gi >= 1 && gi <= n && gj >= 1 && gj <= n)
                    for (int m = 0; m < NV; m++)
                        AT(u, i, j, k)[m] = 1;
            }
}

static void receive(vec* buffer, int count, enum way way, int source, MPI_Request* request)
{
    MPI_Irecv(buffer, count * NV, MPI_DOUBLE, MPI_ANY_SOURCE, TAG(way, source), MPI_COMM_WORLD, request);
}

/* Swaps the faces of u with two opposite neighbours. Both receives are posted before anything is sent. */
static void exchange_axis(int low, int high, int across, enum way up, enum way down)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int lines = across ? nj : ni, own = across ? ni : nj, count = lines * n;
    vec *in[2] = {face_in, face_in + count}, *out[2] = {face_out, face_out + count};

    if (low >= 0)
        receive(in[0], count, up, low, &requests[0]);
    if (high >= 0)
        receive(in[1], count, down, high, &requests[1]);
    for (int k = 1; k <= n; k++)
        for (int l = 1; l <= lines; l++) {
            size_t at = (size_t)(k - 1) * (size_t)lines + (size_t)(l - 1);
            memcpy(out[0][at], across ? AT(u, 1, l, k) : AT(u, l, 1, k), sizeof(vec));
            memcpy(out[1][at], across ? AT(u, own, l, k) : AT(u, l, own, k), sizeof(vec));
        }
    if (high >= 0)
        MPI_Send(out[1], count * NV, MPI_DOUBLE, high, TAG(up, rank), MPI_COMM_WORLD);
    if (low >= 0)
        MPI_Send(out[0], count * NV, MPI_DOUBLE, low, TAG(down, rank), MPI_COMM_WORLD);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    for (int k = 1; k <= n; k++)
        for (int l = 1; l <= lines; l++) {
            size_t at = (size_t)(k - 1) * (size_t)lines + (size_t)(l - 1);
            if (low >= 0)
                memcpy(across ? AT(u, 0, l, k) : AT(u, l, 0, k), in[0][at], sizeof(vec));
            if (high >= 0)
                memcpy(across ? AT(u, own + 1, l, k) : AT(u, l, own + 1, k), in[1][at], sizeof(vec));
        }
}

/* r := f - A u, with zero on the borders; returns the mean square. */
static double residual(void)
{
    double sum = 0;

    exchange_axis(west, east, 1, FACE_EAST, FACE_WEST);
    exchange_axis(south, north, 0, FACE_NORTH, FACE_SOUTH);
    for (int k = 1; k <= n; k++)
        for (int j = 1; j <= nj; j++)
            for (int i = 1; i <= ni; i++) {
                block d;
                double *out = AT(r, i, j, k);
                memcpy(out, AT(f, i, j, k), sizeof(vec));
                diagonal(i_first + i - 1, j_first + j - 1, k, d);
                subtract_product(out, (const double(*)[NV])d, AT(u, i, j, k));
                for (int c = 0; c < NV; c++) {
                    double flow = 0;
                    for (int b = 0; b < NV; b++)
                        flow += coupling[0][c][b] * (AT(u, i - 1, j, k)[b] + AT(u, i + 1, j, k)[b]) +
                                coupling[1][c][b] * (AT(u, i, j - 1, k)[b] + AT(u, i, j + 1, k)[b]) +
                                coupling[2][c][b] * (AT(u, i, j, k - 1)[b] + AT(u, i, j, k + 1)[b]);
                    out[c] += flow;
                    sum += out[c] * out[c];
                }
            }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sqrt(sum / NV / n / n / n);
}

/* Before plane k: the line of r beyond the upstream border. */
static void await_line(int k, int upstream, enum way way, int border, int across)
{
    MPI_Request request;
    int count = across ? nj : ni;

    if (upstream < 0)
        return;
    receive(line_in, count, way, upstream, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int l = 1; l <= count; l++)
        memcpy(across ? AT(r, border, l, k) : AT(r, l, border, k), line_in[l - 1], sizeof(vec));
}

/* After plane k: the last line of r to the downstream rank. */
static void pass_line(int k, int downstream, enum way way, int edge, int across)
{
    int count = across ? nj : ni;

    if (downstream < 0)
        return;
    MPI_Wait(&sending[across], MPI_STATUS_IGNORE);
    line_out = line_held[across];
    for (int l = 1; l <= count; l++)
        memcpy(line_out[l - 1], across ? AT(r, edge, l, k) : AT(r, l, edge, k), sizeof(vec));
    MPI_Isend(line_out, count * NV, MPI_DOUBLE, downstream, TAG(way, rank), MPI_COMM_WORLD, &sending[across]);
}

/* What came from a sweep's upstream neighbours is of use to that sweep alone. */
static void clear_borders(void)
{
    for (int k = 1; k <= n; k++) {
        for (int j = 1; j <= nj; j++) {
            memset(AT(r, 0, j, k), 0, sizeof(vec));
            memset(AT(r, ni + 1, j, k), 0, sizeof(vec));
        }
        for (int i = 1; i <= ni; i++) {
            memset(AT(r, i, 0, k), 0, sizeof(vec));
            memset(AT(r, i, nj + 1, k), 0, sizeof(vec));
        }
    }
}

/* r := (D - omega L)^-1 r */
static void lower_sweep(void)
{
    for (int k = 1; k <= n; k++) {
        await_line(k, west, EASTWARD, 0, 1);
        await_line(k, south, NORTHWARD, 0, 0);
        for (int j = 1; j <= nj; j++)
            for (int i = 1; i <= ni; i++) {
                double* out = AT(r, i, j, k);
                block d;
                for (int a = 0; a < NV; a++) {
                    double flow = 0;
                    for (int b = 0; b < NV; b++)
                        flow += coupling[0][a][b] * AT(r, i - 1, j, k)[b] + coupling[1][a][b] * AT(r, i, j - 1, k)[b] +
                                coupling[2][a][b] * AT(r, i, j, k - 1)[b];
                    out[a] += OMEGA * flow;
                }
                diagonal(i_first + i - 1, j_first + j - 1, k, d);
                solve_block(d, out);
            }
        pass_line(k, east, EASTWARD, ni, 1);
        pass_line(k, north, NORTHWARD, nj, 0);
    }
    clear_borders();
}

/* r := (D - omega U)^-1 D r, written as r + omega D^-1 U r' with r' the new values */
static void upper_sweep(void)
{
    for (int k = n; k >= 1; k--) {
        await_line(k, east, WESTWARD, ni + 1, 1);
        await_line(k, north, SOUTHWARD, nj + 1, 0);
        for (int j = nj; j >= 1; j--)
            for (int i = ni; i >= 1; i--) {
                double* out = AT(r, i, j, k);
                block d;
                vec flow = {0};
                for (int a = 0; a < NV; a++)
                    for (int b = 0; b < NV; b++)
                        flow[a] += coupling[0][a][b] * AT(r, i + 1, j, k)[b] +
                                   coupling[1][a][b] * AT(r, i, j + 1, k)[b] + coupling[2][a][b] * AT(r, i, j, k + 1)[b];
                diagonal(i_first + i - 1, j_first + j - 1, k, d);
                solve_block(d, flow);
                for (int a = 0; a < NV; a++)
                    out[a] += OMEGA * flow[a];
            }
        pass_line(k, west, WESTWARD, 1, 1);
        pass_line(k, south, SOUTHWARD, 1, 0);
    }
    clear_borders();
}

static void add_change(void)
{
    for (int k = 1; k <= n; k++)
        for (int j = 1; j <= nj; j++)
            for (int i = 1; i <= ni; i++)
                for (int m = 0; m < NV; m++)
                    AT(u, i, j, k)[m] += OMEGA * (2 - OMEGA) * AT(r, i, j, k)[m];
}

/* Root mean square of the error of each unknown. */
static void error_norms(vec norms)
{
    vec sum = {0};

    for (int k = 1; k <= n; k++)
        for (int j = 1; j <= nj; j++)
            for (int i = 1; i <= ni; i++) {
                vec right;
                exact(i_first + i - 1, j_first + j - 1, k, right);
                for (int m = 0; m < NV; m++)
                    sum[m] += (AT(u, i, j, k)[m] - right[m]) * (AT(u, i, j, k)[m] - right[m]);
            }
    MPI_Allreduce(sum, norms, NV, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int m = 0; m < NV; m++)
        norms[m] = sqrt(norms[m] / n / n / n);
}

int main(int argc, char** argv)
{
    vec error_before, error_after;
    double residual_before, residual_middle = 0, residual_after;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char* class_name = argc > 1 ? argv[1] : CLASS;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        if (problems[i].name == class_name[0] && class_name[1] == '\0')
            n = problems[i].n;
    if (argc > 2)
        iterations = atoi(argv[2]);
    MPI_Dims_create(ranks, 2, dims);
    if (n == 0 || iterations < 1 || dims[0] > n) {
        if (rank == 0)
            fprintf(stderr, "usage: lu [S|W|A [ITERATIONS]]   with no more rows of ranks than points a side\n");
        MPI_Finalize();
        return 2;
    }
    cut_cube();
    make_coupling();
    start_values();
    error_norms(error_before);

    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    residual_before = residual();
    for (int iteration = 1; iteration <= iterations; iteration++) {
        lower_sweep();
        upper_sweep();
        add_change();
        double now = residual();
        if (iteration == 10)
            residual_middle = now;
    }
    residual_after = residual();
    MPI_Waitall(2, sending, MPI_STATUSES_IGNORE);
    double elapsed = MPI_Wtime() - start, slowest;
    MPI_Reduce(&elapsed, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);

    error_norms(error_after);
    int good = residual_after <= 1e-8 * residual_before;
    for (int m = 0; m < NV; m++)
        good = good && error_after[m] <= 1e-8 * error_before[m];
    if (rank == 0) {
        printf("lu: %d^3 points of %d unknowns on %d x %d ranks, %d iterations\n", n, NV, dims[1], dims[0], iterations);
        printf("lu: residual %.8e at first, %.8e after 10 iterations\n", residual_before, residual_middle);
        for (int m = 0; m < NV; m++)
            printf("lu: unknown %d: error %.8e at first, at the end %s 1e-8 of it\n", m + 1, error_before[m],
                   error_after[m] <= 1e-8 * error_before[m] ? "below" : "above");
        printf("time in seconds: %.6f\n", slowest);
        printf("lu: %s\n", good ? "VERIFICATION SUCCESSFUL" : "VERIFICATION FAILED");
    }
    MPI_Finalize();
    return good ? 0 : 1;
}
