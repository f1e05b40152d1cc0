// Providers refuse pictures in prose. The table holds the phrases seen so far: a new one is a new line.
#include "wire/picture_refusal.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "base/text.h"
#include "wire/phrases.h"

namespace sluice {
namespace {

constexpr size_t kReach = 60;  // bytes between the two phrases of a row

// What stands in `first` comes before what stands in `then`, in one sentence.
struct Order {
  std::string_view first, then;
};

constexpr std::string_view kPictures = "image|picture|vision|multimodal|multi-modal|multimedia";
constexpr std::string_view kDenied =
    "not support|n't support|unsupported|not enabled|not available|not allowed|not permitted|n't enabled|"
    "only supported by|not accepted";

constexpr Order kOrders[] = {
    {kPictures, kDenied},
    {"not support|n't support|no support|not accept|n't accept|cannot accept|not have|cannot handle|cannot process|"
     "cannot see|not capable of|endpoints found that support|missing data required for|lacks|unsupported content",
     kPictures},
    {"not a", "multimodal|multi-modal|vision"},
    {"at most 0", "image"},                              // vLLM
    {"unknown variant `image_url`", "expected `text`"},  // DeepSeek
    {"content", "must be a string|expected a string|should be a valid string"},
};

// A sentence with one of these is about what is wrong with a picture, or with its address.
constexpr std::string_view kPictureDetails =
    "format|mime|media type|media_type|mediatype|too large|too many|too big|size|dimension|resolution|pixel|download|"
    "decode|corrupt|invalid image|valid image|base64| url|make sure|file type|result";

bool says(std::string_view sentence, const Order &row) {
  for (std::string_view any = row.first;; any.remove_prefix(any.find('|') + 1)) {
    const std::string_view first = any.substr(0, any.find('|'));
    for (size_t at = sentence.find(first); at != sentence.npos; at = sentence.find(first, at + 1)) {
      const std::string_view behind = sentence.substr(at + first.size());
      if (holds(behind.substr(0, kReach), row.then)) return true;
    }
    if (any.find('|') == any.npos) return false;
  }
}

}  // namespace

bool refuses_pictures(std::string_view words) {
  const std::string small = lower_case(words.substr(0, kMostRefusalBytes));
  for (std::string_view rest = small; !rest.empty();) {
    const size_t end = std::min({rest.find(". "), rest.find("! "), rest.find(';'), rest.find('\n')});
    const std::string_view sentence = rest.substr(0, end);
    if (!holds(sentence, kPictureDetails) &&
        std::any_of(std::begin(kOrders), std::end(kOrders), [&](const Order &row) { return says(sentence, row); }))
      return true;
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
  return false;
}

}  // namespace sluice
