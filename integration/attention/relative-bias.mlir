// A bias for each head and distance, read from a table that begins with that of the last query
// to the first key, and bounded by tanh.

!t = tensor<?x16x?x128xbf16>
func.func @relative_bias(%q: !t, %k: !t, %v: !t, %table: tensor<16x?xf32>) -> !t {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %last = tensor.dim %q, %c2 : !t
  %o = smx.attention %q, %k, %v scale(0.08838834764831845) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %away = arith.subi %j, %i : index
    %behind = arith.addi %away, %last : index
    %place = arith.subi %behind, %c1 : index
    %x = tensor.extract %table[%h, %place] : tensor<16x?xf32>
    %bias = math.tanh %x fastmath<afn> : f32
    %t = arith.addf %s, %bias : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}
