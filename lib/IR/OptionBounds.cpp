//===- OptionBounds.cpp - what options of passes can be -------------------===//

#include "smx/IR/OptionBounds.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

using namespace mlir;
using namespace mlir::smx;

LogicalResult mlir::smx::checkOptions(MLIRContext *context,
                                      ArrayRef<OptionBound> options) {
  constexpr int64_t unbounded = OptionBound().most;
  for (const auto &[name, value, least, most] : options)
    if (value < least || value > most) {
      InFlightDiagnostic error = emitError(UnknownLoc::get(context));
      error << "option '" << name << "' must be ";
      if (most == unbounded)
        error << "at least " << least;
      else
        error << "from " << least << " to " << most;
      return error << ", got " << value;
    }
  return success();
}
