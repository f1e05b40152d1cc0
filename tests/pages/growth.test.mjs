// What a token costs a page does not depend on what stands above it: counted in blocks of our scripts that V8 enters
// and in changes of the page, never timed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exact, stepsIn } from '../js/counted.mjs'
import { useBrowser } from '../browser/support.mjs'
import { usePages } from '../browser/ui/server.mjs'

const browser = useBrowser({ flags: exact })
const pages = usePages()
const TOKENS = 30
const MANY = 200

/**
 * Steps and changes of the page that tokens cost. `entries` stand before the answer, `blocks` in it, `cards` say of
 * which kind. `writes`: they are arguments of a call.
 */
async function tokens(t, { entries = 0, blocks = 0, cards = false, writes = false }) {
  const page = await browser.page(t, { reducedMotion: 'reduce' })
  await page.goto(`${pages.url}/chat.html`)
  await page.waitForFunction(() => window.chatReady)
  await page.evaluate(
    async ({ entries, blocks, cards, writes }) => {
      start('sluice-thread')
      client.open().set({ entries: many(client, entries) })
      window.answer = client.ask('And now?', [
        ...Array.from({ length: blocks }, (_, i) =>
          cards === 'rounds' && i % 3 === 0
            ? { type: 'text', block: i, text: `Round ${i}.` }
            : cards
              ? {
                  type: 'card',
                  block: i,
                  call: i + 1,
                  name: 'note',
                  status: 'success',
                  arguments: { at: i },
                  output: 'ok',
                }
              : { type: i % 2 ? 'text' : 'reasoning', block: i, text: `Paragraph ${i}.` },
        ),
        { type: 'text', block: blocks, text: 'It ' },
        ...(writes
          ? [1, 2].map((i) => ({
              type: 'card',
              block: blocks + i,
              call: blocks + i,
              name: 'note',
              status: 'streaming',
            }))
          : []),
      ])
      window.changes = 0
      const count = (root) => {
        new MutationObserver((all) => (window.changes += all.length)).observe(root, {
          childList: true,
          subtree: true,
          characterData: true,
          attributes: true,
        })
        for (const node of root.querySelectorAll('*')) if (node.shadowRoot) count(node.shadowRoot)
      }
      window.watch = () => count(document)
    },
    { entries, blocks, cards, writes },
  )
  const session = await page.context().newCDPSession(page)
  await session.send('Profiler.enable')
  await session.send('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  await stillness(page, session)
  const changes = await page.evaluate(
    async ({ count, block, writes }) => {
      watch()
      for (let i = 0; i < count; i++) {
        answer.push(
          writes
            ? { type: 'args', call: block + 2, text: i === 0 ? '{"text":"token ' : 'token ' }
            : { type: 'text', block, text: 'token ' },
        )
        await frames(2)
      }
      return window.changes
    },
    { count: TOKENS, block: blocks, writes },
  )
  const { result } = await session.send('Profiler.takePreciseCoverage')
  return { steps: stepsIn(result, ['/sluice/']), changes }
}

/** What is above comes as the page has time for it: until it has done next to nothing for a second. */
async function stillness(page, session) {
  for (let still = 0, end = Date.now() + 60_000; still < 5; ) {
    assert.ok(Date.now() < end, 'the page still works after a minute')
    await session.send('Profiler.takePreciseCoverage')
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 200)))
    const { result } = await session.send('Profiler.takePreciseCoverage')
    still = stepsIn(result, ['/sluice/']) < 100 ? still + 1 : 0
  }
}

test('a token costs the page the same behind finished cards, other blocks and a long conversation', async (t) => {
  const none = await tokens(t, {})
  assert.ok(
    none.steps > 10 * TOKENS && none.changes >= TOKENS,
    `only ${none.steps} steps and ${none.changes} changes were counted`,
  )
  const kinds = {
    'other blocks': { blocks: MANY },
    'finished cards': { blocks: MANY, cards: true },
    messages: { entries: MANY },
  }
  for (const [what, above] of Object.entries(kinds)) {
    // Whether a call works is looked up in the blocks, for the header and for who listens: two looks at each, and
    // nothing else.
    const most = 1.2 * none.steps + 2 * TOKENS * (above.blocks ?? 0)
    const many = await tokens(t, above)
    assert.ok(many.steps <= most, `${what}: ${none.steps} steps behind none, ${many.steps} behind ${MANY}`)
    assert.ok(
      many.changes <= 2 * none.changes,
      `${what}: ${none.changes} changes behind none, ${many.changes} behind ${MANY}`,
    )
  }
})

test('a token of a call costs the page the same behind rounds of other calls', async (t) => {
  const none = await tokens(t, { writes: true })
  const most = 1.2 * none.steps + 2 * TOKENS * MANY
  const many = await tokens(t, { writes: true, blocks: MANY, cards: 'rounds' })
  assert.ok(
    none.steps > 10 * TOKENS && none.changes >= TOKENS,
    `only ${none.steps} steps and ${none.changes} changes were counted`,
  )
  assert.ok(many.steps <= most, `${none.steps} steps behind none, ${many.steps} behind ${MANY}`)
  assert.ok(many.changes <= 2 * none.changes, `${none.changes} changes behind none, ${many.changes} behind ${MANY}`)
})

