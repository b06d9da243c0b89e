"""Softmax, its relatives, the norms, and what only looks like a softmax."""

import torch
import torch.nn.functional as F

from cases import case, tensor

F16, BF16, F64 = torch.float16, torch.bfloat16, torch.float64

# --- F.softmax on every axis -------------------------------------------------


@case("softmax-last", tensor(32, 96), raises="softmax")
def softmax_last(x):
    """softmax over the last axis"""
    return F.softmax(x, dim=-1)


@case("softmax-last-odd", tensor(7, 131, kind="wide"), raises="softmax")
def softmax_last_odd(x):
    """softmax over the last axis, prime sizes"""
    return F.softmax(x, dim=-1)


@case("softmax-middle", tensor(3, 37, 5), raises="softmax")
def softmax_middle(x):
    """softmax over the middle axis"""
    return F.softmax(x, dim=1)


@case("softmax-first", tensor(41, 6), raises="softmax")
def softmax_first(x):
    """softmax over the first axis"""
    return F.softmax(x, dim=0)


@case("softmax-vector", tensor(97), raises="softmax")
def softmax_vector(x):
    """softmax of a one-dimensional tensor"""
    return F.softmax(x, dim=0)


@case("softmax-last-dynamic", tensor(5, 67, dynamic=(0, 1)), raises="softmax")
def softmax_last_dynamic(x):
    """softmax over the last axis, both sizes dynamic"""
    return F.softmax(x, dim=-1)


@case("softmax-middle-dynamic", tensor(3, 37, 5, dynamic=(1,)), raises="softmax")
def softmax_middle_dynamic(x):
    """softmax over a dynamic middle axis"""
    return F.softmax(x, dim=1)


@case("softmax-rows-dynamic", tensor(9, 4, 33, dynamic=(0,)), raises="softmax")
def softmax_rows_dynamic(x):
    """softmax over a static last axis, dynamic batch"""
    return F.softmax(x, dim=2)


@case("softmax-f64", tensor(6, 43, dtype=F64), raises="softmax")
def softmax_f64(x):
    """softmax in float64"""
    return F.softmax(x, dim=-1)


@case("softmax-special", tensor(6, 43, kind="special"), raises="softmax")
def softmax_special(x):
    """rows of -inf, with some -inf, with +inf and with NaN"""
    return F.softmax(x, dim=-1)


# --- low precision -----------------------------------------------------------


@case("softmax-f16", tensor(8, 77, dtype=F16), raises="softmax")
def softmax_f16(x):
    """float16 softmax without a dtype argument"""
    return F.softmax(x, dim=-1)


@case("softmax-f16-in-f32", tensor(8, 77, dtype=F16), raises="softmax")
def softmax_f16_in_f32(x):
    """float16 input, dtype=float32, float16 result"""
    return F.softmax(x, dim=-1, dtype=torch.float32).to(x.dtype)


@case("softmax-bf16", tensor(8, 77, dtype=BF16), raises="softmax")
def softmax_bf16(x):
    """bfloat16 softmax without a dtype argument"""
    return F.softmax(x, dim=-1)


@case("softmax-bf16-in-f32", tensor(8, 77, dtype=BF16), raises="softmax")
def softmax_bf16_in_f32(x):
    """bfloat16 input, dtype=float32, bfloat16 result"""
    return F.softmax(x, dim=-1, dtype=torch.float32).to(x.dtype)


@case("softmax-bf16-to-f32", tensor(8, 77, dtype=BF16), raises="softmax")
def softmax_bf16_to_f32(x):
    """bfloat16 input, dtype=float32, float32 result"""
    return F.softmax(x, dim=-1, dtype=torch.float32)


@case("softmax-bf16-float", tensor(4, 9, 31, dtype=BF16), raises="softmax")
def softmax_bf16_float(x):
    """x.float(), softmax over the middle axis, type_as(x)"""
    return torch.softmax(x.float(), dim=1).type_as(x)


# --- what stands around a softmax --------------------------------------------


@case("softmax-temperature", tensor(6, 59), raises="softmax")
def softmax_temperature(x):
    """softmax of logits divided by a temperature"""
    return F.softmax(x / 0.7, dim=-1)


@case("softmax-additive-mask", tensor(2, 3, 11, 29), tensor(2, 1, 1, 29, kind="additive"), raises="softmax")
def softmax_additive_mask(x, mask):
    """softmax of scores plus a broadcast additive mask"""
    return F.softmax(x + mask, dim=-1)


@case("softmax-masked-fill", tensor(2, 3, 11, 29), tensor(2, 1, 11, 29, kind="keep"), raises="softmax")
def softmax_masked_fill(x, keep):
    """softmax of scores with masked_fill(-inf)"""
    return F.softmax(x.masked_fill(~keep, float("-inf")), dim=-1)


@case("softmax-by-hand-amax", tensor(9, 53), raises="softmax")
def softmax_by_hand_amax(x):
    """softmax spelled with amax, exp, sum and a division"""
    e = torch.exp(x - x.amax(dim=-1, keepdim=True))
    return e / e.sum(dim=-1, keepdim=True)


