// CommonJS in both builds: it needs `__dirname`. Pages load the ES modules, whichever build serves them.
import path = require('node:path')

/** What pages import of this package: `/sluice/renderer/index.js`. */
export const packagePages: { readonly [prefix: string]: string } = {
  '/sluice/': path.join(__dirname, '../../../esm'),
  '/sluice/ui/': path.join(__dirname, '../../../ui'),
}
