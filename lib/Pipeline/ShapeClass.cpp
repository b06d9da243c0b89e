//===- ShapeClass.cpp - what schedules are chosen by ----------------------===//

#include "smx/IR/Smx.h"
#include "smx/Pipeline/ScheduleTable.h"

#include "mlir/IR/Remarks.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::smx;

static std::optional<int64_t> extentOf(RankedTensorType type, int64_t dim) {
  if (type.isDynamicDim(dim))
    return std::nullopt;
  return type.getDimSize(dim);
}

/// The product of extents; none if one is open.
static std::optional<int64_t> productOf(ArrayRef<int64_t> extents) {
  if (ShapedType::isDynamicShape(extents))
    return std::nullopt;
  return ShapedType::getNumElements(extents);
}

/// "band" of #smx.band<..>.
static std::string maskName(Attribute mask) {
  return mask ? mask.getAbstractAttribute().getName().rsplit('.').second.str()
              : "none";
}

llvm::ArrayRef<StringRef> mlir::smx::getMaskNames() {
  static constexpr StringRef names[] = {"none",
                                        BandAttr::getMnemonic(),
                                        PrefixAttr::getMnemonic(),
                                        ChunksAttr::getMnemonic(),
                                        KeyLengthsAttr::getMnemonic(),
                                        KeyRangesAttr::getMnemonic(),
                                        BlocksAttr::getMnemonic(),
                                        PackedAttr::getMnemonic(),
                                        AllOfAttr::getMnemonic()};
  return names;
}

ShapeClass mlir::smx::classOf(Operation *op) {
  ShapeClass shape;
  shape.op = op->getName().stripDialect().str();
  auto type = dyn_cast_or_null<RankedTensorType>(
      op->getNumOperands() ? op->getOperand(0).getType() : Type());
  if (!type)
    return shape;
  shape.type = debugString(type.getElementType());
  if (auto attention = dyn_cast<AttentionOp>(op)) {
    shape.mask = maskName(attention.getMaskAttr());
    shape.headDim = extentOf(type, type.getRank() - 1);
    shape.rows = extentOf(type, type.getRank() - 2);
    auto keys = attention.getKey().getType();
    shape.stream = extentOf(keys, keys.getRank() - 2);
    shape.heads = productOf(type.getShape().drop_back(2));
    return shape;
  }
  auto axis = op->getAttrOfType<IntegerAttr>("axis");
  int64_t streamed = axis ? axis.getInt() : type.getRank() - 1;
  shape.stream = extentOf(type, streamed);
  SmallVector<int64_t> rows(type.getShape());
  rows.erase(rows.begin() + streamed);
  shape.rows = productOf(rows);
  return shape;
}

void mlir::smx::walkOps(ModuleOp module,
                        function_ref<void(Operation *)> visit) {
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa_and_nonnull<SmxDialect>(op->getDialect()))
      return WalkResult::advance();
    visit(op);
    // Regions of an op are parts of it.
    return WalkResult::skip();
  });
}

std::vector<ShapeClass> mlir::smx::classesOf(ModuleOp module) {
  std::vector<ShapeClass> classes;
  walkOps(module, [&](Operation *op) {
    ShapeClass shape = classOf(op);
    if (!llvm::is_contained(classes, shape))
      classes.push_back(std::move(shape));
  });
  return classes;
}

llvm::Error mlir::smx::applyScheduleTable(ModuleOp module,
                                          const RoadOptions &options) {
  if (!options.schedules)
    return llvm::Error::success();
  const ScheduleTable &table = *options.schedules;
  if (llvm::Error error = table.checkChip(options))
    return error;
  constexpr StringLiteral category = "smx-schedule-table";
  auto remarks =
      remark::RemarkOpts::name("MeasuredSchedule").category(category);
  SmallVector<std::pair<Operation *, ScheduleChoice>> choices;
  walkOps(module, [&](Operation *op) {
    const ScheduleEntry *entry = table.find(classOf(op));
    choices.emplace_back(op, entry ? entry->choice : ScheduleChoice());
  });
  if (choices.empty())
    return llvm::Error::success();
  // The options of the passes are those of a module.
  ScheduleChoice choice = choices.front().second;
  bool isOne =
      llvm::all_of(choices, [&](auto &pair) { return pair.second == choice; });
  for (auto &[op, wanted] : choices) {
    if (wanted == ScheduleChoice())
      continue;
    if (isOne)
      remark::passed(op->getLoc(), remarks)
          << "from '" << table.getName() << "': " << describe(wanted);
    else
      remark::missed(op->getLoc(), remarks)
          << "'" << table.getName() << "' has " << describe(wanted)
          << ", but other things for other ops of the module";
  }
  if (!isOne || choice == ScheduleChoice())
    return llvm::Error::success();
  Builder builder(module.getContext());
  NamedAttrList noted;
  for (const ChoiceKey &key : getChoiceKeys())
    if (int64_t value = choice.*key.choice)
      noted.set(key.key, builder.getI64IntegerAttr(value));
  module->setAttr(scheduleAttrName, noted.getDictionary(module.getContext()));
  return llvm::Error::success();
}

RoadOptions mlir::smx::withScheduleOf(ModuleOp module,
                                      const RoadOptions &options) {
  auto noted = module->getAttrOfType<DictionaryAttr>(scheduleAttrName);
  if (!noted)
    return options;
  ScheduleChoice choice;
  for (const ChoiceKey &key : getChoiceKeys())
    if (auto value = noted.getAs<IntegerAttr>(key.key))
      choice.*key.choice = value.getInt();
  RoadOptions filled = options;
  fillIn(filled, choice);
  return filled;
}
