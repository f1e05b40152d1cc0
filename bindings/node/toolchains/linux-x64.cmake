# Linux with the glibc that Node 20 itself asks for, by the cross compiler of zig ($SLUICE_ZIG): the compiler of a distribution
# links against that distribution's glibc, and what it builds runs on nothing older. libc++ is linked statically.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER "$ENV{SLUICE_ZIG}" cc -target x86_64-linux-gnu.2.28)
set(CMAKE_CXX_COMPILER "$ENV{SLUICE_ZIG}" c++ -target x86_64-linux-gnu.2.28)
