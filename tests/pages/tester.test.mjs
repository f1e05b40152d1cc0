// The tester page as `npx sluice tester` serves it, in Chromium under its CSP.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { built } from '../js/dist.mjs'
import { tool } from 'sluice'
import { live2dTools } from 'sluice/live2d'
import { canRestore, runScript } from '../js/script-runner.mjs'
import { picture, until, useBrowser } from '../browser/support.mjs'

const { startTester } = await built('tester')

const browser = useBrowser()
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

function makeTools() {
  const log = []
  const tools = [
    tool({
      name: 'weather.now',
      description: 'The weather in a city.',
      agentCallable: true,
      permission: 'public',
      tags: ['look up'],
      parameters: {
        type: 'object',
        properties: { city: { type: 'string', description: 'the name of the city' } },
        required: ['city'],
      },
      execute: async ({ city }) => ({ city, now: 'overcast' }),
    }),
    tool({
      name: 'order.place',
      description: 'Orders something.',
      agentCallable: true,
      parameters: {
        type: 'object',
        required: ['size', 'count'],
        properties: {
          size: { enum: ['small', 'large'] },
          count: { type: 'integer', minimum: 1 },
          gift: { type: 'boolean' },
          note: { type: 'string' },
          address: { type: 'object', properties: { street: { type: 'string' } } },
        },
      },
      execute: (args) => (log.push(args), 'ordered'),
    }),
    tool({
      name: 'album.make',
      description: 'Takes a while.',
      agentCallable: true,
      timeoutMs: 60_000,
      execute: (_, { signal, progress }) => {
        progress('sorting')
        log.push('started')
        return new Promise((_, reject) =>
          signal.addEventListener('abort', () => (log.push('aborted'), reject(signal.reason))),
        )
      },
    }),
    tool({
      name: 'printer.print',
      description: 'Has no\u200B paper.',
      agentCallable: true,
      execute: () => {
        throw new Error('the printer has no paper')
      },
    }),
    tool({ name: 'app.only', description: 'Run by the app itself.', agentCallable: true }),
    tool({ name: 'disk.wipe', description: 'Not for models.', execute: () => 'gone' }),
    ...live2dTools({ expressions: ['smile', 'worried'], motions: { Idle: 2 } }),
  ]
  return { tools, log }
}

async function start(t, { tab = 'tools', tools, ...options } = {}) {
  const made = makeTools()
  const tester = await startTester({ tools: tools ?? made.tools })
  let page
  t.after(async () => {
    await page?.context().close() // before the server: what is cut off would be an error in the page
    await tester.close()
  })
  page = await browser.page(t, options)
  await page.goto(tester.url)
  await page.locator(`#tab-${tab}`).click()
  return { page, log: made.log, panel: page.locator(`#panel-${tab}`), origin: tester.origin }
}

const names = (page, list) =>
  page.locator(`#${list} [data-tool]`).evaluateAll((rows) => rows.map((row) => row.dataset.tool))

// -- tools

test('the tools that a model sees, why others are hidden, and the prompt with its tokens', async (t) => {
  const { page, panel } = await start(t)
  await page.locator('#visible').waitFor()
  assert.ok((await names(page, 'visible')).includes('weather.now'))
  assert.deepEqual(await names(page, 'hidden'), ['disk.wipe'])
  assert.match(await page.locator('#hidden').textContent(), /agentCallable is false/)
  assert.match(await page.locator('#visible').textContent(), /⟨U\+200B⟩/, 'a zero-width space is seen')
  const tokens = async () => Number(/\d+/.exec(await page.locator('#tokens').textContent())[0])
  const before = await tokens()
  assert.match(await page.locator('#tokens').textContent(), /estimate/)
  assert.match(await panel.locator('pre').textContent(), /tool_name:「始」weather\.now「末」/)
  const toggle = page.getByRole('switch', { name: 'Let the model use weather.now' })
  await toggle.click()
  await page.locator('#hidden [data-tool="weather.now"]').waitFor()
  assert.match(await page.locator('#hidden [data-tool="weather.now"]').textContent(), /switched off/)
  assert.equal(await toggle.evaluate((element) => element === document.activeElement), true, 'the focus goes with it')
  assert.ok((await tokens()) < before)
  assert.doesNotMatch(await panel.locator('pre').textContent(), /weather\.now/)
})

