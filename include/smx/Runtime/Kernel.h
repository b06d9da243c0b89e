//===- Kernel.h - compile a module and call it ------------------*- C++ -*-===//
