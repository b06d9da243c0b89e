# The headers of MLIR and LLVM that most sources begin with, parsed once: they are nine tenths of a compilation. Of ours
# there is the dialect of kernels alone, for the folders that all include it. A missing #include does not show: preset
# `release` does without them, and is to be built for that; .ci/run does not.
option(SMX_PRECOMPILE_HEADERS "Parse the headers of MLIR once" ON)

function(smx_precompile_headers name)
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/${name}.cpp" CONTENT "")
  add_library(${name} OBJECT "${CMAKE_BINARY_DIR}/${name}.cpp")
  target_precompile_headers(${name} PRIVATE ${ARGN})
  # A time in them would make every object a miss of ccache.
  target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
endfunction()

# smx_use_mlir_headers(<target> [<headers>]): the sources of the target begin with these; by default SmxMlirHeaders.
function(smx_use_mlir_headers target)
  if(SMX_PRECOMPILE_HEADERS)
    list(APPEND ARGN SmxMlirHeaders)
    list(GET ARGN 0 headers)
    target_precompile_headers(${target} REUSE_FROM ${headers})
  endif()
endfunction()

if(SMX_PRECOMPILE_HEADERS)
  set(SMX_MLIR_HEADERS
    <algorithm> <cmath> <functional> <memory> <optional> <string> <vector>
    <llvm/ADT/SetVector.h>
    <llvm/ADT/TypeSwitch.h>
    <llvm/Support/FormatVariadic.h>
    <mlir/Dialect/Affine/IR/AffineOps.h>
    <mlir/Dialect/Arith/IR/Arith.h>
    <mlir/Dialect/Arith/Utils/Utils.h>
    <mlir/Dialect/Func/IR/FuncOps.h>
    <mlir/Dialect/Linalg/IR/Linalg.h>
    <mlir/Dialect/Math/IR/Math.h>
    <mlir/Dialect/MemRef/IR/MemRef.h>
    <mlir/Dialect/SCF/IR/SCF.h>
    <mlir/Dialect/Tensor/IR/Tensor.h>
    <mlir/Dialect/Vector/IR/VectorOps.h>
    <mlir/IR/IRMapping.h>
    <mlir/IR/ImplicitLocOpBuilder.h>
    <mlir/IR/Matchers.h>
    <mlir/IR/Remarks.h>
    <mlir/IR/TypeUtilities.h>
    <mlir/Parser/Parser.h>
    <mlir/Pass/Pass.h>
    <mlir/Pass/PassManager.h>
    <mlir/Transforms/DialectConversion.h>
    <mlir/Transforms/GreedyPatternRewriteDriver.h>)
  smx_precompile_headers(SmxMlirHeaders ${SMX_MLIR_HEADERS})
  smx_precompile_headers(SmxGPUHeaders ${SMX_MLIR_HEADERS} <smx/GPU/SmxGpu.h>)
  add_dependencies(SmxGPUHeaders SmxGPUIncGen)
  # These declare upstream's namespace `gpu`, which sources with one of our own can not take.
  smx_precompile_headers(SmxLLVMHeaders ${SMX_MLIR_HEADERS}
    <mlir/Conversion/LLVMCommon/Pattern.h>
    <mlir/Dialect/GPU/IR/GPUDialect.h>
    <mlir/Dialect/LLVMIR/NVVMDialect.h>
    <smx/GPU/SmxGpu.h>)
  add_dependencies(SmxLLVMHeaders SmxGPUIncGen)
endif()
