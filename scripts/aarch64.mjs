// What cmake needs to compile for arm64 Linux. The tests and the addon are built in one folder, out/core-aarch64, so that
// the core is compiled once for both.
export const AARCH64 = [
  '-DCMAKE_SYSTEM_NAME=Linux',
  '-DCMAKE_SYSTEM_PROCESSOR=aarch64',
  '-DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++',
  '-DCMAKE_EXE_LINKER_FLAGS=-static',
];
