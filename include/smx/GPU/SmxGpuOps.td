//===- SmxGpuOps.td - the smx_gpu dialect -------------------*- tablegen -*-===//
#ifndef SMX_GPU_SMXGPUOPS_TD
#define SMX_GPU_SMXGPUOPS_TD

include "smx/GPU/QueueOps.td"

#endif // SMX_GPU_SMXGPUOPS_TD
