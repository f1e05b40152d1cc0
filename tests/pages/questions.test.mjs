// npx sluice questions --page: the command, a worker and a store as they are used, and a person at the page.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { builtFile, builtUrl } from '../js/dist.mjs'
import { startScriptedServer } from 'sluice/testing'
import { picture, until, useBrowser } from '../browser/support.mjs'

const browser = useBrowser()
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const main = builtFile('main')
const [index, durable] = ['sluice', 'sluice/durable'].map((name) => JSON.stringify(builtUrl(name).href))

/** An app with turns that pay bills. `VERSION` 2 has another tool. */
const app = (folder, baseURL) => `
  import { appendFileSync } from 'node:fs'
  import { Engine, tool } from ${index}
  import { durable, fileTurns } from ${durable}
  const version = process.env.VERSION ?? '1'
  const parameters = { type: 'object', properties: { to: { type: 'string' }, amount: { type: 'integer' } }, required: ['to', 'amount'] }
  const pay = tool({ name: 'bill.pay', description: version === '1' ? 'Pays a bill.' : 'Pays a bill from the other account.', identity: version, parameters, agentCallable: true, permission: 'sensitive',
    execute: ({ to, amount }, { key }) => { appendFileSync(${JSON.stringify(join(folder, 'journal'))}, \`\${key} \${to} \${amount}\\n\`); return 'paid' } })
  export const turns = durable(new Engine({ tools: [pay] }), { store: fileTurns(${JSON.stringify(join(folder, 'turns'))}), leaseMs: 1000, run: () => ({ model: { baseURL: ${JSON.stringify(baseURL)}, name: 'm' } }) })
  const [what, id, to] = process.argv.slice(2)
  if (what === 'start') { await turns.start({ id, thread: 'of ann', messages: [{ role: 'user', content: to }] }); await turns.advance(id) }
  if (what === 'advance') await turns.advance(id)
  if (what === 'status') console.log(JSON.stringify(await turns.status(id)))`

