#!/usr/bin/env python3
"""Runs a kernel of each family under compute-sanitizer's four tools, and each tool on the faults that it must find.

    integration/gpu/sanitize.py --tools DIR

DIR holds softmax-run and softmax-compile. softmax-run checks the result against float64 all the same. Writes
results/<gpu>-sanitizer.{json,md} as checks end; the exit status is 1 if a kernel is not clean or a tool misses its fault.
"""

import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

import results
import works

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "attention"))
import examples  # noqa: E402
# A kernel's parameters are read until the driver says that there are no more, which is an error to memcheck. Padding: what
# lies behind a tensor is not the next one.
OPTIONS = {"memcheck": ["--report-api-errors", "no", "--padding", "4096"]}
# Guards are memory to memcheck and poison is a value to initcheck: both would hide what these tools look for.
RUN = {"memcheck": ["--guards=false"], "initcheck": ["--guards=false"]}
FAULTS = {"memcheck": ["out-of-bounds write", "out-of-bounds read"], "racecheck": ["missing barrier"],
          "initcheck": ["input never written", "row left unwritten"], "synccheck": ["divergent barrier"]}
PLANTED = [(tool, fault) for tool, faults in FAULTS.items() for fault in faults]
SECONDS = 120


def attention(dtype="bf16", causal=False, heads=(2, 2), lengths=(200, 200), dim=64, mask="", cache=None):
    q, kv = ((1, heads[i], lengths[i], dim) for i in (0, 1))
    return works.attention_text(q, kv, dtype, causal, mask, cache=cache)


def with_regions():
    """Scores changed and keys hidden by tensors: no bound of a loop follows from them."""
    shape = works.tensor((1, 2, 200, 64), "bf16")
    types = {"q": shape, "k": shape, "v": shape, "bias": "tensor<200x200xf32>", "seen": "tensor<200x200xi1>"}
    return works.function(types, shape, f"""smx.attention %q, %k, %v scale(0.125) score {{
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %c = tensor.extract %bias[%i, %j] : tensor<200x200xf32>
    %t = arith.addf %s, %c : f32
    smx.yield %t : f32
  }} visible {{
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %c = tensor.extract %seen[%i, %j] : tensor<200x200xi1>
    smx.yield %c : i1
  }} : {', '.join([shape] * 3)}""")


def ranges_of_keys():
    """Ranges that begin and end anywhere: tiles have as many rounds as data say."""
    types = dict.fromkeys("qkv", works.tensor((2, 2, 600, 64), "bf16")) | dict.fromkeys(("begin", "end"), "tensor<2x600xi32>")
    return works.function(types, types["q"], f"""smx.attention %q, %k, %v scale(0.125)
    mask(#smx.all_of<[#smx.band<top_left, right = 0>, #smx.key_ranges]>) reads(%begin, %end : tensor<2x600xi32>, tensor<2x600xi32>)
    : {', '.join([types["q"]] * 3)}""")


def rising_attention():
    """Maxima that rise far in every tile: the first element of a key is 16 for every four keys before it, that of a query 8."""
    q, kv = works.tensor((1, 2, 600, 64), "bf16"), works.tensor((1, 2, 500, 64), "bf16")

    def with_first(name, kind, lines):
        return f"""  %{name}0 = tensor.empty() : {kind}
  %{name}1 = linalg.generic {{indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
      ins(%{name} : {kind}) outs(%{name}0 : {kind}) {{
  ^bb0(%x: bf16, %out: bf16):
    %d = linalg.index 3 : index
    %c0 = arith.constant 0 : index
    %is = arith.cmpi eq, %d, %c0 : index
{lines}
    %y = arith.select %is, %first, %x : bf16
    linalg.yield %y : bf16
  }} -> {kind}"""

    place = """    %j = linalg.index 2 : index
    %four = arith.constant 4 : index
    %step = arith.constant 16 : index
    %fours = arith.divui %j, %four : index
    %place = arith.muli %fours, %step : index
    %number = arith.index_cast %place : index to i32
    %first = arith.sitofp %number : i32 to bf16"""
    return f"""#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
func.func @f(%q: {q}, %k: {kv}, %v: {kv}) -> {q} {{
{with_first("q", q, "    %first = arith.constant 8.0 : bf16")}
{with_first("k", kv, place)}
  %o = smx.attention %q1, %k1, %v scale(0.125) : {q}, {kv}, {kv} -> {q}
  return %o : {q}
}}
"""


