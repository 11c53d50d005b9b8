# xfmr_add_library(<name> SOURCES <file>... [LINK <library>...])
#
# A static library of the project: linked against the MLIR and LLVM shared
# libraries and nothing else of LLVM's, with the common precompiled header, and
# exported with the package.
function(xfmr_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  add_dependencies(${name} XfmrIncGen)
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:include>)
  target_include_directories(${name} SYSTEM INTERFACE
    $<INSTALL_INTERFACE:${MLIR_INCLUDE_DIRS}>)
  target_link_libraries(${name} PUBLIC ${ARG_LINK} ${XFMR_SHARED_MLIR})
  xfmr_use_precompiled_header(${name})
  set_property(GLOBAL APPEND PROPERTY XFMR_LIBRARIES ${name})
endfunction()

# xfmr_add_tool(<name> [ARCHIVES] SOURCES <file>... [LINK <library>...])
#
# With ARCHIVES, MLIR and LLVM are part of the program, if XFMR_LINK_ARCHIVES is on.
function(xfmr_add_tool name)
  cmake_parse_arguments(ARG "ARCHIVES" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  add_dependencies(${name} XfmrIncGen)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} ${XFMR_SHARED_MLIR})
  if(ARG_ARCHIVES AND XFMR_LINK_ARCHIVES)
    xfmr_link_archives(${name})
  endif()
  xfmr_use_precompiled_header(${name})
  set_property(GLOBAL APPEND PROPERTY XFMR_TOOLS ${name})
endfunction()

# One precompiled header serves every target: it holds the MLIR headers, which
# cost more to read than our code costs to compile.
function(xfmr_use_precompiled_header name)
  if(NOT TARGET XfmrPrecompiledHeader)
    file(WRITE ${CMAKE_BINARY_DIR}/XfmrPrecompiledHeader.cpp "")
    add_library(XfmrPrecompiledHeader OBJECT ${CMAKE_BINARY_DIR}/XfmrPrecompiledHeader.cpp)
    target_precompile_headers(XfmrPrecompiledHeader PRIVATE
      <mlir/Dialect/Affine/IR/AffineOps.h>
      <mlir/Dialect/Arith/IR/Arith.h>
      <mlir/Dialect/Bufferization/IR/Bufferization.h>
      <mlir/Dialect/Func/IR/FuncOps.h>
      <mlir/Dialect/Linalg/IR/Linalg.h>
      <mlir/Dialect/Math/IR/Math.h>
      <mlir/Dialect/MemRef/IR/MemRef.h>
      <mlir/Dialect/SCF/IR/SCF.h>
      <mlir/Dialect/Tensor/IR/Tensor.h>
      <mlir/Dialect/Vector/IR/VectorOps.h>
      <mlir/IR/PatternMatch.h>
      <mlir/Interfaces/TilingInterface.h>
      <mlir/Pass/Pass.h>
      <mlir/Transforms/GreedyPatternRewriteDriver.h>)
  endif()
  target_precompile_headers(${name} REUSE_FROM XfmrPrecompiledHeader)
endfunction()
