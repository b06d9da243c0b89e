//===- LongRowSchedule.h - threads and blocks of one long row ---*- C++ -*-===//
#ifndef SMX_LIB_GPU_LONGROWSCHEDULE_H
#define SMX_LIB_GPU_LONGROWSCHEDULE_H

#include "NestShape.h"

namespace mlir::smx::gpu {

/// True for one row of more than 4 KiB, or of a class that has a schedule of
/// its own.
bool isLongRow(const NestShape &shape, const ScheduleOptions &options);

/// The schedule of a long row: how many threads hold it, in how
/// many blocks. `schedule` has a layout already, whose place another one takes.
void spreadRow(BlockSchedule &schedule, const NestShape &shape,
               const ScheduleOptions &options);

/// Threads of a multiprocessor, of all its blocks, where a loop reads long
/// tiles of a row.
int64_t threadsOfStream(const NestShape &shape, const ScheduleOptions &options);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_LONGROWSCHEDULE_H
