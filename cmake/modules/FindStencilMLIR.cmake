# Finds the one LLVM/MLIR version this project is written for, and refuses every other.
find_package(MLIR REQUIRED CONFIG
  PATHS "${STENCIL_LLVM_PREFIX}/lib/cmake/mlir" NO_DEFAULT_PATH)
if(NOT LLVM_VERSION_MAJOR EQUAL STENCIL_LLVM_VERSION)
  message(FATAL_ERROR "MLIR ${LLVM_VERSION_MAJOR} found under ${STENCIL_LLVM_PREFIX}, "
                      "${STENCIL_LLVM_VERSION} needed: set STENCIL_LLVM_PREFIX")
endif()
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
