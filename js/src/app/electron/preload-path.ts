import { join } from 'node:path'
import { here } from '../../engine/core/place.cjs'

/** For `webPreferences.preload`. Empty where a bundler took the package apart, of which no engine can be made. */
export const preloadPath: string = here === undefined ? '' : join(here, '../../../preload/index.cjs')
