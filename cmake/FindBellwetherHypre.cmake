# Finds hypre 2.26 or later, built with MPI and for doubles: Debian's libhypre-dev, a module or Spack:
# target Bellwether::hypre. Its internal headers are part of every installation, and its solve cycle is
# rebuilt from what they declare. hypre's own CMake package, where there is one, says what else a
# library for GPUs stands on.

find_package(HYPRE CONFIG QUIET)
if(TARGET HYPRE::HYPRE)
  get_target_property(hypre_includes HYPRE::HYPRE INTERFACE_INCLUDE_DIRECTORIES)
  set(BellwetherHypre_LIBRARY HYPRE::HYPRE)
endif()
# Not cached: another CMAKE_PREFIX_PATH for the same build folder is another hypre.
find_path(BellwetherHypre_INCLUDE_DIR _hypre_parcsr_ls.h HINTS ${hypre_includes}
          PATH_SUFFIXES hypre NO_CACHE)
find_library(BellwetherHypre_LIBRARY HYPRE NO_CACHE)

set(BellwetherHypre_VERSION 0)
set(BellwetherHypre_REASON "hypre 2.26 or later was not found")
if(BellwetherHypre_INCLUDE_DIR)
  file(STRINGS ${BellwetherHypre_INCLUDE_DIR}/HYPRE_config.h hypre_config REGEX "^ *# *define ")
  if(hypre_config MATCHES "HYPRE_RELEASE_VERSION +\"([0-9.]+)\"")
    set(BellwetherHypre_VERSION ${CMAKE_MATCH_1})
  endif()
  set(BellwetherHypre_USABLE TRUE)
  # Persistent messages are started together: their times cannot be told apart.
  foreach(fault IN ITEMS SEQUENTIAL SINGLE LONG_DOUBLE COMPLEX MIXED_PRECISION
          USING_PERSISTENT_COMM)
    if(hypre_config MATCHES "HYPRE_${fault}( |;|$)")
      set(BellwetherHypre_USABLE FALSE)
      set(BellwetherHypre_REASON
          "hypre in ${BellwetherHypre_INCLUDE_DIR} was built with HYPRE_${fault}")
    endif()
  endforeach()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(BellwetherHypre VERSION_VAR BellwetherHypre_VERSION
  REQUIRED_VARS BellwetherHypre_LIBRARY BellwetherHypre_INCLUDE_DIR BellwetherHypre_USABLE
  REASON_FAILURE_MESSAGE "${BellwetherHypre_REASON}")
if(BellwetherHypre_FOUND AND NOT TARGET Bellwether::hypre)
  # Imported: its headers are the system's, whose warnings are not ours.
  add_library(Bellwether::hypre INTERFACE IMPORTED)
  set_target_properties(Bellwether::hypre PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${BellwetherHypre_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${BellwetherHypre_LIBRARY};MPI::MPI_CXX")
endif()
