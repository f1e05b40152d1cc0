// What rules-file.ts is in a page: it has no files.
import { SluiceError } from '../../engine/core/errors.js'
import type { RuleStore } from '../../engine/core/rules.js'

export function fileRules(path: string): RuleStore {
  throw new SluiceError({
    code: 'unsupported',
    path: 'path',
    detail: `found ${JSON.stringify(path)}, and a page has no files`,
    hint: 'use memoryRules(), or a store of your own with list, add and revoke',
  })
}
