# Finds PT-Scotch 7, which can be told to be deterministic, of Debian's libptscotch-dev, a module or
# Spack: target Bellwether::scotch. Scotch's own CMake packages (7.0.4 and later) are not asked: they
# name their targets differently.

find_path(BellwetherScotch_INCLUDE_DIR ptscotch.h PATH_SUFFIXES scotch)
foreach(library ptscotch scotch ptscotcherr)
  find_library(BellwetherScotch_${library} ${library})
endforeach()

set(BellwetherScotch_VERSION 0)
if(BellwetherScotch_INCLUDE_DIR)
  file(STRINGS ${BellwetherScotch_INCLUDE_DIR}/scotch.h version_line
       REGEX "define +SCOTCH_VERSION +[0-9]+")
  if(version_line MATCHES "([0-9]+)")
    set(BellwetherScotch_VERSION ${CMAKE_MATCH_1})
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(BellwetherScotch VERSION_VAR BellwetherScotch_VERSION
  REQUIRED_VARS BellwetherScotch_INCLUDE_DIR BellwetherScotch_ptscotch BellwetherScotch_scotch
  BellwetherScotch_ptscotcherr)
if(BellwetherScotch_FOUND AND NOT TARGET Bellwether::scotch)
  add_library(Bellwether::scotch INTERFACE IMPORTED)
  set_target_properties(Bellwether::scotch PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${BellwetherScotch_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES
      "${BellwetherScotch_ptscotch};${BellwetherScotch_scotch};${BellwetherScotch_ptscotcherr}")
endif()
