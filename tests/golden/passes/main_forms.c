/* main without prototype; falling off its end returns 0 */
#include "check.h"
int main() { START(); golden_bad = 0; VERDICT(); }
