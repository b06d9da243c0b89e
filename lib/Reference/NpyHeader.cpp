//===- NpyHeader.cpp - the header of a .npy file --------------------------===//
#include "NpyHeader.h"

#include <cassert>
#include <charconv>
#include <cstring>

namespace smx::reference {

static constexpr std::string_view magic = "\x93NUMPY";
static constexpr size_t maxRank = 64;

/// The descr that NumPy writes for a dtype. bf16 and f8E4M3FN have none of
/// their own there: they are opaque bytes.
static std::string_view descrOf(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return "<f8";
  case DType::F32:
    return "<f4";
  case DType::F16:
    return "<f2";
  case DType::BF16:
    return "<V2";
  case DType::F8E4M3FN:
    return "|V1";
  case DType::I1:
    return "|b1";
  case DType::I8:
    return "|i1";
  case DType::U8:
    return "|u1";
  case DType::I32:
    return "<i4";
  case DType::I64:
    return "<i8";
  }
  return "";
}

static Result<DType> dtypeOfDescr(std::string_view descr) {
  const std::string quoted = "'" + std::string(descr) + "'";
  if (descr.size() >= 2 && descr[0] == '>')
    return Failure{
        "big-endian elements " + quoted +
        " are not supported; save array.astype(array.dtype.newbyteorder('<'))"};
  for (DType dtype :
       {DType::F64, DType::F32, DType::F16, DType::BF16, DType::F8E4M3FN,
        DType::I1, DType::I8, DType::U8, DType::I32, DType::I64}) {
    const std::string_view own = descrOf(dtype);
    // Byte order means nothing for single bytes and opaque ones: both marks are
    // found in files.
    const bool anyOrder = byteWidth(dtype) == 1 || dtype == DType::BF16;
    const bool orderFits =
        !descr.empty() && (descr[0] == own[0] ||
                           (anyOrder && (descr[0] == '<' || descr[0] == '|')));
    if (orderFits && descr.substr(1) == own.substr(1))
      return dtype;
  }
  return Failure{"element type " + quoted +
                 " is not supported; use one of '<f8', '<f4', '<f2', '<V2' "
                 "(bf16), '|V1' (f8E4M3FN), '<i8', '<i4', "
                 "'|i1', '|u1', '|b1'"};
}

namespace {
/// Reads the dictionary; only what NumPy writes, with any spacing and key
/// order.
class DictionaryParser {
public:
  explicit DictionaryParser(std::string_view text) : rest(text) {}

  Result<NpyHeader> parse() {
    if (!take('{'))
      return fail("expected '{'");
    while (!take('}')) {
      std::string_view key;
      if (!takeString(key) || !take(':'))
        return fail("expected a quoted key and ':'");
      if (Status status = parseValue(key); !status)
        return Failure{status.message()};
      if (!take(',') && peek() != '}')
        return fail("expected ',' or '}'");
    }
    skipSpace();
    if (!rest.empty())
      return fail("expected nothing after '}'");
    for (auto [seen, name] :
         {std::pair(seenDescr, "descr"), std::pair(seenOrder, "fortran_order"),
          std::pair(seenShape, "shape")})
      if (!seen)
        return Failure{"the header has no key '" + std::string(name) + "'"};
    return header;
  }

private:
  Status parseValue(std::string_view key) {
    if (key == "descr" && !seenDescr) {
      seenDescr = true;
      std::string_view descr;
      if (peek() == '[')
        return Failure{"structured element types are not supported; save each "
                       "field by itself"};
      if (!takeString(descr))
        return fail("expected a quoted element type");
      Result<DType> dtype = dtypeOfDescr(descr);
      if (!dtype)
        return Failure{dtype.message()};
      header.dtype = *dtype;
      return success();
    }
    if (key == "fortran_order" && !seenOrder) {
      seenOrder = true;
      header.fortranOrder = takeWord("True");
      if (header.fortranOrder || takeWord("False"))
        return success();
      return fail("expected True or False");
    }
    if (key == "shape" && !seenShape) {
      seenShape = true;
      return parseShape();
    }
    return Failure{
        "the header has the key '" + std::string(key.substr(0, 40)) +
        "' twice, or it is not one of 'descr', 'fortran_order', 'shape'"};
  }

  Status parseShape() {
    if (!take('('))
      return fail("expected a tuple of extents");
    while (!take(')')) {
      skipSpace();
      int64_t extent = 0;
      const char *end = rest.data() + rest.size();
      std::from_chars_result read = std::from_chars(rest.data(), end, extent);
      if (read.ec == std::errc::result_out_of_range)
        return Failure{"an extent of the shape does not fit in 64 bits"};
      if (read.ec != std::errc() || extent < 0)
        return fail("expected an extent of 0 or more");
      rest.remove_prefix(read.ptr - rest.data());
      if (header.shape.size() == maxRank)
        return Failure{"the shape has more than " + std::to_string(maxRank) +
                       " axes"};
      header.shape.push_back(extent);
      // One extent without a comma, `(3)`, would be a number and not a tuple.
      if (!take(',') && (peek() != ')' || header.shape.size() == 1))
        return fail("expected ','");
    }
    return success();
  }

