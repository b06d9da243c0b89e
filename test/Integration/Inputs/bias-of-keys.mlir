!t = tensor<4x16x4096x128xbf16>
func.func @bias_of_keys(%q: !t, %k: !t, %v: !t, %bias: tensor<4x4096xbf16>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.08838834764831845) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %x = tensor.extract %bias[%b, %j] : tensor<4x4096xbf16>
    %e = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %e : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}
