//===- SourcePlace.h - where in a file something stands ---------*- C++ -*-===//
#ifndef SMX_IR_SOURCEPLACE_H
#define SMX_IR_SOURCEPLACE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::smx {

/// "file:line:column", or nothing where a location has none.
inline std::string placeOf(Location location) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto place = location->findInstanceOf<FileLineColLoc>())
    os << place.getFilename().getValue() << ":" << place.getLine() << ":"
       << place.getColumn();
  return text;
}

/// "file:line:column: message", or the message alone.
inline std::string placed(Location location, const Twine &message) {
  std::string place = placeOf(location);
  return place.empty() ? message.str() : place + ": " + message.str();
}

} // namespace mlir::smx

#endif // SMX_IR_SOURCEPLACE_H
