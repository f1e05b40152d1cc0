# CMake reads this when it has identified the compilers, before it sets their flags.
unset(CMAKE_C_FLAGS)
unset(CMAKE_CXX_FLAGS)