test('mode, protocol and model change what would be read', async (t) => {
  const { page, panel } = await start(t)
  await page.locator('#visible').waitFor()
  const protocol = panel.getByLabel('Protocol', { exact: true })
  const ids = await protocol
    .locator('option')
    .evaluateAll((all) => all.map(({ value }) => value).filter((id) => id !== '' && id !== 'auto'))
  assert.deepEqual(
    ids,
    [...ids.slice(0, 5), ...ids.slice(5).sort()],
    'by name, behind those that are designed for text',
  )
  assert.ok(ids.length > 60 && ids[0] === 'vcp' && new Set(ids).size === ids.length, ids.join())
  await protocol.selectOption('tool_action')
  await panel.locator('pre', { hasText: '<tool_action name=' }).waitFor()
  const tokens = async () => Number(/\d+/.exec(await page.locator('#tokens').textContent())[0])
  await panel.getByLabel('Mode', { exact: true }).selectOption('native')
  const said = panel.getByText('the tools go into the request as JSON')
  await said.waitFor()
  const asText = Number(/\d+/.exec(await said.textContent())[0])
  assert.notEqual(await tokens(), asText)
  await panel.getByLabel('Mode', { exact: true }).selectOption('text')
  await said.waitFor({ state: 'hidden' })
  assert.equal(await tokens(), asText)
  await panel.getByLabel('Model', { exact: true }).fill('qwen3-coder')
  await panel.getByLabel('Protocol', { exact: true }).selectOption('auto')
  await panel.locator('pre', { hasText: '<function=' }).waitFor()
})

test('tools are searched by name, tag and description', async (t) => {
  const { page } = await start(t)
  await page.locator('#visible').waitFor()
  const search = page.getByRole('searchbox', { name: 'Search tools' })
  await search.fill('look up')
  assert.deepEqual(await names(page, 'visible'), ['weather.now'])
  await search.fill('nothing like it')
  await page.getByText('No tool matches.').waitFor()
})

// -- parse

const vcp = (fields) => `<<<[TOOL_REQUEST]>>>\n${fields}\n<<<[END_TOOL_REQUEST]>>>`

test('pasted text becomes a message, with each rejected candidate and its reason at its place', async (t) => {
  const { page, panel } = await start(t, { tab: 'parse' })
  await panel.locator('#source mark.call').waitFor() // it begins with an example
  await panel.getByRole('button', { name: 'Clear' }).click()
  await panel.getByText('appears here').waitFor()
  await panel.getByLabel('Protocol', { exact: true }).selectOption('')
  const call = vcp('tool_name:「始」weather.now「末」,\ncity:「始」杭州「末」')
  const broken = vcp('tool_name:「始」order.place「末」,\nnote:「始」open,\nsize:「始」small「末」')
  await panel.locator('#answer').fill(`天气：\n${call}\nlike \`<<<[TOOL_REQUEST]>>>\` in code\n${broken}\n`)
  await panel.locator('sluice-message').getByText('weather.now').first().waitFor()
  assert.equal(await panel.locator('#source mark.call').textContent(), call)
  assert.equal(await panel.locator('#source mark.broken').textContent(), broken)
  assert.equal(await panel.locator('#source mark.rejected').textContent(), '<<<[TOOL_REQUEST]>>>')
  const reasons = panel.locator('#reasons li')
  assert.deepEqual(await reasons.locator('code').allTextContents(), ['in_code', 'opener_in_value'])
  assert.match(await reasons.nth(0).textContent(), /in code, where nothing is a call/)
  await reasons
    .nth(1)
    .getByRole('button', { name: /^byte / })
    .click()
  assert.equal(
    await panel
      .locator('#source mark.broken')
      .evaluate((mark) => mark.classList.contains('pointed') && mark === document.activeElement),
    true,
  )
  await picture(page, 'tester-parse-reasons', { fullPage: true })
})

