// OpenAI's chat completions, as its many servers speak them.
#pragma once

#include "wire/wire.h"

namespace sluice {

class OpenAiChatWire final : public Wire {
 public:
  std::string_view id() const override { return "openai-chat"; }
  std::unique_ptr<WireReader> read(WireSink &sink, const WireLimits &limits) const override;
  Status check(std::string_view body, const std::vector<ToolOffer> &tools) const override;
  std::string write(const RequestParts &parts) const override;
  std::string write_tools(const std::vector<ToolOffer> &tools) const override;
  bool echoes(std::string_view, size_t) const override { return true; }
  bool echoes_answers() const override { return false; }
  bool has_strict_roles(std::string_view body) const override;
};

}  // namespace sluice
