/* FT, the three-dimensional fast Fourier transform of the NAS parallel benchmarks, from its specification (NAS-94-007,
 * 2.4; sizes as in NPB 3).
 *
 * usage: ft [S|W|A]        default: class S, or what -DCLASS='"W"' says when it is compiled
 *
 * Solves a diffusion equation with periodic boundaries in Fourier space. Space is cut into slabs along z, Fourier space
 * into slabs along x; slabs may be of different thickness or empty, so that any number of ranks works. The transposition
 * between the two is one MPI_Alltoallv. Verifies the official checksums of every step.
 */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef CLASS
#define CLASS "S"
#endif

#define MAX_STEPS 20
#define MAX_LINE 512
#define ALPHA 1e-6
#define MODULUS_MASK ((UINT64_C(1) << 46) - 1)
#define MULTIPLIER UINT64_C(1220703125) /* 5^13 */
#define SEED UINT64_C(314159265)

typedef double complex cplx;

static const double PI = 3.14159265358979323846;

static const struct problem {
    char name;
    int nx, ny, nz, steps;
    double checksum[6][2]; /* of the first steps */
} problems[] = {
    {'S', 64, 64, 64, 6,
     {{5.546087004964e+02, 4.845363331978e+02},
      {5.546385409189e+02, 4.865304269511e+02},
      {5.546148406171e+02, 4.883910722336e+02},
      {5.545423607415e+02, 4.901273169046e+02},
      {5.544255039624e+02, 4.917475857993e+02},
      {5.542683411902e+02, 4.932597244941e+02}}},
    {'W', 128, 128, 32, 6,
     {{5.673612178944e+02, 5.293246849175e+02},
      {5.631436885271e+02, 5.282149986629e+02},
      {5.594024089970e+02, 5.270996558037e+02},
      {5.560698047020e+02, 5.260027904925e+02},
      {5.530898991250e+02, 5.249400845633e+02},
      {5.504159734538e+02, 5.239212247086e+02}}},
    {'A', 256, 256, 128, 6,
     {{5.046735008193e+02, 5.114047905510e+02},
      {5.059412319734e+02, 5.098809666433e+02},
      {5.069376896287e+02, 5.098144042213e+02},
      {5.077892868474e+02, 5.101336130759e+02},
      {5.085233095391e+02, 5.104914655194e+02},
      {5.091487099959e+02, 5.107917842803e+02}}},
};

static int rank, ranks;
static const struct problem* problem;
static int nx, ny, nz;
static int z_begin, z_end; /* slab in space: index (z - z_begin, y, x) */
static int x_begin, x_end; /* slab in Fourier space: index (x - x_begin, y, z) */

static cplx *space, *fourier, *evolved, *buffer;
static int *space_counts, *space_places, *fourier_counts, *fourier_places;

static cplx roots[MAX_LINE];          /* exp(-2 pi i k / MAX_LINE) */
static cplx line[2 * MAX_LINE];
static cplx checksums[MAX_STEPS];

static int cut(int n, int part)
{
    return (int)((long)n * part / ranks);
}

