# LLVM and Clang: mpisimcc is made of them.
set(MPISIM_LLVM_MAJOR 19)
# The versioned folder first: Debian's unversioned packages may be an older release. Clang's package has no usable
# version, so it is taken from beside LLVM's.
find_package(LLVM CONFIG QUIET HINTS "/usr/lib/llvm-${MPISIM_LLVM_MAJOR}/lib/cmake/llvm")
if(LLVM_FOUND)
  find_package(Clang CONFIG QUIET HINTS "${LLVM_DIR}/../clang" NO_DEFAULT_PATH)
endif()
if(NOT LLVM_FOUND OR NOT Clang_FOUND OR NOT LLVM_VERSION_MAJOR EQUAL MPISIM_LLVM_MAJOR)
  message(FATAL_ERROR "mpisimcc needs LLVM and Clang ${MPISIM_LLVM_MAJOR} with their development files: "
    "apt-get install clang-${MPISIM_LLVM_MAJOR} llvm-${MPISIM_LLVM_MAJOR}-dev libclang-${MPISIM_LLVM_MAJOR}-dev "
    "libclang-cpp${MPISIM_LLVM_MAJOR}-dev (elsewhere: set LLVM_DIR and Clang_DIR)")
endif()
find_program(MPISIM_CLANG NAMES clang-${MPISIM_LLVM_MAJOR} HINTS "${LLVM_TOOLS_BINARY_DIR}" REQUIRED)
find_program(MPISIM_GCC NAMES gcc REQUIRED)
