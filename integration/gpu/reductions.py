"""The peers of works.Reduction: PyTorch's functions for the same rows, and what a right result is."""

import torch
import torch.nn.functional as F

import works

IGNORED = -100


def cross_entropy_backward(x, targets, log_sum_exp, gradient):
    """As a program without an op for it says it; torch.compile makes one kernel of it."""
    place = torch.arange(x.shape[-1], device=x.device)[None] == targets[:, None]
    wide = gradient.dtype
    result = ((x.to(wide) - log_sum_exp[:, None]).exp() - place.to(wide)) * gradient[:, None]
    return torch.where((targets == IGNORED)[:, None], 0, result).to(x.dtype)


def residual_rms_norm(x, residual, weights):
    total = x + residual
    return total, F.rms_norm(total, total.shape[-1:], weights, eps=1e-5)


FUNCTIONS = {
    "logsumexp": lambda x: torch.logsumexp(x, -1),
    "logsumexp_into_f32": lambda x: torch.logsumexp(x.to(torch.promote_types(x.dtype, torch.float32)), -1),
    "cross_entropy": lambda x, t: F.cross_entropy(x, t, reduction="none", ignore_index=IGNORED),
    "topk_softmax": lambda x: torch.topk(torch.softmax(x, -1), works.TOP, -1),
    "layer_norm": lambda x: F.layer_norm(x, x.shape[-1:], eps=1e-5),
    "rms_norm": lambda x: F.rms_norm(x, x.shape[-1:], eps=1e-5),
    "weighted_rms_norm": lambda x, w: F.rms_norm(x, x.shape[-1:], w, eps=1e-5),
    "weighted_layer_norm": lambda x, w, b: F.layer_norm(x, x.shape[-1:], w, b, eps=1e-5),
    "residual_rms_norm": residual_rms_norm,
    "cross_entropy_backward": cross_entropy_backward,
    "softmax_backward": lambda y, g: torch.ops.aten._softmax_backward_data(g, y, -1, y.dtype),
    "log_softmax_backward": lambda y, g: torch.ops.aten._log_softmax_backward_data(g, y, -1, y.dtype),
}


def inputs_of(work):
    """Random inputs, and the output that they want."""
    x = torch.randn(work.shape, device="cuda", dtype=torch.bfloat16)
    rows = work.shape[:1]
    if work.op.startswith("logsumexp"):
        return (x,), torch.empty(rows, device="cuda", dtype=torch.float32 if work.op.endswith("f32") else x.dtype)
    if work.op in ("layer_norm", "rms_norm"):
        return (x,), torch.empty_like(x)
    if work.op in works.BLOCK_NORMS:
        of_columns = [torch.randn(work.columns, device="cuda", dtype=x.dtype) for _ in range(2 if work.op.endswith("layer_norm") else 1)]
        if work.op == "residual_rms_norm":
            return (x, torch.randn_like(x), *of_columns), (torch.empty_like(x), torch.empty_like(x))
        return (x, *of_columns), torch.empty_like(x)
    if work.op == "topk_softmax":
        return (x,), tuple(torch.empty(*rows, works.TOP, device="cuda", dtype=dtype) for dtype in (x.dtype, torch.int64))
    if work.op.startswith("cross_entropy"):
        targets = torch.randint(work.columns, rows, device="cuda")
        targets[::17] = IGNORED
        if work.op == "cross_entropy":
            return (x, targets), torch.empty(rows, device="cuda", dtype=torch.float32)
        return (x, targets, torch.logsumexp(x, -1).float(), torch.randn(rows, device="cuda")), torch.empty_like(x)
    y = torch.log_softmax(x, -1) if work.op.startswith("log") else torch.softmax(x, -1)
    return (y, torch.randn_like(x)), torch.empty_like(x)


def share_of_allowed(found, exact):
    if found.dtype == torch.float32:
        allowed = 2e-6 * exact.abs().clamp(min=1)
    else:  # A unit in the last place, and what sums of the whole row may be off.
        allowed = exact.abs() * 2**-7 + 4e-6 * exact.abs().max()
    return ((found.double() - exact).abs() / allowed.clamp(min=1e-30)).max().item()


def error_of(work, inputs, out):
    """The error of sampled rows as a share of what is allowed, and text if it is more."""
    rows = torch.randint(work.shape[0], (32,), device="cuda")
    rows[:2] = torch.tensor([0, work.shape[0] - 1])
    if work.op == "topk_softmax":
        # A stable order: bf16 has ties, of which PyTorch takes any.
        exact, places = torch.softmax(inputs[0][rows].double(), -1).sort(dim=-1, descending=True, stable=True)
        if not torch.equal(places[:, :works.TOP], out[1][rows]):
            return {}, "places that are not those of the largest"
        error = (out[0][rows].double() - exact[:, :works.TOP]).abs() / (exact[:, :works.TOP] * 2**-7)
        worst = error.max().item()
        return {"share": round(worst, 2)}, "" if worst <= 1 else f"an error of {worst:.3g} times what is allowed"
    def sampled(tensor):
        some = tensor if work.op in works.BLOCK_NORMS and tensor.dim() == 1 else tensor[rows]
        return some.double() if some.is_floating_point() else some

    exact = FUNCTIONS[work.op](*map(sampled, inputs))
    pairs = zip(out, exact) if isinstance(out, tuple) else [(out, exact)]
    worst = max(share_of_allowed(found[rows], right) for found, right in pairs)
    return {"share": round(worst, 2)}, "" if worst <= 1 else f"an error of {worst:.3g} times what is allowed"


def peers_of(work):
    """As bench.measure wants them: sets of buffers, calls of each peer, the error."""
    sets = [inputs_of(work) for _ in range(2)]
    torch._dynamo.reset()
    function = FUNCTIONS[work.op]
    compiled = torch.compile(function, dynamic=False)
    peers = {"torch": [lambda i=inputs: function(*i) for inputs, _ in sets],
             "torch.compile": [lambda i=inputs: compiled(*i) for inputs, _ in sets]}
    large = torch.empty(work.shape, device="cuda", dtype=torch.bfloat16)
    peers["torch.copy_"] = [lambda x=inputs[0]: large.copy_(x) for inputs, _ in sets]
    return sets, peers, lambda *values: error_of(work, values[:-1], values[-1])
