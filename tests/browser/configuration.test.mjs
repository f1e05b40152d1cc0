// <sluice-configuration> over a real host and a real web server, in Chromium under the CSP of that server.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Engine, tool } from 'sluice'
import { createHost } from 'sluice/host'
import { serve } from 'sluice/web'
import { picture, until, useBrowser } from './support.mjs'

const browser = useBrowser()
const pages = fileURLToPath(new URL('configuration/', import.meta.url))

const text = (description) => ({
  type: 'object',
  properties: { text: { type: 'string', description } },
  required: ['text'],
})
const tools = () => [
  tool({
    name: 'weather.now',
    description: 'The weather in a city right now.',
    parameters: text('the city'),
    agentCallable: true,
    permission: 'public',
    tags: ['look up'],
    execute: () => 'rain',
  }),
  tool({
    name: 'notes.add',
    description: 'Writes a note on the list of the user.',
    parameters: text('the note'),
    agentCallable: true,
    permission: 'moderate',
    tags: ['write'],
    timeoutMs: 5000,
    execute: () => 'noted',
  }),
  tool({
    name: 'message.send',
    description: 'Sends a message to a friend.',
    parameters: text('what to say'),
    agentCallable: true,
    tags: ['write', 'people'],
    execute: () => 'sent',
  }),
  tool({
    name: 'camera.take',
    description: 'Takes a picture.',
    agentCallable: true,
    enabled: false,
    execute: () => 'click',
  }),
  tool({ name: 'disk.wipe', description: 'Deletes every\u202Efile\u202C.', execute: () => 'gone' }),
]

/** The element of a fresh host; `host`: what it is configured to. */
async function start(
  t,
  { rights = { configure: true }, settings = {}, lang = 'en', configuration, ready = '[role=tab]', ...options } = {},
) {
  const engine = new Engine({ ...settings, tools: tools() })
  const saved = []
  const host = createHost(engine, {
    run: () => ({ model: { baseURL: 'http://127.0.0.1:1/v1', name: 'none' } }),
    configuration,
    onConfigure: (whole) => saved.push(whole),
  })
  const server = await serve({ roots: { '/': pages }, host, rights })
  let page
  t.after(async () => {
    await page?.context().close() // before the server: what is cut off would be an error in the page
    await server.close()
    await host.close()
    engine.close()
  })
  page = await browser.page(t, options)
  await page.goto(`${server.url}&lang=${lang}`)
  await page.locator(ready).first().waitFor()
  const tab = (name) => page.getByRole('tab', { name }).click()
  const row = (id) => page.locator(`[data-row="${id}"]`)
  const listed = (name) => page.locator(`[data-tool="${name}"]`)
  const told = (pattern) => page.locator('.status').filter({ hasText: pattern }).waitFor()
  const view = async () => (await host.bridge({ configure: true }).call('configuration')).value
  /** The host has it, and the page was told: it knows a moment later. */
  const settles = async (condition, what) => {
    await until(condition, what)
    await until(() => page.evaluate((count) => window.views >= count, saved.length), 'the page was told')
  }
  return { page, engine, host, saved, settles, tab, row, listed, told, view }
}

const exposed = (engine, settings) =>
  engine
    .describe(settings)
    .tools.filter((one) => one.exposed)
    .map((one) => one.name)

