// ALiBi: a score falls with the distance, by a slope of its head.

!t = tensor<?x16x?x128xbf16>
func.func @alibi(%q: !t, %k: !t, %v: !t, %slopes: tensor<16xf32>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.08838834764831845) mask(#smx.band<top_left, right = 0>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %slope = tensor.extract %slopes[%h] : tensor<16xf32>
    %away = arith.subi %j, %i : index
    %n = arith.index_cast %away : index to i32
    %x = arith.sitofp %n : i32 to f32
    %bias = arith.mulf %slope, %x : f32
    %t = arith.addf %s, %bias : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}
