//===- WarpsOfColumns.cpp - what warps exchange of a strip ----------------===//

#include "WarpsOfColumns.h"

#include "WarpExchange.h"

#include "smx/GPU/SmxGpu.h"

namespace mlir::smx {
using ::smx::gpu::warpThreads;

ThreadsAlong threadsAlong(gpu::LayoutAttrInterface layout, int64_t dim) {
  if (auto striped = dyn_cast<gpu::StripedAttr>(layout))
    return dim == 1 ? ThreadsAlong{striped.getColumnThreads(), 1}
                    : ThreadsAlong{striped.getRowThreads(),
                                   striped.getColumnThreads()};
  int64_t warps = cast<gpu::FragmentAttr>(layout).getWarps();
  return dim == 1 ? ThreadsAlong{4, 1} : ThreadsAlong{8 * warps, 4};
}

Value ThreadsAlong::place(ThreadCode &code) const {
  return code.remainder(code.quotient(code.thread(), distance), count);
}

WarpAlong::WarpAlong(ThreadCode &code, ThreadsAlong along) {
  Value place = along.place(code);
  isFirstLane =
      LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::eq,
                           code.remainder(place, along.lanes()), code.i32(0));
  number = code.quotient(place, along.lanes());
}

WarpsOfColumns::WarpsOfColumns(ThreadsAlong along, RankedTensorType slice)
    : values(slice.getNumElements()) {
  constexpr int64_t manyWarps = 8;
  int64_t element = elementBytes(slice.getElementType());
  lanes = llvm::PowerOf2Ceil(along.warps());
  isShared = along.distance > 1 && along.distance <= warpThreads &&
             along.warps() >= manyWarps && lanes <= warpThreads &&
             values % warpThreads == 0;
  // Few lanes that read values of all warps meet in a bank.
  bytes = values * element;
  if (isShared)
    bytes += std::max<int64_t>(warpThreads / lanes * element, 16);
}

Value combineAll(ThreadCode &code, gpu::Combiner kind,
                 SmallVector<Value> values, size_t rows, bool areColumns) {
  size_t running =
      areColumns ? std::max<size_t>(8 / rows, 1)
      : rows > 1 ? values.size()
      : elementBytes(getElementTypeOrSelf(values.front().getType())) > 4 ? 4
                                                                         : 8;
  for (size_t i = running; i < values.size(); ++i)
    values[i % running] = combine(code, kind, values[i % running], values[i]);
  values.truncate(std::min(values.size(), running));
  while (values.size() > 1) {
    size_t half = llvm::divideCeil(values.size(), 2);
    for (size_t i = 0; i + half < values.size(); ++i)
      values[i] = combine(code, kind, values[i], values[i + half]);
    values.truncate(half);
  }
  return values.front();
}

