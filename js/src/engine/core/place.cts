// Where the package lies, and what loads a library. CommonJS in both builds, so that it has `__dirname` and `require`; in
// the output of a bundler it has neither.

/** The folder of this file: js/dist/esm/engine/core or js/dist/cjs/engine/core. Undefined: a bundler took it elsewhere. */
export const here: string | undefined = typeof __dirname === 'string' ? __dirname : undefined

/** What a library exports. */
export const load = (file: string): unknown => require(file)