async function stage(t) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-questions-'))
  const answers = ({ body }) => {
    const to = body.messages.find(({ role }) => role === 'user').content
    return body.messages.some(({ role }) => role === 'tool')
      ? { text: 'Done.' }
      : { text: 'I pay. ', calls: [{ id: 'c', name: 'bill_pay', arguments: { to, amount: 7 } }] }
  }
  const model = await startScriptedServer({ answers, appendOnly: false })
  const file = join(folder, 'app.mjs')
  writeFileSync(file, app(folder, model.baseURL))
  const children = new Set()
  const start = (args, env = {}) => {
    const child = spawn(process.execPath, args, { env: { ...process.env, ...env } })
    children.add(child)
    const told = { out: '', err: '' }
    child.stdout.on('data', (data) => (told.out += data))
    child.stderr.on('data', (data) => (told.err += data))
    const end = once(child, 'close').then(([code]) => {
      children.delete(child)
      return code
    })
    return {
      child,
      told,
      end,
      stop: async () => {
        child.kill('SIGTERM')
        return await end
      },
    }
  }
  t.after(async () => {
    for (const child of children) child.kill('SIGKILL')
    await model.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  const run = async (words, env) => {
    const one = start([file, ...words], env)
    assert.equal(await one.end, 0, one.told.err)
    return one.told.out
  }
  return {
    folder,
    run,
    ask: (id, to) => run(['start', id, to]),
    status: async (id) => JSON.parse(await run(['status', id])),
    journal: () => (existsSync(join(folder, 'journal')) ? readFileSync(join(folder, 'journal'), 'utf8') : ''),
    worker: (env) => start([main, 'worker', file, '--sweep', '1'], env),
    command: (...words) => start([main, 'questions', file, ...words]),
    /** The page, as whoever started it opens it. */
    open: async (page, env) => {
      const served = start([main, 'questions', file, '--page', '--no-open', '--by', 'ann'], env)
      const [, url] = await until(() => /^The questions are on: (\S+)/m.exec(served.told.out), 'the URL')
      await page.goto(url)
      assert.ok(!page.url().includes('token'))
      return { ...served, url }
    },
  }
}

const questions = (page) => page.locator('sluice-approval')
/** Until the element takes the decision: whoever reads it sees all of it first. */
const approvable = (page, at = 0) => questions(page).nth(at).locator('.approve[aria-disabled=false]').waitFor()

/** No button is fading in. */
const approvableOrNone = (page) =>
  until(
    async () =>
      (await page
        .locator('sluice-approval .approve[aria-disabled=true], sluice-approval .deny[aria-disabled=true]')
        .count()) === 0,
    'questions that can be decided',
  )

test('questions are read and decided by keys alone, one after the other, and workers go on', async (t) => {
  const page = await browser.page(t, { expected: [/ERR_CONNECTION_REFUSED/] }) // at its end
  const { open, ask, status, worker, journal } = await stage(t)
  await ask('first', 'Ann\u202eB')
  await ask('second', 'Bob')
  const served = await open(page)
  await page.getByText('2 questions are open').waitFor()
  assert.equal(await page.title(), '(2) Questions')
  await page.getByText('You decide as ann').waitFor()
  await page.getByText('of ann').first().waitFor()
  assert.match(await questions(page).first().locator('.lines').innerText(), /Ann⟨?U\+202E⟩?B/)
  await approvable(page)
  assert.equal(
    await page.evaluate(() => document.activeElement.shadowRoot.activeElement.className.includes('deny')),
    true,
    'the safe answer has the focus',
  )
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByText('bill.pay: allowed. A worker goes on with it.').waitFor()
  await page.getByText('1 question is open').waitFor()
  await approvable(page)
  assert.match(await questions(page).locator('.lines').innerText(), /Bob/)
  assert.equal(
    await page.evaluate(() => document.activeElement.localName),
    'sluice-approval',
    'the next question has the focus',
  )
  await page.keyboard.press('Escape')
  await page.getByText('bill.pay: refused. A worker goes on with it.').waitFor()
  await page.getByText('Nothing is asked. New questions').waitFor()
  assert.equal(await page.evaluate(() => document.activeElement.id), 'count')
  assert.equal(journal(), '', 'a page decides, a worker does')
  const working = worker()
  const done = async (id) =>
    await until(async () => {
      const found = await status(id)
      return found.phase === 'done' && found
    })
  const [first, second] = [await done('first'), await done('second')]
  assert.deepEqual(
    first.decisions.map(({ decision, by }) => [decision, by]),
    [['approve', 'ann']],
  )
  assert.deepEqual(
    second.decisions.map(({ decision, by }) => [decision, by]),
    [['deny', 'ann']],
  )
  assert.match(journal(), /^first:1:[0-9a-f]{32} Ann\u202eB 7\n$/)
  await ask('third', 'Cleo')
  await page.getByText('1 question is open').waitFor() // without anybody loading the page anew
  assert.equal(await working.stop(), 0)
  assert.equal(await served.stop(), 0)
  await page.getByText('The command that serves this page does not answer').waitFor()
})

test('a decision about a tool that has changed meanwhile counts for nothing: the question comes again, and says so', async (t) => {
  const page = await browser.page(t)
  const { open, ask, status, worker, journal } = await stage(t)
  await ask('turn', 'Ann')
  await open(page)
  await approvable(page)
  await questions(page).locator('.approve').click()
  await page.getByText('bill.pay: allowed.').waitFor()
  const working = worker({ VERSION: '2' })
  await page.getByText('Asked again: the tool or its arguments changed since you decided.').waitFor()
  await page.getByText('Pays a bill from the other account.').waitFor()
  assert.equal(journal(), '')
  const { phase, decisions } = await status('turn')
  assert.deepEqual([phase, decisions], ['waiting', []])
  // The command has the tool as it was; the question is the worker's.
  await approvable(page)
  await questions(page).locator('.approve').click()
  await page.getByText('bill.pay: allowed.').nth(1).waitFor()
  await until(async () => (await status('turn')).phase === 'done', 'its end')
  assert.match(journal(), /^turn:1:[0-9a-f]{32} Ann 7\n$/)
  await working.stop()
})

test('who comes second is told so, and so is who decides what is over', async (t) => {
  const page = await browser.page(t)
  const { open, ask, command, run } = await stage(t)
  await ask('one', 'Ann')
  await ask('two', 'Bob')
  await open(page)
  await approvable(page, 1)
  const names = async () => await page.locator('.about > div:last-child dd').allInnerTexts()
  const [first, second] = await names()
  assert.match(first, /^one:1:execution:[0-9a-f]{12}$/)
  const other = command('--deny', first, '--by', 'bea')
  assert.equal(await other.end, 0, other.told.err)
  await approvable(page, 0)
  await questions(page).first().locator('.approve').click()
  await page.getByText('bill.pay: your decision was not taken. bea denied it before you.').waitFor()
  await questions(page).first().getByText('bea denied it before you.').waitFor()
  await run(['advance', 'one'])
  await page.getByText('bill.pay: the question is closed.').waitFor()
  assert.deepEqual(await names(), [second])
})

test('a turn that cannot be read hides no question of another one', async (t) => {
  const page = await browser.page(t)
  const { open, ask, folder } = await stage(t)
  await ask('one', 'Ann')
  await ask('two', 'Bob')
  const file = join(folder, 'turns/one/turn.json')
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), questions: 'damaged' }))
  await open(page)
  await page.getByText('A turn cannot be read, and its questions may be missing here').waitFor()
  await page.getByText('1 question is open').waitFor()
})