/// Lanes of a warp have the values of all warps at some positions, and leave
/// what they come to in the place of the first warp's. A warp has every so many
/// groups of positions.
static void combineShared(ThreadCode &code, gpu::Combiner kind, Type type,
                          const WarpsOfColumns &exchanged, int64_t warps,
                          Value warp, Value scratch) {
  const int64_t bytes = elementBytes(type), lanes = exchanged.lanes,
                atOnce = warpThreads / lanes,
                groups = exchanged.values / atOnce;
  auto isBelow = [&](Value a, int64_t b) -> Value {
    return LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::ult, a, code.i32(b));
  };
  Value from = code.remainder(code.lane(), lanes),
        position = code.add(code.mul(warp, code.i32(atOnce)),
                            code.quotient(code.lane(), lanes));
  Value to = code.advance(scratch, code.mul(position, code.i32(bytes)));
  Value isThere = isBelow(from, warps);
  // What is behind the last warp is read from the last one's place, as the
  // first one's is written, and what is behind the last position from the
  // warp's first: nobody else writes there.
  Value row = LLVM::SelectOp::create(code, isThere, from, code.i32(warps - 1));
  Value first = code.advance(to, code.mul(row, code.i32(exchanged.bytes)));
  SmallVector<std::pair<Value, Value>> combined;
  for (int64_t group = 0; group < groups; group += warps) {
    int64_t offset = group * atOnce * bytes;
    Value isFirst =
        LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::eq, from, code.i32(0));
    Value place = code.advance(first, offset);
    if (group + warps > groups) {
      Value isPosition = isBelow(warp, groups - group);
      isFirst = LLVM::AndOp::create(code, isFirst, isPosition);
      place = LLVM::SelectOp::create(code, isPosition, place, first);
    }
    Value value = LLVM::LoadOp::create(code, type, place, bytes);
    for (int64_t step = 1; step < lanes; step *= 2) {
      Value both = combine(code, kind, value, exchange(code, value, step));
      // The first lane of each half has all of it.
      if (warps != lanes)
        both = LLVM::SelectOp::create(
            code,
            isBelow(LLVM::XOrOp::create(code, from, code.i32(step)), warps),
            both, value);
      value = both;
    }
    combined.emplace_back(isFirst, value);
  }
  for (auto [i, result] : llvm::enumerate(combined))
    code.when(result.first, [&, i = i, value = result.second] {
      LLVM::StoreOp::create(
          code, value, code.advance(to, int64_t(i) * warps * atOnce * bytes),
          bytes);
    });
}

int64_t adjacentValues(RankedTensorType slice, int64_t bytes) {
  int64_t count = gpu::getRegisterCount(slice);
  int64_t run = std::min<int64_t>(16 / bytes, count & -count);
  auto isRun = [&](int64_t length) {
    return llvm::all_of(llvm::seq(count), [&](int64_t i) {
      return gpu::getElement(slice, 0, i).row ==
             gpu::getElement(slice, 0, i / length * length).row + i % length;
    });
  };
  while (!isRun(run))
    run /= 2;
  return run;
}

SmallVector<Value> combineWarpsOfColumns(ThreadCode &code, gpu::Combiner kind,
                                         RankedTensorType slice,
                                         ThreadsAlong along, Value scratch,
                                         bool isFree, ArrayRef<Value> values) {
  Type type = values.front().getType();
  WarpsOfColumns exchanged(along, slice);
  const int64_t bytes = elementBytes(type), warps = along.warps(),
                warpBytes = exchanged.bytes, run = adjacentValues(slice, bytes);
  auto offsetOf = [&](int64_t i) {
    return gpu::getElement(slice, 0, i).row * bytes;
  };
  Value all = code.advance(
      scratch, code.mul(code.threadPart(slice).row, code.i32(bytes)));
  WarpAlong warp(code, along);
  Value mine = code.advance(all, code.mul(warp.number, code.i32(warpBytes)));
  if (!isFree)
    code.groupBarrier();
  code.when(warp.isFirstLane, [&] {
    for (int64_t i = 0; i < int64_t(values.size()); i += run)
      LLVM::StoreOp::create(code, code.fromRegisters(values.slice(i, run)),
                            code.advance(mine, offsetOf(i)), run * bytes);
  });
  code.groupBarrier();
  if (exchanged.isShared) {
    combineShared(code, kind, type, exchanged, warps, warp.number, scratch);
    code.groupBarrier();
  }

  SmallVector<Value> results;
  for (int64_t i = 0; i < int64_t(values.size()); i += run) {
    SmallVector<SmallVector<Value>> parts(run);
    for (int64_t w : llvm::seq(exchanged.isShared ? 1 : warps)) {
      Value part = LLVM::LoadOp::create(
          code, VectorType::get(run, type),
          code.advance(all, offsetOf(i) + w * warpBytes), run * bytes);
      for (int64_t k : llvm::seq(run))
        parts[k].push_back(code.getRegister(part, k));
    }
    for (SmallVector<Value> &ofPosition : parts)
      results.push_back(combineAll(code, kind, ofPosition, values.size(),
                                   /*areColumns=*/true));
  }
  return results;
}

} // namespace mlir::smx
