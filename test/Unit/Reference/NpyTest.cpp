//===- NpyTest.cpp - NumPy's array files ----------------------------------===//
#include "smx/Reference/Npy.h"
#include "smx/Reference/Generators.h"

#include "gtest/gtest.h"

#include <cstring>
#include <filesystem>
#include <fstream>

using namespace smx::reference;

static std::vector<std::byte> bytesOf(const std::string &text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

/// A file with a dictionary and data of one's own; version 1, 2 or 3.
static std::vector<std::byte> file(const std::string &dictionary,
                                   const std::string &data, char version = 1) {
  std::string text = "\x93NUMPY";
  text += {version, '\0'};
  for (int n = 0; n < (version == 1 ? 2 : 4); ++n)
    text += static_cast<char>(dictionary.size() >> (8 * n) & 0xff);
  return bytesOf(text + dictionary + data);
}

static std::string messageFor(const std::vector<std::byte> &content) {
  Result<NpyArray> array = parseNpy(content, "x.npy");
  EXPECT_FALSE(array);
  EXPECT_EQ(array.message().substr(0, 7), "x.npy: ");
  return array.message();
}

/// A version 1 file of one byte per element.
static std::vector<std::byte> withShape(const std::string &shape,
                                        const std::string &data = "") {
  return file("{'descr': '|i1', 'fortran_order': False, 'shape': " + shape +
                  ", }\n",
              data);
}

TEST(Npy, EveryDTypeAndShapeSurvives) {
  for (DType dtype :
       {DType::F64, DType::F32, DType::F16, DType::BF16, DType::F8E4M3FN,
        DType::I1, DType::I8, DType::U8, DType::I32, DType::I64})
    for (const Shape &shape :
         {Shape{}, Shape{0}, Shape{5}, Shape{2, 0, 3}, Shape{2, 3, 4}}) {
      Tensor tensor = *generate("normal", shape, {DType::F64, 3});
      for (double &x : tensor.values())
        x *= 50;
      const NpyArray array = NpyArray::fromTensor(tensor, dtype);
      const std::vector<std::byte> content = toNpyBytes(array);
      EXPECT_EQ((content.size() - array.bytes.size()) % 64, 0u);
      const Result<NpyArray> back = parseNpy(content, "x.npy");
      ASSERT_TRUE(back) << back.message();
      EXPECT_EQ(back->dtype, dtype);
      EXPECT_EQ(back->shape, shape);
      EXPECT_EQ(back->bytes, array.bytes);
      EXPECT_EQ(back->toTensor().values(), tensor.roundedTo(dtype).values());
    }
}

TEST(Npy, FilesRoundTrip) {
  const std::string path = testing::TempDir() + "smx-npy-test.npy";
  const NpyArray array =
      NpyArray::fromTensor(Tensor({2, 2}, {1, 2, 3, 4}), DType::BF16);
  const std::vector<std::byte> content = toNpyBytes(array);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(content.data()),
             static_cast<std::streamsize>(content.size()));
  const Result<NpyArray> back = readNpy(path);
  ASSERT_TRUE(back) << back.message();
  EXPECT_EQ(back->bytes, array.bytes);
  std::filesystem::resize_file(path, 130);
  EXPECT_EQ(readNpy(path).message(),
            path + ": the data is cut off: shape 2x2 of bf16 needs 8 bytes, "
                   "the file has 2; save it again");
  std::filesystem::remove(path);
}

TEST(Npy, HeaderIsWhatNumPyWrites) {
  const std::vector<std::byte> content =
      toNpyBytes(NpyArray::fromTensor(Tensor({3}), DType::F32));
  const std::string header(reinterpret_cast<const char *>(content.data()), 128);
  const std::string dictionary =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
  EXPECT_EQ(header, std::string("\x93NUMPY\x01\x00\x76\x00", 10) + dictionary +
                        std::string(127 - 10 - dictionary.size(), ' ') + "\n");
}

TEST(Npy, FortranOrderIsTurned) {
  const std::string order =
      "{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }\n";
  const Result<NpyArray> array =
      parseNpy(file(order, std::string("\0\3\1\4\2\5", 6)), "x.npy");
  ASSERT_TRUE(array) << array.message();
  EXPECT_EQ(array->toTensor().values(),
            std::vector<double>({0, 1, 2, 3, 4, 5}));
}

TEST(Npy, OtherSpellingsOfTheHeader) {
  const std::string data = "\1\2";
  for (const char *dictionary :
       {"{'shape':(2,),'fortran_order':False,'descr':'|i1'}",
        "{\"descr\": \"<i1\", \"fortran_order\": False, \"shape\": (2,)}  \n",
        "{'descr': '|i1', 'fortran_order': True, 'shape': (1, 2), }"}) {
    for (char version : {1, 2, 3}) {
      const Result<NpyArray> array =
          parseNpy(file(dictionary, data, version), "x.npy");
      ASSERT_TRUE(array) << array.message();
      EXPECT_EQ(array->toTensor().values(), std::vector<double>({1, 2}));
    }
  }
  const std::string opaque =
      "{'descr': '|V2', 'fortran_order': False, 'shape': (), }";
  const Result<NpyArray> array = parseNpy(file(opaque, "\x49\x40"), "x.npy");
  ASSERT_TRUE(array) << array.message();
  EXPECT_EQ(array->dtype, DType::BF16);
  EXPECT_EQ(array->toTensor()[0], 3.140625);
}

