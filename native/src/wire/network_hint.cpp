#include "wire/network_hint.h"

#include <string>

#include "base/text.h"
#include "wire/phrases.h"

namespace sluice {
namespace {

struct NetworkRow {
  std::string_view words;
  std::string_view hint;
  bool unheard = false;  // counts only before the first byte of the answer
};

constexpr std::string_view kClosed = "The server closed the connection: look at its log.";

// The first row that fits gives the hint: the words of Node, Python, Go, curl and others.
constexpr NetworkRow kNetworkRows[] = {
    {"econnrefused|connection refused|connectionrefused|actively refused|couldn't connect",
     "Nothing listens at that address: start the server, or correct the address."},
    {"enotfound|eai_again|could not resolve|name or service not known|nodename nor servname|no such host|"
     "getaddrinfo failed|name resolution",
     "No such host: check the address and the network."},
    {"certificate|self_signed|self-signed|wrong version number|wrong_version_number",
     "The server's certificate is not trusted, or it speaks no TLS: give the certificate of its issuer to the program "
     "(Node: NODE_EXTRA_CA_CERTS), or write http:// in place of https://."},
    {"econnreset|connection reset|socket hang up", kClosed},
    {"closed|end of file", kClosed, true},
};

}  // namespace

std::string_view network_hint(std::string_view words, bool heard) {
  const std::string small = lower_case(words.substr(0, kMostRefusalBytes));
  for (const NetworkRow &row : kNetworkRows)
    if (!(row.unheard && heard) && holds(small, row.words)) return row.hint;
  return {};
}

}  // namespace sluice