test('the slider from whole to byte by byte changes the events, never the result, and the page says so', async (t) => {
  const { page, panel } = await start(t, { tab: 'parse', times: 10 })
  const slider = panel.getByRole('slider')
  const sizes = ['whole', '1024', '256', 'seed:1', '64', '16', '7', '3', 'byte']
  /** Does something and waits until the page shows what came of it: what it showed before looks much the same. */
  const settled = async (act) => {
    await act()
    await panel.locator('.results[aria-busy=false]').waitFor()
  }
  const move = async (at) => {
    const answered = page.waitForResponse(
      (response) => response.url().endsWith('/api/parse') && response.request().postDataJSON().chunks === sizes[at],
    )
    await settled(() => slider.fill(String(at)))
    return (await (await answered).json()).value
  }
  for (const example of ['mixed', 'tags', 'json', 'stream', 'cut']) {
    await settled(() => panel.getByLabel('Examples').selectOption(example))
    await panel.locator('.verdict', { hasText: 'Fed whole' }).waitFor()
    const shown = () =>
      Promise.all(['#source', '#reasons', 'sluice-message'].map((part) => panel.locator(part).innerText()))
    const whole = await shown()
    for (let at = 1; at < sizes.length; at++) {
      const { pieces, events } = await move(at)
      const fed = `Fed in ${pieces} ${pieces === 1 ? 'piece' : 'pieces'} (${events.length} events), with the same message`
      await panel.locator('.verdict.good', { hasText: fed }).waitFor()
      assert.deepEqual(await shown(), whole, `${example} in ${sizes[at]}`)
      if (sizes[at] === 'byte') assert.equal(pieces, Buffer.byteLength(await panel.locator('#answer').inputValue()))
    }
    assert.equal(await slider.getAttribute('aria-valuetext'), 'byte by byte')
    await move(0)
  }
})

test('an answer is replayed at a speed: it pauses, goes step by step, and ends as the parse did', async (t) => {
  const { page, panel } = await start(t, { tab: 'parse', times: 5 })
  const message = panel.locator('sluice-message')
  const source = panel.locator('#source')
  const said = panel.locator('#replayed')
  const shown = () => Promise.all([source.innerText(), panel.locator('#reasons').innerText(), message.innerText()])
  await panel.locator('#source mark.call').waitFor()
  const whole = await shown()
  await panel.getByRole('slider').fill('6') // 7 bytes
  await panel.locator('.verdict.good').waitFor()
  await panel.getByText(/^Events/).click()
  await panel.getByLabel('Speed of the replay').selectOption('5')
  const press = (name) => panel.getByRole('button', { name, exact: true }).click()
  await press('Step')
  await said.filter({ hasText: /^piece 1 of 6\d · \d+ events?$/ }).waitFor()
  assert.equal(await source.textContent(), 'Let me ')
  assert.equal(await message.getByText('Let me', { exact: true }).count(), 1)
  await press('Step')
  await said.filter({ hasText: 'piece 2 of' }).waitFor()
  assert.equal(await source.textContent(), 'Let me look at')
  await press('Go on')
  await until(async () => Number(/piece (\d+)/.exec(await said.textContent())?.[1] ?? 99) > 6, 'it goes on by itself')
  await press('Pause')
  const paused = await said.textContent()
  await page.waitForTimeout(400)
  assert.equal(await said.textContent(), paused)
  const fed = await source.textContent()
  assert.ok(
    fed.length < 400 && (await panel.locator('#answer').inputValue()).startsWith(fed.replace(/\ufffd$/, '')),
    fed,
  )
  await panel.getByLabel('Speed of the replay').selectOption('1000')
  await press('Go on')
  await panel.locator('#source mark.call').waitFor()
  assert.deepEqual(await shown(), whole, 'the end is the parse')
  await panel.getByLabel('Speed of the replay').selectOption('5')
  await press('Replay')
  await said.filter({ hasText: 'piece' }).waitFor()
  await panel.locator('#answer').fill('something else')
  await message.getByText('something else').waitFor()
  assert.equal(await said.textContent(), '', 'another text ends it')
  await panel.getByRole('button', { name: 'Clear' }).click()
  await panel.getByText('appears here').waitFor()
  await press('Replay')
  assert.equal(await said.textContent(), '', 'nothing is replayed where nothing is')
})

