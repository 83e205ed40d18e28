/* A small language of MPI programs, so that thousands of them run without being compiled: script.c interprets it, as the
 * target program program.c (built by mpisimcc) and inside kernels.cpp on kernels of one process. It has no variables
 * outside of functions, so that ranks that share a process need no private data.
 *
 * A script is the program of all ranks in one order in which it could run one step at a time; each rank does its part of
 * each line. R, FROM, TO are ranks of MPI_COMM_WORLD, C, F and S small numbers of communicators, files and receives.
 * FROM and TAG of receives may be -1: any. Times are nanoseconds. programs.py says which scripts cannot deadlock.
 *
 *   comm C dup PARENT                     comm C split PARENT SIGN COLOUR...   (a colour per rank, -1: none; SIGN of keys)
 *   send KIND FROM TO C TAG SIZE          isend issend ibsend persistent send ssend
 *   recv HOW R FROM C TAG                 recv probe iprobe mprobe improbe
 *   post HOW R S FROM C TAG               irecv persistent
 *   complete HOW R S...                   wait waitall waitany waitsome test testall testany testsome
 *   cancel R S                            if it comes in time, the receive is posted again
 *   peek HOW R TIMES                      iprobe or improbe on communicator 1, whose messages are received only so,
 *   rest R                                and here: all that were sent in the lines before
 *   sends R TIMES                         tests for the end of sends
 *   end                                   all messages and sends end, and the ranks meet
 *   work R TIME   sleep R TIME   spin R TIME   clock R   print R
 *   coll OPERATION C COUNT ROOT
 *   serve C MASTER TASKS TIME             tasks for whoever asks first
 *   ring C SIZE
 *   swap KIND C SIZE                      send ssend: both neighbours, from anyone, all begun at once
 *   open F C   close F   sync F
 *   access HOW F R OFFSET SIZE            write read seekwrite seekread iwrite iread, in the rank's own part of the file;
 *                                         shared: by the shared pointer
 *   together HOW F SIZE                   write read writeat readat splitwrite: collective, through interleaved views;
 *                                         ordered: by the shared pointer, and all read what it has written so far
 */
#ifndef PROPERTY_SCRIPT_H
#define PROPERTY_SCRIPT_H

#ifdef __cplusplus
extern "C" {
#endif

/* What a script needs of where it runs. */
struct script_surroundings {
    void (*work)(long nanoseconds);  /* computes, and lets at least so much simulated time pass */
    void (*sleep)(long nanoseconds);
    void (*print)(const char* line); /* of the rank's output */
    const char* folder;              /* of files: empty, or with a slash at its end */
};

/* The part of the calling rank, between MPI_Init and MPI_Finalize. Returns 0, or 1 after printing what is wrong with the
 * script or with what it received. */
int script_run(const char* text, const struct script_surroundings* surroundings);

#ifdef __cplusplus
}
#endif
#endif
