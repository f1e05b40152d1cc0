#include "protocol/scan/output.h"

#include "base/ascii.h"
#include "base/utf8.h"
#include "protocol/scan/saved_machine.h"

namespace sluice {
namespace {

constexpr size_t kRawInDiagnostic = 256;
// A flood of openers leaves this many diagnostics.
constexpr size_t kMostDiagnostics = 1000;

}  // namespace

std::string_view whole_code_points(std::string_view text, size_t bytes) {
  text = text.substr(0, bytes);
  for (size_t behind = 1; behind <= 3 && behind <= text.size(); ++behind) {
    const char first = text[text.size() - behind];
    if (continues_code_point(first)) continue;
    if (code_point_length(first) > behind) text.remove_suffix(behind);
    break;
  }
  return text;
}

// White space waits until text follows it.
ScanOutput::Shown ScanOutput::show(const KeptText &kept, Offset to, Voice voice) {
  if (to <= done_) return Shown::nothing;
  bool &open = voice == Voice::reasoning ? reasoning_open_ : text_open_;
  if (!open) {
    white_ = std::max(white_, done_);
    while (white_ < to && is_white(kept[white_])) ++white_;
    if (white_ >= to && to - done_ <= most_white_) return Shown::nothing;
  }
  const std::string_view piece = kept.view(done_, to);
  done_ = to;
  const bool first = !open;
  open = true;
  switch (voice) {
    case Voice::text: sink_.on_scan_text(piece); break;
    case Voice::fabricated: sink_.on_scan_fabricated(piece); break;
    case Voice::reasoning:
      text_open_ = false;
      sink_.on_scan_reasoning(piece, first);
      break;
  }
  return first ? Shown::first : Shown::more;
}

void ScanOutput::diagnostic(std::string_view code, std::string_view detail, Offset at, std::string_view raw) {
  if (told_ > kMostDiagnostics) return;
  if (told_++ == kMostDiagnostics) return sink_.on_scan_diagnostic("oversize", "more of these are not told", at, {});
  sink_.on_scan_diagnostic(code, detail, at, whole_code_points(raw, kRawInDiagnostic));
}

void ScanOutput::save(std::string &out) const {
  ObjectWriter object(out);
  each_field(*this, SaveFields{object});
  object.close();
}

void ScanOutput::load(std::string_view saved) {
  const SavedReader reader(saved);
  each_field(*this, LoadFields{reader});
}

}  // namespace sluice
