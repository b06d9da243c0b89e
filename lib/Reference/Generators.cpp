//===- Generators.cpp - inputs by name ------------------------------------===//
#include "smx/Reference/Generators.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace smx::reference {

namespace {
/// Numbers that depend on the seed alone: the standard fixes the engine's bits,
/// but leaves its distributions to the library.
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}

  /// In [0, 1), a multiple of 2^-53.
  double unit() { return static_cast<double>(engine() >> 11) * 0x1p-53; }
  int64_t below(int64_t n) {
    return static_cast<int64_t>(unit() * static_cast<double>(n));
  }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - unit()));
    return radius * std::cos(2 * std::numbers::pi * unit());
  }

private:
  std::mt19937_64 engine;
};

/// One row to be filled.
struct RowToFill {
  std::vector<double> &x;
  /// Which row of the tensor it is.
  int64_t number;
  int64_t tile;
  DType dtype;
  Random &random;

  int64_t length() const { return static_cast<int64_t>(x.size()); }
  int64_t tiles() const { return (length() + tile - 1) / tile; }
  void fillNormal() const {
    for (double &value : x)
      value = random.normal();
  }
  /// `size`, or what is left of it in a type that does not reach as far.
  double reach(double size) const { return std::min(size, maxFinite(dtype)); }
  void set(int64_t j, double value) const {
    if (j >= 0 && j < length())
      x[j] = value;
  }
};

struct Generator {
  GeneratorInfo info;
  void (*fill)(const RowToFill &row);
};
} // namespace

/// 100 per tile, unless the last tile would leave the range of the dtype.
static double stepPerTile(const RowToFill &row) {
  return std::min(100.0,
                  maxFinite(row.dtype) / 2 /
                      static_cast<double>(std::max<int64_t>(1, row.tiles())));
}

static void fillStaircase(const RowToFill &row) {
  row.fillNormal();
  for (int64_t j = 0; j < row.length(); ++j)
    row.x[j] += stepPerTile(row) * static_cast<double>(j / row.tile);
}

static void fillFalling(const RowToFill &row) {
  row.fillNormal();
  for (int64_t j = 0; j < row.length(); ++j)
    row.x[j] +=
        stepPerTile(row) * static_cast<double>(row.tiles() - 1 - j / row.tile);
}

static void fillSpikeLast(const RowToFill &row) {
  row.fillNormal();
  const int64_t start = std::max<int64_t>(0, row.tiles() - 1) * row.tile;
  row.set(start + row.random.below(row.length() - start), row.reach(1000));
}

static void fillAlternating(const RowToFill &row) {
  const double size = row.dtype == DType::F64   ? 1.7e308
                      : row.dtype == DType::F16 ? 60000
                                                : row.reach(3e38);
  for (int64_t j = 0; j < row.length(); ++j)
    row.x[j] = j % 2 ? -size : size;
}

static void fillDenormals(const RowToFill &row) {
  const double smallestNormal = std::ldexp(1, minExponent(row.dtype));
  for (double &value : row.x)
    value = (2 * row.random.unit() - 1) * smallestNormal;
}

/// Every other row stays clean, so that a leak into a neighbour shows.
static void fillWithOne(const RowToFill &row, double special) {
  row.fillNormal();
  const int64_t place = row.random.below(row.length());
  if (row.number % 2 == 0)
    row.set(place, special);
}

static void fillHugeJump(const RowToFill &row) {
  row.fillNormal();
  for (int64_t j = 0; j < row.length() / 2; ++j)
    row.x[j] -= row.reach(2000) / 2;
}

static void fillRamp(const RowToFill &row) {
  const double last =
      static_cast<double>(std::max<int64_t>(1, row.length() - 1));
  for (int64_t j = 0; j < row.length(); ++j)
    row.x[j] = -10 + 20 * static_cast<double>(j) / last;
}

