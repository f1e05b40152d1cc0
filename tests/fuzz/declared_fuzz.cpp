// A declaration made of any bytes, and behind it a text that its protocol reads.
#include "declared_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sluice_test::Choices choices(std::string_view(reinterpret_cast<const char *>(data), size));
  sluice_test::check_declared(choices);
  return 0;
}