  void skipSpace() {
    while (!rest.empty() &&
           (rest[0] == ' ' || rest[0] == '\n' || rest[0] == '\t'))
      rest.remove_prefix(1);
  }
  char peek() {
    skipSpace();
    return rest.empty() ? '\0' : rest[0];
  }
  bool take(char c) {
    if (peek() != c || rest.empty())
      return false;
    rest.remove_prefix(1);
    return true;
  }
  bool takeWord(std::string_view word) {
    skipSpace();
    if (!rest.starts_with(word))
      return false;
    rest.remove_prefix(word.size());
    return true;
  }
  bool takeString(std::string_view &value) {
    const char quote = peek();
    if (quote != '\'' && quote != '"')
      return false;
    const size_t end = rest.find(quote, 1);
    if (end == std::string_view::npos)
      return false;
    value = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    return true;
  }

  /// Names the place by what stands there, without bytes that a terminal would
  /// act on.
  Failure fail(std::string_view what) {
    std::string found;
    for (char c : rest.substr(0, 20))
      found += c >= ' ' && c <= '~' ? c : '?';
    return {"the header is not one that NumPy writes: " + std::string(what) +
            (found.empty() ? ", found its end" : ", found \"" + found + "\"")};
  }

  std::string_view rest;
  NpyHeader header;
  bool seenDescr = false, seenOrder = false, seenShape = false;
};
} // namespace

Result<NpyHeader> parseNpyHeader(std::span<const std::byte> prefix) {
  const std::string_view text(reinterpret_cast<const char *>(prefix.data()),
                              prefix.size());
  if (!text.starts_with(magic))
    return Failure{"not a .npy file: it does not start with \\x93NUMPY; write "
                   "it with numpy.save"};
  if (text.size() < magic.size() + 4)
    return Failure{"the header is cut off after " +
                   std::to_string(text.size()) + " bytes"};

  const int version = static_cast<unsigned char>(text[magic.size()]);
  if (version < 1 || version > 3)
    return Failure{".npy version " + std::to_string(version) +
                   " is not supported; use version 1, 2 or 3"};
  const size_t lengthBytes = version == 1 ? 2 : 4;
  const size_t start = magic.size() + 2 + lengthBytes;
  if (text.size() < start)
    return Failure{"the header is cut off after " +
                   std::to_string(text.size()) + " bytes"};
  size_t length = 0;
  for (size_t n = 0; n < lengthBytes; ++n)
    length |= static_cast<size_t>(
                  static_cast<unsigned char>(text[magic.size() + 2 + n]))
              << (8 * n);
  if (length > maxNpyHeaderBytes)
    return Failure{"the header claims " + std::to_string(length) +
                   " bytes, the limit is " + std::to_string(maxNpyHeaderBytes)};
  if (text.size() - start < length)
    return Failure{"the header claims " + std::to_string(length) +
                   " bytes, the file has only " +
                   std::to_string(text.size() - start) + " after the length"};

  Result<NpyHeader> header =
      DictionaryParser(text.substr(start, length)).parse();
  if (header)
    header->dataOffset = start + length;
  return header;
}

std::optional<int64_t> npyDataBytes(const NpyHeader &header) {
  std::optional<int64_t> count = elementCount(header.shape);
  int64_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, byteWidth(header.dtype), &bytes))
    return std::nullopt;
  return bytes;
}

std::string makeNpyHeader(DType dtype, const Shape &shape) {
  std::string tuple;
  for (int64_t extent : shape)
    tuple += std::to_string(extent) + (shape.size() == 1 ? "," : ", ");
  if (shape.size() > 1)
    tuple.resize(tuple.size() - 2);
  std::string dictionary = "{'descr': '" + std::string(descrOf(dtype)) +
                           "', 'fortran_order': False, 'shape': (" + tuple +
                           "), }";
  const size_t start = magic.size() + 4;
  const size_t padded = (start + dictionary.size() + 1 + 63) / 64 * 64 - start;
  dictionary.resize(padded - 1, ' ');
  dictionary += '\n';
  assert(dictionary.size() < 65536 && "a rank within the limit fits version 1");
  std::string header(magic);
  header += {'\x01', '\x00', static_cast<char>(padded & 0xff),
             static_cast<char>(padded >> 8)};
  return header + dictionary;
}

} // namespace smx::reference
