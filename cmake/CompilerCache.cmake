# ccache, where it is found, keeps what was compiled: an object that any build of the same sources has
# made, in this folder or in another checkout, is not compiled again. A launcher that the user has set
# (CMAKE_CXX_COMPILER_LAUNCHER, empty for none) stays.

# bellwether_compiler_cache(LANGUAGE...): for the targets that come after it.
function(bellwether_compiler_cache)
  find_program(BELLWETHER_CCACHE ccache DOC "Compiler cache; OFF for none")
  mark_as_advanced(BELLWETHER_CCACHE)
  if(NOT BELLWETHER_CCACHE)
    return()
  endif()
  foreach(language IN LISTS ARGN)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      # Paths below the base are made relative, and so are the same in each checkout.
      set(CMAKE_${language}_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
        CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${BELLWETHER_CCACHE} PARENT_SCOPE)
    endif()
  endforeach()
endfunction()
