/* MG, the multigrid kernel of the NAS parallel benchmarks, from its specification (NAS-94-007, 2.2; sizes as in NPB 3).
 *
 * usage: mg [S|W|A|B]        default: class S, or what -DCLASS='"W"' says when it is compiled
 *
 * V-cycles for a Poisson equation on a periodic cube. The cube is cut into blocks on a three-dimensional grid of ranks of
 * any shape. A coarse point belongs to the rank that has the fine point at its place, so coarse levels leave ranks
 * without points; such ranks still hold a border where the next finer level needs one. Verifies the official norm.
 */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef CLASS
#define CLASS "S"
#endif

#define MAX_LEVELS 9 /* 512 points a side at most */
#define MAX_LINE ((1 << MAX_LEVELS) + 2)
#define CHARGES 10
#define MODULUS_MASK ((UINT64_C(1) << 46) - 1)
#define MULTIPLIER UINT64_C(1220703125) /* 5^13 */
#define SEED UINT64_C(314159265)

static const struct problem {
    char name;
    int levels, iterations;
    double norm;
    double smoother[3]; /* centre, faces, edges; nothing for corners */
} problems[] = {
    {'S', 5, 4, 0.5307707005734e-04, {-3.0 / 8, 1.0 / 32, -1.0 / 64}},
    {'W', 7, 4, 0.6467329375339e-05, {-3.0 / 8, 1.0 / 32, -1.0 / 64}},
    {'A', 8, 4, 0.2433365309069e-05, {-3.0 / 8, 1.0 / 32, -1.0 / 64}},
    {'B', 8, 20, 0.1800564401355e-05, {-3.0 / 17, 1.0 / 33, -1.0 / 61}},
};

/* The operator A: centre, edges, corners; nothing for faces. */
static const double operator_a[3] = {-8.0 / 3, 1.0 / 6, 1.0 / 12};

static int rank, ranks;
static const struct problem* problem;
static int top;

static MPI_Comm cube;
static int dims[3], coords[3];

/* One level of the hierarchy; axis 0 is x, whose points lie next to one another. Index 0 and size + 1 are the border. */
struct grid {
    int n;              /* points a side of the whole cube */
    int* begin[3];      /* of every rank along the axis: its first point; one more entry closes the last */
    int first[3];       /* of this rank */
    int size[3];
    size_t row, plane;  /* strides of y and z */
    size_t points;      /* with borders */
    double *u, *r;
};

static struct grid grids[MAX_LEVELS + 1];
static double* v; /* right-hand side of the top level */
static double *face_out, *face_in;
static size_t face_room;