test('a case is copied as a test, which replays', async (t) => {
  const { page, panel } = await start(t, { tab: 'parse', permissions: ['clipboard-read', 'clipboard-write'] })
  await panel.locator('#source mark.call').waitFor()
  await panel.getByRole('button', { name: 'Copy as test' }).click()
  await panel.getByRole('button', { name: 'Copied' }).waitFor()
  const script = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))
  assert.deepEqual(script.turn, { mode: 'text', protocol: 'vcp', wire: 'text' })
  assert.equal(script.steps[0].feed, await panel.locator('#answer').inputValue())
  assert.deepEqual(
    script.steps
      .at(-1)
      .is.blocks.filter(({ type }) => type === 'tool_use')
      .map(({ name, status }) => [name, status]),
    [
      ['weather.now', 'pending'],
      ['notes.add', 'invalid'],
    ],
  )
  assert.equal(runScript(script, canRestore()), '')
})

test('a recorded stream is recognised, and its events are listed', async (t) => {
  const { panel } = await start(t, { tab: 'parse' })
  await panel.getByLabel('Examples').selectOption('stream')
  await panel.locator('#looked', { hasText: 'openai-chat stream' }).waitFor()
  await panel.locator('sluice-message').getByText('weather.now').first().waitFor()
  assert.match(await panel.locator('#source').textContent(), /^Let me look\. $/, 'what the stream carries')
  await panel.getByText(/^Events/).click()
  await panel.locator('.event-list li').first().waitFor()
  const types = await panel.locator('.event-list b').allTextContents()
  assert.equal(types.at(-1), 'done')
  assert.ok(types.includes('card') && types.includes('args'))
  await panel.getByLabel('Format', { exact: true }).selectOption('text')
  await panel.locator('#looked', { hasText: 'taken for' }).waitFor({ state: 'hidden' })
  await panel.locator('#source', { hasText: 'data: {' }).waitFor()
})

test('protocol auto needs a model, and says so', async (t) => {
  const { panel } = await start(t, { tab: 'parse', expected: [/400 \(Bad Request\)/] })
  await panel.getByLabel('Protocol', { exact: true }).locator('option[value=hermes]').waitFor({ state: 'attached' })
  await panel.locator('#answer').fill('<tool_call>{"name":"weather.now","arguments":{"city":"Paris"}}</tool_call>')
  await panel.getByLabel('Protocol', { exact: true }).selectOption('auto')
  await panel.getByRole('alert').filter({ hasText: 'needs the name of a model' }).waitFor()
  await panel.getByLabel('Model', { exact: true }).fill('hermes-3')
  await panel.locator('#source mark.call').waitFor()
  assert.equal(await panel.getByRole('alert').textContent(), '')
  await panel.getByLabel('Protocol', { exact: true }).selectOption('vcp')
  await panel.locator('#looked', { hasText: 'vcp' }).waitFor()
  assert.equal(await panel.locator('#source mark').count(), 0, 'in vcp it is only text')
})

test('a file may be opened, one that is too large is refused', async (t) => {
  const { panel } = await start(t, { tab: 'parse' })
  const file = panel.locator('input[type=file]')
  await file.setInputFiles({
    name: 'answer.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('from a file [表情:smile]'),
  })
  await panel.locator('sluice-message').getByText('from a file').waitFor()
  await file.setInputFiles({ name: 'big.txt', mimeType: 'text/plain', buffer: Buffer.alloc(1_500_000, 'x') })
  await panel.getByRole('alert').filter({ hasText: 'big.txt' }).waitFor()
  await panel.getByRole('button', { name: 'Clear' }).click()
  await panel.getByText('appears here').waitFor()
})

