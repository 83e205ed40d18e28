/* MGV: V-cycles that receive with MPI_ANY_SOURCE and tags of which each has one source only.
 *
 * usage: mgv [LEVELS [CYCLES]]        defaults: 7 levels (127 x 127 points), 10 cycles
 *
 * Solves the Poisson equation on the unit square with borders held at the exact field. The square is cut into blocks on a
 * two-dimensional grid of ranks of any shape; coarse points stay where the fine point at their place is, so that coarse
 * levels leave ranks idle. Smoothing is by red-black Gauss-Seidel, which does not depend on the cut. The right-hand side
 * is the discrete operator applied to a known field: verified are the error against it (below 1e-9 of that at first) and
 * that each of the first cycles reduces the residual at least by a factor of 5.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_LEVELS 12
#define MAX_CYCLES 50

/* Unique for each source and side, so that MPI_ANY_SOURCE leaves no choice. */
#define TAG(source, side) (4 * (source) + (side))

static const double PI = 3.14159265358979323846;

static int rank, ranks;
static int levels = 7, cycles = 10;
static int dims[2], coords[2];

static struct level {
    int n;          /* interior points are 1 to n - 1 a side; 0 and n are the border */
    int* begin[2];  /* of every rank along the axis; axis 0 is x */
    int first[2], size[2];
    size_t row;     /* stride of y */
    size_t points;
    double *u, *f, *r;
} level_data[MAX_LEVELS + 1];

static double *out_buffer, *in_buffer;
static size_t longest_edge;
static double residuals[MAX_CYCLES + 1];
static long messages;

