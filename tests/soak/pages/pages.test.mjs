// A page that stays open for long, and messages of 100 MB from one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asked, ranOf, rawCall } from '../../browser/electron/asked.mjs'
import { useBrowser } from '../../browser/support.mjs'
import { usePages } from '../../browser/ui/server.mjs'

const browser = useBrowser()
const pages = usePages()

test('a page that stays open for 10,000 messages takes no more than one of 1,000', async (t) => {
  const page = await browser.page(t)
  await page.goto(`${pages.url}/chat.html`)
  await page.waitForFunction(() => window.chatReady)
  await page.evaluate(() => start('sluice-thread'))
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Performance.enable')
  const held = async () => {
    for (let pass = 0; pass < 3; pass++) await cdp.send('HeapProfiler.collectGarbage')
    const { metrics } = await cdp.send('Performance.getMetrics')
    const of = (wanted) => metrics.find(({ name }) => name === wanted).value
    return { heap: of('JSHeapUsedSize'), nodes: of('Nodes') }
  }
  await page.evaluate(() => goOn({ from: 0, count: 1000, each: 100 }))
  const early = await held()
  await page.evaluate(() => goOn({ from: 1000, count: 9000, each: 100 }))
  const late = await held()
  t.diagnostic(
    `${(early.heap / 1e6).toFixed(2)} MB and ${early.nodes} nodes, then ${(late.heap / 1e6).toFixed(2)} MB and ${late.nodes} nodes`,
  )
  assert.ok((await page.locator('sluice-entry').count()) <= 300)
  assert.ok(late.nodes <= early.nodes * 1.05, `${early.nodes} nodes, then ${late.nodes}`)
  assert.ok(late.heap <= early.heap + 1e6, `${early.heap} bytes, then ${late.heap}`)
})

test('attack: a message of 100 MB', async (t) => {
  const { app, victim, ask } = await asked(t, browser)
  const codes = await victim.evaluate(async (ask) => {
    const [largest, huge] = [100, 10].map((megabytes) => 'x'.repeat(megabytes * 1024 * 1024))
    const codes = []
    const calls = [
      ['send', { text: largest }],
      ['approve', { ...ask, token: huge }],
      ['deny', { ...ask, reason: huge }],
      ['approve', { ...ask, arguments: { text: huge } }],
    ]
    for (const [method, input] of calls) {
      const reply = await window.sluice.call(method, input)
      codes.push(reply.ok ? 'accepted' : reply.error.code)
      if (!reply.ok && JSON.stringify(reply).length > 10_000) codes.push('and sent back')
    }
    return codes
  }, ask)
  assert.ok(
    codes.every((code) => ['limit', 'argument', 'forbidden'].includes(code)),
    codes.join(' '),
  )
  assert.deepEqual(await ranOf(app), [])
  assert.deepEqual(await rawCall(victim, 'approve', ask), { ok: true, value: true }, 'the app still answers')
})
