// What holds of every text: what is finished does not move in any frame, and hostile texts make nothing but text.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { built } from '../js/dist.mjs'
import { awkward } from '../js/text/awkward.mjs'
import { hostile } from '../js/text/hostile.mjs'
import { until } from '../browser/support.mjs'
import { everything } from '../browser/ui/everything.mjs'
import { unknownOf } from '../browser/ui/known-nodes.mjs'
import { browser, open, pages } from '../browser/ui/message.mjs'

const { Cutter } = await built('cut')
const { drawn } = await built('text-tree')

const chinese = `# 雨伞的比较\n\n这是**“计划”**：先看天气，**注意：**请带伞。\n第二行，~~删去~~和*（括号）*。\n\n- 第一\n- 第二，见https://example.com/路径，再说\n\n- 第三\n\n> 引用\n继续\n\n| 名称 | 值 |\n|---|--:|\n| 蓝伞 | 一把 |\n\n\`\`\`js\nconst 伞 = 1\n\`\`\`\n\n日本語の**「強調」**も、한국어 **강조**도。\n`

/** Recorded texts of models, where they are: those of the most lines. */
function recorded() {
  const folder = join(process.env.SLUICE_SHARED ?? fileURLToPath(new URL('../../../shared', import.meta.url)), 'texts')
  if (!existsSync(folder)) return {}
  const names = readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.json'))
    .sort()
  const texts = names.map((name) => [
    name,
    String(JSON.parse(readFileSync(join(folder, name), 'utf8')).input ?? '').slice(0, 1500),
  ])
  const lines = ([, text]) => text.split('\n').length
  return Object.fromEntries(texts.sort((a, b) => lines(b) - lines(a)).slice(0, 24))
}

