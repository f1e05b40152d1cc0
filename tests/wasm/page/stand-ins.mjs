// What script-runner.mjs imports of Node, in a page.
export const existsSync = () => false
export const createRequire = undefined
export const dirname = (path) => path
export const join = (...parts) => parts.join('/')
export const resolve = join
export const fileURLToPath = (url) => url

const encoder = new TextEncoder()
export const Buffer = {
  from: (text, as) =>
    as === 'base64' ? Uint8Array.from(atob(text), (character) => character.charCodeAt(0)) : encoder.encode(text),
  byteLength: (text) => encoder.encode(text).length,
}
// For `import fs from 'node:fs'` and `import path from 'node:path'`.
export default { existsSync, dirname, join, resolve }
