// Parameters that an element grammar read → the arguments of a call, and back.
#pragma once

#include "protocol/family/element_tags.h"

namespace sluice {

// One parameter as it stands in the block. Positions count from the block's first byte.
struct ElementField {
  size_t name, name_end, value, value_end;
  ElementTag::Json json;
  bool cdata = false;  // exactly what was meant
};

// Sets the arguments of `call`, which is untyped, and its reason where it has none and a value is wrong.
void gather_elements(std::string_view block, const std::vector<ElementField> &fields, const ElementCalls &grammar,
                     const ProtocolOptions &options, const ToolView &tools, size_t depth, ParsedCall &call,
                     std::vector<BlockReader::Note> &notes);

// The text of a list that stands once, where elements of a list stand one by one: in <item>, or it is the only one.
// false: it may be one as it stands.
bool append_list_of(std::string_view text, std::string &out);

// Models put all arguments into one (ElementCalls::wrappers): sets call.arguments to what they are.
void unwrap_arguments(const ElementCalls &grammar, const ToolView &tools, size_t depth, ParsedCall &call);

}  // namespace sluice
