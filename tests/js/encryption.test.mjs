// The encryption of texts: keys, functions, places, and what is refused.
import assert from 'node:assert/strict'
import { createDecipheriv, hkdfSync } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { built } from './dist.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { checkEncryption, TextCipher } = await built('encryption')
const key = 'a key of the app that nobody can guess'
const bytes = new Uint8Array(32).fill(7)
const place = ['t1', 'state']
const name = 'the state'
const hint = 'give encryption the key it was written with: [new, old]'

const notDecrypted = (cipher, text, detail, at = place) =>
  assert.rejects(cipher.decrypt(text, at, name), (error) => {
    assert.deepEqual([error.name, error.code, error.path, error.hint], ['SluiceError', 'storage', at[0], hint])
    assert.match(error.detail, detail)
    return true
  })

test('a text is AES-256-GCM by a key of its use, with its place as additional data', async () => {
  const text = 'a secret, 秘密 😀'
  for (const given of [key, bytes]) {
    const written = await new TextCipher(given, 'turn').encrypt(text, place, name)
    const [, body] = /^sluice1\.([\w-]+)$/.exec(written)
    const raw = Buffer.from(body, 'base64url')
    assert.equal(raw.length, 12 + Buffer.byteLength(text) + 16)
    const derived = new Uint8Array(hkdfSync('sha256', given, '', 'sluice/turn', 32))
    const decipher = createDecipheriv('aes-256-gcm', derived, raw.subarray(0, 12))
      .setAAD(Buffer.from('["turn","t1","state"]'))
      .setAuthTag(raw.subarray(-16))
    assert.equal(decipher.update(raw.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8'), text)
    assert.notEqual(await new TextCipher(given, 'turn').encrypt(text, place, name), written, 'each nonce is used once')
    assert.equal(await new TextCipher(given, 'turn').decrypt(written, place, name), text)
  }
  const empty = new TextCipher(key, 'turn')
  assert.equal(await empty.decrypt(await empty.encrypt('', place, name), place, name), '')
})

test('of several keys the first one encrypts and all of them decrypt', async () => {
  const [older, newer] = [new TextCipher(bytes, 'turn'), new TextCipher(key, 'turn')]
  const both = new TextCipher([key, bytes], 'turn')
  assert.equal(await both.decrypt(await older.encrypt('old', place, name), place, name), 'old')
  const written = await both.encrypt('new', place, name)
  assert.equal(await newer.decrypt(written, place, name), 'new')
  await notDecrypted(older, written, /written with another key/)
})

test('the given bytes may be erased: keys are derived from a copy', async () => {
  const given = Uint8Array.from(bytes)
  const cipher = new TextCipher(given, 'turn')
  given.fill(0)
  assert.equal(await new TextCipher(bytes, 'turn').decrypt(await cipher.encrypt('x', place, name), place, name), 'x')
})

test('another key, use or place, a changed text and plain text are not decrypted', async () => {
  const cipher = new TextCipher(key, 'turn')
  const written = await cipher.encrypt('a secret', place, name)
  const wrong = /^the state cannot be decrypted: it was written with another key or at another place, or changed$/
  await notDecrypted(new TextCipher(bytes, 'turn'), written, wrong)
  await notDecrypted(new TextCipher(key, 'page'), written, wrong)
  for (const at of [['t2', 'state'], ['t1', 'config'], ['t1'], ['t1', 'state', 0], ['t1","state']])
    await notDecrypted(cipher, written, wrong, at)
  const at = await cipher.encrypt('x', ['t1', 1], name)
  await notDecrypted(cipher, at, wrong, ['t1', '1'])
  for (let index = 8; index < written.length; index++) {
    const other = written[index] === 'A' ? 'B' : 'A'
    await notDecrypted(cipher, written.slice(0, index) + other + written.slice(index + 1), wrong)
  }
  for (const text of [
    'sluice1.',
    `${written}=`,
    `${written}.`,
    ` ${written}`.slice(1, -1),
    `${written}\n`,
    `sluice1. ${written.slice(8)}`,
  ])
    await notDecrypted(cipher, text, wrong)
  for (const text of ['', 'a secret', `sluice2.${written.slice(8)}`, written.slice(8), ` ${written}`])
    await notDecrypted(cipher, text, /^the state is plain text, expected what encryption writes$/)
})

test('without an encryption a plain text passes, and an encrypted one is not returned', async () => {
  const none = new TextCipher(undefined, 'turn')
  assert.equal(none.isOn, false)
  assert.equal(await none.decrypt(await none.encrypt('plain', place, name), place, name), 'plain')
  for (const encryption of [key, { encrypt: (text) => text, decrypt: (text) => text }]) {
    const written = await new TextCipher(encryption, 'turn').encrypt('a secret', place, name)
    await notDecrypted(none, written, /^the state is encrypted, and encryption is not given$/)
  }
})

test('functions encrypt in place of keys, with or without promises, as methods of their object', async () => {
  class Keychain {
    #prefix = 'kept:'
    places = []
    encrypt(text, at) {
      this.places.push(at)
      return this.#prefix + Buffer.from(text).toString('hex')
    }
    async decrypt(text, at) {
      this.places.push(at)
      return Buffer.from(text.slice(this.#prefix.length), 'hex').toString()
    }
  }
  const keychain = new Keychain()
  checkEncryption(keychain, 'encryption')
  const cipher = new TextCipher(keychain, 'turn')
  const written = await cipher.encrypt('a secret', place, name)
  assert.match(written, /^sluice1\.kept:/)
  assert.equal(await cipher.decrypt(written, place, name), 'a secret')
  assert.deepEqual(keychain.places, ['["turn","t1","state"]', '["turn","t1","state"]'])
  await notDecrypted(cipher, written, /at another place/, ['t2', 'state'])
  await notDecrypted(cipher, 'a secret', /is plain text/)
  await notDecrypted(new TextCipher(key, 'turn'), written, /another key/)
})

test('functions that throw, reject or return no text: nothing is written, nothing is read', async () => {
  const fails = new Error('the keychain is locked')
  const written = await new TextCipher(key, 'turn').encrypt('a secret', place, name)
  for (const [act, words] of [
    [
      () => {
        throw fails
      },
      /the keychain is locked/,
    ],
    [
      async () => {
        throw fails
      },
      /the keychain is locked/,
    ],
    [() => undefined, /found undefined from encryption\.(en|de)crypt, expected a text/],
    [async () => Buffer.from('x'), /found an object from encryption\.(en|de)crypt, expected a text/],
  ]) {
    const cipher = new TextCipher({ encrypt: act, decrypt: act }, 'turn')
    await notDecrypted(cipher, written, words)
    await assert.rejects(cipher.encrypt('a secret', place, name), (error) => {
      assert.deepEqual([error.code, error.path, error.hint], ['storage', 't1', undefined])
      assert.match(error.detail, /^the state is not saved: /)
      assert.match(error.detail, words)
      return true
    })
  }
})

test('a key that is too short is an option error that does not show it', () => {
  for (const [value, path, detail] of [
    ['a short key', 'encryption', 'found a text of 11 characters, expected at least 32 that nobody can guess'],
    ['x'.repeat(31), 'encryption', 'found a text of 31 characters, expected at least 32 that nobody can guess'],
    [new Uint8Array(31), 'encryption', 'found a key of 31 bytes, expected at least 32 that nobody can guess'],
    [[key, new Uint8Array(16)], 'encryption[1]', 'found a key of 16 bytes, expected at least 32 that nobody can guess'],
    [[], 'encryption', 'found an empty array, expected a key, an array of keys, or { encrypt, decrypt }'],
    [[key, null], 'encryption[1]', 'found null, expected a key'],
    [[{ encrypt() {}, decrypt() {} }], 'encryption[0]', 'found an object, expected a key'],
    [7, 'encryption', 'found 7, expected a key, an array of keys, or { encrypt, decrypt }'],
    [{ encrypt() {} }, 'encryption', 'found an object, expected a key, an array of keys, or { encrypt, decrypt }'],
  ]) {
    assert.throws(
      () => checkEncryption(value, 'encryption'),
      (error) => {
        assert.deepEqual([error.code, error.path, error.detail], ['option', path, detail])
        assert.ok(!error.message.includes('a short key'))
        return true
      },
    )
  }
  for (const fine of ['x'.repeat(32), new Uint8Array(32), Buffer.alloc(64), [key, bytes]])
    checkEncryption(fine, 'encryption')
})

test('in a page a key is unsupported, and functions work', async () => {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'js/src/engine/core/encryption.ts')],
    alias: { 'node:crypto': join(root, 'js/src/app/page/crypto.ts') },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    tsconfig: join(root, 'js/tsconfig.browser.json'),
  })
  const { TextCipher: PageCipher } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`)
  for (const encryption of [key, bytes, [key]])
    assert.throws(
      () => new PageCipher(encryption, 'turn'),
      (error) => {
        assert.deepEqual([error.name, error.code, error.path], ['SluiceError', 'unsupported', 'encryption'])
        assert.match(error.hint, /^pass functions: encryption: \{ encrypt, decrypt \}/)
        return true
      },
    )
  const subtle = await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
  const gcm = (iv, place) => ({ name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(place) })
  const cipher = new PageCipher(
    {
      async encrypt(text, place) {
        const iv = crypto.getRandomValues(new Uint8Array(12))
        const made = await crypto.subtle.encrypt(gcm(iv, place), subtle, new TextEncoder().encode(text))
        return btoa(String.fromCharCode(...iv, ...new Uint8Array(made)))
      },
      async decrypt(text, place) {
        const all = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
        return new TextDecoder().decode(
          await crypto.subtle.decrypt(gcm(all.slice(0, 12), place), subtle, all.slice(12)),
        )
      },
    },
    'turn',
  )
  const written = await cipher.encrypt('a secret', place, name)
  assert.equal(await cipher.decrypt(written, place, name), 'a secret')
  await notDecrypted(cipher, written, /cannot be decrypted/, ['t2', 'state'])
})

test('one file of the package imports a cipher', () => {
  const folder = join(root, 'js/src')
  const files = readdirSync(folder, { recursive: true })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\.c?ts$/.test(file) && dirname(file) !== 'app/page')
    .filter((file) =>
      /createCipher|createDecipher|hkdf|subtle\.(en|de)crypt/.test(readFileSync(join(folder, file), 'utf8')),
    )
  assert.deepEqual(files, ['engine/core/encryption.ts'])
})