// -- keys while an answer comes ---------------------------------------------------------------------------------------

const TYPED = 'a person writes while the answer comes, 1,000 tokens a second'
/** As many as come between two frames. */
const BETWEEN = 17

/** A chat whose answer goes on behind `blocks` of it and `entries` before it, with the focus in its field. */
async function chatting(t, { entries = 0, blocks = 0 } = {}) {
  const page = await browser.page(t, { reducedMotion: 'reduce' })
  await page.goto(`${pages.url}/chat.html`)
  await page.waitForFunction(() => window.chatReady)
  await page.evaluate(
    async ({ entries, blocks }) => {
      start('sluice-chat')
      client.open().set({ entries: many(client, entries) })
      window.answer = client.ask('And now?', [
        ...Array.from({ length: blocks }, (_, i) => ({
          type: i % 2 ? 'text' : 'reasoning',
          block: i,
          text: `Paragraph ${i}.`,
        })),
        { type: 'text', block: blocks, text: 'It ' },
      ])
      for (let still = 0; still < 5; still++) await frames(10)
      window.field = element.shadowRoot.querySelector('sluice-composer').shadowRoot.querySelector('textarea')
      field.focus()
    },
    { entries, blocks },
  )
  return page
}

test('while 1,000 tokens a second come no key is lost, each is handled between two frames, and none waits for more than one drawing of the answer', async (t) => {
  const page = await chatting(t, { entries: 40, blocks: 20 })
  await page.evaluate((between) => {
    const composer = element.shadowRoot.querySelector('sluice-composer')
    const thread = element.shadowRoot.querySelector('sluice-thread')
    window.counts = { frames: 0, tokens: 0, drawings: 0, keys: [], goes: true }
    // Every token comes by itself, as from the host.
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      counts.tokens++
      answer.push({ type: 'text', block: 20, text: 'token ' })
    }
    const frame = () => {
      counts.frames++
      if (!counts.goes) return
      for (let i = 0; i < between; i++) port2.postMessage(i)
      requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
    const changes = new MutationObserver(() => counts.drawings++)
    const watch = (root) => {
      changes.observe(root, { childList: true, subtree: true, characterData: true })
      for (const node of root.querySelectorAll('*')) if (node.shadowRoot) watch(node.shadowRoot)
    }
    watch(
      thread.shadowRoot.querySelector('sluice-entry:last-of-type').shadowRoot.querySelector('sluice-message')
        .shadowRoot,
    )
    addEventListener('keydown', () => counts.keys.push({ at: counts.frames, tokens: counts.tokens }), true)
    addEventListener('input', async () => {
      const key = counts.keys.at(-1)
      const { length } = counts.keys
      await composer.updateComplete
      Object.assign(key, { drawn: counts.frames, value: field.value, kept: composer.value === field.value })
      requestAnimationFrame(() => (key.shown = field.value.slice(0, length)))
    }) // behind the field's own
  }, BETWEEN)
  for (const [at, letter] of [...TYPED].entries()) {
    await page.keyboard.type(letter)
    if (at % 2 === 0) await page.evaluate(() => frames(1)) // some come in one frame, most in frames of their own
  }
  const { frames, tokens, drawings, keys, value } = await page.evaluate(async () => {
    await frames(3)
    counts.goes = false
    await frames(3)
    return { ...counts, value: field.value }
  })
  assert.equal(value, TYPED)
  assert.deepEqual(
    keys.map(({ value }) => value),
    Array.from(TYPED, (_, at) => TYPED.slice(0, at + 1)),
    'in the order of the keys',
  )
  for (const [at, key] of keys.entries()) {
    assert.deepEqual(
      [key.drawn - key.at, key.kept, key.shown],
      [0, true, TYPED.slice(0, at + 1)],
      `key ${at}: ${JSON.stringify(key)}`,
    )
  }
  assert.ok(
    tokens >= (frames - 8) * BETWEEN && new Set(keys.map(({ tokens }) => tokens)).size > keys.length / 6,
    `${tokens} tokens in ${frames} frames came between the keys`,
  )
  assert.ok(drawings > 2 && drawings <= frames, `${drawings} drawings in ${frames} frames`)
})

test('a key costs the page the same below a long answer and a long conversation', async (t) => {
  const steps = async (size) => {
    const page = await chatting(t, size)
    await page.keyboard.type('first')
    const session = await page.context().newCDPSession(page)
    await session.send('Profiler.enable')
    await session.send('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
    await stillness(page, session)
    await page.keyboard.type(TYPED)
    const { result } = await session.send('Profiler.takePreciseCoverage')
    return stepsIn(result, ['/sluice/'])
  }
  const [short, long] = [await steps({}), await steps({ entries: MANY, blocks: MANY })]
  assert.ok(short > 10 * TYPED.length, `only ${short} steps were counted`)
  assert.ok(long <= 1.05 * short, `${short} steps, and ${long} below what is long`)
})