static void* need(size_t count, size_t size)
{
    void* memory = calloc(count != 0 ? count : 1, size);

    if (memory == NULL) {
        fprintf(stderr, "mg: rank %d: no memory for %zu elements\n", rank, count);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return memory;
}

static void make_grids(void)
{
    int periods[3] = {1, 1, 1};

    MPI_Dims_create(ranks, 3, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &cube);
    MPI_Cart_coords(cube, rank, 3, coords);
    for (int level = top; level >= 1; level--) {
        struct grid* g = &grids[level];
        g->n = 1 << level;
        for (int axis = 0; axis < 3; axis++) {
            int parts = dims[axis];
            g->begin[axis] = need((size_t)parts + 1, sizeof(int));
            for (int part = 0; part <= parts; part++)
                g->begin[axis][part] = level == top ? (int)((long)g->n * part / parts) : g[1].begin[axis][part] / 2;
            g->first[axis] = g->begin[axis][coords[axis]];
            g->size[axis] = g->begin[axis][coords[axis] + 1] - g->first[axis];
        }
        g->row = (size_t)g->size[0] + 2;
        g->plane = g->row * ((size_t)g->size[1] + 2);
        g->points = g->plane * ((size_t)g->size[2] + 2);
        g->u = need(g->points, sizeof(double));
        g->r = need(g->points, sizeof(double));
        for (int axis = 0; axis < 3; axis++) {
            size_t face = g->points / ((size_t)g->size[axis] + 2);
            if (face > face_room)
                face_room = face;
        }
    }
    v = need(grids[top].points, sizeof *v);
    /* at most one face for each rank along the axis and side, and one of each side for this rank */
    int longest = dims[0] > dims[1] ? dims[0] : dims[1];
    longest = longest > dims[2] ? longest : dims[2];
    face_out = need(face_room * 2 * (size_t)longest, sizeof *face_out);
    face_in = need(face_room * 2, sizeof *face_in);
}

static int owner(const struct grid* g, int axis, int point)
{
    int part = 0;

    while (g->begin[axis][part + 1] <= point)
        part++;
    return part;
}

/* Whether ranks with this coordinate use values of a level: they hold points of it, or of the next finer one. */
static int uses(const struct grid* g, int axis, int part)
{
    return g->begin[axis][part + 1] > g->begin[axis][part] ||
           (g != &grids[top] && g[1].begin[axis][part + 1] > g[1].begin[axis][part]);
}

/* Copies the face at `index` of an axis into a row of doubles or back. Faces include the borders of the axes below, which
 * have been exchanged before, so that edges and corners travel too. Returns its size. */
static int copy_face(const struct grid* g, double* values, int axis, int index, double* face, int out)
{
    size_t stride[3] = {1, g->row, g->plane};
    int a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
    int a_begin = a < axis ? 0 : 1, a_end = a < axis ? g->size[a] + 2 : g->size[a] + 1;
    int b_begin = b < axis ? 0 : 1, b_end = b < axis ? g->size[b] + 2 : g->size[b] + 1;
    int count = 0;

    for (int j = b_begin; j < b_end; j++)
        for (int i = a_begin; i < a_end; i++) {
            double* at = values + (size_t)i * stride[a] + (size_t)j * stride[b] + (size_t)index * stride[axis];
            if (face == NULL)
                count++;
            else if (out)
                face[count++] = *at;
            else
                *at = face[count++];
        }
    return count;
}

/* Fills the borders of `values` from the ranks that own the points beyond. */
static void exchange_borders(const struct grid* g, double* values)
{
    static MPI_Request* requests;

    if (requests == NULL)
        requests = need(2 * (size_t)ranks + 2, sizeof *requests);
    for (int axis = 0; axis < 3; axis++) {
        int me = coords[axis], count = copy_face(g, values, axis, 0, NULL, 1), pending = 0, waiting[2] = {0, 0};
        int to[3] = {coords[0], coords[1], coords[2]}, other;
        double* out = face_out;

        if (count == 0 || !uses(g, (axis + 1) % 3, coords[(axis + 1) % 3]) ||
            !uses(g, (axis + 2) % 3, coords[(axis + 2) % 3]))
            continue; /* the same for all ranks along the axis */
        for (int side = 0; side < 2 && uses(g, axis, me); side++) {
            int point = side == 0 ? g->first[axis] - 1 : g->first[axis] + g->size[axis];
            to[axis] = owner(g, axis, (point + g->n) % g->n);
            if (to[axis] == me)
                continue;
            MPI_Cart_rank(cube, to, &other);
            MPI_Irecv(face_in + (size_t)side * face_room, count, MPI_DOUBLE, other, side, cube, &requests[pending++]);
            waiting[side] = 1;
        }
        for (int part = 0; part < dims[axis]; part++)
            for (int side = 0; side < 2 && uses(g, axis, part); side++) {
                int point = side == 0 ? g->begin[axis][part] - 1 : g->begin[axis][part + 1];
                point = (point + g->n) % g->n;
                if (owner(g, axis, point) != me)
                    continue;
                copy_face(g, values, axis, point - g->first[axis] + 1, out, 1);
                if (part == me) {
                    copy_face(g, values, axis, side == 0 ? 0 : g->size[axis] + 1, out, 0);
                    continue;
                }
                to[axis] = part;
                MPI_Cart_rank(cube, to, &other);
                MPI_Isend(out, count, MPI_DOUBLE, other, side, cube, &requests[pending++]);
                out += count;
            }
        MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
        for (int side = 0; side < 2; side++)
            if (waiting[side])
                copy_face(g, values, axis, side == 0 ? 0 : g->size[axis] + 1, face_in + (size_t)side * face_room, 0);
    }
}

/* Sums over the four neighbours beside a line of points in x, and over the four across. */
static double beside[MAX_LINE], across[MAX_LINE];

static void sum_neighbours(const struct grid* g, const double* centre)
{
    const double *south = centre - g->row, *north = centre + g->row;
    const double *below = centre - g->plane, *above = centre + g->plane;

    for (int i = 0; i < g->size[0] + 2; i++) {
        beside[i] = south[i] + north[i] + below[i] + above[i];
        across[i] = below[i - (long)g->row] + below[i + (long)g->row] + above[i - (long)g->row] + above[i + (long)g->row];
    }
}

/* r := b - A u */
static void residual(const struct grid* g, const double* u, const double* b, double* r)
{
    for (int k = 1; k <= g->size[2]; k++)
        for (int j = 1; j <= g->size[1]; j++) {
            size_t at = (size_t)k * g->plane + (size_t)j * g->row;
            sum_neighbours(g, u + at);
            for (int i = 1; i <= g->size[0]; i++)
                r[at + (size_t)i] = b[at + (size_t)i] - operator_a[0] * u[at + (size_t)i] -
                                    operator_a[1] * (across[i] + beside[i - 1] + beside[i + 1]) -
                                    operator_a[2] * (across[i - 1] + across[i + 1]);
        }
    exchange_borders(g, r);
}

/* u := u + S r */
static void smooth(const struct grid* g, const double* r, double* u)
{
    const double* s = problem->smoother;

    for (int k = 1; k <= g->size[2]; k++)
        for (int j = 1; j <= g->size[1]; j++) {
            size_t at = (size_t)k * g->plane + (size_t)j * g->row;
            const double* c = r + at;
            sum_neighbours(g, c);
            for (int i = 1; i <= g->size[0]; i++)
                u[at + (size_t)i] += s[0] * c[i] + s[1] * (c[i - 1] + c[i + 1] + beside[i]) +
                                     s[2] * (across[i] + beside[i - 1] + beside[i + 1]);
        }
    exchange_borders(g, u);
}

/* Where the fine point at the place of a coarse one lies on this rank, by the coarse index with its border. */
static int fine_place(const struct grid* coarse, int axis, int i)
{
    return 2 * (coarse->first[axis] + i - 1) + 1 - coarse[1].first[axis] + 1;
}

/* coarse r := weighted means of fine r */
static void restrict_residual(struct grid* coarse)
{
    const struct grid* fine = coarse + 1;

    for (int k = 1; k <= coarse->size[2]; k++)
        for (int j = 1; j <= coarse->size[1]; j++) {
            const double* c = fine->r + (size_t)fine_place(coarse, 2, k) * fine->plane +
                              (size_t)fine_place(coarse, 1, j) * fine->row;
            double* out = coarse->r + (size_t)k * coarse->plane + (size_t)j * coarse->row;
            sum_neighbours(fine, c);
            for (int i = 1; i <= coarse->size[0]; i++) {
                int f = fine_place(coarse, 0, i);
                out[i] = 0.5 * c[f] + 0.25 * (c[f - 1] + c[f + 1] + beside[f]) +
                         0.125 * (across[f] + beside[f - 1] + beside[f + 1]) + 0.0625 * (across[f - 1] + across[f + 1]);
            }
        }
    exchange_borders(coarse, coarse->r);
}

/* fine u := fine u + trilinear interpolation of coarse u */
static void interpolate(const struct grid* coarse)
{
    const struct grid* fine = coarse + 1;

    for (int k = 1; k <= fine->size[2]; k++)
        for (int j = 1; j <= fine->size[1]; j++) {
            /* the coarse points at and below a fine point: the same one where the fine point lies at its place */
            int z = fine->first[2] + k - 1, y = fine->first[1] + j - 1;
            int z1 = z / 2 - coarse->first[2] + 1, z0 = z % 2 == 0 ? z1 - 1 : z1;
            int y1 = y / 2 - coarse->first[1] + 1, y0 = y % 2 == 0 ? y1 - 1 : y1;
            const double* c00 = coarse->u + (size_t)z0 * coarse->plane + (size_t)y0 * coarse->row;
            const double* c01 = coarse->u + (size_t)z0 * coarse->plane + (size_t)y1 * coarse->row;
            const double* c10 = coarse->u + (size_t)z1 * coarse->plane + (size_t)y0 * coarse->row;
            const double* c11 = coarse->u + (size_t)z1 * coarse->plane + (size_t)y1 * coarse->row;
            double* out = fine->u + (size_t)k * fine->plane + (size_t)j * fine->row;
            for (int i = 0; i < coarse->size[0] + 2; i++)
                beside[i] = 0.25 * (c00[i] + c01[i] + c10[i] + c11[i]);
            for (int i = 1; i <= fine->size[0]; i++) {
                int x = fine->first[0] + i - 1;
                int x1 = x / 2 - coarse->first[0] + 1, x0 = x % 2 == 0 ? x1 - 1 : x1;
                out[i] += 0.5 * (beside[x0] + beside[x1]);
            }
        }
    exchange_borders(fine, fine->u);
}

static void clear(const struct grid* g, double* values)
{
    for (size_t i = 0; i < g->points; i++)
        values[i] = 0;
}

static void v_cycle(void)
{
    for (int level = top - 1; level >= 1; level--)
        restrict_residual(&grids[level]);
    clear(&grids[1], grids[1].u);
    smooth(&grids[1], grids[1].r, grids[1].u);
    for (int level = 2; level <= top; level++) {
        struct grid* g = &grids[level];
        if (level < top)
            clear(g, g->u);
        interpolate(&grids[level - 1]);
        residual(g, g->u, level < top ? g->r : v, g->r);
        smooth(g, g->r, g->u);
    }
}

static double norm(const struct grid* g, const double* values)
{
    double sum = 0;

    for (int k = 1; k <= g->size[2]; k++)
        for (int j = 1; j <= g->size[1]; j++)
            for (int i = 1; i <= g->size[0]; i++) {
                double value = values[(size_t)k * g->plane + (size_t)j * g->row + (size_t)i];
                sum += value * value;
            }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, cube);
    return sqrt(sum / ((double)g->n * g->n * g->n));
}

