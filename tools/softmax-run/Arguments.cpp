//===- Arguments.cpp - inputs from files and generators -------------------===//

#include "Arguments.h"

#include "smx/Reference/Generators.h"

#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <cstring>

using namespace smx;
using namespace smx::run;
using llvm::createStringError;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
using reference::Shape;
using reference::Tensor;

static std::string inputName(size_t number) {
  return "input " + std::to_string(number);
}

static Expected<Argument>
makeArgument(size_t number, Expected<HostTensor> tensor, std::string source) {
  if (!tensor)
    return createStringError(inputName(number) + ": " +
                             llvm::toString(tensor.takeError()));
  return Argument{std::move(*tensor), std::move(source)};
}

/// A scalar as it is written. One of an integer type is whole, and in its
/// range: anything else would be another number without a word.
static Expected<HostTensor> readScalar(StringRef text, reference::DType dtype) {
  if (reference::isFloat(dtype)) {
    double value;
    if (text.getAsDouble(value))
      return createStringError("'" + text + "' is not a .npy file or a number");
    return HostTensor::from(Tensor(Shape{}, value), dtype);
  }
  const unsigned bits =
      dtype == reference::DType::I1 ? 1 : 8 * byteWidth(dtype);
  const bool isSigned = bits > 1 && dtype != reference::DType::U8;
  const llvm::APSInt least = llvm::APSInt::getMinValue(bits, !isSigned),
                     most = llvm::APSInt::getMaxValue(bits, !isSigned);
  llvm::APInt value;
  const bool isNegative = text.consume_front("-");
  const bool isNumber = !text.getAsInteger(10, value);
  llvm::APSInt whole(value.zext(value.getBitWidth() + 1), /*isUnsigned=*/false);
  if (isNegative)
    whole.negate();
  if (!isNumber || llvm::APSInt::compareValues(whole, least) < 0 ||
      llvm::APSInt::compareValues(whole, most) > 0)
    return createStringError(Twine("'") + (isNegative ? "-" : "") + text +
                             "' is not a .npy file or a whole number from " +
                             llvm::toString(least, 10) + " to " +
                             llvm::toString(most, 10) + ", as " +
                             StringRef(nameOf(dtype)) + " has them");
  const uint64_t stored = whole.extOrTrunc(64).getZExtValue();
  reference::NpyArray array{dtype, {}, {}};
  array.bytes.resize(byteWidth(dtype));
  std::memcpy(array.bytes.data(), &stored, array.bytes.size());
  return HostTensor::from(array);
}

static Expected<Argument> readInput(size_t number, const TensorSpec &spec,
                                    const std::string &source) {
  if (!StringRef(source).ends_with(".npy")) {
    if (spec.isTensor)
      return createStringError(inputName(number) + ": '" + source +
                               "' is not a .npy file");
    return makeArgument(number, readScalar(source, spec.dtype), source);
  }
  auto array = reference::readNpy(source);
  if (!array)
    return createStringError(array.message());
  // NumPy has no name for the type: its codes are bytes.
  using reference::DType;
  if (spec.dtype == DType::F8E4M3FN &&
      (array->dtype == DType::U8 || array->dtype == DType::I8))
    array->dtype = DType::F8E4M3FN;
  return makeArgument(number, HostTensor::from(*array), source);
}

/// The shape to generate for `spec`; `dims` is what the command line says.
static Expected<Shape> chooseShape(size_t number, const TensorSpec &spec,
                                   llvm::ArrayRef<std::string> dims) {
  Shape shape(spec.sizes.begin(), spec.sizes.end());
  int64_t every;
  if (dims.size() == 1 && !StringRef(dims[0]).getAsInteger(10, every)) {
    for (int64_t &size : shape)
      size = size < 0 ? every : size;
    return shape;
  }
  // A number has no extents.
  if (shape.empty())
    return shape;
  if (number >= dims.size() || dims[number].empty()) {
    if (!llvm::is_contained(shape, -1))
      return shape;
    return createStringError(
        inputName(number) +
        " has extents that the module leaves open; give its shape in --dims, "
        "as 2x8x128x64 for every input or as one number for all open extents");
  }
  const std::string wanted =
      llvm::join(llvm::map_range(shape,
                                 [](int64_t size) {
                                   return size < 0 ? "?" : std::to_string(size);
                                 }),
                 "x");
  llvm::SmallVector<StringRef> parts;
  StringRef(dims[number]).split(parts, 'x');
  bool fits = parts.size() == shape.size();
  for (size_t d = 0; fits && d < parts.size(); ++d) {
    int64_t size = 0;
    fits = !parts[d].getAsInteger(10, size) && size >= 0 &&
           (shape[d] < 0 || shape[d] == size);
    shape[d] = size;
  }
  if (!fits)
    return createStringError("--dims: '" + dims[number] +
                             "' does not fit the type of " + inputName(number) +
                             ", " + wanted);
  return shape;
}

