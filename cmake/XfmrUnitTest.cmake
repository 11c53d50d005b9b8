# xfmr_add_unit_test(<name> SOURCES <file>... [LINK <library>...])
#
# A GoogleTest program, run as one test of ctest.
function(xfmr_add_unit_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/unit)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gmock GTest::gtest_main MLIR LLVM)
  xfmr_use_precompiled_header(${name})
  add_test(NAME unit-${name} COMMAND ${name})
  if(XFMR_SANITIZERS)
    # As tools/common/ToolSupport.cpp has it, and for its reason.
    set_tests_properties(unit-${name} PROPERTIES ENVIRONMENT ASAN_OPTIONS=allow_user_poisoning=0)
  endif()
  # Without a test inside, the program succeeds having tested nothing.
  set_tests_properties(unit-${name} PROPERTIES
    FAIL_REGULAR_EXPRESSION "Running 0 tests;YOU HAVE [0-9]+ DISABLED TEST")
endfunction()
