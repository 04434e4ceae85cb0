# What every target of the suite has in common: one function for libraries, one for tests.

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
# Whoever writes to a folder of a run path runs code in the program: none is empty or relative, which is
# the working directory, and none is the build's (run/run_paths_test.py).
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# bellwether_settings(TARGET): language level, include root and warnings.
set(BELLWETHER_BESIDE_KERNELS_OPTIONS "" CACHE STRING "Compiler options of all that is not under kernels/")
mark_as_advanced(BELLWETHER_BESIDE_KERNELS_OPTIONS)
function(bellwether_settings target)
  if(NOT CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/kernels")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${BELLWETHER_BESIDE_KERNELS_OPTIONS}>)
  endif()
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${BELLWETHER_WARNINGS_AS_ERRORS}>>:-Werror>
    # GCC's notes that Arm's calling convention changed with C++17.
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},aarch64>>:-Wno-psabi>)
endfunction()

# bellwether_together(TARGET): in a build that asks for it, several of its sources are compiled as one,
# which halves what templates cost. One that shares a name of its own with another is to be
# bellwether_apart(TARGET file...); shadowing of such names is no fault.
set(BELLWETHER_TOGETHER 0 CACHE STRING "Sources compiled as one where it pays; 0: each by itself")
set(BELLWETHER_PROPERTY_CASES "" CACHE STRING "Cases that ctest draws of each property; empty: 100")
mark_as_advanced(BELLWETHER_TOGETHER BELLWETHER_PROPERTY_CASES)
function(bellwether_together target)
  if(BELLWETHER_TOGETHER GREATER 0)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${BELLWETHER_TOGETHER})
  endif()
endfunction()
function(bellwether_apart target)
  if(TARGET ${target})
    set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# bellwether_untimed(TARGET): no run waits for its code, which is optimized less to be compiled sooner.
function(bellwether_untimed target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# bellwether_cuda_settings(TARGET): bellwether_settings for its CUDA sources, as far as nvcc knows them.
function(bellwether_cuda_settings target)
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wshadow,-Wconversion,-Wno-sign-conversion>"
    "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${BELLWETHER_WARNINGS_AS_ERRORS}>>:-Werror=all-warnings>")
  if(CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set_target_properties(${target} PROPERTIES
      CUDA_STANDARD 20 CUDA_STANDARD_REQUIRED ON CUDA_EXTENSIONS OFF)
  else()  # CMake before 3.26 does not know that nvcc has it
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
  endif()
endfunction()

# bellwether_library(NAME SOURCES file... LINK target...): a static library, alias bellwether::NAME.
function(bellwether_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_library(bellwether_${name} STATIC ${arg_SOURCES})
  add_library(bellwether::${name} ALIAS bellwether_${name})
  bellwether_settings(bellwether_${name})
  bellwether_together(bellwether_${name})
  target_link_libraries(bellwether_${name} PUBLIC ${arg_LINK})
endfunction()

# Threads of a rank where Kokkos has OpenMP: more than one, to test it, and none that spins on a core
# that another waits for (a test of seconds would take minutes).
set(BELLWETHER_TEST_THREADS OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive)

# Of a test's own code, unless it is OPTIMIZED. A sanitizer's checks take twice as long to compile optimized.
set(BELLWETHER_TEST_OPTIONS "$<$<CONFIG:Release>:-O1>" CACHE STRING "Compiler options of tests' own code")
mark_as_advanced(BELLWETHER_TEST_OPTIONS)

# All programs that the tests labelled unit and mpi run, without the command.
if(BELLWETHER_TESTS)
  add_custom_target(bellwether_tests)
endif()

# bellwether_test(NAME [OPTIMIZED] [CUDA] [RANKS n...] [LABELS label...] SOURCES file... LINK target...):
# one GoogleTest program; with CUDA it has tests of that backend, whose names say so, and
# run/lab/gpu-session runs it too. Without RANKS it is one ctest test; with them one for each rank count,
# under mpirun, and its main comes from miniapps/comm/test_main.cpp. A test's own code is optimized little,
# what it tests as in the build; with OPTIMIZED it is too, where what is tested is compiled into it.
function(bellwether_test name)
  if(NOT BELLWETHER_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "OPTIMIZED;CUDA" "" "RANKS;LABELS;SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  if(arg_CUDA)
    list(JOIN arg_RANKS " " ranks)
    set_property(GLOBAL APPEND PROPERTY BELLWETHER_GPU_TESTS "${name} ${ranks}")
  endif()
  add_dependencies(bellwether_tests ${name})
  bellwether_settings(${name})
  if(NOT arg_OPTIMIZED)
    bellwether_together(${name})
    target_compile_options(${name} PRIVATE ${BELLWETHER_TEST_OPTIONS} $<$<BOOL:${BELLWETHER_TOGETHER}>:-Wno-shadow>)
  endif()
  if(arg_RANKS)
    target_link_libraries(${name} PRIVATE ${arg_LINK} bellwether::test_main GTest::gtest)
    foreach(ranks IN LISTS arg_RANKS)
      bellwether_mpi_command(launch ${ranks})
      add_test(NAME ${name}.${ranks}_ranks COMMAND ${launch} $<TARGET_FILE:${name}>)
      set_tests_properties(${name}.${ranks}_ranks PROPERTIES
        LABELS "mpi;${arg_LABELS}" PROCESSORS ${ranks} COST ${ranks} TIMEOUT 270
        ENVIRONMENT "${BELLWETHER_TEST_THREADS}")
    endforeach()
  else()
    target_link_libraries(${name} PRIVATE ${arg_LINK} GTest::gtest_main)
    add_test(NAME ${name} COMMAND ${name})
    # Property tests draw the same cases in every run; a program run by hand with RC_PARAMS="seed=..."
    # draws others.
    set(properties "seed=20111")
    if(BELLWETHER_PROPERTY_CASES)
      string(APPEND properties " max_success=${BELLWETHER_PROPERTY_CASES}")
    endif()
    set_tests_properties(${name} PROPERTIES LABELS "unit;${arg_LABELS}" TIMEOUT 270
      ENVIRONMENT "RC_PARAMS=${properties}")
  endif()
endfunction()

# bellwether_mpi_command(VARIABLE RANKS): the launcher and its options, bounded in time; ranks may
# outnumber cores, and root (a container, a CI machine) is allowed.
function(bellwether_mpi_command variable ranks)
  set(options)
  if(BELLWETHER_MPI_IS_OPEN_MPI)
    # A rank that waits leaves its core to others: two that spin on cores in use lose a time slice of
    # the system's, milliseconds, with every message.
    set(options --allow-run-as-root --oversubscribe --bind-to none --timeout 240
                --mca mpi_yield_when_idle 1)
    # Open MPI 4 keeps all runs of a user in one folder, which a run that ends removes if it is empty: one
    # that begins just then fails (its issue 8510). This build's runs have one that never is empty.
    if(mpi_version MATCHES "[(]Open[^)]*[)] 4")
      string(MD5 build "$ENV{USER} ${PROJECT_BINARY_DIR}")
      string(SUBSTRING ${build} 0 8 build)
      file(MAKE_DIRECTORY /tmp/bellwether-mpi-${build}/kept)
      list(APPEND options --mca orte_top_session_dir /tmp/bellwether-mpi-${build})
    endif()
  endif()
  set(${variable} ${MPIEXEC_EXECUTABLE} ${options} ${MPIEXEC_NUMPROC_FLAG} ${ranks} PARENT_SCOPE)
endfunction()
