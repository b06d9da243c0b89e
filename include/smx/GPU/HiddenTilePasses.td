//===- HiddenTilePasses.td - tiles hidden to groups --------*- tablegen -*-===//
#ifndef SMX_GPU_HIDDENTILEPASSES_TD
#define SMX_GPU_HIDDENTILEPASSES_TD

include "mlir/Pass/PassBase.td"

def HiddenTilesPass : Pass<"smx-gpu-hidden-tiles", "::mlir::smx::gpu::KernelOp"> {
  let summary = "groups leave out tiles that they do not see, and ask nothing of those that they see all of";
  let description = [{
    A tile that a mask cuts is cut for the rows of all groups together. Of tiles of fewer keys than a role has rows, one group may see nothing, another
    everything: the ends of the positions that a mask compares tell which, as numbers of the group. Rounds of cut tiles alone, whose products run in
    step, are left out where the group sees nothing, but for what groups do together: get and release (K14). Where it sees everything, the values
    are not looked at (`guarded`). Rounds that read more than keys and values (a bias) stay as they are: what is read would take registers across branches.

    A guarded product says that a hidden place is no element of what the round adds up: its weight is -0, whatever the score. So a round that sees
    nothing leaves what it finds.

    ```mlir
    %o = scf.for %j = %middle to %end step %c64 iter_args(%acc = %o0) {
      %kt = smx_gpu.get %k
      %s = smx_gpu.mma %q, %kt, %zero transpose_b
      smx_gpu.release %k
      %c = arith.cmpi sle, %columns, %rows // of the tile at %j, and of the group
      %p = weights of arith.select %c, %s, %minus_infinity
      %vt = smx_gpu.get %v
      %sum = smx_gpu.mma %p, %vt, %acc guarded
      smx_gpu.release %v
      scf.yield %sum
    }
    ```
    ==>
    ```mlir
    %o = scf.for %j = %middle to %end step %c64 iter_args(%acc = %o0) {
      %sees = arith.cmpi sle, %first_column, %last_row
      %is_cut = arith.xori (arith.cmpi sle, %last_column, %first_row), %true
      %kt = smx_gpu.get %k
      %s = scf.if %sees { smx_gpu.mma %q, %kt, %zero transpose_b } else { %zero }
      smx_gpu.release %k
      %p = scf.if %sees { weights of arith.select %c, %s, %minus_infinity } else { %zero }
      %vt = smx_gpu.get %v
      %sum = scf.if %sees {
        %odd = scf.if %is_cut { smx_gpu.not_finite %vt } else { %false }
        scf.if %odd { smx_gpu.mma %p, %vt, %acc guarded terms } else { smx_gpu.mma %p, %vt, %acc }
      } else { %acc }
      smx_gpu.release %v
      scf.yield %sum
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def IdleGroupsPass : Pass<"smx-gpu-idle-groups", "::mlir::smx::gpu::KernelOp"> {
  let summary = "groups whose rows are beyond the end of the last tile leave out its rounds";
  let description = [{
    4096 rows are 21 tiles of 192, and a third of one: two of its three groups compute what is stored nowhere. Such a group does no more than what
    keeps channels and turns going; products of the others have the tensor cores for themselves. What stands around the rounds is computed as before.

    ```mlir
    scf.for %t = %block to %tiles step %blocks {
      %o = scf.for %j = %begin to %end step %c96 iter_args(%acc = %zero) {
        %kt = smx_gpu.get %k
        ...
        smx_gpu.release %k
      }
      %valid = arith.subi (arith.minsi (%extent - %first), %c192), %group_row
      smx_gpu.store %o, %y[%row, %c0] valid(%valid, %c64)
    }
    ```
    ==>
    ```mlir
    scf.for %t = %block to %tiles step %blocks {
      %valid = arith.subi (arith.minsi (%extent - %first), %c192), %group_row
      %middle = arith.select (arith.cmpi sgt, %valid, %c0), %end, %begin
      %o = scf.for %j = %begin to %middle step %c96 iter_args(%acc = %zero) {
        %kt = smx_gpu.get %k
        ...
        smx_gpu.release %k
      }
      scf.for %j = %middle to %end step %c96 {
        smx_gpu.get %k
        smx_gpu.release %k
      }
      smx_gpu.store %o, %y[%row, %c0] valid(%valid, %c64)
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def ToldByScorePass : Pass<"smx-gpu-told-by-score", "::mlir::smx::gpu::KernelOp"> {
  let summary = "a weight is marked as hidden by its score, not by the mask once more";
  let description = [{
    A weight is -0 where a mask hides its score, and +0 where the score is -inf by itself: its value counts (include/smx/GPU/SmxGpuDialect.td).
    The mask's condition would be kept from the score to the weight, a predicate for each element; in loops over keys that ends in spills. So scores that
    are seen are kept above -inf, which then tells what is hidden, and the lowest number stands for -inf in the maximum of a row. Where the condition is
    computed anew behind a branch, as of loops that are united, it is left.

    ```mlir
    %t = arith.select %c, %s, %minus_infinity
    %m = smx_gpu.reduce <maxnum> %t dim 1
    %e = math.fma %t, %f, %r
    %w = math.exp2 %e
    %p = arith.select %c, %w, %minus_zero
    ```
    ==>
    ```mlir
    %u = arith.maximumf %s, %lowest
    %t = arith.select %c, %u, %minus_infinity
    %n = smx_gpu.reduce <maxnum> %t dim 1
    %m = arith.select (%n is the lowest), %minus_infinity, %n
    %e = math.fma %t, %f, %r
    %w = math.exp2 %e
    %h = arith.cmpf oeq, %t, %minus_infinity
    %p = arith.select %h, %minus_zero, %w
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // SMX_GPU_HIDDENTILEPASSES_TD
