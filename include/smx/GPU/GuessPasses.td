//===- GuessPasses.td - weights before the maximum ---------*- tablegen -*-===//
#ifndef SMX_GPU_GUESSPASSES_TD
#define SMX_GPU_GUESSPASSES_TD

include "mlir/Pass/PassBase.td"

def SpeculatePass : Pass<"smx-gpu-speculate", "::mlir::smx::gpu::KernelOp"> {
  let summary = "compute weights before it is known whether the reference moves";
  let description = [{
    A loop over keys whose reference has a slack, and of which a product runs under the softmax, has its weights from the
    reference as it is. Their sums tell whether one is larger than the slack allows (or not a number): only then a warp
    looks for the maximum, moves the reference and computes them again. So in most rounds neither the maximum nor its
    exchange is computed, and no exponential waits for them. Not beside a sum of more than twice as many columns as weights
    (head dim 256): those products take longer, and nothing is won. The product is waited for before the weights: what it
    reads would take registers beside scores and weights.

    Right for every input: the weights that are used have been looked at. Those of the old reference r are right for
    it, exp(s - r) <= 2^slack * columns / 8; a state with r is the same element of the algebra as one with any other
    reference. What starts at -inf has weights of +inf or NaN at first, and moves. Rows may choose the factor of their
    scores by the reference, `|g| > limit ? c1 : c2`: weights are computed by c2, and rows whose reference is beyond the limit
    move, too.

    ```mlir
    %m = smx_gpu.reduce <maxnum> %s dim 1
    %far = arith.cmpf ogt, %m, %r_plus_slack
    %r1 = arith.select %far, %m, %r
    %p, %l1, %a = weights, sums and factor by %r1
    %o1 = smx_gpu.rescale %o by %a
    ```
    ==>
    ```mlir
    %p0, %l0 = weights and sums by %r
    %large = arith.cmpf ugt, %l0, %bound
    %moves = smx_gpu.any %large
    %r1, %p, %l1, %o1 = scf.if %moves {
      .. as before
    } else { scf.yield %r, %p0, %l0, %o }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def ExpectMovePass : Pass<"smx-gpu-expect-move", "::mlir::smx::gpu::KernelOp"> {
  let summary = "do not guess weights where the reference moves often";
  let description = [{
    Weights by a reference that then moves are computed in vain (`smx-gpu-speculate`). A warp whose reference moves again
    within `window` rounds begins its next rounds with the maximum, and guesses again when it rose slowly in `rounds` of them.
    So scores whose maximum rises far in every tile take about as long as without guesses; others pay a branch a round. What is
    expected goes on from rounds of whole tiles of keys to those of cut ones, and from one tile of rows to the next, through the loops
    around. Rows of a warp whose references can move do so together. A reference that leads (`smx-expand-state{lead}`) moves less often
    than every second round where maxima rise slowly. Tiles of more than `columns` keys for whose scores numbers are looked up
    (`smx_gpu.gather`) keep their guesses, which begin early.

    Right for every input: with the maximum first, a round is right whether its reference moves or not. Warps part on this
    around arithmetic alone.

    ```mlir
    scf.for .. {
      scf.for .. iter_args(%r) {
        %p0 = weights by %r
        %large = smx_gpu.any ..
        %r1, %p = scf.if %large { maximum, %r1, weights by %r1 } else { scf.yield %r, %p0 }
      }
    }
    ```
    ==>
    ```mlir
    scf.for .. iter_args(%before = %c0) {
      .. = scf.for %j .. iter_args(%r, %left = %before) {
        %is_expected = arith.cmpi sgt, %left, %c0
        %large, %p0 = scf.if %is_expected { scf.yield %true, %zeros } else {
          %p0 = weights by %r
          %large = smx_gpu.any ..
        }
        %r1, %p, %left1 = scf.if %large {
          maximum, %r1, weights by %r1
          %again = %left > 0 ? rises far : %j + %left <= %window
          %left1 = %again ? %rounds : %left > 0 ? %left - 1 : -%j
        } else { scf.yield %r, %p0, %left }
      }
    }
    ```
  }];
  let options = [
    Option<"rounds", "rounds", "int64_t", "4",
           "rounds of slow rises after which weights are guessed again; 0 = they always are">,
    Option<"window", "window", "int64_t", "2", "rounds within which a second move is looked for">,
    Option<"columns", "columns", "int64_t", "96", "most keys of a tile for whose scores numbers are looked up">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def RisingTilesPass : Pass<"smx-gpu-rising-tiles", "::mlir::smx::gpu::KernelOp"> {
  let summary = "a tile of rows guesses no weights if the tile before ended with maxima that rise";
  let description = [{
    Where a round is expected to begin with the maximum (`smx-gpu-expect-move`), it still asks whether it is, in branches that nothing
    overlaps with. So a group of warps that ends a tile of rows with such rounds has other ones for the next tile: without guesses or questions,
    with maxima as references, which do not lead, and computed under the second product. That is the classic form. A group
    goes back to guesses behind a tile in whose last rounds maxima rose slowly in all of its warps.

    ```mlir
    .. = scf.for %j .. iter_args(%r, .., %left = %before) {
      %is_expected = arith.cmpi sgt, %left, %c0
      %large, %p0 = scf.if %is_expected { scf.yield %true, %zeros } else { guess }
      .. = scf.if %large { maximum, .. } else { .. }
    }
    ```
    ==>
    ```mlir
    %was_expected = arith.cmpi sgt, %before, %c0
    %rises = smx_gpu.any_of_warps %was_expected
    .. = scf.if %rises {
      scf.for %j .. iter_args(%r, .., %left = %before) { maximum, .. }
    } else {
      scf.for %j .. iter_args(%r, .., %left = %before) { .. as before }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

#endif // SMX_GPU_GUESSPASSES_TD
