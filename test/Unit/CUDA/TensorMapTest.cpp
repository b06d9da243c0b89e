//===- TensorMapTest.cpp - the rules of tensor maps, one by one -----------===//

#include "CudaFixture.h"

using namespace smx::cuda;
using smx::cuda::api::DeviceAttribute;
using smx::cuda::api::Status;

namespace {
class TensorMapTest : public CudaTest {
protected:
  /// Keys of an attention: heads x rows x head dim of bf16, in panels.
  static TensorMapSpec makeSpec() {
    TensorMapSpec spec;
    spec.address = 0x7f0000001000;
    spec.element = MapElement::BF16;
    spec.sizes = {32, 1000, 128};
    spec.strides = {1000 * 256, 256, 2};
    spec.box = {1, 64, 64};
    return spec;
  }
  static std::string errorOf(const TensorMapSpec &spec) {
    return textOf(checkTensorMap(spec));
  }
};
} // namespace

TEST_F(TensorMapTest, EncodesInnermostFirst) {
  Device device = openDevice(1);
  TensorMap map = llvm::cantFail(TensorMap::encode(device, makeSpec()));
  EXPECT_EQ(map.device(), 1);
  EXPECT_EQ(map.bytes().size(), 128u);
  EXPECT_EQ(map.bytes().front(), std::byte(0x3c));
  EXPECT_EQ(fake.map.element, 9);
  EXPECT_EQ(fake.map.address, 0x7f0000001000u);
  EXPECT_EQ(fake.map.sizes, (std::vector<uint64_t>{128, 1000, 32}));
  EXPECT_EQ(fake.map.strides, (std::vector<uint64_t>{256, 256000}));
  EXPECT_EQ(fake.map.box, (std::vector<uint32_t>{64, 64, 1}));
  EXPECT_EQ(fake.map.swizzle, 3);
  EXPECT_EQ(fake.map.promotion, 2);
  EXPECT_EQ(fake.map.fill, 0);
}

TEST_F(TensorMapTest, OptionsReachTheDriver) {
  Device device = openDevice();
  TensorMapSpec spec = makeSpec();
  spec.swizzle = Swizzle::B64;
  spec.box = {1, 64, 32};
  spec.promotion = L2Promotion::B256;
  spec.outOfBounds = OutOfBounds::Nan;
  llvm::cantFail(TensorMap::encode(device, spec));
  EXPECT_EQ(fake.map.swizzle, 2);
  EXPECT_EQ(fake.map.promotion, 3);
  EXPECT_EQ(fake.map.fill, 1);
}

TEST_F(TensorMapTest, StrideOfASingleElementIsFree) {
  TensorMapSpec spec = makeSpec();
  spec.sizes[0] = 1;
  spec.strides[0] = 3;
  llvm::cantFail(TensorMap::encode(openDevice(), spec));
  EXPECT_EQ(fake.map.strides, (std::vector<uint64_t>{256, 16}));
}

TEST_F(TensorMapTest, InterleavedHeadsAreFine) {
  // batch x rows x heads x dim, seen as heads x rows x dim.
  TensorMapSpec spec = makeSpec();
  spec.strides = {256, 32 * 256, 2};
  EXPECT_EQ(errorOf(spec), "");
}

TEST_F(TensorMapTest, Rank) {
  TensorMapSpec spec = makeSpec();
  spec.sizes = spec.strides = spec.box = {};
  EXPECT_EQ(errorOf(spec), "a tensor map has 1 to 5 dimensions; there are 0");
  spec.sizes.assign(6, 1);
  EXPECT_EQ(errorOf(spec), "a tensor map has 1 to 5 dimensions; there are 6");
}

TEST_F(TensorMapTest, NumbersOfExtents) {
  TensorMapSpec spec = makeSpec();
  spec.box.pop_back();
  EXPECT_EQ(errorOf(spec), "a tensor map has as many strides and box extents "
                           "as sizes; there are 3 strides, 2 box extents and "
                           "3 sizes");
}

TEST_F(TensorMapTest, Address) {
  TensorMapSpec spec = makeSpec();
  spec.address = 0x1008;
  EXPECT_EQ(errorOf(spec), "a tensor map has a base address that is a multiple "
                           "of 16; it is 0x1008");
  spec.address = 0;
  EXPECT_TRUE(contains(errorOf(spec), "it is 0x0"));
}

TEST_F(TensorMapTest, Sizes) {
  TensorMapSpec spec = makeSpec();
  spec.sizes[1] = 0;
  EXPECT_EQ(errorOf(spec), "a tensor map has sizes from 1 to 2^31 elements; "
                           "dimension 1 has 0");
  spec.sizes[1] = (int64_t(1) << 31) + 1;
  EXPECT_TRUE(contains(errorOf(spec), "dimension 1 has 2147483649"));
  spec.sizes[1] = int64_t(1) << 31;
  EXPECT_EQ(errorOf(spec), "");
}

