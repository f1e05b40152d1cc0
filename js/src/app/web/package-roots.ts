// Pages load the ES modules, whichever build serves them.
import { join } from 'node:path'
import { here } from '../../engine/core/place.cjs'

const dist = here === undefined ? '' : join(here, '../../..')

/** What pages import of this package: `/sluice/renderer/index.js`. */
export const packagePages: { readonly [prefix: string]: string } = {
  '/sluice/': join(dist, 'esm'),
  '/sluice/ui/': join(dist, 'ui'),
}
