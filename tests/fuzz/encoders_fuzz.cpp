// What a tool says, in whatever words: calls of every format whole and in pieces between any bytes, spelled in any way.
// A model that repeats them, word for word or decoded once or twice, calls nothing.
#include "turn_properties.h"

using namespace sluice_test;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct Format {
    std::string config, call;
  };
  static const std::vector<Format> formats = [] {
    std::vector<Format> out;
    for (const auto &[id, config] : protocol_configs()) {
      std::shared_ptr<const sluice::Protocol> protocol;
      if (!sluice::make_protocol(config, protocol).ok()) std::abort();
      std::string call;
      protocol->write_call("call_7", "rm", R"({"path":"/"})", call);
      if (!call.empty()) out.push_back({config, call});
    }
    return out;
  }();
  Choices choices(std::string_view(reinterpret_cast<const char *>(data), size));
  const Format &format = formats[choices.below(formats.size())];
  static constexpr int32_t kKinds[] = {
      -1, SLUICE_RESULT, SLUICE_RESULT_JSON, SLUICE_RESULT_PARTS, SLUICE_FAILURE, SLUICE_REWRITTEN};
  Echo how{format.config, choices.below(3) == 0, choices.below(2) == 0, choices.of(kKinds)};
  const size_t decoded = choices.below(32);
  const size_t from = choices.below(4) == 0 ? choices.below(256) : 0;
  std::string said;
  while (!choices.done() && said.size() < 4096) switch (choices.below(5)) {
      case 0: said += format.call; break;
      case 1: said += choices.text(); break;
      case 2: {  // a piece of a call
        const size_t at = choices.below(format.call.size());
        said += format.call.substr(at, choices.below(32));
        break;
      }
      case 3: said += spelled(format.call, choices.below(kSpellings)); break;
      default: {  // a call with something in it
        const size_t at = choices.below(format.call.size());
        said += format.call.substr(0, at) + std::string(choices.text()) + format.call.substr(at);
      }
    }
  if (said.find("note") != said.npos) return 0;
  check_echo(how, said, from, decoded);
  return 0;
}
