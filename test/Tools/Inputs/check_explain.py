"""Checks the JSON of `softmax-compile --explain=json` on explain.mlir for sm_90a: fields by name, numbers as numbers."""
import json
import sys

answer = json.load(open(sys.argv[1]))
assert answer["compiles"] is True and answer["target"] == "sm_90a" and answer["alignment"] == 16, answer
assert answer["errors"] == [] and answer["alternatives"] == [], answer
(op,) = answer["ops"]
assert op["op"] == "smx.attention" and op["place"].endswith("explain.mlir:3:8"), op
choices = {choice["name"]: choice for choice in op["decisions"]}
tiles = choices["TileSizes"]
assert tiles["pass"] == "smx-tile" and tiles["missed"] is False and tiles["values"]["deferred"] is False, tiles
masked = choices["MaskedTiles"]["values"]
rows, keys = tiles["values"]["rows"], tiles["values"]["stream"]
assert masked["whole"] + masked["cut"] + masked["skipped"] == (1024 // rows) * (1024 // keys), masked
(kernel,) = op["kernels"]
assert kernel["products"] == "wgmma" and 0 < kernel["shared_bytes"] <= kernel["shared_limit"], kernel
assert sum(role["warps"] for role in kernel["roles"]) == kernel["warps"], kernel
