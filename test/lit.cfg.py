# How the lit tests run. Substitutions beyond lit's own:
#   %smx-src    the source tree          %smx-build  the build tree
#   %python     the Python interpreter   %cmake      the cmake that configured the build
#   %assemble <chip> <file>: ptxas -v; fails on spills, stack frames and C75xx notices
#   %spills <chip> attention|products|biases|slopes|rows|clusters|threads|streamed <type>...: the same for compiled kernels of many shapes
#   %loops <chip> <file>: what the machine code of loops of warpgroups' products is made of
# Parameters: tools=DIR has the tools that this configuration did not build.
# Features: `asserts`, `ptxas`, `nvdisasm`, and one per tool that was built (`softmax-run`, ...).
import os
import shutil
import subprocess

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "SMX"
config.test_format = lit.formats.ShTest(not llvm_config.use_lit_shell)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Unit", "Inputs", "CMakeLists.txt", "lit.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.smx_build_dir, "test")

llvm_config.with_system_environment(["HOME", "TMP", "TEMP", "CCACHE_DIR", "OMP_NUM_THREADS"])
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
llvm_config.with_environment("PATH", config.smx_tools_dir, append_path=True)

config.substitutions.append(("%smx-src", config.smx_source_dir))
config.substitutions.append(("%smx-build", config.smx_build_dir))
config.substitutions.append(("%python", config.python_executable))
config.substitutions.append(("%cmake", config.cmake_executable))
config.substitutions.append(("%cxx", config.cxx_compiler))
config.substitutions.append(("%cc", config.c_compiler))
config.substitutions.append(("%mlir-dir", config.mlir_dir))
config.substitutions.append(("%llvm-dir", config.llvm_dir))

tools = ["softmax-opt", "softmax-compile", "softmax-run", "softmax-reduce", "softmax-lsp-server"]
tools_dirs = [config.smx_tools_dir, *filter(None, [lit_config.params.get("tools")])]
built = [t for t in tools if any(os.path.exists(os.path.join(d, t)) for d in tools_dirs)]
llvm_config.add_tool_substitutions(built, tools_dirs)
llvm_config.add_tool_substitutions(
    ["FileCheck", "count", "not", "split-file"], [config.llvm_tools_dir])

config.available_features.update(built)
if config.enable_assertions:
    config.available_features.add("asserts")

# The assembler of PTX is the one that softmax-compile finds; scripts/setup gets the disassembler where no toolkit has it.
if "softmax-compile" in built:
    compiler = shutil.which("softmax-compile", path=os.pathsep.join(tools_dirs))
    found = subprocess.run([compiler, "--print-ptxas"], capture_output=True, text=True)
    if found.returncode == 0:
        ptxas = found.stdout.strip()

        def script(name, *arguments):
            parts = config.python_executable, f"{config.test_source_root}/NVVM/Inputs/{name}.py", *arguments
            config.substitutions.append((f"%{name}", " ".join(parts)))

        config.available_features.add("ptxas")
        script("assemble", ptxas)
        script("spills", "softmax-compile", ptxas)
        places = [os.path.join(os.path.dirname(config.test_source_root), "build", "tools"), os.path.dirname(ptxas), os.environ["PATH"]]
        nvdisasm = shutil.which("nvdisasm", path=os.pathsep.join(places))
        if nvdisasm:
            config.available_features.add("nvdisasm")
            script("loops", ptxas, nvdisasm)
