//===- RolePasses.td - kernels of roles --------------------*- tablegen -*-===//
#ifndef SMX_GPU_ROLEPASSES_TD
#define SMX_GPU_ROLEPASSES_TD

include "mlir/Pass/PassBase.td"

def RolesPass : Pass<"smx-gpu-roles", "::mlir::smx::gpu::KernelOp"> {
  let summary = "a warpgroup fetches by tensor copies, and two or three compute on 64 rows each";
  let description = [{
    For the chips with an asynchronous matrix unit (sm_90a). A kernel whose tiles have 2 or 3 warpgroups' rows becomes two
    roles: puts, by the tensor copy engine, and all the rest, each group on its own rows. In a loop of two products, the
    second one of a round is issued with the first one of the next, and runs under the arithmetic on it (`overlap`); the
    groups take turns in issuing them (`turns`, for products of at most 128 columns: wider ones take longer than the
    weights), so that one multiplies while another computes exponentials. A group gives its turn away when it has issued
    them. Where a sum has at most 64 columns, it does so when they are done (`keep-turns`), and has the unit for itself
    until then; not where terms are fetched, too. Where a round reads numbers for its scores beside a wider sum, groups
    take no turns, which cost more than they give there. A first
    operand that is loaded once is fetched too, into a channel that deals each group its rows, and takes no registers. So is
    what scores read from memory, an element for each of them (`terms`): a bias, which a group reads from shared memory when
    it needs it. Where it is no tile of memory with rows that are known to start at multiples of 16 bytes, or where shared
    memory has no room for it beside the stages of keys and values (`depth`), the threads read it; a remark says so.

    Where tiles that a mask cuts and whole ones share a loop (`smx-gpu-unite-loops`), products overlap across all of them. The unit knows no
    guard: of a cut tile the group looks at the values first, and if they are not all finite it adds that product term by term and leaves it
    out of the unit's (`unless`). Where cut tiles come last, and whole ones are a whole number of rounds, each kind has rounds of its own
    (`split`): those of whole tiles ask for nothing, and carry nothing of a mask. The first tile may be either, and is in front of both. A group
    asks nothing of a cut tile of which it sees everything (`ask-apart`): the ends of the positions that the mask compares tell.

    Behind such rounds the product of the last tile is asked instead (`apart`), which begins from zero and is added afterwards: a value that is not
    finite makes its column of the product a NaN or an infinity in every row, hidden or not, so each warp sees it in a half of its own rows, without a
    look at shared memory and without meeting the others. Such a product is made again term by term, and so is one that is infinite by itself.

    ```mlir
    scf.for %j = %c0 to %n step %c128 iter_args(%m, %acc) {
      %cut = arith.cmpi sge, %j, %middle
      %s = smx_gpu.mma %q, %kt, %zero transpose_b
      %h = scf.if %cut { .. hidden in %s } else { %s }
      %p, %m1, %a = softmax of %h
      %acc1 = scf.if %cut { smx_gpu.mma %p, %vt, %acc * %a guarded } else { smx_gpu.mma %p, %vt, %acc * %a }
    }
    ```
    ==>
    ```mlir
    %cut0 = arith.cmpi sle, %middle, %c0
    .. the scores of the first tile, hidden in a branch
    scf.for %j = %c128 to %middle step %c128 iter_args(%m, %acc, %p) {
      %s, %st = smx_gpu.mma_async %q, %kt, %zero transpose_b zero
      %o, %ot = smx_gpu.mma_async %p, %vt, %acc
      ..
    }
    %first = arith.maxsi %middle, %c128
    scf.for %j = %first to %n step %c128 iter_args(%m, %acc, %p, %was_cut = %cut0) {
      %odd = scf.if %was_cut { smx_gpu.not_finite %vt } else { %false }
      %s, %st = smx_gpu.mma_async %q, %kt, %zero transpose_b zero
      %o, %ot = smx_gpu.mma_async %p, %vt, %acc unless %odd
      %h = .. hidden in (smx_gpu.wait %st, %s pending 1)
      %o1 = smx_gpu.wait %ot, %o
      %o2 = scf.if %odd { smx_gpu.mma %p, %vt, %o1 guarded terms } else { %o1 }
      ..
      scf.yield %m1, %o3, %p1, %true
    }
    %o, %ot = smx_gpu.mma_async %p, %vl, %zero zero
    %o1 = smx_gpu.wait %ot, %o
    %odd = smx_gpu.any (sums of %o1 are not finite, in rows 0-7 of 16)
    %o2 = scf.if %odd { smx_gpu.mma %p, %vl, %acc guarded terms } else { %acc + %o1 }
    ```

    A kernel that this does not fit stays as it is; a remark says why. Rows of a tile that are not valid are no longer 0
    but what lies there in memory, so products with their weights become guarded.

    ```mlir
    %q = smx_gpu.load %x[%i, %c0]
    scf.for %j = %c0 to %n step %c128 iter_args(%m, %acc) {
      smx_gpu.put %k[%j, %c0] into %ck copy(async)
      smx_gpu.put %v[%j, %c0] into %cv copy(async)
      %s = smx_gpu.mma %q, %kt, %zero transpose_b
      %p, %m1, %a = softmax of %s
      %acc1 = smx_gpu.mma %p, %vt, %acc * %a
    }
    ```
    ==>
    ```mlir
    smx_gpu.role @load warps(4) {
      smx_gpu.put %x[%i, %c0] into %cq copy(tensor)
      smx_gpu.put %x[%i1, %c0] into %cq copy(tensor)
      scf.for %j = %c0 to %n step %c128 {
        smx_gpu.put %k[%j, %c0] into %ck copy(tensor)
        smx_gpu.put %v[%j, %c0] into %cv copy(tensor)
      }
    }
    smx_gpu.role @compute warps(8) group(4) {
      %qt = smx_gpu.get %cq
      %s0 = smx_gpu.mma_async %qt, %k0, %zero transpose_b zero, softmax ..
      scf.for %j = %c128 to %n step %c128 iter_args(%m, %acc, %p) {
        smx_gpu.take_turn %t
        %s, %st = smx_gpu.mma_async %qt, %kt, %zero transpose_b zero
        %o, %ot = smx_gpu.mma_async %p, %vt, %acc
        smx_gpu.pass_turn %t
        %s1 = smx_gpu.wait %st, %s pending 1
        %p1, %m1, %a = softmax of %s1
        %o1 = smx_gpu.wait %ot, %o
        %o2 = smx_gpu.rescale %o1 by %a
        scf.yield %m1, %o2, %p1
      }
      %o = smx_gpu.mma_async %p, %vl, %acc
    }
    ```
  }];
  let options = [
    Option<"depth", "depth", "int64_t", "2", "stages of a channel">,
    Option<"overlap", "overlap", "bool", "true", "issue a product before the arithmetic that it does not need is done">,
    Option<"turns", "turns", "bool", "true", "groups issue their products in turn">,
    Option<"keepTurns", "keep-turns", "bool", "true", "groups keep their turn until narrow products are done">,
    Option<"split", "split", "bool", "true", "rounds of whole tiles in front of cut ones have a loop of their own">,
    Option<"apart", "apart", "bool", "true", "the last product of tiles that a mask cuts is summed apart, and asked for what is not finite">,
    Option<"askApart", "ask-apart", "bool", "true", "a group asks only for values of tiles that the mask cuts for its own rows">,
    Option<"terms", "terms", "bool", "true", "what scores read, an element for each, is fetched">,
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FoldScoresPass : Pass<"smx-gpu-fold-scores", "::mlir::smx::gpu::KernelOp"> {
  let summary = "weights come from the terms of a score, where little else needs the score";
  let description = [{
    A score is often a sum: the product of query and key times its scale, and a bias. A weight multiplies it by log2(e)
    and adds the reference, so factors and reference go into the terms, and a term is one fused multiply-add:

        t = u s + v x;    exp2(t c + r) = exp2((u c) s + ((v c) x + r))

    The sums are a chain behind a product of matrices, and its last term comes first, so that what the sums come to on the
    way is what those of the score do; a term that is a sum itself stays one. That is done where a score has no other use
    but inside branches (`smx-gpu-speculate`), and the score is computed there, as it stands. A term of the places
    themselves, such as a distance, is left to one constant for each register (`reassoc`): that of all its registers is added
    once. A term that is read from memory is read `again` in the branches: to keep it until they are decided takes as many
    registers as the scores.

    Rounds otherwise: by 2^-24 of the product or of what the score's sums come to, as the score itself does.

    ```mlir
    %us = arith.mulf %s, %u
    %vx = arith.mulf %x, %v
    %t = arith.addf %us, %vx
    %e = math.fma %t, %log2e, %r
    %p = math.exp2 %e
    scf.if %moves { %m = smx_gpu.reduce <maxnum> %t dim 1 }
    ```
    ==>
    ```mlir
    %e0 = math.fma %x, %vc, %r fastmath<reassoc>
    %e = math.fma %s, %uc, %e0
    %p = math.exp2 %e
    scf.if %moves { %us, %vx, %t as before; %m = smx_gpu.reduce <maxnum> %t dim 1 }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

def EarlyReadsPass : Pass<"smx-gpu-early-reads", "::mlir::smx::gpu::KernelOp"> {
  let summary = "what scores have from memory comes while their product is under way";
  let description = [{
    A bias is read where a round has waited for its products; the time that memory takes is then time in which the
    warpgroup does nothing. In front of the first wait of a round it is hidden behind the products. What is read then
    takes registers beside the operands and the results of both products: it stays where it is if a role of fewer than
    `registers` would, or if these, what the loop carries and `reserve` more are above what the role has (ptxas spills).
    A gather has one register for each place that a thread reads from, which neighbours on a diagonal share.

    ```mlir
    %s, %t = smx_gpu.mma_async %q, %k, %zeros transpose_b zero
    %p = smx_gpu.wait %t, %s
    %at = arith.subi %j, %i
    %x = smx_gpu.gather %table[%at]
    ```
    ==>
    ```mlir
    %s, %t = smx_gpu.mma_async %q, %k, %zeros transpose_b zero
    %at = arith.subi %j, %i
    %x = smx_gpu.gather %table[%at]
    %p = smx_gpu.wait %t, %s
    ```
  }];
  let options = [Option<"registers", "registers", "int64_t", "150", "registers of a thread at least">,
                 Option<"reserve", "reserve", "int64_t", "6", "registers for addresses and numbers">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LateWaitsPass : Pass<"smx-gpu-late-waits", "::mlir::smx::gpu::KernelOp"> {
  let summary = "weights are computed while both products are under way";
  let description = [{
    Weights that are computed before it is known whether the reference moves (`smx-gpu-speculate`) need the scores alone, and the
    sum of values only once a branch has decided. So a round waits for its second product, and gives back what that
    read, in front of that branch, if registers have room for the new weights beside the old ones: if all that the loop carries, the
    results of both products, what is read while they are under way, what is computed between the waits and `reserve` more
    are at most what the role has. With two groups of 64 rows and tiles of 128 keys they have at head dims up to 128; with three they do not.
    Where a turn is kept until the products are done, the wait stays.

    ```mlir
    %s = smx_gpu.wait %st, %sr pending 1
    %o = smx_gpu.wait %ot, %or
    smx_gpu.release %values
    %p = weights of %s
    %moves = smx_gpu.any %large
    scf.if %moves { smx_gpu.rescale %o }
    ```
    ==>
    ```mlir
    %s = smx_gpu.wait %st, %sr pending 1
    %p = weights of %s
    %moves = smx_gpu.any %large
    %o = smx_gpu.wait %ot, %or
    smx_gpu.release %values
    scf.if %moves { smx_gpu.rescale %o }
    ```
  }];
  let options = [Option<"reserve", "reserve", "int64_t", "16", "registers for addresses and numbers">];
}

def SmallTanhPass : Pass<"smx-gpu-small-tanh", "::mlir::smx::gpu::KernelOp"> {
  let summary = "tanh of small numbers is a polynomial, where weights are looked at anyway";
  let description = [{
    Soft caps, c tanh(s / c), take two of the three special functions of a weight, of which a multiprocessor computes 16 in a
    cycle: more time than the products. Scores are mostly well below the cap. There tanh is an odd polynomial, whose
    coefficients take the factors before and behind it:

        |x| <= X:   tanh x = x P(x^2);   exp2(tanh(k s) f + r) = exp2(s Q(s^2) + r),   Q(z) = k f P(k^2 z)

    That is done where sums of weights decide a branch (`smx-gpu-speculate`), which now is also taken where a square is above
    X^2 / k^2, and computes tanh as it stands. Only where an approximation is allowed (`afn`): P has as many coefficients as keep
    an exponent within 2^-11, which is less than weights of 16 bits are off by, for an X of at least `range`, and X is what that
    many are right up to: 3 coefficients for caps of 20 and 50, at most 6. Weights in bf16 are rounded by up to 2^-9: there 2^-10
    is allowed, and X only needs to let logits of up to 6 pass, which those of normalised queries and keys hardly exceed: 2
    coefficients for caps of 20 (X c = 6.7) and 50 (13.8).

    ```mlir
    %t = math.tanh %x fastmath<afn>
    %e = math.fma %t, %f, %r
    %p = math.exp2 %e
    %l = smx_gpu.partial_reduce <add> %p
    %large = arith.cmpf ugt, %l, %bound
    %moves = smx_gpu.any %large
    scf.if %moves { uses of %t }
    ```
    ==>
    ```mlir
    %z = arith.mulf %x, %x
    %q = math.fma .. // Q(z)
    %e = math.fma %x, %q, %r
    %p = math.exp2 %e
    %l = smx_gpu.partial_reduce <add> %p
    %large = arith.cmpf ugt, %l, %bound
    %bits = arith.bitcast %z
    %most = smx_gpu.partial_reduce <maxsi> %bits
    %far = arith.cmpi sgt, %most, %limit
    %either = arith.ori %large, %far
    %moves = smx_gpu.any %either
    scf.if %moves { %t = math.tanh %x fastmath<afn>; uses of %t }
    ```
  }];
  let options = [Option<"range", "range", "double", "0.5",
                        "numbers up to which the polynomial holds at least, above 0 and at most 1">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def NextTilePass : Pass<"smx-gpu-next-tile", "::mlir::ModuleOp"> {
  let summary = "begin the next tile of rows under the last product of this one";
  let description = [{
    Where a role walks over tiles of rows and each has at least three tiles of keys, the first scores of the next tile
    are multiplied beside the last product of this one, and the first weights computed while that runs. The result is
    stored after that. The fetching role copies in the same order. After its last tile a block begins that tile again,
    and drops it. Tiles of more than `rounds` tiles of keys gain nothing by it; nor do launches that
    leave a block fewer than `tiles` tiles, nor kernels whose shared memory does not hold the first operands of two.

    Where the last tile of keys may be cut, its product may have to be added term by term: beside the scores of the next tile that takes as many
    registers again as the sum has. So there it is done for sums of at most `cut-columns` columns and tiles of at most `cut-rounds` tiles of keys.
    Where it is not done, and a tile of rows has at most `ahead-rounds` tiles of keys, shared memory still holds the first operands of two tiles, if it can:
    else the keys of the next tile, which are fetched behind its rows, wait until the last scores of this one are there.

    ```mlir
    scf.for %t = %first to %n step %blocks {
      %q = smx_gpu.get %queries
      %s, %st = smx_gpu.mma_async %q, %k
      %p = weights of %s
      %acc = scf.for .. rounds
      %o, %ot = smx_gpu.mma_async %p_last, %v, %acc
      .. wait and store
    }
    ```
    ==>
    ```mlir
    %p0 = head of %first
    scf.for %t = %first to %n step %blocks iter_args(%p = %p0) {
      %acc = scf.for .. rounds
      %q = smx_gpu.get %queries
      %s, %st = smx_gpu.mma_async %q, %k // of the next tile
      %o, %ot = smx_gpu.mma_async %p_last, %v, %acc
      %p1 = weights of %s
      .. wait and store
      scf.yield %p1
    }
    ```
  }];
  let options = [
    Option<"rounds", "rounds", "int64_t", "32", "most tiles of keys that a tile of rows meets; 0 = never">,
    Option<"tiles", "tiles", "int64_t", "4", "fewest tiles of rows of a block">,
    Option<"cutRounds", "cut-rounds", "int64_t", "8", "most tiles of keys, on average, where some are cut">,
    Option<"cutColumns", "cut-columns", "int64_t", "64", "most columns of the sum of weights where some tiles are cut">,
    Option<"aheadRounds", "ahead-rounds", "int64_t", "12",
           "most tiles of keys, on average, of tiles whose rows are fetched beside those of the tile before; 0 = never">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

#endif // SMX_GPU_ROLEPASSES_TD