/** Marks the elements that are there, and says which of those that are there were marked. */
const mark = (page) =>
  page.evaluate(() => {
    for (const one of document.querySelectorAll('sluice-approval')) one.marked = true
  })
const marks = (page) =>
  page.evaluate(() => [...document.querySelectorAll('sluice-approval')].map(({ marked = false }) => marked))

/** Changes what the page is told: `tell(reply)` or nothing. */
async function between(page) {
  const here = { tell: undefined, count: 0 }
  await page.route('**/api/questions', async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    here.count++
    await here.tell?.(body.value)
    await route.fulfill({ response, json: body })
  })
  const past = async () => {
    const from = here.count
    await until(() => here.count >= from + 2, 'two more looks')
  }
  return Object.assign(here, { past })
}

test('a list that fails, or is not all, closes no question and brings back none that was decided', async (t) => {
  const page = await browser.page(t)
  const here = await between(page)
  const { open, ask, folder, command } = await stage(t)
  await ask('one', 'Ann')
  await ask('two', 'Bob')
  await ask('three', 'Cleo')
  await open(page)
  await page.getByText('3 questions are open').waitFor()
  await approvable(page)
  await questions(page).first().locator('.deny').click()
  await page.getByText('bill.pay: refused.').waitFor()
  await page.getByText('2 questions are open').waitFor()
  await mark(page)

  here.tell = (reply) => Object.assign(reply, { open: [], fresh: [], fault: 'the store is away' })
  await page.getByText('the store is away').waitFor()
  await here.past()
  assert.deepEqual(await marks(page), [true, true])
  here.tell = undefined
  await page.getByText('the store is away').waitFor({ state: 'hidden' })
  await here.past()
  assert.deepEqual(await marks(page), [true, true], 'what was decided stays away')

  const file = join(folder, 'turns/two/turn.json')
  const kept = readFileSync(file, 'utf8')
  writeFileSync(file, JSON.stringify({ ...JSON.parse(kept), questions: 'damaged' }))
  await page.getByText('A turn cannot be read').waitFor()
  await here.past()
  writeFileSync(file, kept)
  await page.getByText('A turn cannot be read').waitFor({ state: 'hidden' })
  await here.past()
  assert.deepEqual(await marks(page), [true, true])

  here.tell = (reply) =>
    Object.assign(reply, { open: reply.open.filter((name) => !name.startsWith('two:')), more: true })
  await page.getByText('More than 2 questions are open').waitFor()
  await here.past()
  assert.deepEqual(await marks(page), [true, true])
  const [second] = await page.locator('.about > div:last-child dd').allInnerTexts()
  assert.match(second, /^two:/)
  const other = command('--deny', second)
  assert.equal(await other.end, 0, other.told.err)
  assert.equal(await page.getByText('the question is closed').count(), 0)
  await approvable(page)
  await questions(page).first().locator('.approve').click() // that it takes no decision shows that it is closed
  await page.getByText('your decision was not taken').waitFor()
  await page.getByText('bill.pay: the question is closed.').waitFor()
  assert.deepEqual(await marks(page), [true])
  assert.equal(await page.locator('.again:not([hidden])').count(), 0)
})

