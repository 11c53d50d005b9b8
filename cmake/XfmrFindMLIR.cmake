# Finds the packaged LLVM/MLIR 22. No version is given to find_package: LLVM's
# config accepts only an equal major.minor, so the major is tested by hand.
#
# The configs stop with a message about their own insides when a package beside
# them is missing, so what they refer to is looked for first.
find_path(XFMR_MLIR_CONFIG_DIR MLIRConfig.cmake
  HINTS ${MLIR_DIR} /usr/lib/llvm-22/lib/cmake/mlir NO_CACHE)
if(XFMR_MLIR_CONFIG_DIR)
  get_filename_component(prefix "${XFMR_MLIR_CONFIG_DIR}/../../.." ABSOLUTE)
  set(missing "")
  foreach(part llvm-22-dev=lib/cmake/llvm/LLVMConfig.cmake mlir-22-tools=bin/mlir-tblgen
          llvm-22-tools=bin/FileCheck)
    string(REPLACE "=" ";" part "${part}")
    list(GET part 1 file)
    if(NOT EXISTS "${prefix}/${file}")
      list(GET part 0 package)
      list(APPEND missing ${package})
    endif()
  endforeach()
  if(missing)
    list(JOIN missing " " missing)
    message(FATAL_ERROR "MLIR in ${prefix} is incomplete: install ${missing}")
  endif()
endif()

find_package(MLIR CONFIG HINTS /usr/lib/llvm-22)
if(NOT MLIR_FOUND)
  message(FATAL_ERROR "MLIR 22 not found: install libmlir-22-dev, mlir-22-tools, llvm-22-dev "
    "and llvm-22-tools, or pass -DMLIR_DIR=<prefix>/lib/cmake/mlir")
endif()
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR
    "Xfmr needs LLVM/MLIR 22, found ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}")
endif()
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
