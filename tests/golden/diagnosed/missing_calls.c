// link
/* MPI calls that mpisim lacks, all at once */
#include <mpi.h>
int main(void) { MPI_Comm c; MPI_Win_free(0); MPI_Comm_spawn(0, 0, 0, 0, 0, 0, &c, 0); return 0; }
/* expect: -: MPI_Comm_spawn: not supported yet (used in */
/* expect: -: MPI_Win_free: not supported yet (used in */
