// CommonJS in both builds: it needs `__dirname`.
import path = require('node:path')

/** For `webPreferences.preload`. */
export const preloadPath: string = path.join(__dirname, '../../../preload/index.cjs')
