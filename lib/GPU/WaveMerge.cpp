//===- WaveMerge.cpp - a launch that merges parts of tiles ----------------===//

#include "WaveMerge.h"

#include "FetchCode.h"
#include "Multiples.h"

#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

namespace mlir::smx::gpu {

constexpr int64_t warps = 4, vector = 4;

std::optional<WaveMerge> WaveMerge::of(const WaveTile &tile,
                                       const WaveCut &cut) {
  // Elements of all parts that a thread holds; and rows of a block, so that
  // there are enough blocks.
  constexpr int64_t mostElements = 64, mostRows = 8;
  constexpr int64_t warp = ::smx::gpu::warpThreads, threads = warps * warp;
  const int64_t columns = tile.getColumns();
  int64_t widest = 1;
  while (2 * widest <= threads && columns % (2 * widest * vector) == 0)
    widest *= 2;
  // A warp to a row, or more of them where there are many parts.
  for (int64_t along = std::min(warp, widest); along <= widest; along *= 2) {
    const int64_t least = threads / along;
    for (int64_t rows = std::max(mostRows, least); rows >= least; rows /= 2)
      if (cut.parts * rows * columns / threads <= mostElements &&
          tile.getRows() % rows == 0)
        return WaveMerge(tile, cut,
                         StripedAttr::get(tile.getValuesType().getContext(),
                                          least, along, vector),
                         rows);
  }
  return std::nullopt;
}

MemRefType WaveMerge::getMemoryOfRows() const {
  return MemRefType::get({cut.tiles, cut.parts, tile.getRows()},
                         tile.getValuesType().getElementType());
}

MemRefType WaveMerge::getMemoryOfValues() const {
  return MemRefType::get(
      {cut.tiles, cut.parts, tile.getRows(), tile.getColumns()},
      tile.getValuesType().getElementType());
}

Type WaveMerge::convert(Type type) const {
  auto whole = dyn_cast<RankedTensorType>(type);
  if (!whole)
    return type;
  SmallVector<int64_t> extents(whole.getShape());
  extents.front() = rows;
  Attribute encoding = layout;
  if (getSlice(whole))
    encoding = SliceAttr::get(layout.getContext(), /*dim=*/1, layout);
  return RankedTensorType::get(extents, whole.getElementType(), encoding);
}

Value WaveMerge::argumentFor(Value operand) {
  Block &body = kernel.getBody().front();
  for (auto [known, argument] : llvm::zip(operands, body.getArguments()))
    if (known == operand)
      return argument;
  operands.push_back(operand);
  return body.addArgument(operand.getType(), operand.getLoc());
}

/// A clone of `op` on the rows of a block.
static Operation *cloneOnRows(OpBuilder &builder, Operation *op,
                              IRMapping &mapping,
                              llvm::function_ref<Type(Type)> convert) {
  Operation *copy = builder.clone(*op, mapping);
  for (OpResult result : copy->getResults())
    result.setType(convert(result.getType()));
  if (auto constant = dyn_cast<arith::ConstantOp>(copy))
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
      constant.setValueAttr(
          SplatElementsAttr::get(cast<ShapedType>(convert(splat.getType())),
                                 splat.getSplatValue<Attribute>()));
  return copy;
}

Value WaveMerge::numberFor(Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    assert(argument.getOwner() == &tile.kernel.getBody().front());
    Value copy =
        argumentFor(walkLaunch.getArguments()[argument.getArgNumber()]);
    mapping.map(value, copy);
    return copy;
  }
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    numberFor(operand);
  cloneOnRows(builder, op, mapping, [&](Type type) { return convert(type); });
  return mapping.lookup(value);
}

WalkState WaveMerge::mergeStates(Value cutTile, ValueRange states) {
  Location loc = tile.walk.getLoc();
  auto rowsType = cast<RankedTensorType>(convert(tile.last.sum.getType())),
       valuesType = cast<RankedTensorType>(convert(tile.getValuesType()));
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  auto load = [&](Value memory, RankedTensorType type, int64_t part) -> Value {
    Value j = arith::ConstantIndexOp::create(builder, loc, part);
    SmallVector<Value> place{cutTile, j, firstRow};
    SmallVector<int64_t> dims{2};
    if (type.getRank() == 2) {
      place.push_back(zero);
      dims.push_back(3);
    }
    return LoadOp::create(builder, loc, type, memory, place,
                          /*valid=*/ValueRange(), /*slide=*/Value(), dims,
                          /*aligned=*/type.getRank() == 2 ? 16 : 0,
                          /*again=*/false);
  };
  // All of them are under way before the first is looked at.
  SmallVector<WalkState> parts(cut.parts);
  for (auto [j, part] : llvm::enumerate(parts)) {
    part.reference = load(states[0], rowsType, j);
    part.sum = load(states[1], rowsType, j);
  }
  for (auto [j, part] : llvm::enumerate(parts))
    part.values = load(states[2], valuesType, j);

  return WalkState::merge(builder, loc, parts);
}

