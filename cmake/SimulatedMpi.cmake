# SimGrid's MPI (SMPI) as MPI::MPI_CXX: all ranks in one process, on a network that is simulated. A rank's
# variables are its own because the program, which is linked like a library, is loaded for each rank;
# libraries that talk to another MPI, or take themselves for alone in their process, are left out.
# SMPI's compiler wrapper is not used: it would replace malloc and exit by macros, in C++ headers too.
find_path(BellwetherSmpi_INCLUDE_DIR smpi/smpi.h)
find_library(BellwetherSmpi_LIBRARY simgrid)
find_program(BellwetherSmpi_RUN smpirun)
if(NOT BellwetherSmpi_INCLUDE_DIR OR NOT BellwetherSmpi_LIBRARY OR NOT BellwetherSmpi_RUN)
  message(FATAL_ERROR "BELLWETHER_SMPI=ON, but SimGrid with smpirun was not found (Debian: libsimgrid-dev)")
endif()
add_library(MPI::MPI_CXX INTERFACE IMPORTED)
set_target_properties(MPI::MPI_CXX PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES "${BellwetherSmpi_INCLUDE_DIR};${BellwetherSmpi_INCLUDE_DIR}/smpi"
  INTERFACE_LINK_LIBRARIES ${BellwetherSmpi_LIBRARY})
set(MPIEXEC_EXECUTABLE ${BellwetherSmpi_RUN})
set(CMAKE_DISABLE_FIND_PACKAGE_BellwetherScotch ON)
set(CMAKE_DISABLE_FIND_PACKAGE_BellwetherHypre ON)
set(BELLWETHER_CUDA OFF)

# bellwether_load_for_each_rank(TARGET): links an executable so that SMPI can.
function(bellwether_load_for_each_rank target)
  target_compile_options(${target} PRIVATE -fPIC)
  target_link_options(${target} PRIVATE -shared -Wl,-Bsymbolic -Wl,-z,defs)
endfunction()
