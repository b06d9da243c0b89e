# The GoogleTest programs, as a suite of their own: each case is one test.
import os

import lit.formats

config.name = "SMX-Unit"
config.test_source_root = config.test_exec_root = os.path.join(config.smx_build_dir, "test", "Unit")
config.test_format = lit.formats.GoogleTest(".", "Tests")
for name in ("OMP_NUM_THREADS", "HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