Value WaveMerge::countRows() {
  for (Operation *op : tile.finish)
    if (auto store = dyn_cast<StoreOp>(op); store && !store.getValid().empty())
      return arith::SubIOp::create(builder, store.getLoc(),
                                   numberFor(store.getValid()[0]), firstRow);
  return {};
}

void WaveMerge::cloneStore(StoreOp store) {
  Location loc = store.getLoc();
  const int64_t along = store.getDims()[0];
  auto offsets = llvm::map_to_vector(
      store.getOffsets(), [&](Value offset) { return numberFor(offset); });
  offsets[along] =
      arith::AddIOp::create(builder, loc, offsets[along], firstRow);
  auto valid = llvm::map_to_vector(
      store.getValid(), [&](Value count) { return numberFor(count); });
  if (!valid.empty()) {
    // Of the rows of a block all are beyond the end, or none.
    const int64_t extent = store.getDestination().getType().getDimSize(along);
    Value offset = store.getOffsets()[along];
    bool areTogether =
        !ShapedType::isDynamic(extent) && extent % rows == 0 &&
        isMultipleOf(offset, rows) &&
        isRest(store.getValid()[0], tile.getRows(), extent, offset);
    valid[0] =
        areTogether
            ? Value(arith::ConstantIndexOp::create(builder, loc, rows))
            : Value(arith::SubIOp::create(builder, loc, valid[0], firstRow));
    if (areTogether &&
        (valid.size() == 1 || getConstantIntValue(store.getValid()[1]) ==
                                  store.getTile().getType().getDimSize(1)))
      valid.clear();
  }
  // Where rows are neighbours in memory, those of a block start at theirs.
  MemRefType memory = store.getDestination().getType();
  int64_t aligned = store.getAligned();
  if (along == memory.getRank() - 1)
    aligned = std::min(aligned, rows * elementBytes(memory));
  StoreOp::create(builder, loc, mapping.lookup(store.getTile()),
                  numberFor(store.getDestination()), offsets, valid,
                  /*slide=*/Value(), store.getDims(), aligned);
}

void WaveMerge::cloneResults(const WalkState &state) {
  for (auto [from, to] : llvm::zip_equal(tile.last.all(), state.all()))
    mapping.map(from, to);
  for (Operation *op : tile.finish) {
    if (auto store = dyn_cast<StoreOp>(op)) {
      cloneStore(store);
      continue;
    }
    for (Value operand : op->getOperands())
      numberFor(operand);
    cloneOnRows(builder, op, mapping, [&](Type type) { return convert(type); });
  }
}

void WaveMerge::build(LaunchOp launch, ValueRange states) {
  walkLaunch = launch;
  Location loc = tile.walk.getLoc();
  std::string name = (tile.kernel.getName() + "_merge").str();
  builder = OpBuilder(tile.kernel->getContext());
  builder.setInsertionPointAfter(tile.kernel);
  kernel = KernelOp::create(builder, loc, name, builder.getFunctionType({}, {}),
                            /*arg_attrs=*/nullptr, /*res_attrs=*/nullptr, warps,
                            /*cluster=*/1, tile.kernel.getSharedLimit(),
                            /*min_blocks=*/1);
  SymbolTable(tile.kernel->getParentOfType<ModuleOp>()).insert(kernel);
  builder.createBlock(&kernel.getBody());
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto memory = llvm::map_to_vector(
      states, [&](Value state) { return argumentFor(state); });
  Value block =
      ::mlir::gpu::BlockIdOp::create(builder, loc, ::mlir::gpu::Dimension::x);
  Value blocksOfTile = constant(tile.getRows() / rows);
  Value cutTile = arith::DivUIOp::create(builder, loc, block, blocksOfTile);
  Value number = arith::RemUIOp::create(builder, loc, block, blocksOfTile);
  firstRow = arith::MulIOp::create(builder, loc, number, constant(rows));
  mapping.map(
      tile.walk.getInductionVar(),
      arith::AddIOp::create(builder, loc, cutTile, constant(cut.whole)));
  Operation *end = ReturnOp::create(builder, loc);
  builder.setInsertionPoint(end);
  if (Value count = countRows()) {
    Value areThere = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::sgt, count, constant(0));
    auto branch = scf::IfOp::create(builder, loc, areThere);
    builder.setInsertionPoint(branch.thenYield());
  }
  cloneResults(mergeStates(cutTile, memory));
  kernel.setFunctionType(
      builder.getFunctionType(kernel.getBody().front().getArgumentTypes(), {}));

  OpBuilder host(launch->getContext());
  host.setInsertionPointAfter(launch);
  Value one = arith::ConstantIndexOp::create(host, loc, 1);
  Value blocks = arith::ConstantIndexOp::create(
      host, loc, cut.tiles * (tile.getRows() / rows));
  LaunchOp::create(host, loc, kernel.getSymName(), blocks, one, one, operands);
}

} // namespace mlir::smx::gpu
