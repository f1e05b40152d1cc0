// Text that grows at its end and shares its bytes with copies and parts of it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace sluice {

// Appends, and grows a large text by a quarter only: doubling needs three times the size for a moment, and wastes half
// of what it keeps.
inline void append_large(std::string &to, std::string_view bytes) {
  constexpr size_t kLarge = size_t{1} << 20;
  const size_t size = to.size() + bytes.size();
  if (size <= to.capacity() || size < kLarge) {
    to += bytes;
    return;
  }
  std::string grown;
  grown.reserve(size + size / 4);
  to = std::move(grown.append(to).append(bytes));
}

// Behaves as a value: appending to one text does not change its copies and parts.
class SharedText {
 public:
  SharedText() = default;
  explicit SharedText(std::string text) : size_(text.size()), grows_(true) {
    if (size_ != 0) whole_ = std::make_shared<std::string>(std::move(text));
  }
  SharedText(const SharedText &other) : whole_(other.whole_), from_(other.from_), size_(other.size_), grows_(false) {}
  SharedText(SharedText &&other) noexcept { swap(other); }
  SharedText &operator=(SharedText other) noexcept {
    swap(other);
    return *this;
  }

  std::string_view view() const {
    return size_ == 0 ? std::string_view() : std::string_view(*whole_).substr(from_, size_);
  }
  operator std::string_view() const { return view(); }
  friend bool operator==(const SharedText &a, std::string_view b) { return a.view() == b; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  SharedText part(size_t from, size_t size) const {
    SharedText out(*this);
    out.from_ += from;
    out.size_ = size;
    return out;
  }

  // A text that shares its bytes copies them first, unless it made them.
  void append(std::string_view bytes) {
    if (bytes.empty()) return;
    if (!grows_ || whole_ == nullptr) {
      std::string own;
      own.reserve(size_ + bytes.size());
      own.append(view()).append(bytes);
      *this = SharedText(std::move(own));
      return;
    }
    append_large(*whole_, bytes);
    size_ += bytes.size();
  }
  // Appends `bytes`. Shares them instead where `source` holds the same bytes at `at` and this text ends right there.
  void append_part(const SharedText &source, size_t at, std::string_view bytes) {
    const bool same = at <= source.size_ && source.view().substr(at, bytes.size()) == bytes;
    const bool follows = empty() || (whole_ == source.whole_ && from_ + size_ == source.from_ + at);
    if (!same || !follows) return append(bytes);
    if (bytes.empty()) return;
    const size_t before = size_;
    *this = source.part(at - before, before + bytes.size());
  }
  // Frees the memory reserved for growing.
  void shrink() {
    if (grows_ && whole_ != nullptr) whole_->shrink_to_fit();
  }

 private:
  void swap(SharedText &other) noexcept {
    whole_.swap(other.whole_);
    std::swap(from_, other.from_);
    std::swap(size_, other.size_);
    std::swap(grows_, other.grows_);
  }

  std::shared_ptr<std::string> whole_;
  size_t from_ = 0, size_ = 0;  // the part of whole_ that this text is
  bool grows_ = true;           // it made whole_, and is all of it: it may append in place
};

}  // namespace sluice
