/* What the files of BT share: the cells of this rank, and the file of solutions. */
#ifndef BT_H
#define BT_H

#include <stddef.h>

#define NV 5
#define MAX_Q 16
#define OUTPUT_INTERVAL 5 /* steps, as in NAS BTIO: 60 steps give 12 outputs */

typedef double vec[NV];
typedef double block[NV][NV];

/* What elimination leaves of a point: u_p + upper u_(p+1) = right. It travels between cells, as doubles. */
typedef struct {
    block upper;
    vec right;
} row_state;

struct cell {
    int slab[3];           /* which cell of the cube */
    int first[3], size[3]; /* points, counted from 1 */
    size_t stride[3];      /* with one border point on each side */
    size_t points;
    vec *u, *f, *rhs, *work;
    row_state* rows;
};

extern int rank, ranks, q; /* q x q = ranks */
extern int n;              /* points along each axis */
extern struct cell cells[MAX_Q]; /* q of them */

size_t place(const struct cell* c, int i, int j, int k);
void* need(size_t count, size_t size);

/* The file holds the outputs one after the other, each as n x n x n points (the first axis varies fastest) of NV doubles.
 * FORM_SIMPLE: every rank writes each row of each cell by itself. FORM_FULL: one collective call writes all cells of all
 * ranks, described by derived datatypes. */
enum form { FORM_NONE, FORM_SIMPLE, FORM_FULL };

void output_open(const char* name, enum form form);
void output_write(void);
void output_close(void);

/* Reads all outputs back, as they were written and then as one array, whatever wrote which part of it. Returns whether every
 * point is what and where it was; destroys u. */
int output_verify(void);

long long output_bytes(void);
int output_count(void);
unsigned long long output_checksum(void); /* depends on the outputs' contents only; after output_verify */

#endif
