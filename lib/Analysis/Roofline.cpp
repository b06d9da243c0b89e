//===- Roofline.cpp - the least time that work can take -------------------===//

#include "smx/Analysis/Roofline.h"

using namespace smx;

// h200: bandwidth of a large copy and bf16 products as measured on the chip;
// f32 (CUDA cores) from the data sheet. a100 (80 GB, SXM): the data sheet.
// Exponentials: 16 per clock and multiprocessor.
static const ChipPeaks chips[] = {
    {"h200", 4.27e12, 778e12, 66.9e12, 3.9e12},
    {"a100", 2.039e12, 312e12, 19.5e12, 2.4e12},
};

double Work::intensity() const {
  return bytes() == 0 ? 0.0 : double(productFlops() + otherFlops) / bytes();
}

std::optional<ChipPeaks> smx::findPeaks(std::string_view name) {
  for (const ChipPeaks &chip : chips)
    if (chip.name == name)
      return chip;
  return std::nullopt;
}

std::string smx::getChipNames() {
  std::string names;
  for (const ChipPeaks &chip : chips)
    names += (names.empty() ? "" : ", ") + chip.name;
  return names;
}

RooflineTime smx::getRooflineTime(const Work &work, const ChipPeaks &chip) {
  RooflineTime time{work.bytes() / chip.bytes, "memory"};
  auto raise = [&](double seconds, const char *limit) {
    if (seconds > time.seconds)
      time = {seconds, limit};
  };
  // Wide products run on the same units as the other arithmetic.
  raise(work.narrowProductFlops / chip.narrowProductFlops, "products");
  raise((work.wideProductFlops + work.otherFlops) / chip.wideFlops,
        work.wideProductFlops > work.otherFlops ? "products" : "vector");
  if (chip.exponentials > 0)
    raise(work.exponentials / chip.exponentials, "exponentials");
  return time;
}
