# The headers that most sources begin with, parsed once: they are nine tenths of a compilation. Those of MLIR and LLVM come
# first, and what is read of this project's dialects stands on them, so that a change of a td file parses little again. A
# missing #include does not show: preset `release` does without them, and is to be built for that; .ci/run does not.
option(SMX_PRECOMPILE_HEADERS "Parse the headers of MLIR and of the dialects once" ON)

# smx_precompile_headers(<name> [ON <name>] HEADERS <header>...): these, behind those of another name.
function(smx_precompile_headers name)
  cmake_parse_arguments(ARG "" "ON" "HEADERS" ${ARGN})
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/${name}.cpp" CONTENT "")
  add_library(${name} OBJECT "${CMAKE_BINARY_DIR}/${name}.cpp")
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
  # A time in them would make every object a miss of ccache.
  target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  if(ARG_ON)
    get_target_property(folder ${ARG_ON} BINARY_DIR)
    set(first "${folder}/CMakeFiles/${ARG_ON}.dir/cmake_pch.hxx.pch")
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -include-pch -Xclang ${first}")
    set_source_files_properties("${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir/cmake_pch.hxx.cxx"
                                PROPERTIES OBJECT_DEPENDS "${first}")
  endif()
endfunction()

# smx_use_headers(<target> <name>): the sources of the target begin with these.
function(smx_use_headers target name)
  if(SMX_PRECOMPILE_HEADERS)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

if(SMX_PRECOMPILE_HEADERS)
  smx_precompile_headers(SmxMlirHeaders HEADERS
    <algorithm> <cmath> <functional> <memory> <optional> <string> <vector>
    <llvm/ADT/SetVector.h>
    <llvm/ADT/TypeSwitch.h>
    <llvm/Support/FormatVariadic.h>
    <mlir/Conversion/LLVMCommon/Pattern.h>
    <mlir/Dialect/Affine/IR/AffineOps.h>
    <mlir/Dialect/Arith/IR/Arith.h>
    <mlir/Dialect/Arith/Utils/Utils.h>
    <mlir/Dialect/Func/IR/FuncOps.h>
    <mlir/Dialect/LLVMIR/LLVMDialect.h>
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
  # Each names namespaces that sources of the one before it may not see: `smx` outside of `mlir`, then upstream's `gpu`.
  smx_precompile_headers(SmxHeaders ON SmxMlirHeaders HEADERS <smx/IR/Smx.h>)
  add_dependencies(SmxHeaders SmxIRIncGen)
  smx_precompile_headers(SmxGPUHeaders ON SmxHeaders HEADERS <smx/GPU/SmxGpu.h>)
  add_dependencies(SmxGPUHeaders SmxGPUIncGen)
  smx_precompile_headers(SmxDeviceHeaders ON SmxGPUHeaders HEADERS
    <mlir/Dialect/GPU/IR/GPUDialect.h>
    <mlir/Dialect/LLVMIR/NVVMDialect.h>)
endif()
