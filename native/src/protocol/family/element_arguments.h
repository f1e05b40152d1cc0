// Parameters that an element grammar read → the arguments of a call, and back.
#pragma once

#include "protocol/family/element_tags.h"

namespace sluice {

inline constexpr std::string_view kCdataOpen = "<![CDATA[", kCdataClose = "]]>";

// One parameter as it stands in the block. Positions count from the block's first byte.
struct ElementField {
  size_t name, name_end, value, value_end;
  ElementTag::Json json;
  bool cdata = false;  // the value needs no decoding
};

// Sets the arguments of `call`, which is untyped, and its reason if it has none and a value is wrong.
void gather_elements(std::string_view block, const std::vector<ElementField> &fields, const ElementForm &form,
                     const ProtocolOptions &options, const ToolView &tools, size_t depth, ParsedCall &call,
                     std::vector<BlockReader::Note> &notes);

// Appends the list that a parameter is which stands once: its elements, <item> or <0>, <1> and so on, or, if `takes`
// says that the list has strings, the text as the only element. Returns false if the text may be a list as it stands,
// or is other markup.
bool append_list_of(std::string_view text, ToolView::List takes, std::string &out);

// Replaces call.arguments if the model put all of them into one parameter (ElementForm::wrappers).
void unwrap_arguments(const ElementForm &form, const ToolView &tools, size_t depth, ParsedCall &call);

}  // namespace sluice
