// Turns whose settings, tools, messages, answers and decisions are drawn each on its own: drawn_turn.h.
#include "drawn_turn.h"

using namespace sluice_test;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Choices choices(std::string_view(reinterpret_cast<const char *>(data), size));
  DrawnPlay(choices).play();
  return 0;
}
