// RUN: softmax-opt %s -o /dev/null --smx-report=chip=a100 | FileCheck %s --check-prefix=A100
// RUN: softmax-opt %s -o /dev/null --smx-report="chip=host peak-gflops=100 peak-gbs=20" | FileCheck %s --check-prefix=HOST
// RUN: softmax-opt %s -o /dev/null --smx-report="json chip=host peak-gflops=100 peak-gbs=20" | FileCheck %s --check-prefix=JSON
// RUN: not softmax-opt %s --smx-report=chip=b9 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not softmax-opt %s --smx-report=chip=host 2>&1 | FileCheck %s --check-prefix=PEAKS
// RUN: not softmax-opt %s --smx-report=stage=tilled 2>&1 | FileCheck %s --check-prefix=STAGE
// RUN: not softmax-opt %s --smx-report=extents=8,-1 2>&1 | FileCheck %s --check-prefix=EXTENT

// A100: roofline of a100

// 8 MB at 20 GB/s are 400 microseconds.
// HOST: roofline of host
// HOST: @row {{.*}} 0.50 400.000 memory

// JSON:      "chip": "host",
// JSON:      "function": "row",
// JSON-NEXT: "stage": "naive",
// JSON-NEXT: "bytes_read": 4000000,
// JSON-NEXT: "bytes_written": 4000000,
// JSON-NEXT: "product_flops": 0,
// JSON-NEXT: "other_flops": 4000000,
// JSON-NEXT: "exponentials": 1000000,
// JSON-NEXT: "flops_per_byte": 0.5,
// JSON:      "limit": "memory"

// UNKNOWN: error: smx-report: unknown chip 'b9'; chips are h200, a100, and host with peak-gflops and peak-gbs
// PEAKS: error: smx-report: chip 'host' takes its measured peaks from peak-gflops and peak-gbs, both above 0; got
// STAGE: error: smx-report: unknown stage 'tilled'; stages are input, naive, online, tiled, cpu, llvm
// EXTENT: error: smx-report: extents must not be negative, got -1

func.func @row(%x: tensor<1000x1000xf32>) -> tensor<1000x1000xf32> {
  %y = smx.softmax %x axis(1) : tensor<1000x1000xf32> -> tensor<1000x1000xf32>
  return %y : tensor<1000x1000xf32>
}
