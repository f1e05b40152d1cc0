// A JSON Schema in the words of OpenAPI 3.0 that old servers of Gemini take as `parameters`.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// `schema`: checked JSON. What OpenAPI cannot say is left out, so that arguments may come that the schema refuses.
std::string openapi_schema(std::string_view schema);

}  // namespace sluice
