# cmake -D WORK=<scratch folder> -P commit_header_test.cmake
# Takes a scratch tree through the states that a source tree can be in.

cmake_minimum_required(VERSION 3.25)
find_program(git git REQUIRED)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/tree/inner)
set(header ${WORK}/commit.hpp)

function(in_tree)
  execute_process(COMMAND ${git} -c user.name=test -c user.email=test@localhost ${ARGN}
                  WORKING_DIRECTORY ${WORK}/tree OUTPUT_VARIABLE answer
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(answer "${answer}" PARENT_SCOPE)
endfunction()

function(expect_commit what source expected)
  execute_process(COMMAND ${CMAKE_COMMAND} -D SOURCE=${source} -D HEADER=${header}
                          -P ${CMAKE_CURRENT_LIST_DIR}/commit_header.cmake
                  COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${header} text)
  if(NOT text MATCHES "\ninline constexpr const char. commit = \"${expected}\";\n")
    message(FATAL_ERROR "${what}: expected ${expected}, found: ${text}")
  endif()
endfunction()

# Nothing above the scratch folder may count as a checkout.
set(ENV{GIT_CEILING_DIRECTORIES} ${WORK})
expect_commit("no checkout" ${WORK}/tree unknown)
in_tree(init -q)
expect_commit("no commit yet" ${WORK}/tree unknown)
file(WRITE ${WORK}/tree/file "1")
in_tree(add file)
in_tree(commit -q -m first)
in_tree(rev-parse HEAD)
set(first ${answer})
expect_commit("clean" ${WORK}/tree ${first})
expect_commit("inside another checkout" ${WORK}/tree/inner unknown)
file(WRITE ${WORK}/tree/untracked "1")
expect_commit("untracked file" ${WORK}/tree ${first})
file(WRITE ${WORK}/tree/file "2")
expect_commit("changed file" ${WORK}/tree ${first}-dirty)
in_tree(commit -q -a -m second)
in_tree(rev-parse HEAD)
if(answer STREQUAL first)
  message(FATAL_ERROR "the second commit is the first")
endif()
expect_commit("HEAD moved" ${WORK}/tree ${answer})

# Every source that reads the header would be compiled again.
file(TIMESTAMP ${header} before "%s")
execute_process(COMMAND ${CMAKE_COMMAND} -E sleep 1.1)
expect_commit("unchanged" ${WORK}/tree ${answer})
file(TIMESTAMP ${header} after "%s")
if(NOT before STREQUAL after)
  message(FATAL_ERROR "the header was written although nothing had changed")
endif()
file(REMOVE_RECURSE ${WORK})
