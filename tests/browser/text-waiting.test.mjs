// While text comes faster than it is read: the next reading waits, and what came stands there as plain text. The clock
// is the test's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtFile } from '../js/dist.mjs'
import { build } from 'esbuild'
import { open } from './ui/message.mjs'

const source = builtFile('typeset')

/** A page with `typeset`, whose readings take `clock.takes` milliseconds: the time goes on whenever it is asked for. */
async function typesetting(t) {
  const page = await open(t)
  const {
    outputFiles: [{ text: body }],
  } = await build({ entryPoints: [source], bundle: true, format: 'esm', write: false, logLevel: 'error' })
  await page.route('**/typeset.js', (route) => route.fulfill({ contentType: 'text/javascript', body }))
  await page.evaluate(async () => {
    const { Typeset } = await import('/typeset.js')
    window.clock = {
      time: 0,
      takes: 0,
      timers: [],
      now: () => (clock.time += clock.takes),
      setTimeout: (run, ms) => clock.timers.push({ run, ms }) && clock.timers.at(-1),
      clearTimeout: (timer) => (clock.timers = clock.timers.filter((one) => one !== timer)),
    }
    const words = {
      table: 'Table',
      task: 'Task',
      copyCsv: 'Copy as CSV',
      pictureFrom: String,
      pictureInText: 'Picture',
      wrap: 'Wrap',
      copy: 'Copy',
      code: 'Code',
    }
    window.make = () => {
      const typeset = new Typeset(undefined, clock)
      document.querySelector('#stage').replaceChildren(typeset.element)
      clock.takes = clock.time = 0
      clock.timers = []
      return typeset
    }
    window.set = (typeset, text, open = true) => typeset.set(text, open, words)
    /** Shows `before` by two readings of 20 ms, and then `more` without one. */
    window.slow = (before, more) => {
      const typeset = make()
      clock.takes = 20
      for (const text of [before.slice(0, -1), before]) {
        set(typeset, text)
        for (const { run } of clock.timers.splice(0)) run()
      }
      clock.takes = 0
      set(typeset, before + more)
      return typeset
    }
  })
  return page
}

test('behind a slow reading the next one waits five times as long, and what came is there at once', async (t) => {
  const page = await typesetting(t)
  const waited = await page.evaluate(() => {
    const typeset = make()
    clock.takes = 20
    set(typeset, 'one **tw')
    const first = clock.timers.length
    set(typeset, 'one **two')
    clock.takes = 0
    const node = typeset.element.querySelector('strong').firstChild
    const { time } = clock
    clock.time += 30
    set(typeset, 'one **two** three, **fo')
    const waiting = [
      clock.timers.map(({ ms }) => ms),
      typeset.element.textContent,
      typeset.element.querySelectorAll('strong').length,
    ]
    clock.time += 60
    set(typeset, 'one **two** three, **four** fi')
    const still = [clock.timers.length, typeset.element.textContent, typeset.element.querySelectorAll('strong').length]
    clock.time = time + 100
    const [{ run }] = clock.timers
    run()
    return { first, waiting, still, read: [clock.timers.length, typeset.element.innerHTML, node.isConnected] }
  })
  assert.deepEqual(waited, {
    first: 0, // one alone may have waited for the processor
    waiting: [[70], 'one two three, fo', 1],
    still: [1, 'one two three, four fi', 1],
    read: [0, '<div class="group"><p>one <strong>two</strong> three, <strong>four</strong> fi</p></div>', true],
  })
})