test('what a model wrote is never markup, and nothing hides in it', async (t) => {
  const { page, panel } = await start(t, { tab: 'parse' })
  await panel
    .locator('#answer')
    .fill(
      '<img src=x onerror="window.pwned = 1"> <script>window.pwned = 1</script> abc\u202Edef `<<<[TOOL_REQUEST]>>>`',
    )
  await panel.locator('#source').getByText('⟨U+202E⟩').waitFor()
  assert.equal(await panel.locator('#source img, #source script').count(), 0)
  assert.equal(await page.evaluate(() => window.pwned), undefined)
})

// -- run

test('a tool is run from a form, with its result and duration', async (t) => {
  const { page, panel } = await start(t)
  await page.getByRole('button', { name: 'Run weather.now by hand' }).click()
  const run = page.locator('#panel-run')
  const city = run.locator('[data-argument=city]')
  await city.fill('Hangzhou')
  assert.ok((await city.boundingBox()).height < 60, 'one line for a short text')
  await run.getByRole('button', { name: 'Run' }).click()
  await run.locator('#status.success').waitFor()
  assert.match(await run.locator('#status').textContent(), /^Done\d+(\.\d+)? m?s$/)
  assert.deepEqual(JSON.parse(await run.locator('#output').textContent()), { city: 'Hangzhou', now: 'overcast' })
  await run.getByText('What the model would read').click()
  assert.match(await run.locator('details[open] pre').textContent(), /overcast/)
  assert.equal(await panel.isHidden(), true)
  await picture(page, 'tester-run')
})

test('every kind of field, and the same as JSON', async (t) => {
  const { page, log, panel } = await start(t, { tab: 'run' })
  await panel.getByLabel('Tool', { exact: true }).selectOption('order.place')
  await panel.locator('[data-argument=size]').selectOption('large')
  await panel.locator('[data-argument=count]').fill('2')
  await panel.locator('[data-argument=gift]').selectOption('true')
  await panel.locator('[data-argument=address]').fill('{"street": "Main"')
  await panel.getByRole('button', { name: 'Run', exact: true }).click()
  await panel.locator('.fault', { hasText: 'address: this is not JSON' }).waitFor()
  assert.deepEqual(log, [])
  await panel.locator('[data-argument=address]').fill('{"street": "Main"}')
  await panel.getByRole('button', { name: 'JSON', exact: true }).click()
  const json = panel.locator('#json')
  assert.deepEqual(JSON.parse(await json.inputValue()), {
    size: 'large',
    count: 2,
    gift: true,
    address: { street: 'Main' },
  })
  await json.fill('[1]')
  await panel.getByRole('button', { name: 'Run', exact: true }).click()
  await panel.locator('.fault', { hasText: 'Expected a JSON object' }).waitFor()
  await json.fill('{"size": "small", "count": 3}')
  await panel.getByRole('button', { name: 'Form', exact: true }).click()
  assert.equal(await panel.locator('[data-argument=count]').inputValue(), '3')
  await panel.getByRole('button', { name: 'Run', exact: true }).click()
  await panel.locator('#status.success').waitFor()
  assert.deepEqual(log, [{ size: 'small', count: 3 }])
  // What does not fit is the engine's to say.
  await panel.locator('[data-argument=count]').fill('none')
  await panel.getByRole('button', { name: 'Run', exact: true }).click()
  await panel.locator('#status.invalid').waitFor()
  assert.match(await panel.locator('#error').textContent(), /count/)
  assert.equal(log.length, 1)
  assert.equal(await page.locator('#json').count(), 0)
})

