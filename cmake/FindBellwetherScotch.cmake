# Finds PT-Scotch, of Debian's libptscotch-dev, a module or Spack: target Bellwether::scotch. Scotch's
# own CMake packages (7.0.4 and later) are not asked: they name their targets differently.

find_path(BellwetherScotch_INCLUDE_DIR ptscotch.h PATH_SUFFIXES scotch)
foreach(library ptscotch scotch ptscotcherr)
  find_library(BellwetherScotch_${library} ${library})
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(BellwetherScotch REQUIRED_VARS
  BellwetherScotch_INCLUDE_DIR BellwetherScotch_ptscotch BellwetherScotch_scotch
  BellwetherScotch_ptscotcherr)
if(BellwetherScotch_FOUND AND NOT TARGET Bellwether::scotch)
  add_library(Bellwether::scotch INTERFACE IMPORTED)
  set_target_properties(Bellwether::scotch PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${BellwetherScotch_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES
      "${BellwetherScotch_ptscotch};${BellwetherScotch_scotch};${BellwetherScotch_ptscotcherr}")
endif()
