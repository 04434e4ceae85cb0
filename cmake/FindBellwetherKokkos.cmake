# Finds Kokkos 3.4 or later and makes sure that the target Kokkos::kokkos exists. Kokkos' own
# packages define it; the TriBITS packages of Trilinos (Debian's libtrilinos-kokkos-dev) give
# variables, and either no target or one with an include folder that is not there.
#
# BELLWETHER_KOKKOS_ON_GPU: Kokkos' default is a GPU. BELLWETHER_KOKKOS_LANGUAGE: what compiles the
# sources that include Kokkos, as CMake names it: CUDA, HIP, or CXX.

set(Kokkos_LAUNCH_COMPILER OFF)  # it would send every C++ source of a CUDA build to nvcc_wrapper
find_package(Kokkos QUIET CONFIG)
if(Kokkos_FOUND AND Kokkos_INCLUDE_DIRS AND Kokkos_LIBRARIES)
  set(kokkos_files)
  foreach(library IN LISTS Kokkos_LIBRARIES)
    if(library MATCHES "kokkoscore$")
      find_library(BELLWETHER_${library} ${library} HINTS ${Kokkos_LIBRARY_DIRS} REQUIRED)
      list(APPEND kokkos_files ${BELLWETHER_${library}})
    endif()
  endforeach()
  if(NOT TARGET Kokkos::kokkos)
    add_library(Kokkos::kokkos INTERFACE IMPORTED)
  endif()
  set_target_properties(Kokkos::kokkos PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${Kokkos_INCLUDE_DIRS}"
    INTERFACE_LINK_LIBRARIES "${kokkos_files};${CMAKE_DL_LIBS}")
endif()

string(TOUPPER "${Kokkos_DEVICES}" kokkos_devices)
set(BELLWETHER_KOKKOS_ON_GPU FALSE)
set(BELLWETHER_KOKKOS_LANGUAGE CXX)
if("CUDA" IN_LIST kokkos_devices)
  set(BELLWETHER_KOKKOS_ON_GPU TRUE)
  set(BELLWETHER_KOKKOS_LANGUAGE CUDA)
elseif("HIP" IN_LIST kokkos_devices)
  set(BELLWETHER_KOKKOS_ON_GPU TRUE)
  if(Kokkos_COMPILE_LANGUAGE STREQUAL "HIP")
    set(BELLWETHER_KOKKOS_LANGUAGE HIP)
  endif()
endif()

include(FindPackageHandleStandardArgs)
if(TARGET Kokkos::kokkos)
  set(BellwetherKokkos_TARGET Kokkos::kokkos)
endif()
find_package_handle_standard_args(BellwetherKokkos REQUIRED_VARS BellwetherKokkos_TARGET
  REASON_FAILURE_MESSAGE "set Kokkos_ROOT, load the kokkos module, or install libtrilinos-kokkos-dev")
