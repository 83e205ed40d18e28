/* A program without MPI */
int x = 41;
int main(void) { x++; return x != 42; }
