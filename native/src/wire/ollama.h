// Ollama's /api/chat.
#pragma once

#include "wire/wire.h"

namespace sluice {

class OllamaWire final : public Wire {
 public:
  std::string_view id() const override { return "ollama"; }
  std::unique_ptr<WireReader> read(WireSink &sink, const WireLimits &limits) const override;
  Status check(std::string_view body, const std::vector<ToolOffer> &tools) const override;
  std::string write(const RequestParts &parts) const override;
  std::string write_tools(const std::vector<ToolOffer> &tools) const override;
  bool echoes(std::string_view items, size_t calls) const override;
};

}  // namespace sluice