@case("softmax-by-hand-max", tensor(4, 19, 7), raises="softmax")
def softmax_by_hand_max(x):
    """softmax spelled with max(dim).values, unsqueeze, exp, sum over the middle axis"""
    e = torch.exp(x - x.max(dim=1).values.unsqueeze(1))
    return e / e.sum(dim=1).unsqueeze(1)


@case("softmax-by-hand-reciprocal", tensor(9, 53), raises="softmax")
def softmax_by_hand_reciprocal(x):
    """softmax that multiplies by the reciprocal of the sum"""
    e = torch.exp(x - x.amax(dim=-1, keepdim=True))
    return e * torch.reciprocal(e.sum(dim=-1, keepdim=True))


@case("softmax-with-argmax", tensor(9, 53), raises="softmax")
def softmax_with_argmax(x):
    """softmax beside the argmax of the same row: the index must survive"""
    return F.softmax(x, dim=-1), x.argmax(dim=-1)


@case("softmin-last", tensor(9, 53), raises="softmax")
def softmin_last(x):
    """softmax of the negated input"""
    return F.softmin(x, dim=-1)


# --- log-softmax, log-sum-exp, cross entropy ---------------------------------


@case("log-softmax-last", tensor(7, 131, kind="wide"), raises="log_softmax")
def log_softmax_last(x):
    """log_softmax over the last axis"""
    return F.log_softmax(x, dim=-1)


@case("log-softmax-middle", tensor(3, 37, 5), raises="log_softmax")
def log_softmax_middle(x):
    """log_softmax over the middle axis"""
    return F.log_softmax(x, dim=1)


@case("log-softmax-dynamic", tensor(5, 67, dynamic=(0, 1)), raises="log_softmax")
def log_softmax_dynamic(x):
    """log_softmax over the last axis, both sizes dynamic"""
    return F.log_softmax(x, dim=-1)


@case("log-softmax-bf16-to-f32", tensor(8, 77, dtype=BF16), raises="log_softmax")
def log_softmax_bf16_to_f32(x):
    """bfloat16 input, log_softmax in float32"""
    return F.log_softmax(x, dim=-1, dtype=torch.float32)


@case("logsumexp-last", tensor(7, 131, kind="wide"), raises="logsumexp")
def logsumexp_last(x):
    """logsumexp over the last axis"""
    return torch.logsumexp(x, dim=-1)


@case("logsumexp-middle-keepdim", tensor(3, 37, 5), raises="logsumexp")
def logsumexp_middle_keepdim(x):
    """logsumexp over the middle axis, keepdim"""
    return torch.logsumexp(x, dim=1, keepdim=True)


@case("logsumexp-dynamic", tensor(5, 67, dynamic=(0, 1)), raises="logsumexp")
def logsumexp_dynamic(x):
    """logsumexp over the last axis, both sizes dynamic"""
    return torch.logsumexp(x, dim=-1)


@case("cross-entropy", tensor(12, 45), tensor(12, kind="class"), raises="log_softmax")
def cross_entropy(logits, target):
    """cross_entropy with class indices, one loss per row"""
    return F.cross_entropy(logits, target, reduction="none")


# --- the other row family ----------------------------------------------------


@case("layer-norm", tensor(4, 9, 48), tensor(48), tensor(48), raises="layer_norm")
def layer_norm(x, weight, bias):
    """layer_norm over the last axis with weight and bias"""
    return F.layer_norm(x, (48,), weight, bias, eps=1e-5)


@case("rms-norm", tensor(4, 9, 48), tensor(48), raises="rms_norm")
def rms_norm(x, weight):
    """RMS norm as Llama-like models write it"""
    return weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


@case("rms-norm-module", tensor(6, 64), tensor(64), raises="rms_norm")
def rms_norm_module(x, weight):
    """torch.nn.RMSNorm with its default epsilon"""
    return F.rms_norm(x, (64,), weight)


@case("rms-norm-module-bf16", tensor(6, 96, dtype=BF16), tensor(96, dtype=BF16), raises="rms_norm")
def rms_norm_module_bf16(x, weight):
    """torch.nn.RMSNorm in bfloat16"""
    return F.rms_norm(x, (96,), weight, eps=1e-6)


@case("rms-norm-llama-bf16", tensor(3, 11, 80, dtype=BF16, dynamic=(1,)), tensor(80, dtype=BF16), raises="rms_norm")
def rms_norm_llama_bf16(x, weight):
    """LlamaRMSNorm: float32 inside, bfloat16 before the weight"""
    wide = x.to(torch.float32)
    wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)
    return weight * wide.to(x.dtype)


@case("near-miss-rms-sum", tensor(6, 35), raises="none")
def near_miss_rms_sum(x):
    """divided by the root of the sum of squares, not of their mean"""
    return x * torch.rsqrt(x.pow(2).sum(-1, keepdim=True) + 1e-6)