static void* need(size_t count, size_t size)
{
    void* memory = calloc(count != 0 ? count : 1, size);

    if (memory == NULL) {
        fprintf(stderr, "mgv: rank %d: no memory for %zu elements\n", rank, count);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return memory;
}

static double field(double x, double y)
{
    return sin(PI * x) * sinh(y) + 0.5 * sin(3 * PI * x) * cos(2 * PI * y) + x * x * y + 1;
}

static void make_levels(void)
{
    MPI_Dims_create(ranks, 2, dims);
    coords[0] = rank % dims[0];
    coords[1] = rank / dims[0];
    for (int l = levels; l >= 1; l--) {
        struct level* g = &level_data[l];
        g->n = 1 << l;
        for (int axis = 0; axis < 2; axis++) {
            g->begin[axis] = need((size_t)dims[axis] + 1, sizeof(int));
            for (int part = 0; part <= dims[axis]; part++)
                g->begin[axis][part] = l == levels ? 1 + (int)((long)(g->n - 1) * part / dims[axis])
                                                   : (g[1].begin[axis][part] + 1) / 2;
            g->first[axis] = g->begin[axis][coords[axis]];
            g->size[axis] = g->begin[axis][coords[axis] + 1] - g->first[axis];
            if ((size_t)g->size[axis] + 2 > longest_edge)
                longest_edge = (size_t)g->size[axis] + 2;
        }
        g->row = (size_t)g->size[0] + 2;
        g->points = g->row * ((size_t)g->size[1] + 2);
        g->u = need(g->points, sizeof(double));
        g->f = need(g->points, sizeof(double));
        g->r = need(g->points, sizeof(double));
    }
    out_buffer = need(longest_edge * 2 * (size_t)(dims[0] > dims[1] ? dims[0] : dims[1]), sizeof(double));
    in_buffer = need(longest_edge * 2, sizeof(double));
}

/* The coordinate of the rank that holds an interior point. */
static int owner(const struct level* g, int axis, int point)
{
    int part = 0;

    while (g->begin[axis][part + 1] <= point)
        part++;
    return part;
}

static int has_points(const struct level* g, int axis, int part)
{
    return g->begin[axis][part + 1] > g->begin[axis][part];
}

static int uses(const struct level* g, int axis, int part)
{
    return has_points(g, axis, part) || (g != &level_data[levels] && has_points(g + 1, axis, part));
}

static int rank_at(int axis, int part)
{
    return axis == 0 ? coords[1] * dims[0] + part : part * dims[0] + coords[0];
}

/* The edge at `index` along an axis. Edges along y (axis 0) hold interior points; those along x hold the border points at
 * their ends too, which have been exchanged before. */
static int copy_edge(const struct level* g, double* values, int axis, int index, double* edge, int out)
{
    int begin = axis == 0 ? 1 : 0, end = axis == 0 ? g->size[1] + 1 : g->size[0] + 2;
    double* at = values + (axis == 0 ? (size_t)begin * g->row + (size_t)index : (size_t)index * g->row);
    size_t stride = axis == 0 ? g->row : 1;

    for (int i = begin; i < end; i++, at += stride, edge++) {
        if (out)
            *edge = *at;
        else
            *at = *edge;
    }
    return end - begin;
}

static void exchange(const struct level* g, double* values)
{
    static MPI_Request requests[2];

    for (int axis = 0; axis < 2; axis++) {
        int me = coords[axis], other = 1 - axis, pending = 0, sides[2];
        int count = axis == 0 ? g->size[1] : g->size[0] + 2;
        double* out = out_buffer;

        if (count == 0 || !uses(g, other, coords[other]))
            continue;
        for (int side = 0; side < 2 && uses(g, axis, me); side++) {
            int point = side == 0 ? g->first[axis] - 1 : g->first[axis] + g->size[axis];
            if (point == 0 || point == g->n)
                continue;
            sides[pending] = side;
            MPI_Irecv(in_buffer + (size_t)side * longest_edge, count, MPI_DOUBLE, MPI_ANY_SOURCE,
                      TAG(rank_at(axis, owner(g, axis, point)), side), MPI_COMM_WORLD, &requests[pending++]);
        }
        for (int part = 0; part < dims[axis]; part++)
            for (int side = 0; side < 2 && uses(g, axis, part); side++) {
                int point = side == 0 ? g->begin[axis][part] - 1 : g->begin[axis][part + 1];
                if (point == 0 || point == g->n || owner(g, axis, point) != me)
                    continue;
                copy_edge(g, values, axis, point - g->first[axis] + 1, out, 1);
                MPI_Send(out, count, MPI_DOUBLE, rank_at(axis, part), TAG(rank, side), MPI_COMM_WORLD);
                messages++;
                out += count;
            }
        for (int i = 0; i < pending; i++) {
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
            copy_edge(g, values, axis, sides[i] == 0 ? 0 : g->size[axis] + 1, in_buffer + (size_t)sides[i] * longest_edge, 0);
        }
    }
}

/* Gauss-Seidel, first the points with even, then those with odd sum of coordinates. */
static void smooth(const struct level* g, int sweeps)
{
    double h2 = 1.0 / ((double)g->n * g->n);

    for (int half = 0; half < 2 * sweeps; half++) {
        for (int j = 1; j <= g->size[1]; j++) {
            int parity = (g->first[0] + g->first[1] + j + half) % 2; /* of i where to start */
            for (int i = 2 - parity; i <= g->size[0]; i += 2) {
                size_t at = (size_t)j * g->row + (size_t)i;
                g->u[at] = 0.25 * (g->u[at - 1] + g->u[at + 1] + g->u[at - g->row] + g->u[at + g->row] + h2 * g->f[at]);
            }
        }
        exchange(g, g->u);
    }
}

static void residual(const struct level* g)
{
    double scale = (double)g->n * g->n;

    for (int j = 1; j <= g->size[1]; j++)
        for (int i = 1; i <= g->size[0]; i++) {
            size_t at = (size_t)j * g->row + (size_t)i;
            g->r[at] = g->f[at] - scale * (4 * g->u[at] - g->u[at - 1] - g->u[at + 1] - g->u[at - g->row] - g->u[at + g->row]);
        }
    exchange(g, g->r);
}

/* Coarse point I lies at fine point 2I. */
static void restrict_to(struct level* coarse)
{
    const struct level* fine = coarse + 1;

    for (int j = 1; j <= coarse->size[1]; j++)
        for (int i = 1; i <= coarse->size[0]; i++) {
            int x = 2 * (coarse->first[0] + i - 1) - fine->first[0] + 1;
            int y = 2 * (coarse->first[1] + j - 1) - fine->first[1] + 1;
            const double *c = fine->r + (size_t)y * fine->row + (size_t)x, *s = c - fine->row, *n = c + fine->row;
            coarse->f[(size_t)j * coarse->row + (size_t)i] =
                0.25 * c[0] + 0.125 * (c[-1] + c[1] + s[0] + n[0]) + 0.0625 * (s[-1] + s[1] + n[-1] + n[1]);
        }
    for (size_t i = 0; i < coarse->points; i++)
        coarse->u[i] = 0;
}

static void interpolate_from(const struct level* coarse)
{
    const struct level* fine = coarse + 1;

    for (int j = 1; j <= fine->size[1]; j++)
        for (int i = 1; i <= fine->size[0]; i++) {
            int x = fine->first[0] + i - 1, y = fine->first[1] + j - 1;
            int x0 = x / 2 - coarse->first[0] + 1, y0 = y / 2 - coarse->first[1] + 1;
            int x1 = x0 + x % 2, y1 = y0 + y % 2;
            const double *low = coarse->u + (size_t)y0 * coarse->row, *high = coarse->u + (size_t)y1 * coarse->row;
            fine->u[(size_t)j * fine->row + (size_t)i] += 0.25 * (low[x0] + low[x1] + high[x0] + high[x1]);
        }
    exchange(fine, fine->u);
}

static void v_cycle(int l)
{
    struct level* g = &level_data[l];

    if (l == 1) {
        smooth(g, 1); /* one point: solved */
        return;
    }
    smooth(g, 2);
    residual(g);
    restrict_to(g - 1);
    v_cycle(l - 1);
    interpolate_from(g - 1);
    smooth(g, 2);
}

static double norm(const struct level* g, const double* values)
{
    double sum = 0;

    for (int j = 1; j <= g->size[1]; j++)
        for (int i = 1; i <= g->size[0]; i++)
            sum += values[(size_t)j * g->row + (size_t)i] * values[(size_t)j * g->row + (size_t)i];
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sqrt(sum) / g->n;
}

static double exact_at(const struct level* g, int i, int j)
{
    return field((double)(g->first[0] + i - 1) / g->n, (double)(g->first[1] + j - 1) / g->n);
}

static void start_values(struct level* g)
{
    double scale = (double)g->n * g->n;

    for (int j = 0; j <= g->size[1] + 1; j++)
        for (int i = 0; i <= g->size[0] + 1; i++) {
            int x = g->first[0] + i - 1, y = g->first[1] + j - 1;
            int inside = x > 0 && x < g->n && y > 0 && y < g->n;
            g->u[(size_t)j * g->row + (size_t)i] = inside ? 0 : exact_at(g, i, j);
            g->f[(size_t)j * g->row + (size_t)i] =
                scale * (4 * exact_at(g, i, j) - exact_at(g, i - 1, j) - exact_at(g, i + 1, j) - exact_at(g, i, j - 1) -
                         exact_at(g, i, j + 1));
        }
}

/* Norm of the error; uses r as scratch. */
static double error(struct level* g)
{
    for (int j = 1; j <= g->size[1]; j++)
        for (int i = 1; i <= g->size[0]; i++)
            g->r[(size_t)j * g->row + (size_t)i] = g->u[(size_t)j * g->row + (size_t)i] - exact_at(g, i, j);
    return norm(g, g->r);
}

int main(int argc, char** argv)
{
    long all_messages;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1)
        levels = atoi(argv[1]);
    if (argc > 2)
        cycles = atoi(argv[2]);
    if (levels < 2 || levels > MAX_LEVELS || cycles < 1 || cycles > MAX_CYCLES) {
        if (rank == 0)
            fprintf(stderr, "usage: mgv [LEVELS [CYCLES]]   LEVELS from 2 to %d, CYCLES from 1 to %d\n", MAX_LEVELS,
                    MAX_CYCLES);
        MPI_Finalize();
        return 2;
    }
    make_levels();
    struct level* g = &level_data[levels];
    start_values(g);
    double error_before = error(g);

    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    residual(g);
    residuals[0] = norm(g, g->r);
    for (int cycle = 1; cycle <= cycles; cycle++) {
        v_cycle(levels);
        residual(g);
        residuals[cycle] = norm(g, g->r);
    }
    double elapsed = MPI_Wtime() - start, slowest;
    MPI_Reduce(&elapsed, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&messages, &all_messages, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);

    double error_after = error(g), wanted = error_before * fmax(1e-9, pow(0.2, cycles));
    int good = error_after <= wanted;
    for (int cycle = 1; cycle <= cycles && cycle <= 5; cycle++)
        good = good && residuals[cycle] <= residuals[cycle - 1] / 5;
    if (rank == 0) {
        printf("mgv: %d x %d points on %d x %d ranks, %ld messages\n", g->n - 1, g->n - 1, dims[0], dims[1], all_messages);
        for (int cycle = 0; cycle <= cycles && cycle <= 5; cycle++)
            printf("mgv: residual after %d cycles %.6e\n", cycle, residuals[cycle]);
        printf("mgv: error %.6e at first, at the end %s %.1e\n", error_before, error_after <= wanted ? "below" : "above",
               wanted);
        printf("time in seconds: %.6f\n", slowest);
        printf("mgv: %s\n", good ? "VERIFICATION SUCCESSFUL" : "VERIFICATION FAILED");
    }
    MPI_Finalize();
    return good ? 0 : 1;
}
