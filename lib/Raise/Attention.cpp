#include "Attention.h"
bool mlir::smx::raiseAttention(RewriterBase &, linalg::LinalgOp) { return false; }
