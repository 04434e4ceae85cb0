# cmake -D BUILD=... -D SOURCE=... -D WORK=... -D GENERATOR=... -D CXX=... -D FLAGS=... -P run.cmake:
# installs the models of BUILD, builds the project in SOURCE against them, and runs it.
file(REMOVE_RECURSE ${WORK})
function(must)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nexit status ${status}\n${said}")
  endif()
endfunction()
must(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed --component models)
must(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G ${GENERATOR}
     -D CMAKE_PREFIX_PATH=${WORK}/installed -D CMAKE_CXX_COMPILER=${CXX}
     "-DCMAKE_CXX_FLAGS=${FLAGS}")
must(${CMAKE_COMMAND} --build ${WORK}/build)
must(${WORK}/build/models_user)
file(REMOVE_RECURSE ${WORK})
