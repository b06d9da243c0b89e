// Scores are kept within +-20 by a true tanh. An approximate one is right to 2^-22 of its range, as scores in f32 are.

!t = tensor<?x16x?x128xbf16>
func.func @soft_cap(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.08838834764831845) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %cap = arith.constant 20.0 : f32
    %share = arith.constant 0.05 : f32
    %x = arith.mulf %s, %share : f32
    %y = math.tanh %x fastmath<afn> : f32
    %t = arith.mulf %y, %cap : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}