test('what came stands at the end of the open block, whichever that is, and the reading puts the same there as ever', async (t) => {
  const page = await typesetting(t)
  const cases = [
    ['- one\n- tw', 'o\n- thr', 'li:last-child > p', 'two\n- thr'],
    ['> quo', 'ted `co', 'blockquote > p', 'quoted co'],
    ['a para', 'graph [li](http', 'p', 'a paragraph li'],
    ['a para', 'graph\n\n## A ti', 'p', 'a paragraph\n\nA ti'],
    ['# Tit', 'le\n\nand', '.group > .coming', 'le\n\nand'],
    ['| a | b |\n|---|---|\n| 1 | 2', ' |\n| 3', '.group > .coming', '| 1 | 2 |\n| 3'],
    ['- a\n\n  ```js\n  le', 't b', 'li .chunk', 'let b'],
    ['one\n\n***\n', 'two', '.group > .coming', 'two'],
    ['a **', 'b** c \u202ed', 'p', 'a b c \ufffdd'],
    ['a snake_', 'case_name 2 * 3', 'p', 'a snake_case_name 2 * 3'],
    ['', 'first', '.group > .coming', 'first'],
    [`${'- item\n'.repeat(12)}\n`, 'behind', 'li:last-child > p', 'item\n\nbehind'],
  ]
  const found = await page.evaluate(
    (cases) =>
      cases.map(([before, more, selector]) => {
        const typeset = slow(before || ' ', more)
        const place = typeset.element.querySelectorAll(selector)
        const shown = [...place].at(-1)?.textContent
        const { hidden } = typeset.element
        set(typeset, (before || ' ') + more, false)
        const once = typeset.element.innerHTML
        const whole = make()
        set(whole, (before || ' ') + more, false)
        return { shown, hidden, same: once === whole.element.innerHTML }
      }),
    cases,
  )
  assert.deepEqual(
    found,
    cases.map(([, , , shown]) => ({ shown, hidden: false, same: true })),
  )
})

test('however it came and whenever it waited, a text is the same in the end', async (t) => {
  const page = await typesetting(t)
  const { awkward } = await import('../js/text/awkward.mjs')
  const { wrong, waited } = await page.evaluate((texts) => {
    const wrong = []
    let waited = 0
    for (const [what, text] of Object.entries(texts)) {
      const whole = make()
      set(whole, text, false)
      const expected = whole.element.innerHTML.replaceAll('"group done"', '"group"')
      for (const step of [1, 7, 61]) {
        const typeset = make()
        for (let at = 0; at < text.length; at += step) {
          clock.takes = at % 3 === 0 ? 0 : 9
          set(typeset, text.slice(0, at))
          if (typeset.element.querySelector('.coming')) waited++
          if (at % 11 === 0) for (const { run } of clock.timers.splice(0)) run()
        }
        set(typeset, text, false)
        if (typeset.element.innerHTML.replaceAll('"group done"', '"group"') !== expected)
          wrong.push(`${what} by ${step}`)
      }
    }
    return { wrong, waited }
  }, awkward)
  assert.deepEqual(wrong, [])
  assert.ok(waited > 500, `${waited} times text waited`)
})

test('open code never waits, and of a flood every other or every third frame is drawn', async (t) => {
  const page = await typesetting(t)
  const found = await page.evaluate(() => {
    const code = slow('text\n\n```js\nlet a\n', 'let b')
    const shown = [code.element.querySelector('code').textContent, code.element.querySelectorAll('.coming').length]
    const frames = [4, 8].map((words) => {
      const flood = make()
      const lengths = Array.from({ length: 8 }, (_, at) => {
        set(flood, 'word '.repeat((at + 1) * words))
        return flood.element.textContent.length
      })
      const held = clock.timers.map(({ ms }) => ms)
      clock.timers[0].run() // no frame came
      return { lengths, held, then: flood.element.textContent.length }
    })
    const slow_ = make()
    for (let at = 1; at < 5; at++) set(slow_, 'word '.repeat(at * 3))
    return { shown, frames, slow: slow_.element.textContent.length }
  })
  assert.deepEqual(found, {
    shown: ['let a\nlet b', 0],
    frames: [
      { lengths: [19, 19, 59, 59, 99, 99, 139, 139], held: [50], then: 159 },
      { lengths: [39, 39, 39, 159, 159, 159, 279, 279], held: [50], then: 319 },
    ],
    slow: 59,
  })
})

test('of what came only so much is shown that laying it out takes no time', async (t) => {
  const page = await typesetting(t)
  const length = await page.evaluate(() => slow('a text', 'A'.repeat(100_000)).element.textContent.length)
  assert.ok(length > 1000 && length < 3000, `${length}`)
})
