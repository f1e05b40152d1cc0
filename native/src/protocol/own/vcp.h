// The vcp protocol: fields between full-width brackets, in a block of <<<[TOOL_REQUEST]>>> … <<<[END_TOOL_REQUEST]>>>.
#pragma once

#include "protocol/block.h"
#include "protocol/own/vcp_words.h"

namespace sluice {

struct VcpOptions {
  CodeMode code = CodeMode::ignore;
  bool first_duplicate = false;  // of two fields with the same key the first one counts
  bool trim = true;
  bool lenient = false;
  bool plain = false;  // an input_json that is no JSON is the tool's only text
  std::string seal = {};
  bool split = false;  // command1 path1 command2 path2: one call each
  VcpWords words = {};

  // A field with all arguments is read.
  bool reads_input() const { return lenient || plain; }
};

// `options` and `tools` outlive the reader.
std::unique_ptr<BlockReader> make_vcp_reader(const VcpOptions &options, const ToolView &tools,
                                             const ScanLimits &limits);
std::shared_ptr<const Protocol> make_vcp(const VcpOptions &options);

}  // namespace sluice
