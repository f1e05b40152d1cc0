// Stands for the package `punycode.js`: pages have it in `URL`.
export default {
  toASCII: (host: string): string => (URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host),
  toUnicode: (host: string): string => host,
}