# {family: (module, flags of softmax-run)}
FAMILIES = {
    "attention bf16 full": (attention(), []),
    "attention bf16 causal": (attention(causal=True), []),
    "attention bf16 causal, head dim 128": (attention(causal=True, dim=128), []),
    "attention bf16 window": (attention(mask=" mask(#smx.band<bottom_right, left = 50, right = 0>)"), []),
    "attention bf16 grouped heads, cross": (attention(heads=(4, 2), lengths=(100, 333)), []),
    "attention bf16 bias and mask": (with_regions(), []),
    "attention bf16 split": (attention(), ["--splits=3"]),
    "attention bf16, a last wave in parts": (attention(heads=(3, 3), lengths=(300, 1400)), ["--blocks=4"]),
    "attention bf16, a last wave that blocks share": (attention(heads=(3, 3), lengths=(370, 2580), dim=128), ["--blocks=4"]),
    "attention bf16, tiles that blocks draw": (ranges_of_keys(), ["--blocks=3"]),
    "attention bf16, tiles without guesses": (rising_attention(), ["--blocks=2"]),
    "attention bf16, groups without rows": (attention(heads=(3, 3), lengths=(390, 700)), ["--blocks=2"]),
    "attention bf16 window, short tiles last": (attention(lengths=(1200, 1200), dim=128, mask=" mask(#smx.band<top_left, left = 300, right = 0>)"),
                                                ["--blocks=3"]),
    "attention bf16 causal, portable": (attention(causal=True), ["--chip=sm_80"]),
    "attention f16 ragged head dim": (attention("f16", dim=40), []),
    "attention f32 causal": (attention("f32", causal=True), []),
    "attention f32 causal, 3xTF32": (attention("f32", causal=True), ["--wide-products=matrix-unit"]),
    "attention f64": (attention("f64", lengths=(70, 90)), []),
    "attention f64 on the matrix unit": (attention("f64", lengths=(70, 90)), ["--wide-products=matrix-unit"]),
    "softmax f32, a tile per row": (works.row_text("softmax", (64, 1000), "f32", 1), []),
    "softmax f32, one reference for 16 warps": (works.row_text("softmax", (16, 4096), "f32", 1), []),
    "softmax bf16, states of 8 warps": (works.row_text("softmax", (16, 4096), "bf16", 1), []),
    "softmax bf16, a long row": (works.row_text("softmax", (8, 32768), "bf16", 1), []),
    "softmax bf16, a row of a cluster": (works.row_text("softmax", (8, 65536), "bf16", 1), []),
    "softmax bf16, a very long row": (works.row_text("softmax", (2, 262144), "bf16", 1), []),
    "softmax f32, a row partly in shared memory": (works.row_text("softmax", (2, 262144), "f32", 1), []),
    "softmax f32, parts of rows": (works.row_text("softmax", (2, 100001), "f32", 1), ["--chip=sm_80"]),
    "layer_norm bf16, parts of rows": (works.Reduction("layer_norm", 200000).text_of((2, 200000)), ["--chip=sm_80"]),
    "cross_entropy bf16, parts of rows": (works.Reduction("cross_entropy", 128256).text_of((3, 128256)), []),
    "softmax bf16, the only row": (works.row_text("softmax", (1, 128256), "bf16", 1), []),
    "softmax bf16, unaligned rows": (works.row_text("softmax", (33, 1001), "bf16", 1), []),
    "softmax f32, axis 0": (works.row_text("softmax", (300, 77), "f32", 0), []),
    "softmax f32 split": (works.row_text("softmax", (8, 5000), "f32", 1), ["--splits=4"]),
    "softmax f64": (works.row_text("softmax", (40, 500), "f64", 1), []),
    "log_softmax bf16": (works.row_text("log_softmax", (64, 1000), "bf16", 1), []),
    "logsumexp f32": (works.row_text("logsumexp", (64, 1000), "f32", 1, result=(64,)), []),
    "logsumexp bf16, a row of a cluster": (works.row_text("logsumexp", (8, 49152), "bf16", 1, result=(8,)), []),
    "layer_norm bf16, a row of small blocks": (works.Reduction("layer_norm", 65536).text_of((8, 65536)), []),
    "layer_norm f32": (works.row_text("layer_norm", (64, 1000), "f32", 1, more=" epsilon(1.0e-5)"), []),
    "cross_entropy bf16": (works.Reduction("cross_entropy", 1000).text_of((64, 1000)), []),
    "cross_entropy_backward bf16": (works.Reduction("cross_entropy_backward", 1000).text_of((64, 1000)), []),
    "cross_entropy_backward bf16, tiles of a row that starts anywhere": (works.Reduction("cross_entropy_backward", 20001).text_of((8, 20001)), []),
    "cross_entropy bf16, a cluster, masked": (works.Reduction("cross_entropy", 50304).text_of((530, 50304)), []),
    "cross_entropy bf16, a cluster, rows that start anywhere": (works.Reduction("cross_entropy", 50257).text_of((530, 50257)), []),
    "logsumexp bf16, a block, masked": (works.Reduction("logsumexp", 18000).text_of((530, 18000)), []),
    "softmax_backward bf16": (works.Reduction("softmax_backward", 1000).text_of((64, 1000)), []),
    "softmax_backward bf16, rows of eight blocks": (works.Reduction("softmax_backward", 16384).text_of((8, 16384)), []),
    "log_softmax_backward bf16": (works.Reduction("log_softmax_backward", 1000).text_of((64, 1000)), []),
    "softmax_dot f32": (works.function({"x": "tensor<64x1000xf32>", "v": "tensor<64x1000x33xf32>"}, "tensor<64x33xf32>",
                                       "smx.softmax_dot %x, %v : tensor<64x1000xf32>, tensor<64x1000x33xf32>"), []),
    "rms_norm bf16": (works.Reduction("rms_norm", 1000).text_of((64, 1000)), []),
    "weighted_rms_norm bf16": (works.Reduction("weighted_rms_norm", 4096).text_of((64, 4096)), []),
    "weighted_layer_norm bf16, in part in shared memory": (works.Reduction("weighted_layer_norm", 14336).text_of((16, 14336)), []),
    "residual_rms_norm bf16": (works.Reduction("residual_rms_norm", 8192).text_of((64, 8192)), []),
    "layer_norm bf16, 16 blocks": (works.Reduction("layer_norm", 200064).text_of((4, 200064)), []),
    "log_softmax_backward bf16, two blocks": (works.Reduction("log_softmax_backward", 18000).text_of((16, 18000)), []),
    "softmax bf16, four blocks": (works.row_text("softmax", (16, 50304), "bf16", 1), []),
    "topk_softmax bf16": (works.Reduction("topk_softmax", 1000).text_of((64, 1000)), []),
    "topk_softmax bf16, selected by warps": (works.Reduction("topk_softmax", 2048).text_of((600, 2048)), []),
    "topk_softmax bf16, a short last round": (works.Reduction("topk_softmax", 69632).text_of((600, 69632)), []),
    "topk_softmax bf16, a long row": (works.Reduction("topk_softmax", 32768).text_of((8, 32768)), []),
    "attention bf16, head dim 320": (attention(dim=320), []),
    "attention bf16, grouped heads, one query": (attention(heads=(8, 2), lengths=(1, 700)), []),
    "attention bf16, keys of 8 bits, one query": (attention(heads=(8, 2), lengths=(1, 700), dim=128, cache="f8E4M3FN"), []),
}
# What reads tables of pages, marks of blocks, ranges, biases: examples with their data.
EXAMPLES = "alibi", "block-sparse", "cascade", "document", "drafted", "fp8", "fp8-heads", "paged", "relative-bias", "soft-cap"


