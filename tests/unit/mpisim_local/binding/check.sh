#!/usr/bin/env bash
# check.sh INCLUDE_DIRECTORY: compiles the binding's test programs in several dialects with each compiler there
# is, and looks up every function of MPI-3.1 in the declarations.
set -eu
include=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for compiler in gcc clang-19 clang; do
  command -v $compiler >/dev/null || continue
  for dialect in c89 c99 c11 c17 gnu17; do
    $compiler -std=$dialect -pedantic -Wall -Wextra -Werror -I"$include" -c "$here/constants.c" -o "$work/constants.o"
  done
done

# Every function, called through pointers of both names; the linker names must be ours.
{
  echo '#include <mpi.h>'
  echo 'typedef void (*any)(void);'
  echo 'any functions[] = {'
  while read -r name; do
    echo "  (any)MPI_$name, (any)PMPI_$name,"
  done <"$here/functions.txt"
  echo '};'
} >"$work/functions.c"
gcc -std=c99 -Wall -Werror -Wno-cast-function-type -I"$include" -c "$work/functions.c" -o "$work/functions.o"
expected=$(($(wc -l <"$here/functions.txt") * 2))
found=$(nm -u "$work/functions.o" | grep -c ' mpisim_P\?MPI_')
foreign=$(nm -u "$work/functions.o" | grep -c ' P\?MPI_' || true)
echo "$found of $expected linker names, $foreign foreign ones"
[ "$found" -eq "$expected" ] && [ "$foreign" -eq 0 ]