static uint64_t power(uint64_t a, uint64_t n)
{
    uint64_t result = 1;

    for (; n != 0; n >>= 1, a = (a * a) & MODULUS_MASK)
        if (n & 1)
            result = (result * a) & MODULUS_MASK;
    return result;
}

/* A random value and its point; doubles, so that both travel as one type (point numbers stay below 2^53). */
struct extreme {
    double value, point;
};

/* Keeps the list sorted, the largest of sign * value first. */
static void offer(struct extreme* list, double value, double point, int sign)
{
    int at = CHARGES;

    if (sign * value <= sign * list[CHARGES - 1].value)
        return;
    while (at > 0 && sign * value > sign * list[at - 1].value)
        at--;
    for (int i = CHARGES - 1; i > at; i--)
        list[i] = list[i - 1];
    list[at].value = value;
    list[at].point = point;
}

/* The right-hand side: every point draws a random number; the ten largest become +1, the ten smallest -1, others 0. */
static void place_charges(void)
{
    const struct grid* g = &grids[top];
    struct extreme mine[2][CHARGES], all[2][CHARGES];
    struct extreme* gathered = need(2 * CHARGES * (size_t)ranks, sizeof *gathered);
    const int sign[2] = {1, -1};

    for (int s = 0; s < 2; s++)
        for (int c = 0; c < CHARGES; c++) {
            mine[s][c].value = all[s][c].value = -sign[s] * 2.0;
            mine[s][c].point = all[s][c].point = -1;
        }
    for (int k = 0; k < g->size[2]; k++)
        for (int j = 0; j < g->size[1]; j++) {
            long line = (long)g->n * (g->first[1] + j + (long)g->n * (g->first[2] + k)) + g->first[0];
            uint64_t seed = (SEED * power(MULTIPLIER, (uint64_t)line)) & MODULUS_MASK;
            for (int i = 0; i < g->size[0]; i++) {
                seed = (seed * MULTIPLIER) & MODULUS_MASK;
                for (int s = 0; s < 2; s++)
                    offer(mine[s], (double)seed * 0x1p-46, (double)(line + i), sign[s]);
            }
        }
    MPI_Allgather(mine, 4 * CHARGES, MPI_DOUBLE, gathered, 4 * CHARGES, MPI_DOUBLE, cube);
    for (int s = 0; s < 2; s++)
        for (int from = 0; from < ranks; from++)
            for (int c = 0; c < CHARGES; c++) {
                const struct extreme* e = &gathered[(from * 2 + s) * CHARGES + c];
                if (e->point >= 0)
                    offer(all[s], e->value, e->point, sign[s]);
            }
    free(gathered);

    clear(g, v);
    for (int s = 0; s < 2; s++)
        for (int c = 0; c < CHARGES; c++) {
            long point = (long)all[s][c].point;
            long i = point % g->n - g->first[0], j = point / g->n % g->n - g->first[1];
            long k = point / g->n / g->n - g->first[2];
            if (i >= 0 && i < g->size[0] && j >= 0 && j < g->size[1] && k >= 0 && k < g->size[2])
                v[(size_t)(k + 1) * g->plane + (size_t)(j + 1) * g->row + (size_t)(i + 1)] = sign[s];
        }
    exchange_borders(g, v);
}

