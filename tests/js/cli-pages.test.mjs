// The commands that serve a page: demo, gallery, tester.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { inOrder, log, page, path, sluice, texts } from './cli-support.mjs'
import { until } from './until.mjs'

test('demo: serves the pet, says where, and ends with Ctrl-C', async () => {
  const { code, out } = await page(['demo'], async ({ get }) => {
    const answer = await get('/')
    assert.equal(answer.status, 200)
    assert.match(answer.headers.get('content-security-policy'), /default-src 'none'/)
  })
  assert.equal(code, 0)
  assert.match(out, /^The pet is on: http/)
})

test('demo --terminal: the scripted turn', async () => {
  const { code, out, err } = await sluice(['demo', '--terminal', '--mode', 'text'])
  assert.deepEqual([code, err], [0, ''])
  inOrder(out, 'A scripted server answers', 'weather.now', 'approved automatically: there is no terminal', ' tokens\n')
})

test('demo: a protocol that does not exist, and options of the other half, end it with a sentence', async () => {
  for (const [args, exit, message] of [
    [['--no-open', '--protocol', 'smoke-signals'], 1, /protocol: found "smoke-signals"/],
    [['--no-open', '--prompt', 'Hi'], 2, /--prompt needs --terminal/],
    [['--no-open', '--yes'], 2, /--yes needs --terminal/],
    [['--terminal', '--port', '0'], 2, /--port is for the page/],
  ]) {
    const { code, err } = await sluice(['demo', ...args])
    assert.equal(code, exit, args.join(' '))
    assert.match(err, message)
  }
})

test('a port that is taken is told in a sentence', async () => {
  const other = createServer().listen(0, '0.0.0.0')
  await once(other, 'listening')
  const { code, err } = await sluice(['tester', '--no-open', '--port', String(other.address().port)])
  other.close()
  assert.equal(code, 1)
  assert.match(err, /^port: another program already uses 127\..*\nleave the port out to get a free one/)
})

test('gallery: serves its page, and leads to the tester', async () => {
  const { code, out } = await page(['gallery'], async ({ get, post }) => {
    assert.match(await (await get('/')).text(), /Sluice gallery/)
    assert.match((await post('/api/tester', {})).value.url, /^http.*token=/)
  })
  assert.equal(code, 0)
  assert.match(out, /^The gallery is on: http/)
})

test('tester: tools, what is parsed, and tools by hand', async () => {
  const { code } = await page(['tester', '--tools', path('tools.mjs'), '--protocol', 'hermes'], async ({ post }) => {
    const { value } = await post('/api/tools', { settings: { toolToggles: { 'file.list': false } } })
    const seen = Object.fromEntries(value.tools.map(({ name, exposed, reason }) => [name, exposed || reason]))
    assert.deepEqual(seen, { 'file.delete': true, 'file.read': true, 'file.list': 'disabled', 'file.watch': true })
    assert.match(value.prompt, /<tool_call>/)
    assert.ok(value.protocols.includes('vcp') && value.protocols.includes('auto'))
    assert.ok(value.tokens.native > 0 && value.tokens.text > 0)
    assert.equal(value.estimatedTokens, value.tokens.native)
    assert.equal(
      (await post('/api/tools', { settings: { toolToggles: { 'file.list': false }, mode: 'text' } })).value
        .estimatedTokens,
      value.tokens.text,
    )
    assert.deepEqual(value.runnable, ['file.delete', 'file.read', 'file.list', 'file.watch'])
    const wrong = await post('/api/tools', { settings: { mode: 'quark' } })
    assert.deepEqual([wrong.ok, wrong.error.path], [false, 'settings.mode'])
    assert.match(wrong.error.detail, /found "quark"/)
    const auto = await post('/api/tools', { settings: { protocol: 'auto' }, model: 'qwen3-coder' })
    assert.match(auto.value.prompt, /<function=/)

    const { value: read } = await post('/api/parse', { text: texts.hermes, chunks: 'byte' })
    assert.deepEqual([read.wire, read.protocols, read.pieces], ['text', ['hermes'], Buffer.byteLength(texts.hermes)])
    assert.deepEqual(read.message.blocks.find(({ type }) => type === 'tool_use').arguments, { city: '杭州' })
    const rejected = await post('/api/parse', { text: texts.vcp, protocol: 'vcp' })
    assert.ok(rejected.value.diagnostics.length > 0 && rejected.value.diagnostics.every(({ code }) => code))
    for (const [input, at] of [
      [{ text: 1 }, 'text'],
      [{ text: '', wire: 'x' }, 'wire'],
      [{ text: '', chunks: '-1' }, 'chunks'],
      [{ text: '', extra: 1 }, 'extra'],
      [{ text: '', protocol: 'x' }, 'protocol'],
    ]) {
      assert.equal((await post('/api/parse', input)).error.path, at)
    }

    const run = await log(() => post('/api/run', { name: 'file.delete', arguments: { path: '/x' } }))
    assert.deepEqual(run.log, ['delete /x'], 'the person asked for it: no further question')
    assert.deepEqual([run.value.status, run.value.output], ['success', 'deleted /x'])
    assert.equal(typeof run.value.durationMs, 'number')
    const misfit = await log(() => post('/api/run', { name: 'file.delete', arguments: { path: 7 } }))
    assert.deepEqual([misfit.value.status, misfit.log], ['invalid', []])
    assert.match(misfit.value.error, /expected string/)
    const slow = await log(() => post('/api/run', { name: 'file.watch', arguments: { path: '/' }, timeout: '100 ms' }))
    assert.deepEqual(
      [slow.value.status, slow.value.progress, slow.log],
      ['timeout', ['watching'], ['watching', 'aborted']],
    )
    for (const timeout of ['50', 'soon', '11 min', '0', ''])
      assert.equal(
        (await post('/api/run', { name: 'file.watch', arguments: { path: '/' }, timeout })).error.path,
        'timeout',
        timeout,
      )
    assert.equal((await post('/api/run', { name: 'file.none', arguments: {} })).error.code, 'not_found')
    assert.equal((await post('/api/run', { name: '__proto__', arguments: {} })).error.code, 'not_found')
    assert.equal((await post('/api/run', { name: 'file.read', arguments: [] })).error.path, 'arguments')

    writeFileSync(path('log'), '')
    const leave = new AbortController()
    const left = post('/api/run', { name: 'file.watch', arguments: { path: '/' } }, leave.signal)
    const logged = (text) => until(() => readFileSync(path('log'), 'utf8').includes(text), text)
    await logged('watching')
    leave.abort()
    await assert.rejects(left)
    await logged('aborted')
  })
  assert.equal(code, 0)
})