# initcheck does not see what the tensor copy engine writes: outputs of these are filled before, and softmax-run finds what nobody wrote.
ENGINE_STORES = {"attention bf16 full", "attention bf16 causal", "attention bf16 causal, head dim 128", "attention bf16 window",
                 "attention bf16, a last wave in parts", "attention bf16, a last wave that blocks share",
                 "attention bf16, tiles that blocks draw", "attention bf16, tiles without guesses", "attention bf16, groups without rows",
                 "attention bf16 window, short tiles last", "attention f16 ragged head dim", "attention bf16, head dim 320"}


def sanitized(tool, *command):
    """Errors that the tool reports for a command, how the command ended, and what was said."""
    try:
        done = subprocess.run(["compute-sanitizer", "--tool", tool, *OPTIONS.get(tool, []), *map(str, command)],
                              capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired as late:
        return sum_of_errors((late.stdout or b"").decode()), f"no end within {SECONDS} s", ""
    text = done.stdout + done.stderr
    return sum_of_errors(text), done.returncode, text


def sum_of_errors(text):
    """Errors and hazards of the summary lines; None if there is none."""
    found = re.findall(r"(?:ERROR SUMMARY: (\d+) error|RACECHECK SUMMARY: (\d+) hazard)", text)
    return sum(int(a or b) for a, b in found) if found else None


def check_family(tool, name, tools):
    text, flags = FAMILIES[name]
    run = [] if tool == "initcheck" and name in ENGINE_STORES else RUN.get(tool, [])
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        errors, ended, said = sanitized(tool, tools / "softmax-run", "--target=cuda", "--repeat=0",
                                        *run, *flags, file.name)
    if errors == 0 and ended == 0:
        return "clean"
    lines = [line.strip("= ") for line in said.splitlines() if re.search(r"rror|hazard|softmax-run|pass", line)]
    return f"{errors} errors, ended with {ended}: " + " | ".join(lines)[:300]


def check_fault(tool, fault, tools):
    """The tool says nothing of the kernel as it is, and something of the planted fault."""
    plant = [sys.executable, HERE / "plant.py", "--tools", tools]
    before, ended, said = sanitized(tool, *plant, "none")
    if before != 0 or ended != 0:
        return f"not clean without a fault: {before} errors, ended with {ended}: {said[-300:]}"
    found, ended, said = sanitized(tool, *plant, fault)
    return "found" if found else f"missed: {found} errors, ended with {ended}: {said[-300:]}"


def main():
    parser = results.parser(__doc__, results.CHECKS)
    parser.add_argument("--jobs", type=int, default=8, help="processes at once")
    parser.add_argument("--only", default="", help="kernels whose name this regular expression is found in, and no planted faults")
    arguments = parser.parse_args()
    tools = arguments.tools.resolve()
    inputs = tempfile.TemporaryDirectory()
    examples.write_inputs(inputs.name)
    for name in EXAMPLES:
        FAMILIES[f"example {name}"] = examples.module(name), examples.flags(name, inputs.name)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        wanted = [name for name in FAMILIES if re.search(arguments.only, name)]
        planted = [] if arguments.only else PLANTED
        faults = {(tool, fault): pool.submit(check_fault, tool, fault, tools) for tool, fault in planted}
        families = {(name, tool): pool.submit(check_family, tool, name, tools) for name in wanted for tool in FAULTS}

        def save(show=False):
            of_fault, of_family = results.so_far(faults), results.so_far(families)
            found = {"families": {name: {tool: of_family.get((name, tool), "-") for tool in FAULTS} for name in wanted},
                     "planted": {fault: {tool: of_fault.get((tool, fault), "-")} for tool, fault in planted}}
            rows = [[name, *of_tool.values()] for name, of_tool in found["families"].items()]
            rows += [[f"planted: {fault}", *(of_tool.get(tool, "") for tool in FAULTS)]
                     for fault, of_tool in found["planted"].items()]
            left = results.unfinished(len(faults) + len(families) - len(of_fault) - len(of_family))
            lines = left + results.table(["kernel", *FAULTS], rows)
            results.write(arguments.output, "sanitizer", results.head(arguments) | found, lines, show)
            return rows

        for _ in concurrent.futures.as_completed([*faults.values(), *families.values()]):
            save()
    rows = save(show=True)
    cells = [cell for row in rows for cell in row[1:] if cell]
    bad = [cell for cell in cells if cell not in ("clean", "found")]
    print(f"{len(bad)} of {len(cells)} are not as they should be")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