test('a tool that takes long is aborted, and hears of it', async (t) => {
  const { log, panel } = await start(t, { tab: 'run', expected: [/400/] })
  await panel.getByLabel('Tool', { exact: true }).selectOption('album.make')
  await panel.getByRole('button', { name: 'Run', exact: true }).click()
  await panel.getByText('Running …').waitFor()
  await until(() => log.includes('started'), 'the tool runs')
  const abort = panel.getByRole('button', { name: 'Abort' })
  assert.equal(await abort.evaluate((button) => button === document.activeElement), true)
  await abort.click()
  await panel.locator('#status.cancelled', { hasText: 'Aborted' }).waitFor()
  await until(() => log.includes('aborted'), 'the tool is told')
  await panel.getByLabel('Time limit').fill('50')
  await panel.getByRole('button', { name: 'Run', exact: true }).click()
  await panel.locator('.fault', { hasText: 'up to 10 min, such as 30 s' }).waitFor()
  await panel.getByLabel('Time limit').fill('3 s') // long enough for a busy machine to start the tool
  await panel.getByRole('button', { name: 'Run', exact: true }).click()
  await panel.locator('#status.timeout').waitFor()
  assert.match(await panel.locator('.progress').textContent(), /sorting/)
})

test('failures are shown, fire-and-forget tools say what they sent, others cannot be run here', async (t) => {
  const { panel } = await start(t, { tab: 'run' })
  const choose = (name) => panel.getByLabel('Tool', { exact: true }).selectOption(name)
  await choose('printer.print')
  await panel.getByRole('button', { name: 'Run', exact: true }).click()
  await panel.locator('#status.error').waitFor()
  assert.match(await panel.locator('#error').textContent(), /no paper/)
  await choose('live2d.expression')
  assert.equal(await panel.locator('#status').count(), 0, 'the result of another tool is gone')
  await panel.locator('[data-argument=name]').selectOption('worried')
  await panel.getByRole('button', { name: 'Run', exact: true }).click()
  await panel.locator('#ipc', { hasText: 'live2d:expression ["worried"]' }).waitFor()
  const option = panel.getByLabel('Tool', { exact: true }).locator('option[value="app.only"]')
  assert.equal(await option.evaluate((element) => element.disabled), true)
})

// -- around

test('tabs by key, by address, and back', async (t) => {
  const { page, origin } = await start(t)
  await page.locator('#tab-tools').focus()
  await page.keyboard.press('ArrowRight')
  assert.equal(await page.locator('#panel-parse').isVisible(), true)
  assert.equal(await page.locator('#tab-parse').evaluate((tab) => tab === document.activeElement), true)
  await page.keyboard.press('End')
  assert.equal(await page.locator('#panel-run').isVisible(), true)
  await page.goto(`${origin}/#run/weather.now`)
  await page.locator('[data-argument=city]').waitFor()
  await page.goto(`${origin}/#parse`)
  await page.goBack()
  assert.equal(await page.locator('#panel-run').isVisible(), true)
  await page.goto(`${origin}/#run/%E0%A4%A`)
  assert.equal(await page.locator('#panel-run').isVisible(), true, 'a broken address does no harm')
})

test('the language changes in place and is remembered, like the theme', async (t) => {
  const { page, panel } = await start(t, { tab: 'parse' })
  await panel.locator('#answer').fill('keep me')
  await panel.locator('sluice-message').getByText('keep me').waitFor()
  await page.getByRole('button', { name: 'Switch to Chinese' }).click()
  assert.equal(await page.title(), 'Sluice 测试器')
  assert.equal(await panel.locator('#answer').inputValue(), 'keep me')
  await panel.locator('sluice-message').getByText('keep me').waitFor()
  await page.getByRole('button', { name: '主题：跟随系统' }).click()
  await page.getByRole('button', { name: '主题：浅色' }).click()
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), 'dark')
  await page.reload()
  assert.equal(await page.locator('html').getAttribute('lang'), 'zh')
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark')
})

