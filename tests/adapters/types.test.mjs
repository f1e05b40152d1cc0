import assert from 'node:assert/strict'
import { test } from 'node:test'
import { typeErrors } from '../typescript.mjs'

test('every client takes it, by its types', () => {
  assert.equal(typeErrors(new URL('types.ts', import.meta.url)), '')
})