@case("near-miss-rms-of-other", tensor(6, 35), tensor(6, 35), raises="none")
def near_miss_rms_of_other(x, other):
    """the mean square is that of another tensor"""
    return x * torch.rsqrt(other.pow(2).mean(-1, keepdim=True) + 1e-6)


@case("near-miss-rms-epsilon", tensor(6, 35), raises="none")
def near_miss_rms_epsilon(x):
    """epsilon is added to the root"""
    return x / (x.pow(2).mean(-1, keepdim=True).sqrt() + 1e-6)


# --- near misses: none of these may become a softmax --------------------------
# Where the function differs from a softmax only by its range, its data leave that
# range, so that a wrong match shows in the numbers too.


@case("near-miss-no-max", tensor(6, 35, kind="wide"), raises="none")
def near_miss_no_max(x):
    """exp / sum without the maximum: overflows where a softmax does not"""
    e = torch.exp(x)
    return e / e.sum(dim=-1, keepdim=True)


@case("near-miss-sum-of-input", tensor(6, 35), raises="none")
def near_miss_sum_of_input(x):
    """the divisor is the sum of the input, not of the exponentials"""
    return torch.exp(x - x.amax(dim=-1, keepdim=True)) / x.sum(dim=-1, keepdim=True)


@case("near-miss-sum-of-squares", tensor(6, 35), raises="none")
def near_miss_sum_of_squares(x):
    """the divisor is the sum of the squared exponentials"""
    e = torch.exp(x - x.amax(dim=-1, keepdim=True))
    return e / (e * e).sum(dim=-1, keepdim=True)


@case("near-miss-exp-escapes", tensor(6, 35), raises="none")
def near_miss_exp_escapes(x):
    """the exponentials are returned beside the quotient"""
    e = torch.exp(x - x.amax(dim=-1, keepdim=True))
    return e / e.sum(dim=-1, keepdim=True), e


@case("near-miss-max-axis", tensor(35, 35), raises="none")
def near_miss_max_axis(x):
    """maximum over the first axis, sum over the last"""
    e = torch.exp(x - x.amax(dim=0, keepdim=True))
    return e / e.sum(dim=-1, keepdim=True)


@case("near-miss-sum-axis", tensor(35, 35), raises="none")
def near_miss_sum_axis(x):
    """maximum over the last axis, sum over the first"""
    e = torch.exp(x - x.amax(dim=-1, keepdim=True))
    return e / e.sum(dim=0, keepdim=True)


@case("near-miss-transposed-max", tensor(35, 35), raises="none")
def near_miss_transposed_max(x):
    """the row maxima, laid along the columns: every shape fits"""
    e = torch.exp(x - x.amax(dim=-1))
    return e / e.sum(dim=-1, keepdim=True)


@case("near-miss-max-of-other", tensor(6, 35, kind="wide"), tensor(6, 35), raises="none")
def near_miss_max_of_other(x, y):
    """the maximum belongs to another tensor"""
    e = torch.exp(x - y.amax(dim=-1, keepdim=True))
    return e / e.sum(dim=-1, keepdim=True)


@case("near-miss-global-max", tensor(6, 35, kind="wide"), raises="none")
def near_miss_global_max(x):
    """one maximum for the whole tensor: a row far below it is 0 / 0"""
    e = torch.exp(x - x.max())
    return e / e.sum(dim=-1, keepdim=True)


@case("near-miss-min", tensor(6, 35, kind="wide"), raises="none")
def near_miss_min(x):
    """the minimum in the place of the maximum"""
    e = torch.exp(x - x.amin(dim=-1, keepdim=True))
    return e / e.sum(dim=-1, keepdim=True)


@case("near-miss-clamped-max", tensor(6, 35), raises="none")
def near_miss_clamped_max(x):
    """softmax-one: the maximum is clamped at 0 and exp(-max) joins the sum"""
    m = x.amax(dim=-1, keepdim=True).clamp(min=0)
    e = torch.exp(x - m)
    return e / (e.sum(dim=-1, keepdim=True) + torch.exp(-m))


@case("near-miss-exp2", tensor(6, 35), raises="none")
def near_miss_exp2(x):
    """base 2 in the place of e"""
    e = torch.exp2(x - x.amax(dim=-1, keepdim=True))
    return e / e.sum(dim=-1, keepdim=True)


@case("near-miss-epsilon", tensor(6, 35), raises="none")
def near_miss_epsilon(x):
    """an epsilon is added to the sum"""
    e = torch.exp(x - x.amax(dim=-1, keepdim=True))
    return e / (e.sum(dim=-1, keepdim=True) + 0.125)


@case("near-miss-mask-after", tensor(6, 35, kind="wide"), tensor(6, 35, kind="keep_but_last"), raises="none")
def near_miss_mask_after(x, keep):
    """exponentials masked after the maximum was taken over all of them"""
    e = torch.exp(x - x.amax(dim=-1, keepdim=True)) * keep
    return e / e.sum(dim=-1, keepdim=True)