test('every control has a name', async (t) => {
  const { page } = await start(t)
  await page.locator('#visible').waitFor()
  for (const tab of ['tools', 'parse', 'run']) {
    await page.locator(`#tab-${tab}`).click()
    if (tab === 'run') await page.getByLabel('Tool', { exact: true }).selectOption('order.place')
    const nameless = await page
      .locator(`#panel-${tab}`)
      .evaluate((panel) =>
        [...panel.querySelectorAll('button, input, select, textarea')]
          .filter(
            (control) => !control.getAttribute('aria-label') && !control.textContent.trim() && !control.labels?.length,
          )
          .map((control) => control.outerHTML.slice(0, 120)),
      )
    assert.deepEqual(nameless, [], tab)
  }
})

for (const [locale, colorScheme, contrast] of [
  ['en-US', 'light', 'no-preference'],
  ['zh-CN', 'dark', 'no-preference'],
  ['en-US', 'dark', 'more'],
]) {
  test(`axe finds nothing on any tab: ${locale}, ${colorScheme}, contrast ${contrast}`, async (t) => {
    const { page } = await start(t, { locale, colorScheme, contrast, reducedMotion: 'reduce' })
    await page.locator('#visible').waitFor()
    await page.evaluate(axe)
    for (const tab of ['tools', 'parse', 'run']) {
      await page.locator(`#tab-${tab}`).click()
      if (tab === 'parse') await page.locator('#source mark.call').waitFor()
      if (tab === 'run') {
        await page.locator('[data-argument=city]').fill('Hangzhou')
        await page.locator('#panel-run .primary').click()
        await page.locator('#status.success').waitFor()
        await page.locator('#result summary').last().click()
      }
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }))
      assert.deepEqual(
        violations.flatMap(({ id, nodes }) =>
          nodes.map(({ target, any }) => `${tab}: ${id}: ${target.flat().join(' ')} ${any[0]?.message ?? ''}`),
        ),
        [],
      )
    }
  })
}

test('a server that is gone is told, and asked again', async (t) => {
  const { page } = await start(t, { expected: [/ERR_FAILED|Failed to load/] })
  await page.locator('#visible').waitFor()
  await page.route('**/api/tools', (route) => route.abort())
  await page.getByLabel('Mode', { exact: true }).selectOption('text')
  await page.getByRole('alert').first().filter({ hasText: '/api/tools' }).waitFor()
  await page.unroute('**/api/tools')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('alert').first().filter({ hasText: '/api/tools' }).waitFor({ state: 'hidden' })
})

test('without tools there is still a page', async (t) => {
  const { page } = await start(t, { tools: [] })
  await page.getByText('No tools. Give some').waitFor()
})

test('it looks right: light, dark, Chinese, narrow', async (t) => {
  const at = (width, height) => ({ viewport: { width, height } })
  const looks = {
    light: {},
    dark: { colorScheme: 'dark' },
    zh: { locale: 'zh-CN' },
    narrow: at(360, 740),
    wide: at(1920, 1080),
    wider: { ...at(2560, 1440), colorScheme: 'dark', locale: 'zh-CN' },
  }
  for (const [name, options] of Object.entries(looks)) {
    const { page } = await start(t, { viewport: { width: 1200, height: 860 }, ...options })
    await page.locator('#visible').waitFor()
    for (const tab of ['tools', 'parse', 'run']) {
      await page.locator(`#tab-${tab}`).click()
      if (tab === 'parse') {
        await page.locator('#panel-parse select').first().selectOption('mixed')
        await page.getByRole('slider').fill('8')
        await page.locator('.verdict.good').waitFor()
      }
      if (tab === 'run') await page.locator('#panel-run select').first().selectOption('order.place')
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      assert.ok(wide <= 0, `${name}/${tab}: ${wide} px too wide`)
      const [left, right] = await page.locator(`#panel-${tab}`).evaluate((panel) => {
        const boxes = [...panel.querySelectorAll('section')].map((section) => section.getBoundingClientRect())
        return [Math.min(...boxes.map((box) => box.left)), innerWidth - Math.max(...boxes.map((box) => box.right))]
      })
      assert.ok(left <= 45 && right <= 60, `${name}/${tab}: ${left} px and ${right} px beside it`)
      await picture(page, `tester-${tab}-${name}`)
    }
  }
})
