//===- Arc4Random.cpp - for C libraries older than 2.36 -------------------===//
//
// LLVM's archives call arc4random, which the C library has had since 2.36 and
// which is all that they need of so new a one.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sys/random.h>

extern "C" uint32_t arc4random() {
  uint32_t value;
  // Requests of up to 256 bytes are answered whole.
  if (getrandom(&value, sizeof(value), 0) != sizeof(value)) {
    std::perror("softmax-tools: no random numbers from the kernel");
    std::abort();
  }
  return value;
}