function random(seed) {
  let state = seed
  return (below) => (((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32) * below) | 0
}

const words = {
  table: 'Table',
  task: 'Task',
  copyCsv: 'Copy as CSV',
  pictureFrom: (host) => `Picture from ${host}`,
  pictureInText: 'Picture',
}
/** How many nodes of a text that is cut here are finished: the whole line of another block stands behind them. */
function finishedOf(text) {
  const { finished } = new Cutter().read(
    text.replace(/\r$/, '').replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd'),
    true,
  )
  return finished.flatMap((block) => drawn(block, words)).length
}

test('in no frame a block that is finished moves or becomes another, however the text comes', async (t) => {
  const next = random(11)
  const FRAMES = 48
  const MOST_HELD = 2
  const texts = Object.entries({ ...awkward, everything, chinese, ...recorded() }).map(([what, text]) => {
    const cuts = Array.from({ length: FRAMES }, () => next(text.length)).sort((a, b) => a - b)
    return { what, text, steps: cuts.map((cut) => [cut, finishedOf(text.slice(0, cut))]) }
  })
  const page = await open(t, { viewport: { width: 420, height: 800 } })
  const { faults, held } = await page.evaluate(
    async ({ texts, frameCount, mostHeld }) => {
      performance.now = () => 0 // readings take no time: none is put off
      const shown = texts.map((one, at) => {
        const live = new Live(`m${at}`)
        return { ...one, live, element: show(live), known: [] }
      })
      await Promise.all(shown.map(({ element }) => element.updateComplete))
      const faults = []
      let held = 0
      const look = ({ what, element, known }, finished) => {
        const { left, top } = element.getBoundingClientRect()
        const blocks = [...element.renderRoot.querySelectorAll('.text > .group > *')]
        const boxOf = (block) => {
          const box = block.getBoundingClientRect()
          return [box.left - left, box.top - top, box.width, box.height].map((one) => Math.round(one * 4) / 4).join(' ')
        }
        known.forEach(({ block, box }, at) => {
          held++
          if (blocks[at] !== block) faults.push(`${what}: block ${at} became another`)
          else if (boxOf(block) !== box)
            faults.push(`${what}: block ${at} moved from ${box} to ${boxOf(block)}: ${block.textContent.slice(0, 40)}`)
        })
        if (blocks.length < finished) faults.push(`${what}: ${finished} blocks are finished, ${blocks.length} there`)
        for (const block of blocks.slice(known.length, finished)) known.push({ block, box: boxOf(block) })
      }
      for (let frame = 0; frame <= frameCount; frame++) {
        for (const { live, text, steps } of shown) {
          const from = steps[frame - 1]?.[0] ?? 0
          const [to] = steps[frame] ?? [text.length]
          if (to > from) live.push({ type: 'text', block: 0, text: text.slice(from, to) })
          if (frame === frameCount) live.push({ type: 'done', outcome: 'completed' })
        }
        await frames(1)
        // of a flood the page draws what came up to so many frames before
        for (const one of shown) look(one, one.steps[frame - mostHeld]?.[1] ?? 0)
      }
      for (let more = 0; more < 3; more++) {
        await frames(1)
        for (const one of shown) look(one, 0)
      }
      return { faults: faults.slice(0, 20), held }
    },
    { texts, frameCount: FRAMES, mostHeld: MOST_HELD },
  )
  assert.deepEqual(faults, [])
  t.diagnostic(`${texts.length} texts, ${held} boxes`)
  assert.ok(held > 800, `${held} boxes`)
})

test('of a hostile text nothing is loaded, run or made but listed nodes, under a strict policy', async (t) => {
  const policy = "default-src 'none'; script-src 'self'; style-src 'self'; require-trusted-types-for 'script'"
  const page = await browser.page(t, { expected: [/This document requires 'TrustedHTML' assignment/] })
  await page.route('**/page.html', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, headers: { ...response.headers(), 'content-security-policy': policy } })
  })
  await page.addInitScript(() => {
    window.violations = []
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
      violations.push([violatedDirective, blockedURI, sample].join(' ')),
    )
  })
  await page.goto(`${pages.url}/page.html`)
  await until(() => page.evaluate(() => window.ready), 'the page') // `waitForFunction` makes code of a string
  await assert.rejects(
    page.evaluate(() => (document.body.innerHTML = '')),
    /TrustedHTML/,
  )
  await until(() => page.evaluate(() => violations.splice(0).length > 0), 'the report of it')
  const requests = []
  const dialogs = []
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Network.enable')
  await cdp.send('Page.enable')
  for (const event of [
    'Network.requestWillBeSent',
    'Network.webSocketCreated',
    'Page.frameRequestedNavigation',
    'Page.windowOpen',
    'Page.frameAttached',
  ])
    cdp.on(event, ({ request, url }) => requests.push(`${event} ${request?.url ?? url}`))
  page.on('request', (request) => requests.push(`request ${request.url()}`))
  page.on('dialog', (dialog) => dialogs.push(dialog.message()))
  page.context().on('page', (other) => requests.push(`page ${other.url()}`))
  const texts = {
    ...hostile,
    awkward: Object.values(awkward).join('\n\n'),
    html: '<img src=https://evil.example/x onerror=alert(1)> <script src=//evil.example/x></script> <svg onload=alert(1)> <a href=javascript:alert(1)>x</a> ![x](https://evil.example/x.png) <https://evil.example> <br onclick=alert(1)> <link rel=prefetch href=//evil.example>',
  }
  assert.ok(Object.keys(texts).length >= 54)
  const { found, slowest } = await page.evaluate(async (texts) => {
    const found = {}
    let slowest = { took: 0 }
    for (const [what, text] of Object.entries(texts)) {
      const begun = performance.now()
      const element = document.createElement('sluice-text')
      document.querySelector('#stage').replaceChildren(element)
      // As it comes, and whole.
      Object.assign(element, { text: text.slice(0, Math.min(text.length / 2, 11_900)), open: true })
      await element.updateComplete
      Object.assign(element, { text, open: false })
      await element.updateComplete
      for (const one of element.renderRoot.querySelector('.text').querySelectorAll('*'))
        for (const name of ['', ...one.getAttributeNames()])
          (found[name ? `${one.localName}[${name}]` : one.localName] ??= []).push(what)
      for (const chunk of element.renderRoot.querySelectorAll('.plain .chunk'))
        if (chunk.textContent.length > 24_001) (found['a chunk that takes long to lay out'] ??= []).push(what)
      for (const link of element.renderRoot.querySelectorAll('a'))
        if (!/^(?:https?|mailto):/.test(link.href)) (found[`a to ${link.href.slice(0, 40)}`] ??= []).push(what)
      await frames(1)
      const took = performance.now() - begun
      if (took > slowest.took) slowest = { what, took }
    }
    return { slowest, found: Object.entries(found).map(([one, whats]) => [one, whats[0]]) }
  }, texts)
  t.diagnostic(`the slowest: ${slowest.what}, ${Math.round(slowest.took)} ms`)
  const unknown = unknownOf(found.map(([one]) => one))
  assert.deepEqual(
    found.filter(([one]) => unknown.includes(one)),
    [],
  )
  assert.deepEqual(
    {
      violations: await page.evaluate(() => violations),
      dialogs,
      requests: requests.filter((one) => !one.includes(`${pages.url}/sluice/ui/`)),
    },
    { violations: [], dialogs: [], requests: [] },
  )
})

