// A sink that ignores everything, to derive from.
#pragma once

#include <string_view>
#include <vector>

#include "protocol/protocol.h"

namespace sluice {

class QuietSink : public ScanSink {
 public:
  void on_scan_text(std::string_view) override {}
  void on_scan_reasoning(std::string_view, bool) override {}
  void on_call_open(std::string_view, std::string_view, size_t) override {}
  void on_call_arguments(std::string_view, size_t) override {}
  void on_call_close(std::string_view, std::vector<ParsedCall> &, std::string_view, size_t, size_t) override {}
  void on_scan_diagnostic(std::string_view, std::string_view, size_t, std::string_view) override {}
};

}  // namespace sluice
