// States: of a turn that stands anywhere, restored on a stricter engine; the same, broken; and any bytes at all.
#include "turn_properties.h"

using namespace sluice_test;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const std::vector<Stricter> engines = stricter_engines();
  Choices choices(std::string_view(reinterpret_cast<const char *>(data), size));
  const size_t what = choices.below(8);
  if (what == 0) {
    const std::string state(choices.rest());
    Choices none("");
    check_any_state(state, none);
    return 0;
  }
  const std::string state = some_state(choices);
  if (what < 4)
    check_stricter_restore(state, engines[choices.below(engines.size())]);
  else
    check_any_state(broken_state(state, choices), choices);
  return 0;
}
