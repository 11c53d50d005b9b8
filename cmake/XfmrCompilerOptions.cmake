# mlir_tablegen reads the directory's include path, so it is set here and not
# on targets; as SYSTEM, the headers of LLVM and the generated ones raise no warning.
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${CMAKE_BINARY_DIR}/include)
include_directories(${CMAKE_SOURCE_DIR}/include)

# Programs too are compiled with -fPIC, not -fPIE: they share the libraries'
# precompiled header, which holds for one of the two.
add_compile_options(-fPIC)

add_compile_options(-Wall -Wextra -Wno-unused-parameter)
if(XFMR_ENABLE_WERROR)
  add_compile_options(-Werror)
endif()
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>
                    $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>)
if(XFMR_ENABLE_ASSERTIONS)
  add_compile_options(-UNDEBUG)
endif()
if(XFMR_SANITIZERS)
  add_compile_options(-fsanitize=${XFMR_SANITIZERS} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${XFMR_SANITIZERS})
endif()

# The fuzzer (test/Fuzz) needs clang and its run-time library.
set(XFMR_HAS_LIBFUZZER OFF)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -fsanitize=fuzzer)
  check_cxx_source_compiles(
    "extern \"C\" int LLVMFuzzerTestOneInput(const unsigned char *, unsigned long) { return 0; }"
    XFMR_LIBFUZZER_LINKS)
  unset(CMAKE_REQUIRED_FLAGS)
  if(XFMR_LIBFUZZER_LINKS)
    set(XFMR_HAS_LIBFUZZER ON)
  endif()
endif()
option(XFMR_BUILD_FUZZER "Build the fuzzer, one of the tests" ${XFMR_HAS_LIBFUZZER})
if(XFMR_BUILD_FUZZER AND XFMR_SANITIZERS)
  # The counters that guide it.
  add_compile_options(-fsanitize-coverage=inline-8bit-counters,pc-table,trace-cmp)
endif()

if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # Without time stamps in the precompiled header, ccache can reuse what was built with it.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

find_program(XFMR_LLD NAMES ld.lld HINTS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH)
set(XFMR_USES_LLD OFF)
if(XFMR_LLD AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
  set(XFMR_USES_LLD ON)
  add_link_options(--ld-path=${XFMR_LLD})
endif()

find_program(XFMR_CCACHE ccache)
if(XFMR_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(launcher ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    ${XFMR_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()