int main(int argc, char** argv)
{
    double norm_before, norm_after, start = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char* class_name = argc > 1 ? argv[1] : CLASS;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        if (problems[i].name == class_name[0] && class_name[1] == '\0')
            problem = &problems[i];
    if (problem == NULL) {
        if (rank == 0)
            fprintf(stderr, "mg: unknown class '%s'; S, W, A and B are known\n", class_name);
        MPI_Finalize();
        return 2;
    }
    top = problem->levels;
    make_grids();
    place_charges();

    struct grid* g = &grids[top];
    for (int timed = 0; timed < 2; timed++) { /* one iteration first touches all memory, untimed */
        clear(g, g->u);
        MPI_Barrier(cube);
        start = MPI_Wtime();
        residual(g, g->u, v, g->r);
        norm_before = norm(g, g->r);
        for (int iteration = 0; iteration < (timed ? problem->iterations : 1); iteration++) {
            v_cycle();
            residual(g, g->u, v, g->r);
        }
        norm_after = norm(g, g->r);
    }
    double elapsed = MPI_Wtime() - start, slowest;
    MPI_Reduce(&elapsed, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, cube);

    int good = fabs(norm_after - problem->norm) / problem->norm <= 1e-8;
    if (rank == 0) {
        printf("mg: class %c, %d^3 points on %d x %d x %d ranks\n", problem->name, g->n, dims[0], dims[1], dims[2]);
        printf("mg: norm of the residual %.9e at first, %.9e after %d V-cycles\n", norm_before, norm_after,
               problem->iterations);
        printf("time in seconds: %.6f\n", slowest);
        printf("mg: %s\n", good ? "VERIFICATION SUCCESSFUL" : "VERIFICATION FAILED");
    }
    MPI_Comm_free(&cube);
    MPI_Finalize();
    return good ? 0 : 1;
}
