# The command as a user meets it: real processes, alone and under the launcher.
if(NOT BELLWETHER_TESTS)
  return()
endif()
find_package(Python3 COMPONENTS Interpreter REQUIRED)
bellwether_mpi_command(launcher RANKS)
list(JOIN launcher " " launcher)
set(groups accept airfoil amg bad_input calibrate cholesky cluster compare cuda_library documents explain faults fit
  fleet golden good_runs gpu_session history hpl launchers lbm limits mesh output predict predict_plot progress ranking
  reading reference reframe replay report reproduce resume run_paths slurm spack study trace transfer validation)
if(BELLWETHER_WITH_CUDA)
  list(APPEND groups gpu gpu_on_host host_gpu mutation)
endif()
if(NOT BELLWETHER_CUDA STREQUAL "HOST_GPU")
  list(APPEND groups install)
endif()
foreach(group IN LISTS groups)
  string(REPLACE gpu_on_host gpu script ${group})
  set(folder ${CMAKE_CURRENT_SOURCE_DIR})
  if(NOT EXISTS ${folder}/${script}_test.py)
    string(APPEND folder /lab)  # what only we run
  endif()
  add_test(NAME command.${group} COMMAND ${Python3_EXECUTABLE} ${script}_test.py
           WORKING_DIRECTORY ${folder})
  set_tests_properties(command.${group} PROPERTIES LABELS command PROCESSORS 2 COST 20 TIMEOUT 180
    ENVIRONMENT "BELLWETHER_PROGRAM=$<TARGET_FILE:bellwether>;BELLWETHER_LAUNCHER=${launcher};BELLWETHER_WITH_CUDA=$<BOOL:${BELLWETHER_WITH_CUDA}>;BELLWETHER_WITH_HDF5=$<BOOL:${BELLWETHER_WITH_HDF5}>;BELLWETHER_WITH_HYPRE=$<BOOL:${BellwetherHypre_FOUND}>;PYTHONDONTWRITEBYTECODE=1;BELLWETHER_CMAKE=${CMAKE_COMMAND};BELLWETHER_BUILD=${PROJECT_BINARY_DIR}")
endforeach()
# Open MPI's launcher gives ranks a second to end once one of them has, which is most of what hundreds of
# refusals take. Where ranks are ended from outside they use it.
foreach(group IN LISTS groups)
  if(NOT group MATCHES "^(accept|cluster|faults|reframe|slurm)$")
    set_property(TEST command.${group} APPEND PROPERTY ENVIRONMENT OMPI_MCA_odls_base_sigkill_timeout=0)
  endif()
endforeach()
# One process at a time for the most part, and no times that matter.
foreach(group bad_input compare documents explain fit fleet history output predict predict_plot ranking reading
        report reproduce run_paths spack trace)
  set_tests_properties(command.${group} PROPERTIES PROCESSORS 1)
endforeach()
# It waits for Slurm to look at its jobs' time, and measures nothing that matters. Where no Slurm can
# be started, it says why and counts as skipped.
set_tests_properties(command.slurm PROPERTIES PROCESSORS 1 SKIP_RETURN_CODE 77 TIMEOUT 300)
# Half a minute of two cores: by itself, with -L reference.
set_tests_properties(command.reference PROPERTIES LABELS reference TIMEOUT 480)
set_tests_properties(command.reframe PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
set_tests_properties(command.accept PROPERTIES TIMEOUT 300)
# It measures links, and looks for what it may have left on the machine. Where no namespaces can be
# made, it says why and counts as skipped.
set_tests_properties(command.cluster PROPERTIES RUN_SERIAL ON SKIP_RETURN_CODE 77 TIMEOUT 300)
if(BELLWETHER_WITH_CUDA)
  set_tests_properties(command.gpu PROPERTIES LABELS gpu TIMEOUT 300)
  set_property(TEST command.gpu APPEND PROPERTY ENVIRONMENT BELLWETHER_REQUIRE_CUDA=1)
  # Steps of a session on a GPU made of CPU.
  set_tests_properties(command.gpu_session PROPERTIES TIMEOUT 300)
  set_property(TEST command.gpu_session APPEND PROPERTY ENVIRONMENT BELLWETHER_HOST_GPU=${BELLWETHER_HOST_GPU}
    LD_LIBRARY_PATH=${BELLWETHER_HOST_GPU} HOST_GPU_SEED=1 HOST_GPU_HOST_ACCESS=1)
  # The same and more on a GPU made of CPU.
  set_tests_properties(command.gpu_on_host command.host_gpu command.mutation PROPERTIES
    LABELS host_gpu TIMEOUT 1200)
  set_property(TEST command.gpu_on_host command.host_gpu command.mutation APPEND PROPERTY ENVIRONMENT
    BELLWETHER_REQUIRE_CUDA=1 BELLWETHER_HOST_GPU=${BELLWETHER_HOST_GPU}
    LD_LIBRARY_PATH=${BELLWETHER_HOST_GPU})
  set_tests_properties(command.gpu_on_host command.host_gpu command.mutation PROPERTIES PROCESSORS 1)
  # A GPU made of CPU else says what it drew, where a test expects that nothing is said.
  set_property(TEST command.gpu_on_host command.hpl APPEND PROPERTY ENVIRONMENT HOST_GPU_SEED=1)
  # Minutes, and line numbers: by itself, with -L mutation, in presets host-gpu and asan.
  set_tests_properties(command.mutation PROPERTIES LABELS mutation COST 40 TIMEOUT 1200)
endif()
