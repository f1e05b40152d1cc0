// Tools and results as JSON that a model reads: what the protocols' definitions have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/marker_text.h"

namespace sluice {

// A string as its text, any other JSON value as compact JSON.
std::string text_or_json(std::string_view value);

// The names in a schema's `required`.
std::vector<std::string> required_members(std::string_view schema);

// The rest of a parameter's schema besides type, description and enum, and of the arguments' schema besides its list of
// parameters, as JSON object text; empty: nothing.
std::string rest_of_parameter(std::string_view schema), rest_of_arguments(std::string_view schema);

// JSON text of a value that `schema` accepts, as far as one can tell without solving it; a string is `name`.
std::string example_value(std::string_view schema, std::string_view name);

// JSON object of example arguments: the required ones, or else the first that there is.
std::string example_arguments(std::string_view parameters);

// The tool that shows most in an example: the first one with arguments, or else the first. `tools` is not empty.
const ToolText &example_tool(const std::vector<ToolText> &tools);

// The parameters as a JSON array of { name, type, required, description, … }, one on each line.
std::string parameter_fields(std::string_view parameters);
// The same as a line for each parameter; below it, indented, those of an object.
std::string parameter_lines(std::string_view parameters);

// The first words of definitions, around an example of a call.
void introduce_calls(std::string_view example, std::string &out);

// {"type":"function","function":{"name":…,"description":…,"parameters":…}}, the form that models were trained on.
void write_tool_json(const ToolText &tool, std::string &out);

// {"status":…,"call_id":…,"name":…,"content":…}, its texts changed as harmless.h does it.
void write_result_json(const ResultText &result, const Defuse &defuse, std::string &out);

}  // namespace sluice
