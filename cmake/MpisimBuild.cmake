# Settings and helper functions that every folder of the project uses.
include(GNUInstallDirs)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 17)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_THREAD_PREFER_PTHREAD ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()

option(MPISIM_WARNINGS_AS_ERRORS "Treat compiler warnings as errors" ON)
set(MPISIM_SANITIZE "" CACHE STRING "Sanitizers to build with, as in -fsanitize= (address, undefined)")

find_program(MPISIM_CCACHE ccache)
if(MPISIM_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER "${MPISIM_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${MPISIM_CCACHE}")
endif()

add_library(mpisim_options INTERFACE)
target_include_directories(mpisim_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(mpisim_options INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -fno-omit-frame-pointer)
if(MPISIM_WARNINGS_AS_ERRORS)
  target_compile_options(mpisim_options INTERFACE -Werror)
endif()
if(MPISIM_SANITIZE)
  # GCC's warnings about uninitialized values are unreliable in instrumented code (std::regex, std::optional).
  target_compile_options(mpisim_options INTERFACE "-fsanitize=${MPISIM_SANITIZE}" -fno-sanitize-recover=undefined
    -Wno-maybe-uninitialized)
  target_link_options(mpisim_options INTERFACE "-fsanitize=${MPISIM_SANITIZE}")
endif()

# mpisim_library(NAME SOURCES a.cpp ... [DEPENDS libs ...])
# One folder of the design as one library with the project's options. Includes are written from the project's root:
# #include "simkernel/sim_time.hpp".
function(mpisim_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC mpisim_options ${ARG_DEPENDS})
endfunction()

add_custom_target(unit_tests) # all unit tests, for builds that run nothing else

# mpisim_unit_test(NAME SOURCES a.cpp ... [DEPENDS libs ...])
# A Catch2 program with one ctest entry, label "unit".
function(mpisim_unit_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE mpisim_options mpisim_test_main ${ARG_DEPENDS})
  add_dependencies(unit_tests ${name})
  add_test(NAME unit.${name} COMMAND ${name})
  set_tests_properties(unit.${name} PROPERTIES LABELS unit TIMEOUT 600)
endfunction()
