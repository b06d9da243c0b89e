//===- SmxOps.td - all ops of the dialect -------------------*- tablegen -*-===//
#ifndef SMX_IR_SMXOPS_TD
#define SMX_IR_SMXOPS_TD

include "smx/IR/PageOps.td"
include "smx/IR/SpecOps.td"
include "smx/IR/StateOps.td"

#endif // SMX_IR_SMXOPS_TD
