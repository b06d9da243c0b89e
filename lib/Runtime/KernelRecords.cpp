//===- KernelRecords.cpp - compiled functions as files --------------------===//

#include "KernelRecords.h"

#include "smx/Evaluator/Records.h"

namespace json = llvm::json;

namespace smx {

static json::Value toJSON(const TensorSpec &spec) {
  return json::Object{{"dtype", llvm::StringRef(reference::nameOf(spec.dtype))},
                      {"tensor", spec.isTensor},
                      {"sizes", json::Array(spec.sizes)},
                      {"strides", json::Array(spec.strides)}};
}

static bool fromJSON(const json::Value &value, TensorSpec &spec,
                     json::Path path) {
  json::ObjectMapper mapper(value, path);
  std::string name;
  std::vector<int64_t> sizes, strides;
  if (!mapper || !mapper.map("dtype", name) ||
      !mapper.map("tensor", spec.isTensor) || !mapper.map("sizes", sizes) ||
      !mapper.map("strides", strides))
    return false;
  auto dtype = reference::dtypeFromName(name);
  if (!dtype) {
    path.field("dtype").report("unknown element type");
    return false;
  }
  spec.dtype = *dtype;
  spec.sizes.assign(sizes.begin(), sizes.end());
  spec.strides.assign(strides.begin(), strides.end());
  return true;
}

json::Value toJSON(const FunctionRecord &record) {
  json::Array extents;
  for (mlir::smx::gpu::ArgumentExtent extent : record.openExtents)
    extents.push_back(json::Array{int64_t(extent.argument), extent.dim,
                                  int64_t(extent.isNeeded)});
  json::Object object{{"name", record.name},
                      {"inputs", record.signature.inputs},
                      {"outputs", record.signature.outputs},
                      {"open_extents", std::move(extents)}};
  if (record.resultShapes)
    object["result_shapes"] = toJSON(*record.resultShapes);
  return object;
}

bool fromJSON(const json::Value &value, FunctionRecord &record,
              json::Path path) {
  json::ObjectMapper mapper(value, path);
  std::vector<std::vector<int64_t>> extents;
  if (!mapper || !mapper.map("name", record.name) ||
      !mapper.map("inputs", record.signature.inputs) ||
      !mapper.map("outputs", record.signature.outputs) ||
      !mapper.map("open_extents", extents) ||
      !mapper.mapOptional("result_shapes", record.resultShapes))
    return false;
  const llvm::SmallVector<size_t, 8> ranks = ranksOf(record.signature);
  // Sizes of results follow from inputs alone.
  if (record.resultShapes &&
      !record.resultShapes->getNumbers().fits(
          llvm::ArrayRef(ranks).take_front(record.signature.inputs.size()))) {
    path.field("result_shapes")
        .report("expected arguments and dimensions that the inputs have");
    return false;
  }
  for (const std::vector<int64_t> &extent : extents) {
    if (extent.size() != 3 || uint64_t(extent[0]) >= ranks.size() ||
        uint64_t(extent[1]) >= ranks[extent[0]] || uint64_t(extent[2]) > 1) {
      path.field("open_extents")
          .report("expected an argument, a dimension that it has, and 0 or 1");
      return false;
    }
    record.openExtents.push_back(
        {unsigned(extent[0]), extent[1], extent[2] != 0});
  }
  return true;
}

} // namespace smx

namespace mlir::smx {

static json::Value toJSON(const TensorMapUse &use) {
  return json::Object{{"argument", use.argument},
                      {"element", use.element},
                      {"dims", use.dims},
                      {"box", use.box},
                      {"swizzle", use.swizzle}};
}

static bool fromJSON(const json::Value &value, TensorMapUse &use,
                     json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("argument", use.argument) &&
         mapper.map("element", use.element) && mapper.map("dims", use.dims) &&
         mapper.map("box", use.box) && mapper.map("swizzle", use.swizzle);
}

static json::Value toJSON(const KernelLaunch &launch) {
  return json::Object{{"threads", launch.threads},
                      {"cluster", launch.cluster},
                      {"shared_bytes", launch.sharedBytes},
                      {"overlaps_previous", launch.overlapsPrevious},
                      {"tensor_maps", launch.tensorMaps}};
}

static bool fromJSON(const json::Value &value, KernelLaunch &launch,
                     json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("threads", launch.threads) &&
         mapper.map("cluster", launch.cluster) &&
         mapper.map("shared_bytes", launch.sharedBytes) &&
         mapper.map("overlaps_previous", launch.overlapsPrevious) &&
         mapper.map("tensor_maps", launch.tensorMaps);
}

} // namespace mlir::smx

bool smx::VariantRecord::hasKernels() const {
  using mlir::smx::LaunchPlan;
  return llvm::all_of(plan.getSteps(), [&](const LaunchPlan::Step &step) {
    const auto *launch = std::get_if<LaunchPlan::Launch>(&step);
    return !launch || launches.count(launch->kernel);
  });
}

json::Value smx::toJSON(const VariantRecord &record) {
  json::Object launches;
  for (const auto &[kernel, launch] : record.launches)
    launches[kernel] = toJSON(launch);
  return json::Object{{"plan", toJSON(record.plan)},
                      {"launches", std::move(launches)}};
}

bool smx::fromJSON(const json::Value &value, VariantRecord &record,
                   json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("plan", record.plan) &&
         mapper.map("launches", record.launches);
}