TEST_F(TensorMapTest, LastStride) {
  TensorMapSpec spec = makeSpec();
  spec.strides[2] = 4;
  EXPECT_EQ(errorOf(spec), "a tensor map has its last dimension without gaps, "
                           "a stride of 2 bytes; the stride is 4");
}

TEST_F(TensorMapTest, Strides) {
  std::string rule = "a tensor map has strides that are multiples of 16 bytes "
                     "below 2^40; the stride of dimension 1 is ";
  for (int64_t stride : {int64_t(264), int64_t(-16), int64_t(1) << 40}) {
    TensorMapSpec spec = makeSpec();
    spec.strides[1] = stride;
    EXPECT_EQ(errorOf(spec), rule + std::to_string(stride));
  }
}

TEST_F(TensorMapTest, BoxExtents) {
  TensorMapSpec spec = makeSpec();
  spec.box[1] = 257;
  EXPECT_EQ(errorOf(spec), "a tensor map has box extents from 1 to 256 "
                           "elements; dimension 1 has 257");
  spec.box[1] = 0;
  EXPECT_TRUE(contains(errorOf(spec), "dimension 1 has 0"));
}

TEST_F(TensorMapTest, BoxRows) {
  TensorMapSpec spec = makeSpec();
  spec.box[2] = 12;
  EXPECT_EQ(errorOf(spec), "a tensor map has box rows of a multiple of 16 "
                           "bytes; there are 24 (12 elements)");
}

TEST_F(TensorMapTest, SwizzleSpan) {
  TensorMapSpec spec = makeSpec();
  spec.box[2] = 128;
  EXPECT_EQ(errorOf(spec),
            "a tensor map with a swizzle of 128 bytes has box rows of at most "
            "that; there are 256: cut the box into panels of 64 elements");
  spec.swizzle = Swizzle::None;
  EXPECT_EQ(errorOf(spec), "");
  spec.box[2] = 32;
  spec.swizzle = Swizzle::B32;
  EXPECT_TRUE(contains(errorOf(spec), "swizzle of 32 bytes"));
  spec.swizzle = Swizzle::B64;
  EXPECT_EQ(errorOf(spec), "");
}

TEST_F(TensorMapTest, NanIsForFloats) {
  TensorMapSpec spec = makeSpec();
  spec.outOfBounds = OutOfBounds::Nan;
  spec.element = MapElement::U16;
  EXPECT_EQ(errorOf(spec), "a tensor map fills with NaN only where elements "
                           "are floats; use OutOfBounds::Zero");
}

TEST_F(TensorMapTest, RulesAreCheckedBeforeTheDriverIsAsked) {
  TensorMapSpec spec = makeSpec();
  spec.address = 8;
  EXPECT_NE(textOf(TensorMap::encode(openDevice(), spec)), "");
  EXPECT_EQ(fake.calls["cuTensorMapEncodeTiled"], 0);
}

TEST_F(TensorMapTest, OlderDevicesHaveNone) {
  auto &attributes = fake.devices[0].attributes;
  attributes[DeviceAttribute::ComputeCapabilityMajor] = 8;
  attributes[DeviceAttribute::TensorMapAccessSupported] = 0;
  EXPECT_EQ(textOf(TensorMap::encode(openDevice(), makeSpec())),
            "device 0 (Fake H200, sm_80) has no tensor maps; they need sm_90 "
            "or newer");
}

TEST_F(TensorMapTest, DriverMayRefuse) {
  fake.failures["cuTensorMapEncodeTiled"] = Status::InvalidValue;
  EXPECT_EQ(textOf(TensorMap::encode(openDevice(), makeSpec())),
            "can not encode a tensor map on device 0: cuTensorMapEncodeTiled "
            "returned CUDA error 1");
}

TEST_F(TensorMapTest, EveryElementHasAWidth) {
  std::pair<MapElement, int64_t> widths[] = {
      {MapElement::U8, 1},   {MapElement::U16, 2}, {MapElement::U32, 4},
      {MapElement::I32, 4},  {MapElement::U64, 8}, {MapElement::I64, 8},
      {MapElement::F16, 2},  {MapElement::F32, 4}, {MapElement::F64, 8},
      {MapElement::BF16, 2}, {MapElement::TF32, 4}};
  Device device = openDevice();
  int previous = -1;
  for (auto [element, width] : widths) {
    EXPECT_EQ(byteWidth(element), width);
    TensorMapSpec spec;
    spec.address = 256;
    spec.element = element;
    spec.sizes = {1024};
    spec.strides = {width};
    spec.box = {16};
    llvm::cantFail(TensorMap::encode(device, spec));
    EXPECT_GT(fake.map.element, previous);
    previous = fake.map.element;
  }
}
