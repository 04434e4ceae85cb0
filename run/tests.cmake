# The command as a user meets it: real processes, alone and under the launcher.
if(NOT BELLWETHER_TESTS)
  return()
endif()
find_package(Python3 COMPONENTS Interpreter REQUIRED)
bellwether_mpi_command(launcher RANKS)
list(JOIN launcher " " launcher)
set(groups airfoil bad_input calibrate cluster documents faults golden good_runs gpu_session lbm mesh predict progress reference reproduce
  resume validation)
if(BELLWETHER_WITH_CUDA)
  list(APPEND groups gpu)
endif()
foreach(group IN LISTS groups)
  add_test(NAME command.${group} COMMAND ${Python3_EXECUTABLE} ${group}_test.py
           WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(command.${group} PROPERTIES LABELS command PROCESSORS 2 COST 20 TIMEOUT 180
    ENVIRONMENT "BELLWETHER_PROGRAM=$<TARGET_FILE:bellwether>;BELLWETHER_LAUNCHER=${launcher};BELLWETHER_WITH_CUDA=$<BOOL:${BELLWETHER_WITH_CUDA}>;BELLWETHER_WITH_HDF5=$<BOOL:${BELLWETHER_WITH_HDF5}>;PYTHONDONTWRITEBYTECODE=1")
endforeach()
# Half a minute of two cores: by itself, with -L reference.
set_tests_properties(command.reference PROPERTIES LABELS reference TIMEOUT 480)
# It measures links, and looks for what it may have left on the machine. Where no namespaces can be
# made, it says why and counts as skipped.
set_tests_properties(command.cluster PROPERTIES RUN_SERIAL ON SKIP_RETURN_CODE 77 TIMEOUT 300)
if(BELLWETHER_WITH_CUDA)
  set_tests_properties(command.gpu PROPERTIES LABELS gpu TIMEOUT 300)
  set_property(TEST command.gpu APPEND PROPERTY ENVIRONMENT BELLWETHER_REQUIRE_CUDA=1)
endif()