static const std::vector<Generator> &generators() {
  static const std::vector<Generator> table = {
      {{"normal", "mean 0, variance 1"},
       [](const RowToFill &row) { row.fillNormal(); }},
      {{"uniform", "between -1 and 1"},
       [](const RowToFill &row) {
         for (double &value : row.x)
           value = 2 * row.random.unit() - 1;
       }},
      {{"staircase", "rises by 100 per tile: every tile moves the maximum"},
       fillStaircase},
      {{"falling", "falls by 100 per tile: only the first tile counts"},
       fillFalling},
      {{"spike_last", "normal, but one 1000 (or the largest number) in the "
                      "last tile"},
       fillSpikeLast},
      {{"spike_masked", "normal, but the last element, which causal and tail "
                        "masks hide, is 10000 (or the largest number)"},
       [](const RowToFill &row) {
         row.fillNormal();
         row.set(row.length() - 1, row.reach(10000));
       }},
      {{"all_equal", "one number per row"},
       [](const RowToFill &row) {
         std::fill(row.x.begin(), row.x.end(), row.random.normal());
       }},
      {{"alternating",
        "+ and - 60000 in f16, 3e38 in f32 and bf16, 1.7e308 in f64, 448 in "
        "f8E4M3FN"},
       fillAlternating},
      {{"denormals", "below the smallest normal number of the dtype"},
       fillDenormals},
      {{"all_neg_inf", "-inf everywhere"},
       [](const RowToFill &row) {
         std::fill(row.x.begin(), row.x.end(),
                   -std::numeric_limits<double>::infinity());
       }},
      {{"one_nan", "normal, with a NaN in every other row"},
       [](const RowToFill &row) {
         fillWithOne(row, std::numeric_limits<double>::quiet_NaN());
       }},
      {{"one_inf", "normal, with a +inf in every other row"},
       [](const RowToFill &row) {
         fillWithOne(row, std::numeric_limits<double>::infinity());
       }},
      {{"huge_jump", "the second half is 1000 (or half the largest number) "
                     "above the first"},
       fillHugeJump},
      {{"ramp", "from -10 to 10 in equal steps"}, fillRamp},
  };
  return table;
}

const std::vector<GeneratorInfo> &allGenerators() {
  static const std::vector<GeneratorInfo> infos = [] {
    std::vector<GeneratorInfo> result;
    for (const Generator &generator : generators())
      result.push_back(generator.info);
    return result;
  }();
  return infos;
}

std::string generatorNames() {
  std::string names;
  for (const GeneratorInfo &info : allGenerators())
    names += (names.empty() ? "" : ", ") + std::string(info.name);
  return names;
}

/// What is wrong with a request, or nothing.
static std::string problemWith(const Shape &shape,
                               const GeneratorOptions &options) {
  const int64_t rank = static_cast<int64_t>(shape.size());
  std::optional<int64_t> count = elementCount(shape);
  // An element takes 8 bytes here.
  if (!count || *count > std::numeric_limits<int64_t>::max() / 8)
    return "shape " + toString(shape) +
           " can not be held in memory; use extents of 0 or more and "
           "fewer elements";
  if (!isFloat(options.dtype))
    return "elements of " + std::string(nameOf(options.dtype)) +
           " can not be generated; use f64, f32, f16, bf16 or f8E4M3FN";
  if (rank > 0 && (options.axis < -rank || options.axis >= rank))
    return "axis " + std::to_string(options.axis) +
           " is out of range for rank " + std::to_string(rank) + "; use " +
           std::to_string(-rank) + " to " + std::to_string(rank - 1);
  if (options.tile < 1)
    return "a tile of " + std::to_string(options.tile) +
           " elements is too small; use 1 or more";
  return "";
}

Result<Tensor> generate(std::string_view name, const Shape &shape,
                        const GeneratorOptions &options) {
  const std::vector<Generator> &table = generators();
  auto generator =
      std::find_if(table.begin(), table.end(),
                   [&](const Generator &g) { return g.info.name == name; });
  if (generator == table.end())
    return Failure{"unknown generator '" + std::string(name) +
                   "'; use one of " + generatorNames()};
  if (std::string problem = problemWith(shape, options); !problem.empty())
    return Failure{problem};

  Tensor tensor(shape);
  // Nothing to draw, and rows of any length.
  if (tensor.size() == 0)
    return tensor;
  // A scalar is a row of one element.
  const bool scalar = shape.empty();
  const RowLayout layout(scalar ? Shape{1} : shape, scalar ? -1 : options.axis);
  Random random(options.seed);
  std::vector<double> row(layout.length);
  for (int64_t r = 0; r < layout.rowCount(); ++r) {
    generator->fill({row, r, options.tile, options.dtype, random});
    for (int64_t j = 0; j < layout.length; ++j)
      tensor[layout.begin(r) + j * layout.stride()] =
          roundTo(options.dtype, row[j]);
  }
  return tensor;
}

} // namespace smx::reference
