// Open sizes that do not go together are an error before anything is read or written, on every target and from the
// cache, whoever calls whom.
// RUN: not softmax-run %s --entry=attention --dims=4x4x16,2x5x16,2x5x16,4 2>&1 | FileCheck %s --check-prefix=HEADS
// RUN: not softmax-run %s --entry=attention --dims=4x4x16,2x5x16,2x5x16,4 --target=emulator --check=none 2>&1 | FileCheck %s --check-prefix=HEADS
// HEADS: softmax-run: 'attention': the inputs do not go together: {{.*}}open-extents.mlir:[[#]]:8: 'smx.attention': expected dimension 0 of the queries and dimension 0 of the keys to be the same; the inputs are 4x4x16, 2x5x16, 2x5x16, 4
// RUN: not softmax-run %s --entry=attention --dims=4x4x16,4x5x16,4x3x16,4 --check=none 2>&1 | FileCheck %s --check-prefix=VALUES
// VALUES: expected dimension 1 of the keys and dimension 1 of the values to be the same
// RUN: not softmax-run %s --entry=attention --dims=4x4x16,4x5x16,4x5x16,1 --check=none 2>&1 | FileCheck %s --check-prefix=LENGTHS
// LENGTHS: expected dimension 0 of mask tensor 0 and dimension 0 of the queries to be the same
// RUN: softmax-run %s --entry=attention --dims=4x4x16,4x5x16,4x5x16,4 --check=naive | FileCheck %s --check-prefix=PASS
// PASS: against naive: pass

// RUN: rm -rf %t
// RUN: not softmax-run %s --entry=rows --dims=7x8 --check=none --cache-dir=%t 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not softmax-run %s --entry=rows --dims=7x8 --check=none --cache-dir=%t 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: softmax-run %s --entry=rows --dims=5x8 --check=naive --cache-dir=%t | FileCheck %s --check-prefix=PASS
// ROWS: softmax-run: 'rows': the inputs do not go together: {{.*}}: 'smx.softmax': expected operands that give dimension 0 of the result, 5; the inputs are 7x8

// RUN: not softmax-run %s --entry=cast --dims=3x8 --check=none 2>&1 | FileCheck %s --check-prefix=CAST
// CAST: 'tensor.cast': expected dimension 0 to be 5; the inputs are 3x8

// RUN: not softmax-run %s --entry=sums --dims=4x8,5x8 2>&1 | FileCheck %s --check-prefix=SUMS
// SUMS: softmax-run: 'sums': the inputs do not go together: {{.*}}: 'linalg.add': expected dimension 0 of operand 0 and dimension 0 of operand 1 to be the same; the inputs are 4x8, 5x8
// RUN: softmax-run %s --entry=sums --dims=0x8,0x8 | FileCheck %s --check-prefix=EMPTY
// EMPTY: output 0 f32 0x8

// RUN: softmax-compile %s --entry=rows --emit=ptx -o %t.ptx --manifest=%t.json
// RUN: FileCheck %s --check-prefix=MANIFEST --input-file=%t.json
// MANIFEST: "message":"{{.*}}'smx.softmax': expected operands that give dimension 0 of the result, 5"

func.func @attention(%q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %n: tensor<?xi32>) -> tensor<?x?x16xf32> {
  %0 = smx.attention %q, %k, %v scale(1.0) mask(#smx.key_lengths) reads(%n : tensor<?xi32>)
    : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32> -> tensor<?x?x16xf32>
  return %0 : tensor<?x?x16xf32>
}

func.func @rows(%x: tensor<?x8xf32>) -> tensor<5x8xf32> {
  %0 = smx.softmax %x axis(1) : tensor<?x8xf32> -> tensor<5x8xf32>
  return %0 : tensor<5x8xf32>
}

func.func @cast(%x: tensor<?x8xf32>) -> tensor<5x8xf32> {
  %0 = tensor.cast %x : tensor<?x8xf32> to tensor<5x8xf32>
  %1 = smx.softmax %0 axis(1) : tensor<5x8xf32> -> tensor<5x8xf32>
  return %1 : tensor<5x8xf32>
}

func.func private @sum(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = linalg.add ins(%x, %y : tensor<?x8xf32>, tensor<?x8xf32>) outs(%x : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

func.func @sums(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = call @sum(%x, %y) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
