"""Writes a table as integration/gpu/tune.py does, and modules: tuned_table.py INTEGRATION FOLDER."""

import pathlib
import sys

integration, folder = map(pathlib.Path, sys.argv[1:])
sys.path.insert(0, str(integration / "gpu"))
import tune  # noqa: E402
import works  # noqa: E402

prefill, causal, decode = works.Attention(96, 1024, False, "f16"), works.Attention(128, 4096, True), works.DECODE[0]
entries = [tune.entry_of(prefill, {"tile_rows": 128, "tile_stream": 112}, 0.1, 0.11), tune.entry_of(causal, {"tile_stream": 96}, 0.1, 0.11),
           tune.entry_of(decode, {"splits": 33, "depth": 4}, 0.06, 0.07)]
folder.joinpath("table.json").write_text(tune.table_text("sm_90a", "nothing", entries))
modules = {"prefill": prefill, "causal": causal, "decode": decode, "other-heads": works.DECODE[1], "other-dim": works.Attention(64, 1024, False, "f16")}
for name, work in modules.items():
    folder.joinpath(f"{name}.mlir").write_text(work.text)
# More heads are more of the same where queries are many.
folder.joinpath("more-heads.mlir").write_text(works.attention_text((64, 32, 1024, 96), (64, 32, 1024, 96), "f16"))
