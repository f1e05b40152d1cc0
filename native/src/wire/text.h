// The wire "text": the bytes of the answer are its text, in no provider's format.
#pragma once

#include "wire/wire.h"

namespace sluice {

class TextWire final : public Wire {
 public:
  std::string_view id() const override { return "text"; }
  std::unique_ptr<WireReader> read(WireSink &sink, const WireLimits &limits) const override;
  Status check(std::string_view body, const std::vector<ToolOffer> &tools) const override;
  std::string write(const RequestParts &parts) const override;
  bool has_end() const override { return false; }
};

}  // namespace sluice