static void* need(size_t count, size_t size)
{
    void* memory = calloc(count != 0 ? count : 1, size);

    if (memory == NULL) {
        fprintf(stderr, "ft: rank %d: no memory for %zu elements\n", rank, count);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return memory;
}

static uint64_t power(uint64_t a, uint64_t n)
{
    uint64_t result = 1;

    for (; n != 0; n >>= 1, a = (a * a) & MODULUS_MASK)
        if (n & 1)
            result = (result * a) & MODULUS_MASK;
    return result;
}

static double next_random(uint64_t* x)
{
    *x = (*x * MULTIPLIER) & MODULUS_MASK;
    return (double)*x * 0x1p-46;
}

static void start_values(void)
{
    uint64_t before = 2 * (uint64_t)z_begin * (uint64_t)ny * (uint64_t)nx;
    uint64_t seed = (SEED * power(MULTIPLIER, before)) & MODULUS_MASK;
    size_t points = (size_t)(z_end - z_begin) * (size_t)ny * (size_t)nx;

    for (size_t i = 0; i < points; i++) {
        double re = next_random(&seed), im = next_random(&seed);
        space[i] = re + im * I;
    }
}

static void make_roots(void)
{
    for (int k = 0; k < MAX_LINE; k++)
        roots[k] = cexp(-2 * PI * I * k / MAX_LINE);
}

static cplx times(cplx a, cplx b)
{
    double re = creal(a) * creal(b) - cimag(a) * cimag(b);
    double im = creal(a) * cimag(b) + cimag(a) * creal(b);

    return re + im * I;
}

/* Stockham's transform of n (a power of two) elements with the given stride, in place by way of `line`; direction 1 is
 * forward, -1 back (not normalised). */
static void transform(cplx* data, int n, size_t stride, int direction)
{
    cplx *in = line, *out = line + MAX_LINE;

    for (int i = 0; i < n; i++)
        in[i] = data[(size_t)i * stride];
    for (int half = n / 2, groups = 1; half >= 1; half /= 2, groups *= 2) {
        for (int k = 0; k < half; k++) {
            cplx w = roots[k * groups * (MAX_LINE / n)];
            if (direction < 0)
                w = conj(w);
            for (int g = 0; g < groups; g++) {
                cplx a = in[g + groups * k], b = in[g + groups * (k + half)];
                out[g + groups * 2 * k] = a + b;
                out[g + groups * (2 * k + 1)] = times(a - b, w);
            }
        }
        cplx* swap = in;
        in = out;
        out = swap;
    }
    for (int i = 0; i < n; i++)
        data[(size_t)i * stride] = in[i];
}

static void transform_x_and_y(cplx* u, int direction)
{
    for (int z = 0; z < z_end - z_begin; z++) {
        cplx* plane = u + (size_t)z * (size_t)ny * (size_t)nx;
        for (int y = 0; y < ny; y++)
            transform(plane + (size_t)y * (size_t)nx, nx, 1, direction);
        for (int x = 0; x < nx; x++)
            transform(plane + x, ny, (size_t)nx, direction);
    }
}

static void transform_z(cplx* u, int direction)
{
    for (size_t l = 0; l < (size_t)(x_end - x_begin) * (size_t)ny; l++)
        transform(u + l * (size_t)nz, nz, 1, direction);
}

/* Counts are of doubles. */
static void plan_transposition(void)
{
    space_counts = need(4 * (size_t)ranks, sizeof(int));
    space_places = space_counts + ranks;
    fourier_counts = space_places + ranks;
    fourier_places = fourier_counts + ranks;
    for (int r = 0; r < ranks; r++) {
        space_counts[r] = 2 * ny * (z_end - z_begin) * (cut(nx, r + 1) - cut(nx, r));
        fourier_counts[r] = 2 * ny * (x_end - x_begin) * (cut(nz, r + 1) - cut(nz, r));
        space_places[r] = r == 0 ? 0 : space_places[r - 1] + space_counts[r - 1];
        fourier_places[r] = r == 0 ? 0 : fourier_places[r - 1] + fourier_counts[r - 1];
    }
}

/* Between the two cuts; a piece that travels is ordered (x, y, z), as in Fourier space. `from` is overwritten. */
static void space_to_fourier(cplx* from, cplx* to)
{
    cplx* out = buffer;

    for (int x = 0; x < nx; x++)
        for (int y = 0; y < ny; y++)
            for (int z = 0; z < z_end - z_begin; z++)
                *out++ = from[((size_t)z * (size_t)ny + (size_t)y) * (size_t)nx + (size_t)x];
    MPI_Alltoallv(buffer, space_counts, space_places, MPI_DOUBLE, from, fourier_counts, fourier_places, MPI_DOUBLE,
                  MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++) {
        const cplx* in = from + fourier_places[r] / 2;
        for (size_t l = 0; l < (size_t)(x_end - x_begin) * (size_t)ny; l++)
            for (int z = cut(nz, r); z < cut(nz, r + 1); z++)
                to[l * (size_t)nz + (size_t)z] = *in++;
    }
}

static void fourier_to_space(cplx* from, cplx* to)
{
    for (int r = 0; r < ranks; r++) {
        cplx* out = buffer + fourier_places[r] / 2;
        for (size_t l = 0; l < (size_t)(x_end - x_begin) * (size_t)ny; l++)
            for (int z = cut(nz, r); z < cut(nz, r + 1); z++)
                *out++ = from[l * (size_t)nz + (size_t)z];
    }
    MPI_Alltoallv(buffer, fourier_counts, fourier_places, MPI_DOUBLE, from, space_counts, space_places, MPI_DOUBLE,
                  MPI_COMM_WORLD);
    const cplx* in = from;
    for (int x = 0; x < nx; x++)
        for (int y = 0; y < ny; y++)
            for (int z = 0; z < z_end - z_begin; z++)
                to[((size_t)z * (size_t)ny + (size_t)y) * (size_t)nx + (size_t)x] = *in++;
}

static double wave_number(int k, int n)
{
    return k < n / 2 ? k : k - n;
}

/* One time step: every mode decays by its own factor, a product of three that depend on one axis each. */
static void evolve(void)
{
    static double decay_y[MAX_LINE], decay_z[MAX_LINE];
    static int known;

    if (!known) {
        for (int y = 0; y < ny; y++)
            decay_y[y] = exp(-4 * ALPHA * PI * PI * wave_number(y, ny) * wave_number(y, ny));
        for (int z = 0; z < nz; z++)
            decay_z[z] = exp(-4 * ALPHA * PI * PI * wave_number(z, nz) * wave_number(z, nz));
        known = 1;
    }
    for (int x = x_begin; x < x_end; x++) {
        double decay_x = exp(-4 * ALPHA * PI * PI * wave_number(x, nx) * wave_number(x, nx));
        for (int y = 0; y < ny; y++) {
            cplx* u = fourier + ((size_t)(x - x_begin) * (size_t)ny + (size_t)y) * (size_t)nz;
            for (int z = 0; z < nz; z++)
                u[z] *= decay_x * decay_y[y] * decay_z[z];
        }
    }
}

static cplx checksum(void)
{
    double sum[2] = {0, 0};

    for (int j = 1; j <= 1024; j++) {
        int x = j % nx, y = 3 * j % ny, z = 5 * j % nz;
        if (z >= z_begin && z < z_end) {
            cplx u = space[((size_t)(z - z_begin) * (size_t)ny + (size_t)y) * (size_t)nx + (size_t)x];
            sum[0] += creal(u);
            sum[1] += cimag(u);
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return (sum[0] + sum[1] * I) / ((double)nx * ny * nz);
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char* class_name = argc > 1 ? argv[1] : CLASS;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        if (problems[i].name == class_name[0] && class_name[1] == '\0')
            problem = &problems[i];
    if (problem == NULL) {
        if (rank == 0)
            fprintf(stderr, "ft: unknown class '%s'; S, W and A are known\n", class_name);
        MPI_Finalize();
        return 2;
    }
    nx = problem->nx;
    ny = problem->ny;
    nz = problem->nz;
    z_begin = cut(nz, rank);
    z_end = cut(nz, rank + 1);
    x_begin = cut(nx, rank);
    x_end = cut(nx, rank + 1);

    /* each array is used in both cuts */
    size_t in_space = (size_t)(z_end - z_begin) * (size_t)ny * (size_t)nx;
    size_t in_fourier = (size_t)(x_end - x_begin) * (size_t)ny * (size_t)nz;
    size_t room = in_space > in_fourier ? in_space : in_fourier;
    space = need(room, sizeof *space);
    fourier = need(room, sizeof *fourier);
    evolved = need(room, sizeof *evolved);
    buffer = need(room, sizeof *buffer);
    plan_transposition();
    make_roots();

    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    start_values();
    transform_x_and_y(space, 1);
    space_to_fourier(space, fourier);
    transform_z(fourier, 1);
    for (int step = 0; step < problem->steps; step++) {
        evolve();
        for (size_t i = 0; i < in_fourier; i++)
            evolved[i] = fourier[i];
        transform_z(evolved, -1);
        fourier_to_space(evolved, space);
        transform_x_and_y(space, -1);
        checksums[step] = checksum();
    }
    double elapsed = MPI_Wtime() - start, slowest;
    MPI_Reduce(&elapsed, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);

    int good = 1;
    for (int step = 0; step < problem->steps; step++) {
        cplx official = problem->checksum[step][0] + problem->checksum[step][1] * I;
        if (!(cabs(checksums[step] - official) <= 1e-12 * cabs(official)))
            good = 0;
    }
    if (rank == 0) {
        printf("ft: class %c, %d x %d x %d points on %d ranks\n", problem->name, nx, ny, nz, ranks);
        for (int step = 0; step < problem->steps; step++)
            printf("ft: step %d checksum %.9e %.9e\n", step + 1, creal(checksums[step]), cimag(checksums[step]));
        printf("time in seconds: %.6f\n", slowest);
        printf("ft: %s\n", good ? "VERIFICATION SUCCESSFUL" : "VERIFICATION FAILED");
    }
    free(space);
    free(fourier);
    free(evolved);
    free(buffer);
    free(space_counts);
    MPI_Finalize();
    return good ? 0 : 1;
}