/// Masks and indices: the generators are for floating-point types only.
static Tensor toIntegers(Tensor uniform, reference::DType dtype) {
  for (double &value : uniform.values())
    value = dtype == reference::DType::I1 ? value > -0.5
                                          : std::floor((value + 1) * 5);
  return uniform;
}

static Expected<Argument> generateInput(size_t number, const TensorSpec &spec,
                                        size_t place,
                                        const ArgumentFlags &flags) {
  auto shape = chooseShape(number, spec, flags.dims);
  if (!shape)
    return shape.takeError();
  // Before the generator asks for the memory, which ends the process.
  if (llvm::Error error = checkFits(spec.dtype, *shape))
    return createStringError(inputName(number) + ": " +
                             llvm::toString(std::move(error)));
  const size_t last = flags.random.size();
  StringRef text = last == 0
                       ? StringRef("normal")
                       : StringRef(flags.random[std::min(place, last - 1)]);
  auto [name, seedText] = text.split(':');
  reference::GeneratorOptions options;
  if (!seedText.empty() && seedText.getAsInteger(10, options.seed))
    return createStringError("--random: '" + seedText +
                             "' is not a seed; write <generator>:<number>");
  // Inputs that share a generator shall still be different.
  if (place >= last || last == 0)
    options.seed += place + 1 - last;
  if (llvm::none_of(reference::allGenerators(),
                    [name = name](const reference::GeneratorInfo &generator) {
                      return StringRef(generator.name) == name;
                    }))
    return createStringError("--random: unknown generator '" + name +
                             "'; use one of " + reference::generatorNames());
  const bool isFloat = reference::isFloat(spec.dtype);
  options.dtype = isFloat ? spec.dtype : reference::DType::F64;
  auto tensor = reference::generate(isFloat ? name : StringRef("uniform"),
                                    *shape, options);
  if (!tensor)
    return createStringError("--random: " + tensor.message());
  std::string source = (name + ":" + Twine(options.seed)).str();
  if (isFloat)
    return makeArgument(number, HostTensor::from(*tensor, spec.dtype), source);
  return makeArgument(
      number,
      HostTensor::from(toIntegers(std::move(*tensor), spec.dtype), spec.dtype),
      "uniform:" + std::to_string(options.seed));
}

Expected<std::vector<Argument>>
smx::run::makeArguments(llvm::ArrayRef<TensorSpec> specs,
                        const ArgumentFlags &flags) {
  if (flags.inputs.size() > specs.size())
    return createStringError("--input names " + Twine(flags.inputs.size()) +
                             " inputs, but the function takes " +
                             Twine(specs.size()));
  if (flags.dims.size() > specs.size())
    return createStringError("--dims names " + Twine(flags.dims.size()) +
                             " shapes, but the function takes " +
                             Twine(specs.size()) + " inputs");
  std::vector<Argument> arguments;
  size_t generated = 0;
  for (auto [i, spec] : llvm::enumerate(specs)) {
    auto argument = i < flags.inputs.size() && !flags.inputs[i].empty()
                        ? readInput(i, spec, flags.inputs[i])
                        : generateInput(i, spec, generated++, flags);
    if (!argument)
      return argument.takeError();
    arguments.push_back(std::move(*argument));
  }
  if (flags.random.size() > generated)
    return createStringError("--random names " + Twine(flags.random.size()) +
                             " generators, but " + Twine(generated) +
                             " inputs are generated");
  return arguments;
}