test('what models write by mistake is shown as it is, nothing of it is lost, and nothing is loaded', async (t) => {
  const page = await open(t, { viewport: { width: 420, height: 800 } })
  const requests = []
  page.on('request', (request) => requests.push(request.url().slice(0, 80)))
  const line = 'a line that does not end, '.repeat(40_000)
  const texts = {
    'half a table': '| a | b |\n|---|',
    'ten thousand back-ticks': '`'.repeat(10_000),
    'quotes 1,000 deep': `${'>'.repeat(1000)} deep`,
    'a script as a link': '[x](javascript:alert(1))',
    'a line of 1 MB': line,
    'a picture that is none': '![x](data:image/png;base64,AAAA)',
  }
  const shown = (text) =>
    page.evaluate(async (text) => {
      const element = Object.assign(document.createElement('sluice-text'), { open: true })
      document.querySelector('#stage').replaceChildren(element)
      const all = text === '' ? `![a picture](data:image/png;base64,${'A'.repeat(50e6)})` : text
      for (const part of text === '' ? [1] : [0.3, 0.7, 1]) {
        element.text = all.slice(0, Math.ceil(all.length * part))
        await frames(2)
      }
      element.open = false
      await element.updateComplete
      await frames(2)
      const box = element.renderRoot.querySelector('.text')
      return {
        same: box.textContent === all,
        text: box.textContent.slice(0, 2000),
        length: box.textContent.length,
        depth: box.querySelectorAll('blockquote').length,
        links: box.querySelectorAll('a').length,
        pictures: box.querySelectorAll('img').length,
        wide: document.documentElement.scrollWidth - innerWidth,
      }
    }, text)
  const found = Object.fromEntries(
    await Object.entries(texts).reduce(async (all, [what, text]) => [...(await all), [what, await shown(text)]], []),
  )
  for (const [what, { wide, links, pictures }] of Object.entries(found))
    assert.deepEqual([what, wide <= 0, links, pictures], [what, true, 0, 0])
  assert.equal(found['half a table'].text, '| a | b ||---|')
  assert.ok(found['ten thousand back-ticks'].same)
  assert.match(found['quotes 1,000 deep'].text, /^>{900,} deep$/)
  assert.ok(found['quotes 1,000 deep'].depth > 30)
  assert.ok(found['a script as a link'].same)
  assert.equal(found['a line of 1 MB'].text, line.slice(0, 2000))
  assert.equal(found['a line of 1 MB'].length, line.trimEnd().length)
  assert.equal(found['a picture that is none'].text, 'x · Picture')
  const picture = await shown('') // of 50 MB: made in the page
  assert.ok(picture.same)
  assert.deepEqual(
    [picture.links, picture.pictures, picture.text.slice(0, 40)],
    [0, 0, '![a picture](data:image/png;base64,AAAAA'],
  )
  assert.deepEqual(requests, [])
})
