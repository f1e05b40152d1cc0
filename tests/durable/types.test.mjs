import assert from 'node:assert/strict'
import { test } from 'node:test'
import { typeErrors } from '../typescript.mjs'

test('stores, the log and the queue take what each client makes, by its types', () => {
  assert.equal(typeErrors(new URL('types.ts', import.meta.url)), '')
})