test('a list that comes behind a later one counts for nothing', async (t) => {
  const page = await browser.page(t)
  const here = await between(page)
  const { open, ask } = await stage(t)
  await open(page)
  await page.getByText('Nothing is asked. New questions').waitFor()
  let letGo
  const held = new Promise((resolve) => (letGo = resolve))
  let isHeld = false
  here.tell = async () => {
    here.tell = undefined
    isHeld = true
    await held
  }
  await until(() => isHeld, 'a look that waits')
  await ask('one', 'Ann')
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange'))) // which looks at once
  await page.getByText('1 question is open').waitFor()
  await mark(page)
  letGo()
  await here.past()
  assert.deepEqual(await marks(page), [true])
  assert.equal(await page.getByText('the question is closed').count(), 0)
})

for (const [colorScheme, contrast] of [
  ['light', 'no-preference'],
  ['dark', 'no-preference'],
  ['dark', 'more'],
]) {
  test(`axe finds nothing, ${colorScheme}, contrast ${contrast}: with questions, with what was said, without any; by its names it can be used`, async (t) => {
    const page = await browser.page(t, {
      colorScheme,
      contrast,
      reducedMotion: 'reduce',
      viewport: { width: 900, height: 900 },
    })
    const { open, ask } = await stage(t)
    await ask('one', 'Ann')
    await ask('two', 'Bob')
    await open(page)
    await approvable(page, 1)
    await page.evaluate(axe)
    const clean = async () => {
      await approvableOrNone(page)
      await page.evaluate(async () => {
        const frame = () => new Promise(requestAnimationFrame)
        do await frame()
        while (
          (await frame(),
          [document, ...[...document.querySelectorAll('sluice-approval')].map(({ shadowRoot }) => shadowRoot)].some(
            (one) => one.getAnimations().length > 0,
          ))
        )
      })
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }))
      assert.deepEqual(
        violations.map(({ id, nodes }) => [
          id,
          nodes.map(({ html, any }) => `${html.slice(0, 200)} ${any[0]?.message}`),
        ]),
        [],
      )
    }
    await clean()
    await picture(page, `questions-${colorScheme}`)
    const group = page.getByRole('group', { name: /bill\.pay/ })
    assert.equal(await group.count(), 2)
    await group.first().getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('log').getByText('allowed').waitFor()
    await clean()
    await page.getByRole('button', { name: 'Switch to Chinese' }).click()
    await page.getByText('1 个问题待决').waitFor()
    await picture(page, `questions-${colorScheme}-zh`)
    await page.getByRole('button', { name: '切换到英语' }).click()
    await page.getByRole('button', { name: 'Theme: system' }).click()
    await page.getByRole('button', { name: 'Theme: light' }).click()
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark')
    await clean()
    await group.getByRole('button', { name: 'Not now' }).click()
    await page.getByText('Nothing is asked. New questions').waitFor()
    await clean()
    await page.setViewportSize({ width: 340, height: 600 })
    assert.ok(
      await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
      'nothing is wider than a phone',
    )
  })
}