TEST(Npy, RefusesWhatIsNotAHeader) {
  EXPECT_NE(messageFor(bytesOf("PK\3\4")).find("not a .npy file"),
            std::string::npos);
  EXPECT_NE(messageFor({}).find("not a .npy file"), std::string::npos);
  EXPECT_NE(messageFor(bytesOf("\x93NUMPY\x01")).find("cut off after 7 bytes"),
            std::string::npos);
  EXPECT_NE(messageFor(file("{}", "", 4))
                .find("version 4 is not supported; use version 1, 2 or 3"),
            std::string::npos);
  EXPECT_NE(
      messageFor(bytesOf(std::string("\x93NUMPY\x02\0\xff\xff\xff\x7f", 12)))
          .find("the header claims 2147483647 bytes, the limit is 65536"),
      std::string::npos);
  EXPECT_NE(
      messageFor(bytesOf(std::string("\x93NUMPY\x01\0\x76\0{'descr'", 18)))
          .find("the header claims 118 bytes, the file has only 8"),
      std::string::npos);
  EXPECT_NE(messageFor(file("{'descr': '<f4', 'shape': (1,)}", "abcd"))
                .find("no key 'fortran_order'"),
            std::string::npos);
  EXPECT_NE(
      messageFor(file("{'descr': '<f4', 'descr': '<f4'}", "")).find("twice"),
      std::string::npos);
  EXPECT_NE(
      messageFor(file("{'descr' '\x1b[2J'}", "")).find("found \"'?[2J'}\""),
      std::string::npos);
}

TEST(Npy, RefusesElementTypesItCanNotRead) {
  auto messageForDescr = [](const std::string &descr) {
    return messageFor(file("{'descr': " + descr +
                               ", 'fortran_order': False, 'shape': (1,), }",
                           "abcd"));
  };
  EXPECT_NE(messageForDescr("'>f4'").find("big-endian"), std::string::npos);
  for (const char *descr :
       {"'<c8'", "'|O'", "'<U4'", "''", "'f4'", "'|f4'", "'<f3'"})
    EXPECT_NE(messageForDescr(descr).find("use one of '<f8', '<f4'"),
              std::string::npos)
        << descr;
  EXPECT_NE(messageForDescr("[('a', '<f4')]").find("structured"),
            std::string::npos);
}

TEST(Npy, RefusesAbsurdShapesBeforeAllocating) {
  EXPECT_NE(messageFor(withShape("(4611686018427387904, 4)"))
                .find("more bytes than can be counted"),
            std::string::npos);
  EXPECT_NE(messageFor(withShape("(99999999999999999999,)")).find("64 bits"),
            std::string::npos);
  EXPECT_NE(messageFor(withShape("(1099511627776,)", "x"))
                .find("needs 1099511627776 bytes, the file has 1"),
            std::string::npos);
  EXPECT_NE(messageFor(withShape("(-1,)")).find("extent of 0 or more"),
            std::string::npos);
  EXPECT_NE(messageFor(withShape("(3)", "abc")).find("expected ','"),
            std::string::npos);
  EXPECT_NE(messageFor(withShape("3", "abc")).find("expected a tuple"),
            std::string::npos);
  std::string many = "(";
  for (int n = 0; n < 65; ++n)
    many += "1, ";
  EXPECT_NE(messageFor(withShape(many + ")", "a")).find("more than 64 axes"),
            std::string::npos);
}

TEST(Npy, RefusesTooMuchData) {
  EXPECT_NE(
      messageFor(withShape("(2,)", "abc")).find("save one array per file"),
      std::string::npos);
}

TEST(Npy, NamesTheFileInSystemErrors) {
  EXPECT_EQ(readNpy("/no/such.npy").message().substr(0, 14), "/no/such.npy: ");
  EXPECT_NE(readNpy(testing::TempDir()).message().find("is a directory"),
            std::string::npos);
}

TEST(Npy, EveryCutAndEveryFlippedBitIsSurvived) {
  const std::vector<std::byte> good =
      toNpyBytes(NpyArray::fromTensor(Tensor({2, 3}, 1.0), DType::F16));
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(parseNpy(std::span(good).first(length), "x.npy")) << length;
  for (size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::vector<std::byte> bad = good;
    bad[bit / 8] ^= std::byte(1 << bit % 8);
    Result<NpyArray> array = parseNpy(bad, "x.npy");
    if (array) {
      EXPECT_EQ(array->toTensor().size() * byteWidth(array->dtype),
                static_cast<int64_t>(array->bytes.size()));
    }
  }
}