test('every switch that the host offers stands on the page, with label, explanation and default', async (t) => {
  for (const lang of ['en', 'zh']) {
    const { page, view } = await start(t, { lang })
    const expected = Object.keys((await view()).defaults)
      .filter((name) => name !== 'toolToggles')
      .sort()
    const found = []
    const tabs = page.getByRole('tab')
    for (let at = 0; at < (await tabs.count()); at++) {
      await tabs.nth(at).click()
      for (const row of await page.locator('[data-row]').all()) {
        const id = await row.getAttribute('data-row')
        found.push(id)
        const [label, about, standard] = [
          row.locator('label').first(),
          row.locator('.label p').first(),
          row.locator('.standard'),
        ]
        assert.notEqual(await label.textContent(), id, `${lang}: ${id} has a label`)
        assert.ok((await about.textContent()).length > 3, `${lang}: ${id} is explained`)
        assert.match(await standard.textContent(), lang === 'zh' ? /^默认：./ : /^Default: ./)
        assert.doesNotMatch(await row.textContent(), /undefined|null|\[object/)
      }
    }
    assert.deepEqual(found.sort(), expected)
    assert.ok(!found.includes('observeOnly'), 'what the engine does not support is left out')
  }
})

test('a switch is saved at once, marked as changed, and goes back to its default', async (t) => {
  const { page, tab, row, saved, told, settles } = await start(t)
  await tab('Approvals')
  const confirm = page.getByRole('switch', { name: 'Ask for every tool' })
  await confirm.click()
  await told('Saved')
  assert.deepEqual(saved.at(-1).settings, { requireConfirmation: true })
  await row('requireConfirmation').locator('.mark').waitFor()
  assert.match(await page.getByRole('tab', { name: 'Approvals' }).textContent(), /1/)
  await page.getByLabel('Show results first', { exact: true }).selectOption('after an error')
  await settles(() => saved.at(-1).settings.resultApproval === 'on_error', 'the choice is saved')
  await page.getByRole('button', { name: 'Reset Ask for every tool to its default' }).click()
  await settles(() => !('requireConfirmation' in saved.at(-1).settings), 'the default is back')
  assert.equal(await confirm.isChecked(), false)
  assert.equal(await row('requireConfirmation').locator('.mark').count(), 0)
  await page.getByRole('button', { name: 'Reset 1 changed' }).click()
  await settles(() => Object.keys(saved.at(-1).settings).length === 0, 'all is back')
  assert.equal(await page.getByLabel('Show results first', { exact: true }).inputValue(), 'as each tool says')
})

test('defaults are those of the app, not only of the engine', async (t) => {
  const { tab, row } = await start(t, { settings: { maxRounds: 8 }, configuration: { settings: { maxCalls: 7 } } })
  await tab('Advanced')
  assert.equal(await row('maxRounds').locator('input').inputValue(), '8')
  assert.match(await row('maxRounds').locator('.standard').textContent(), /Default: 8/)
  assert.equal(await row('maxRounds').locator('.mark').count(), 0)
  assert.equal(await row('maxCalls').locator('input').inputValue(), '7')
  assert.equal(await row('maxCalls').locator('.mark').count(), 1)
})

test('a limit that there need not be is empty, and an empty field takes it back', async (t) => {
  const { page, tab, row, saved, settles } = await start(t)
  await tab('Advanced')
  const field = page.getByLabel('Answers in a turn', { exact: true })
  assert.equal(await field.inputValue(), '')
  assert.equal(await field.getAttribute('placeholder'), 'no limit')
  await field.fill('3')
  await settles(() => saved.at(-1)?.settings.maxRequests === 3, 'it is saved')
  assert.match(await row('maxRequests').locator('.standard').textContent(), /Default: no limit/)
  await field.fill('0')
  await row('maxRequests').locator('.fault', { hasText: 'found 0, expected a whole number from 1' }).waitFor()
  await field.fill('')
  await settles(() => saved.at(-1).settings.maxRequests === undefined, 'it is taken back')
  assert.equal(await row('maxRequests').locator('.mark').count(), 0)
})

test('typing is saved once, when it pauses; leaving the field saves at once', async (t) => {
  const { page, tab, saved, told, settles } = await start(t)
  await tab('Advanced')
  const field = page.getByLabel('Time for a tool', { exact: true })
  await field.fill('')
  await field.pressSequentially('45 s')
  await told('Saved')
  assert.deepEqual(await page.evaluate(() => window.patches), [{ settings: { timeoutMs: 45000 } }])
  await field.fill('60s')
  await field.press('Tab')
  await settles(() => saved.at(-1).settings.timeoutMs === 60000, 'it is saved on leaving')
  assert.equal(saved.length, 2)
  assert.equal(await field.inputValue(), '1 min')
  await field.fill('')
  await field.press('Tab')
  assert.equal(await field.inputValue(), '1 min', 'an empty field is no value')
})

test('what the engine refuses is shown at its switch, and the old value stays', async (t) => {
  const { page, tab, row, saved, view, settles } = await start(t)
  await tab('Advanced')
  const field = page.getByLabel('Rounds with calls', { exact: true })
  for (const wrong of ['0', 'many', '1.5']) {
    await field.fill(wrong)
    await row('maxRounds')
      .locator('.fault', { hasText: `found ${wrong === 'many' ? '"many"' : wrong}, expected a whole number from 1` })
      .waitFor()
    assert.equal(await field.inputValue(), wrong, 'what is being typed is not taken away')
    assert.equal(await field.getAttribute('aria-invalid'), 'true')
    assert.match(await row('maxRounds').locator('.fault').textContent(), /Still in use: 5/)
  }
  assert.match(await page.getByRole('alert').textContent(), /Not saved.*Rounds with calls: found/)
  await picture(page, 'configuration-error')
  await field.press('Tab')
  assert.equal(await field.inputValue(), '5')
  assert.equal((await view()).settings.maxRounds, 5)
  assert.equal(saved.length, 0)
  await field.fill('6')
  await settles(() => saved.at(-1)?.settings.maxRounds === 6, 'a right value is saved')
  assert.equal(await field.getAttribute('aria-invalid'), 'false')
  assert.equal(await row('maxRounds').locator('.fault').isHidden(), true)
})

test('durations and sizes are typed as people write them, and anything else is told', async (t) => {
  for (const [lang, tabName, about, wrongTime, wrongSize] of [
    [
      'en',
      'Advanced',
      /Default: 30 s/,
      /found "30", expected a time with its unit, such as 30 s or 2 min/,
      /found "64", expected a size with its unit, such as 64 KiB/,
    ],
    ['zh', '高级', /默认：30 秒/, /收到“30”，应为带单位的时间/, /收到“64”，应为带单位的大小/],
  ]) {
    const { page, tab, row, saved, settles } = await start(t, { lang, settings: { timeoutMs: 30_000 } })
    await tab(tabName)
    const [time, size] = [row('timeoutMs').locator('input'), row('resultMaxBytes').locator('input')]
    assert.match(await row('timeoutMs').locator('.standard').textContent(), about)
    assert.equal(await row('timeoutMs').locator('.label code').textContent(), 'timeoutMs')
    await time.fill('30')
    await row('timeoutMs').locator('.fault').filter({ hasText: wrongTime }).waitFor()
    assert.equal(await time.inputValue(), '30', 'what is being typed is not taken away')
    await size.fill('64')
    await size.press('Tab')
    await row('resultMaxBytes').locator('.fault').filter({ hasText: wrongSize }).waitFor()
    assert.deepEqual(await page.evaluate(() => window.patches), [], 'neither is sent')
    await size.fill('64 kib')
    await size.press('Tab')
    await settles(() => saved.at(-1)?.settings.resultMaxBytes === 65_536, 'a size is saved')
    assert.equal(await size.inputValue(), '64 KiB')
    assert.equal(await row('resultMaxBytes').locator('.fault').isHidden(), true)
    await time.fill(lang === 'en' ? '1 min 30 s' : '1分30秒')
    await time.press('Tab')
    await settles(() => saved.at(-1)?.settings.timeoutMs === 90_000, 'a time is saved')
    assert.equal(await time.inputValue(), lang === 'en' ? '1.5 min' : '1.5 分钟')
    await time.fill('0')
    await time.press('Tab')
    await settles(() => saved.at(-1)?.settings.timeoutMs === 0, 'no limit')
    assert.equal(await row('timeoutMs').locator('.unit').textContent(), lang === 'en' ? 'no limit' : '不限')
  }
})

test('a wrong text that replaces a right one before it was saved takes that back too', async (t) => {
  const { page, tab, row } = await start(t)
  await tab('Advanced')
  const field = row('timeoutMs').locator('input')
  const before = await field.inputValue()
  await field.fill('45 s')
  await field.fill('45 sx')
  await field.press('Tab')
  await row('timeoutMs').locator('.fault', { hasText: 'found "45 sx"' }).waitFor()
  assert.equal(await field.inputValue(), before)
  assert.deepEqual(await page.evaluate(() => window.patches), [])
})

test('a change shows at once, and is taken back where saving fails', async (t) => {
  const { page, tab, row, saved, told } = await start(t)
  await tab('Advanced')
  await page.evaluate(() => {
    window.intercept = () => new Promise((_, reject) => (window.fail = () => reject(new Error('the disk is full'))))
  })
  const choice = page.getByLabel('Several calls', { exact: true })
  await choice.selectOption('side by side')
  await told('Saving')
  assert.equal(await choice.inputValue(), 'side by side')
  await row('execution').locator('.mark').waitFor()
  await page.evaluate(() => window.fail())
  await row('execution').locator('.fault', { hasText: 'the disk is full' }).waitFor()
  assert.equal(await choice.inputValue(), 'one after another')
  assert.equal(await row('execution').locator('.mark').count(), 0)
  assert.equal(saved.length, 0)
})

test('changes are saved in their order, and a later one is not undone by the failure of an earlier one', async (t) => {
  const { page, tab, saved, settles } = await start(t)
  await tab('Advanced')
  await page.evaluate(() => {
    const waiting = (window.waiting = [])
    window.intercept = () =>
      new Promise((resolve, reject) => waiting.push({ resolve, reject: () => reject(new Error('no')) }))
  })
  const field = page.getByLabel('Calls in a turn', { exact: true })
  await field.fill('10')
  await until(() => page.evaluate(() => window.waiting.length === 1), 'the first is under way')
  await field.fill('20')
  await field.press('Tab')
  await page.getByLabel('Same call again', { exact: true }).fill('4')
  await page.getByLabel('Same call again', { exact: true }).press('Tab')
  await page.evaluate(() => window.waiting[0].reject())
  await until(() => page.evaluate(() => window.waiting.length === 2), 'the second is under way')
  assert.equal(await field.inputValue(), '20')
  await page.evaluate(() => window.waiting[1].resolve())
  await until(() => page.evaluate(() => window.waiting.length === 3), 'the third is under way')
  await page.evaluate(() => window.waiting[2].resolve())
  await settles(() => saved.length === 2, 'both are saved')
  assert.deepEqual(saved.at(-1).settings, { maxCalls: 20, repeatLimit: 4 })
  await until(() => page.evaluate(() => window.views === 2), 'the page was told of both')
})

test('the tools: toggles, why one is hidden, and the prompt that follows', async (t) => {
  const { page, engine, tab, listed, saved, told, settles } = await start(t)
  assert.match(await listed('camera.take').locator('.why').textContent(), /Off by default/)
  assert.match(await listed('disk.wipe').locator('.why').textContent(), /agentCallable is false/)
  assert.match(
    await listed('disk.wipe').locator('.about').textContent(),
    /⟨U\+202E⟩/,
    'nothing turns the text around unseen',
  )
  assert.equal(await page.getByRole('switch', { name: 'Let the model use disk.wipe' }).isDisabled(), true)
  await tab('Prompt')
  const tokens = () =>
    page
      .locator('.tokens b')
      .textContent()
      .then((said) => Number(/\d+/.exec(said)[0]))
  const before = await tokens()
  assert.match(await page.locator('.tokens').textContent(), /An estimate of the engine/)
  assert.match(await page.locator('pre').textContent(), /message\.send/)
  await tab('Tools')
  await page.getByRole('switch', { name: 'Let the model use message.send' }).click()
  await told('Saved')
  assert.match(await listed('message.send').locator('.why').textContent(), /Switched off here/)
  await listed('message.send').locator('.mark').waitFor()
  assert.deepEqual(exposed(engine, saved.at(-1).settings), ['notes.add', 'weather.now'])
  await tab('Prompt')
  assert.doesNotMatch(await page.locator('pre').textContent(), /message\.send/)
  assert.ok((await tokens()) < before)
  await tab('Tools')
  await page.getByRole('switch', { name: 'Let the model use camera.take' }).click()
  await settles(() => saved.at(-1).settings.toolToggles['camera.take'], 'it is on')
  await page.getByRole('button', { name: 'Reset 2 changed' }).click()
  await settles(() => exposed(engine, saved.at(-1).settings).length === 3, 'all as before')
  // Off altogether, and off by default.
  await page.getByRole('switch', { name: 'New tools are on' }).click()
  await settles(() => exposed(engine, saved.at(-1).settings).length === 0, 'none is on by default')
  await page.getByRole('switch', { name: 'Let the model use weather.now' }).click()
  await settles(() => exposed(engine, saved.at(-1).settings).join() === 'weather.now', 'but one that is switched on')
  await page.getByRole('switch', { name: 'The model uses tools', exact: true }).click()
  await listed('weather.now').locator('.why', { hasText: 'All tools are switched off' }).waitFor()
  assert.equal(
    await page.getByRole('switch', { name: 'Let the model use weather.now' }).isChecked(),
    true,
    'its own switch stays as it is',
  )
  await tab('Prompt')
  await page.getByText('no tool is visible').waitFor()
})

test('permission and approvals of a tool, and their reset', async (t) => {
  const { page, engine, listed, saved, settles } = await start(t)
  const declared = (name) => engine.tools.find((one) => one.name === name).declaration
  await page.getByLabel('Permission of message.send', { exact: true }).selectOption('public')
  await settles(() => declared('message.send').permission === 'public', 'the engine has it')
  await page.getByRole('button', { name: 'Details of message.send' }).click()
  const before = listed('message.send').getByLabel('Before it runs')
  assert.equal(await before.inputValue(), 'by permission (runs without asking)')
  await before.selectOption('always ask')
  await listed('message.send').getByLabel('Before the model reads the result').selectOption('ask after an error')
  await settles(() => declared('message.send').resultApproval === 'on_error', 'the engine has it')
  assert.deepEqual(saved.at(-1).tools, {
    'message.send': { executionApproval: 'ask_always', permission: 'public', resultApproval: 'on_error' },
  })
  assert.match(await listed('message.send').locator('.schema').textContent(), /what to say/)
  await page.getByRole('button', { name: 'Reset message.send to its default' }).click()
  await settles(() => Object.keys(saved.at(-1).tools).length === 0, 'the tool is what its developer made it')
  assert.equal(await page.getByLabel('Permission of message.send', { exact: true }).inputValue(), 'sensitive')
  await page.getByRole('button', { name: 'Details of notes.add' }).click()
  assert.match(await listed('notes.add').textContent(), /Time limit of the tool\s*5 s/)
})

test('remembered decisions: listed, forgotten, and kept where that fails', async (t) => {
  const { page, engine, host, tab, told } = await start(t)
  await tab('Approvals')
  await page.getByText(/^None\. /).waitFor()
  engine.rules.add({ tool: 'notes.add', effect: 'allow', scope: 'always', arguments: { text: '<b>milk\u202E' } })
  engine.rules.add({ tool: 'message.send', effect: 'deny', scope: 'session' })
  await page.evaluate(() => document.querySelector('sluice-configuration').refresh())
  const rules = page.getByRole('list', { name: 'Remembered decisions' }).getByRole('listitem')
  await rules.nth(1).waitFor()
  assert.match(
    await rules.nth(0).innerText(),
    /notes\.add\s+allowed\s+always\s+Only with exactly these arguments[^]*"<b>milk⟨U\+202E⟩"[^]*Forget/,
  )
  assert.match(await rules.nth(1).innerText(), /message\.send\s+denied\s+for this session\s+Forget/)
  await picture(page, 'configuration-rules')

  await page.evaluate(() => (window.intercept = async () => Promise.reject(new Error('the disk is full'))))
  await page.getByRole('button', { name: 'Forget: notes.add, allowed' }).click()
  await told(/the disk is full/)
  assert.equal(await rules.count(), 2, 'it is there again')
  assert.equal(engine.rules.list().length, 2)
  await page.evaluate(() => (window.intercept = undefined))
  await page.getByRole('button', { name: 'Forget: notes.add, allowed' }).click()
  await told('Saved')
  assert.deepEqual(
    engine.rules.list().map((rule) => rule.tool),
    ['message.send'],
  )
  assert.equal(await rules.count(), 1)

  const other = host.bridge({ configure: true })
  await other.call('configure', { revoke: [await rules.getAttribute('data-rule')] })
  await page.getByRole('button', { name: 'Forget: message.send, denied' }).click()
  await page.getByText(/^None\. /).waitFor()
  assert.equal(await page.evaluate(() => window.patches.length), 3)
})

test('tools are found by name, description and tag, and by whether the model sees them', async (t) => {
  const { page } = await start(t)
  const names = () => page.locator('[data-tool]').evaluateAll((rows) => rows.map((row) => row.dataset.tool))
  const all = await names()
  assert.equal(all.length, 5)
  const search = page.getByRole('searchbox', { name: 'Search tools' })
  await search.fill('note')
  assert.deepEqual(await names(), ['notes.add'])
  assert.match(await page.locator('.filter [role=status]').textContent(), /1 of 5/)
  await search.fill('friend')
  assert.deepEqual(await names(), ['message.send'])
  await search.fill('people write')
  assert.deepEqual(await names(), ['message.send'])
  await search.fill('nothing like it')
  await page.getByText('No tool matches.').waitFor()
  await page.getByRole('button', { name: 'Clear the filter' }).click()
  assert.deepEqual(await names(), all)
  await page.locator('[data-tool="notes.add"]').getByRole('button', { name: 'write' }).click()
  assert.deepEqual((await names()).sort(), ['message.send', 'notes.add'])
  await page.getByRole('button', { name: 'Clear the filter: write' }).click()
  await page.getByLabel('Which tools').selectOption('Hidden')
  assert.deepEqual((await names()).sort(), ['camera.take', 'disk.wipe'])
})

test('protocols: searched, chosen by key, with their options, and others beside', async (t) => {
  const { page, engine, tab, row, saved, told, settles } = await start(t)
  await tab('Model and protocol')
  const search = row('protocol').getByRole('combobox')
  await search.fill('qwen')
  const hits = row('protocol').getByRole('option')
  assert.ok((await hits.count()) > 0)
  await search.fill('json_strict')
  await search.press('Enter')
  await told('Saved')
  assert.equal(saved.at(-1).settings.protocol, 'json_strict')
  assert.equal(await hits.first().getAttribute('aria-selected'), 'true')
  assert.equal(await page.getByLabel('Lenient', { exact: true }).count(), 0, 'an option of another protocol')
  await search.press('Escape')
  assert.equal(await search.inputValue(), '')
  await search.fill('vcp')
  await search.press('ArrowDown')
  await search.press('ArrowUp')
  await search.press('Enter')
  await settles(() => saved.at(-1).settings.protocol === 'vcp', 'vcp is chosen')
  await page.getByLabel('Lenient', { exact: true }).selectOption('on')
  await settles(() => saved.at(-1).settings.protocol?.lenient === true, 'with an option')
  assert.deepEqual(saved.at(-1).settings.protocol, { id: 'vcp', lenient: true })
  await page.getByLabel('Calls in code', { exact: true }).selectOption('a call like any other')
  await settles(() => saved.at(-1).settings.protocol?.code === 'parse', 'and another')
  await page.getByLabel('Lenient', { exact: true }).selectOption('off')
  await page.getByLabel('Calls in code', { exact: true }).selectOption('by protocol')
  await settles(() => saved.at(-1).settings.protocol === 'vcp', 'without options it is only its id')
  const also = row('alsoParse')
  await also.getByRole('option', { name: 'tool_action' }).click()
  await settles(() => saved.at(-1).settings.alsoParse?.length === 2, 'one beside the format of the model')
  await also.getByRole('combobox').fill('xml_tag')
  await also.getByRole('combobox').press('Enter')
  await settles(() => saved.at(-1).settings.alsoParse?.length === 3, 'two beside it')
  assert.deepEqual(saved.at(-1).settings.alsoParse, ['auto', 'tool_action', 'xml_tag'])
  await also.getByRole('combobox').press('Enter')
  await settles(() => saved.at(-1).settings.alsoParse?.length === 2, 'chosen again it goes')
  await row('protocol').getByRole('combobox').fill('tool_action')
  await row('protocol').getByRole('combobox').press('Enter')
  await tab('Prompt')
  await page.locator('pre', { hasText: '<tool_action' }).waitFor()
  assert.match(engine.describe(saved.at(-1).settings).prompt, /<tool_action/)
})

test('the keyboard alone is enough', async (t) => {
  const { page, saved, settles } = await start(t)
  assert.deepEqual(
    (await page.getByRole('tab').allTextContents()).map((name) => name.replace(/\d+/, '').trim()),
    ['Tools', 'Model and protocol', 'Approvals', 'Prompt', 'Advanced'],
    'limits and what runs are for the few',
  )
  await page.keyboard.press('Tab')
  const focused = () =>
    page.locator('sluice-configuration-page').evaluate(({ shadowRoot }) => shadowRoot.activeElement?.textContent.trim())
  assert.equal(await focused(), 'Tools')
  await page.keyboard.press('ArrowRight')
  assert.equal(await focused(), 'Model and protocol')
  await page.keyboard.press('End')
  assert.equal(await focused(), 'Advanced')
  await page.keyboard.press('ArrowRight')
  assert.equal(await focused(), 'Tools')
  for (let i = 0; i < 2; i++) await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await settles(() => saved.at(-1)?.settings.defaultToolEnabled === false, 'a switch by key')
})

test('controls have names and descriptions, and what happens is said', async (t) => {
  const { page, tab, told } = await start(t)
  for (const name of ['Tools', 'Model and protocol', 'Approvals', 'Prompt', 'Advanced']) {
    await tab(name)
    const nameless = await page.locator('sluice-configuration-page').evaluate((element) => {
      const root = element.shadowRoot
      const inner = [...root.querySelectorAll('sluice-picker')].map((picker) => picker.shadowRoot)
      return [root, ...inner]
        .flatMap((part) => [...part.querySelectorAll('button, input, select')])
        .filter(
          (control) => !control.getAttribute('aria-label') && !control.textContent.trim() && !control.labels?.length,
        )
        .map((control) => control.outerHTML.slice(0, 120))
    })
    assert.deepEqual(nameless, [], name)
    const dangling = await page.locator('sluice-configuration-page').evaluate(({ shadowRoot }) =>
      ['aria-describedby', 'aria-controls', 'aria-labelledby', 'for'].flatMap((name) =>
        [...shadowRoot.querySelectorAll(`[${name}]`)].flatMap((one) =>
          one
            .getAttribute(name)
            .split(' ')
            .filter((id) => !shadowRoot.getElementById(id)),
        ),
      ),
    )
    assert.deepEqual(dangling, [], name)
  }
  await tab('Approvals')
  await page.getByRole('switch', { name: 'Ask for every tool' }).click()
  await told('Saved')
  assert.equal(await page.locator('.status [role=status]').textContent(), 'Saved')
})

test('a window that may not configure is told so', async (t) => {
  const { page } = await start(t, { rights: { chat: true, approve: true }, ready: '[role=alert]' })
  assert.match(await page.getByRole('alert').textContent(), /cannot be read.*lacks the right configure/)
  assert.equal(await page.getByRole('switch').count(), 0)
})

test('what another window changed is there after `refresh`', async (t) => {
  const { page, host, tab } = await start(t)
  await tab('Advanced')
  const other = host.bridge({ configure: true })
  assert.equal((await other.call('configure', { settings: { maxRounds: 9 } })).ok, true)
  await page.locator('sluice-configuration').evaluate((element) => element.refresh())
  assert.equal(await page.getByLabel('Rounds with calls', { exact: true }).inputValue(), '9')
  other.close()
})

test('an unreadable configuration says why and can be asked for again', async (t) => {
  const { page } = await start(t)
  await page.evaluate(() => {
    const element = document.querySelector('sluice-configuration')
    const { client } = element
    let broken = true
    element.client = {
      ...client,
      configuration: () => (broken ? Promise.reject(new Error('the host is away')) : client.configuration()),
    }
    window.mend = () => (broken = false)
  })
  await page.getByRole('alert').filter({ hasText: 'the host is away' }).waitFor()
  await page.evaluate(() => window.mend())
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('tab', { name: 'Tools' }).waitFor()
})

test('it looks right: light, dark, Chinese, narrow', async (t) => {
  const looks = {
    light: {},
    dark: { colorScheme: 'dark' },
    zh: { lang: 'zh' },
    narrow: { viewport: { width: 360, height: 740 } },
  }
  for (const [name, options] of Object.entries(looks)) {
    const settings = { protocol: { id: 'vcp', lenient: true }, maxRounds: 8, toolToggles: { 'message.send': false } }
    const { page } = await start(t, { ...options, configuration: { settings } })
    const tabs = page.getByRole('tab')
    for (const [at, what] of ['tools', 'model', 'approvals', 'prompt', 'advanced'].entries()) {
      await tabs.nth(at).click()
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      assert.ok(wide <= 0, `${name}/${what}: ${wide} px too wide`)
      if (name === 'light' || ['tools', 'model', 'advanced'].includes(what))
        await picture(page, `configuration-${what}-${name}`)
    }
    if (name === 'zh')
      assert.equal(
        await tabs
          .first()
          .textContent()
          .then((said) => said.replace(/\d/, '').trim()),
        '工具',
      )
  }
})
