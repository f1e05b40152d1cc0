// What an app sets, styles, puts into slots and takes over, of every element of the chat: as js/docs/chat.md and
// text.md list it.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { until, useBrowser } from './support.mjs'
import { usePages } from './ui/server.mjs'

const browser = useBrowser()
const pages = usePages()
const read = (name) => readFileSync(new URL(`../../js/docs/${name}.md`, import.meta.url), 'utf8')

async function open(t, tag, properties = {}, options = {}) {
  const page = await browser.page(t, options)
  await page.goto(`${pages.url}/chat.html`)
  await page.waitForFunction(() => window.chatReady)
  await page.evaluate(
    ([tag, given]) => {
      start(tag, given)
      window.everything = (root) =>
        [...root.querySelectorAll('*')].flatMap((one) => [one, ...(one.shadowRoot ? everything(one.shadowRoot) : [])])
      /** Which of these parts no rule from outside of the element reaches. */
      window.unreached = (names) => {
        const sheet = new CSSStyleSheet()
        document.adoptedStyleSheets.push(sheet)
        const missed = names.filter((name) => {
          sheet.replaceSync(`${element.localName}::part(${name}) { scroll-margin-top: 7px !important }`)
          return !everything(element.shadowRoot).some((one) => getComputedStyle(one).scrollMarginTop === '7px')
        })
        sheet.replaceSync('')
        return missed
      }
      /** Which of these slots show nothing of what is put into them. */
      window.unfilled = (names) =>
        names.filter((slot) => {
          const child = element.appendChild(Object.assign(document.createElement('i'), { slot, textContent: slot }))
          const { width } = child.getBoundingClientRect()
          child.remove()
          return width === 0
        })
    },
    [tag, properties],
  )
  await settle(page)
  return page
}
const settle = (page) => page.evaluate(() => frames(3))
const calls = (page) =>
  page.evaluate(() =>
    client.calls
      .splice(0)
      .map(([name, first, second]) => [name, first?.text ?? first, ...(second === undefined ? [] : [second])]),
  )
const field = (page) => page.getByRole('textbox', { name: 'Message' })

/** A conversation in which everything stands that has a part. */
const talk = () => {
  element.voice = window.voice = { said: [], say: (text) => voice.said.push(text), stop() {} }
  element.usage = 'all'
  client.ask(
    'Look',
    said(
      '# Look\n\n`x` [there](https://example.com/a)\n\n```js\n1\n```\n\n| a |\n|---|\n| 1 |\n\n![cat](https://example.com/cat.png)',
    ),
    { at: Date.now() - 90_000_000, branch: { index: 1, count: 3 } },
  )
  client.ask('Go on', [
    { type: 'reasoning', block: 0, text: 'Hm.' },
    { type: 'text', block: 1, text: 'I' },
    { type: 'card', block: 2, call: 1, name: 'a.b', status: 'success', arguments: {}, output: '' },
    { type: 'text', block: 3, text: 'am' },
    { type: 'round', round: 1, startedAt: 0, endedAt: 8000 },
    { type: 'usage', round: 1, outputTokens: 1200 },
    { type: 'error', block: 4, code: 'network', detail: 'gone' },
    { type: 'done', outcome: 'failed' },
  ])
}

// -- parts and slots --------------------------------------------------------------------------------------------------

test('every part that the documents name can be styled from outside, and every slot shows what is put into it', async (t) => {
  const page = await open(t, 'sluice-chat', {
    name: 'Lulu',
    avatar:
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  })
  const named = (name) => /\bParts: `([^`]+)`/.exec(read(name).replace(/\s+/g, ' '))[1].split(' ')
  const slots = Object.fromEntries(
    [...read('chat').matchAll(/^\| `<(sluice-[a-z]+)>`.*\| `([^`|]+)` \|$/gm)].map(([, tag, names]) => [
      tag,
      names.split(' '),
    ]),
  )
  assert.deepEqual(Object.keys(slots), ['sluice-chat', 'sluice-thread', 'sluice-composer', 'sluice-conversations'])
  const inside = (one, gone) => one.filter((name) => !gone.includes(name))

  // The beginning, then what was said, then what is written while an answer comes, then a question, then the host is
  // gone.
  const welcome = await page.evaluate(
    ([parts, slots]) => [unreached(parts), unfilled(slots)],
    [['welcome', 'header', 'avatar', 'thread', 'composer', 'foot'], inside(slots['sluice-chat'], ['actions', 'ways'])],
  )
  assert.deepEqual(welcome, [[], []])
  await page.evaluate(talk)
  await settle(page)
  const late = ['banner', 'dock', 'jump', 'stop', 'chip', 'queue', 'hint', 'avatar']
  const chatParts = named('chat')
  assert.ok(chatParts.length > 20 && late.every((name) => chatParts.includes(name)), chatParts.join())
  const text = inside(named('text'), ['cue'])
  assert.deepEqual(
    await page.evaluate(
      ([parts, slots]) => [unreached(parts), unfilled(slots)],
      [
        [...inside(chatParts, late), ...text],
        ['actions', 'ways'],
      ],
    ),
    [[], []],
  )
  await page.evaluate(() => {
    window.live = client.ask('And?')
    const composer = element.shadowRoot.querySelector('sluice-composer')
    composer.attachments = [{ name: 'a.txt', mediaType: 'text/plain', bytes: new Uint8Array(9) }]
    element.value = 'Then'
    return frames(2)
      .then(() => composer.send())
      .then(() => frames(2))
  })
  assert.deepEqual(await page.evaluate(() => unreached(['stop', 'chip', 'queue', 'hint', 'avatar'])), [])
  await page.evaluate(() => live.push(...asking(0, 'a.b', { c: 1 }, { ask: { words: { title: 'B' } } })))
  await settle(page)
  assert.deepEqual(
    await page.evaluate(() => unreached(['dock', 'question', 'sentence', 'question-tool', 'approve', 'deny'])),
    [],
  )
  await page.evaluate(() => client.connect('lost', Date.now() + 60_000))
  await settle(page)
  assert.deepEqual(await page.evaluate(() => unreached(['banner'])), [])
  await page.evaluate(() => {
    client.connect('connected')
    client.open().set({ entries: many(client, 60) })
  })
  await settle(page)
  await page.locator('sluice-thread .scroller').hover()
  await page.mouse.wheel(0, -900)
  await page.getByRole('button', { name: /^Latest/ }).waitFor()
  assert.deepEqual(await page.evaluate(() => unreached(['jump'])), [])

  // The parts alone.
  for (const [tag, parts, script] of [
    [
      'sluice-thread',
      ['entry', 'mine', 'theirs', 'toolbar', 'time', 'day', 'usage', 'ways', 'scroller', 'entries', ...text],
      talk,
    ],
    [
      'sluice-text',
      [...text, 'text'],
      () => {
        element.text =
          '# A\n\n[b](https://c.example)\n\n```\n1\n```\n\n| a |\n|---|\n| 1 |\n\n![cat](https://example.com/cat.png)'
      },
    ],
    [
      'sluice-conversations',
      ['list', 'item', 'title', 'date', 'state'],
      () => {
        client.conversations = { list: async () => [{ id: 'a', title: 'A', updated: 1, entries: 1, unread: true }] }
        return element.refresh()
      },
    ],
  ]) {
    const unfilled = await page.evaluate(
      ([tag, slots]) => {
        element.remove()
        start(tag)
        client.conversations = { list: async () => [] }
        return frames(3).then(() => window.unfilled(slots))
      },
      [tag, inside(slots[tag] ?? [], ['actions', 'ways'])],
    )
    await page.evaluate(script)
    await settle(page)
    assert.deepEqual([unfilled, await page.evaluate((parts) => unreached(parts), parts)], [[], []], tag)
  }
})

test('what a slot says is said in place of the element’s own words', async (t) => {
  const page = await open(t, 'sluice-chat', { name: 'Lulu', suggestions: ['One'] })
  for (const [slot, own] of [
    ['header', page.locator('header.head')],
    ['welcome', page.getByRole('heading', { name: 'Hi, I am Lulu.' })],
  ]) {
    await own.waitFor()
    await page.evaluate(
      (slot) => element.append(Object.assign(document.createElement('p'), { slot, textContent: `mine: ${slot}` })),
      slot,
    )
    await page.getByText(`mine: ${slot}`).waitFor()
    assert.equal(await own.isVisible(), false, slot)
  }
})

// -- what an app takes over -------------------------------------------------------------------------------------------

test('an app takes over every action with an entry: nothing else is done then, and the entry is told', async (t) => {
  const page = await open(t, 'sluice-thread')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.evaluate(talk)
  await settle(page)
  await page.evaluate(() => {
    window.fired = []
    window.take = true
    document.addEventListener('sluice-action', (event) => {
      fired.push([event.detail.action, event.detail.entry.id])
      if (take) event.preventDefault()
    })
    navigator.clipboard.writeText('untouched')
    // The toolbars of the first question and answer, and the ways on behind the last one.
    window.press = (action) =>
      everything(element.shadowRoot)
        .find((one) => one.dataset?.action === action || one.dataset?.way === action)
        .click()
  })
  const all = {
    copy: 'main-1q',
    edit: 'main-1q',
    again: 'main-1a',
    speak: 'main-1a',
    delete: 'main-1q',
    previous: 'main-1q',
    next: 'main-1q',
    goOn: 'main-2a',
  }
  await page.evaluate((all) => all.forEach((one) => press(one)), Object.keys(all))
  await settle(page)
  assert.deepEqual(await page.evaluate(() => fired.splice(0)), Object.entries(all))
  assert.deepEqual(await calls(page), [])
  assert.deepEqual(
    await page.evaluate(async () => [
      await navigator.clipboard.readText(),
      voice.said,
      everything(element.shadowRoot).some((one) => one.matches('.editor, .deleting')),
    ]),
    ['untouched', [], false],
  )
  // And where the app leaves them, each does what it says.
  await page.evaluate(() => {
    take = false
  })
  for (const [action, done] of [
    ['again', ['regenerate', 'main-1a']],
    ['previous', ['choose', 'main-1q', 0]],
    ['next', ['choose', 'main-1q', 2]],
    ['goOn', ['goOn', 'main-2a']],
  ]) {
    await page.evaluate((one) => press(one), action)
    await settle(page)
    assert.deepEqual(await calls(page), [done], action)
  }
  await page.evaluate(() => ['copy', 'speak', 'delete'].forEach((one) => press(one)))
  await until(
    () =>
      page.evaluate(
        async () =>
          (await navigator.clipboard.readText()) === 'Look' &&
          voice.said.length === 1 &&
          everything(element.shadowRoot).some((one) => one.matches('.deleting')),
      ),
    'what each says',
  )
})

test('an app takes over links of every kind: by click, by middle click and key, and the address of a picture', async (t) => {
  const page = await open(t, 'sluice-chat')
  await page.evaluate(talk)
  const link = page.getByRole('link', { name: 'there' })
  await link.waitFor()
  await page.evaluate(() => {
    window.fired = []
    window.take = (event) => {
      fired.push(event.detail)
      event.preventDefault()
    }
    document.addEventListener('sluice-link', take)
  })
  await link.click()
  await link.click({ button: 'middle' })
  await link.press('Enter')
  await page.getByRole('button', { name: 'cat · Picture from example.com' }).click()
  const there = { url: 'https://example.com/a', text: 'there' }
  const fired = await page.evaluate(() => fired)
  assert.deepEqual(fired.slice(0, 3), [there, there, there])
  assert.equal(fired[3].url, 'https://example.com/cat.png')
  assert.equal(await page.getByRole('dialog').count(), 0)
  assert.deepEqual(await calls(page), [])
  await page.evaluate(() => document.removeEventListener('sluice-link', take))
  await link.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Open' }).click()
  await until(
    async () => (await calls(page)).some(([name, url]) => name === 'openLink' && url === there.url),
    'the link',
  )
})

test('a host that a person agreed to in another window is not asked about; where the host of the app does not answer, it is', async (t) => {
  const page = await open(t, 'sluice-chat')
  await page.evaluate(() => {
    const known = new Set()
    client.openLink = async (url, { agreed }) => (
      client.calls.push(['openLink', url]), agreed && known.add(new URL(url).host)
    )
    client.openKnownLink = async (url) => {
      client.calls.push(['openKnownLink', url])
      if (url.includes('fails')) throw new Error('the host is gone')
      return known.has(new URL(url).host)
    }
    window.known = known
    element.client = undefined
  })
  await page.evaluate(() => element.updateComplete.then(() => (element.client = client)))
  await page.evaluate(() =>
    client.ask('Where?', said('[there](https://example.com/a), [here](https://example.net/fails)')),
  )
  const dialog = page.getByRole('dialog')
  const link = page.getByRole('link', { name: 'there' })
  await link.click()
  await dialog.getByRole('button', { name: 'Open' }).click()
  assert.deepEqual(await calls(page), [
    ['openKnownLink', 'https://example.com/a'],
    ['openLink', 'https://example.com/a'],
  ])
  await link.click()
  await until(async () => (await calls(page)).length === 1, 'the host is asked')
  assert.equal(await dialog.count(), 0)
  await page.evaluate(() => known.clear()) // the app began anew; the page did not
  await link.click()
  await dialog.getByRole('button', { name: 'Not now' }).click()
  await page.getByRole('link', { name: 'here', exact: true }).evaluate((element) => (element.click(), element.click()))
  await dialog.waitFor()
  assert.equal(await dialog.count(), 1, 'one question for two quick clicks')
})

test('an app takes over what is sent and stopped, however it was: key, button, suggestion, method, and what waited', async (t) => {
  const page = await open(t, 'sluice-chat', { suggestions: ['Begin'] })
  await page.evaluate(() => {
    window.fired = []
    for (const type of ['sluice-send', 'sluice-stop'])
      document.addEventListener(type, (event) => {
        fired.push(
          type === 'sluice-stop' ? 'stop' : [event.detail.text, event.detail.parts.length, event.detail.conversation],
        )
        event.preventDefault()
      })
    window.composer = element.shadowRoot.querySelector('sluice-composer')
    window.png = { name: 'a.png', mediaType: 'image/png', bytes: new Uint8Array([1, 2, 3]) }
  })
  await page.getByRole('button', { name: 'Begin' }).click()
  await field(page).fill('Key')
  await page.keyboard.press('Enter')
  await field(page).fill('Button')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.evaluate(() => {
    composer.value = 'Method'
    composer.attachments = [png]
    return composer.send()
  })
  await page.evaluate(() => {
    window.live = client.ask('Going on')
    live.cancel = async () => client.calls.push(['cancel'])
  })
  await page.getByRole('button', { name: 'Stop' }).click()
  await field(page).press('Escape')
  await page.evaluate(() => composer.stop())
  await field(page).fill('Waits')
  await page.keyboard.press('Enter')
  await until(() => page.evaluate(() => composer.queue.join() === 'Waits'), 'the queue')
  await page.evaluate(() =>
    live.push({ type: 'text', block: 0, text: 'x' }, { type: 'done', outcome: 'completed', finishReason: 'stop' }),
  )
  const one = (text, parts = 0) => [text, parts, 'main']
  await until(async () => (await page.evaluate(() => fired.length)) === 8, 'what waited')
  assert.deepEqual(await page.evaluate(() => fired), [
    one('Begin'),
    one('Key'),
    one('Button'),
    one('Method', 1),
    'stop',
    'stop',
    'stop',
    one('Waits'),
  ])
  assert.deepEqual(await calls(page), [])
  assert.equal(await page.evaluate(() => composer.value), '', 'it is the app’s now')
})

test('an app takes over opening, renaming and deleting a conversation, and beginning one', async (t) => {
  const page = await open(t, 'sluice-conversations', { current: 'c1' })
  await page.evaluate(async () => {
    window.fired = []
    for (const name of ['open', 'rename', 'delete'])
      document.addEventListener(`sluice-${name}`, (event) => {
        fired.push([name, event.detail.conversation])
        event.preventDefault()
      })
    client.conversations = {
      list: async () => [
        { id: 'c0', title: 'Zero', updated: 2, entries: 2 },
        { id: 'c1', title: 'One', updated: 1, entries: 2 },
      ],
      delete: async (id) => client.calls.push(['delete', id]),
    }
    await element.refresh()
  })
  for (const name of [/^Zero/, 'Rename: Zero', 'Delete: Zero', 'New conversation'])
    await page.getByRole('button', { name }).click()
  const fired = await page.evaluate(() => fired)
  assert.deepEqual(fired.slice(0, 3), [
    ['open', 'c0'],
    ['rename', 'c0'],
    ['delete', 'c0'],
  ])
  assert.match(fired[3][1], /^chat-/)
  assert.deepEqual(
    await page.evaluate(() => [
      element.current,
      element.shadowRoot.querySelectorAll('.title-field, .deleting').length,
      client.calls.length,
    ]),
    ['c1', 0, 0],
  )
})

test('an app takes over a question of every kind, in the dock and in a card', async (t) => {
  const page = await open(t, 'sluice-questions')
  const kinds = [
    ['execution', {}],
    ['result', { stage: 'result', ask: { preview: { kind: 'text', text: 'x', isError: false } } }],
    ['prepared', { ask: { prepared: true } }],
  ]
  for (const surface of ['dock', 'card']) {
    for (const [kind, more] of kinds) {
      const found = await page.evaluate(
        async ([surface, more]) => {
          document.querySelector('#stage').replaceChildren()
          const live = new Live()
          window.element =
            surface === 'dock'
              ? document
                  .querySelector('#stage')
                  .appendChild(Object.assign(document.createElement('sluice-questions'), { message: live }))
              : show(live)
          const details = []
          element.addEventListener('sluice-ask', (event) => {
            details.push([
              event.detail.ask.token,
              event.detail.card?.name,
              ...['approve', 'release', 'deny'].map((one) => typeof event.detail[one]),
            ])
            event.preventDefault()
          })
          live.push(...asking(0, 'a.b', {}, more))
          await frames(3)
          return [details, everything(document).filter((one) => one.localName === 'sluice-approval').length]
        },
        [surface, more],
      )
      assert.deepEqual(found, [[['t1', 'a.b', 'function', 'function', 'function']], 0], `${kind} in a ${surface}`)
    }
  }
})

// -- properties and methods -------------------------------------------------------------------------------------------

test('the field takes what `accept`, `maxCount` and `maxBytes` allow, and says what goes on by `busy` and `queue`', async (t) => {
  const page = await open(t, 'sluice-composer')
  const found = await page.evaluate(async () => {
    for (const [name, value] of Object.entries({
      accept: 'image/*',
      'max-count': '2',
      'max-bytes': '100',
      'submit-key': 'ctrl-enter',
    }))
      element.setAttribute(name, value)
    await element.updateComplete
    const refused = []
    element.addEventListener('sluice-refused', ({ detail }) => refused.push([detail.file.name, detail.why]))
    const png = Uint8Array.from(
      atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='),
      (one) => one.charCodeAt(0),
    )
    const file = (name, ...parts) => new File(parts, name)
    await element.attach([file('notes.txt', 'text'), file('a.png', png), file('b.png', png)])
    element.maxBytes = 1000
    await element.attach([file('b.png', png), file('c.png', png)])
    const { accept } = element.shadowRoot.querySelector('input[type=file]')
    const before = [element.busy, element.queue]
    const live = client.ask('x')
    await frames(2)
    element.value = 'waits'
    await element.send()
    const during = [element.busy, element.queue]
    live.push({ type: 'done', outcome: 'cancelled' })
    await frames(2)
    return {
      refused,
      accept,
      shown: element.attachments.map(({ name }) => name),
      key: element.submitKey,
      before,
      during,
      after: [element.busy, element.queue, element.value],
    }
  })
  assert.deepEqual(found, {
    refused: [
      ['notes.txt', 'type'],
      ['b.png', 'size'],
      ['c.png', 'count'],
    ],
    accept: 'image/*',
    shown: ['a.png', 'b.png'],
    key: 'ctrl-enter',
    before: [false, []],
    during: [true, ['waits']],
    after: [false, [], 'waits'],
  })
})

test('a chat gives its parts what it is given: the conversation, expressions, what is read out, who draws texts, the end, the field', async (t) => {
  const page = await open(t, 'sluice-chat', { announce: 'off', cues: 'none', usage: 'none' })
  const named = [...read('chat').matchAll(/^\| `<(sluice-[a-z]+)>` \| ([^|]+) \|/gm)].map(([, tag, names]) => [
    tag,
    [...names.matchAll(/[a-zA-Z]+/g)].map(([name]) => name).filter((name) => name !== 'files'),
  ])
  assert.equal(named.length, 4)
  assert.deepEqual(
    await page.evaluate(
      (named) =>
        named.flatMap(([tag, names]) => {
          const one = document.createElement(tag)
          return names.filter((name) => !(name in one)).map((name) => `${tag}.${name}`)
        }),
      named,
    ),
    [],
    'what the documents name is there',
  )
  await page.evaluate(async () => {
    hear()
    element.renderText = (text, { element }) => {
      element.textContent = `drawn: ${text}`
    }
    const live = client.ask('One')
    await frames(2)
    live.push(
      { type: 'text', block: 0, text: 'A' },
      { type: 'card', block: 1, call: 1, name: 'live2d.expression', silent: true, status: 'success', arguments: {} },
      { type: 'round', round: 1, startedAt: 0, endedAt: 8000 },
      ...asking(2, 'a.b', {}),
    )
    await frames(2)
    live.push(
      { type: 'card', block: 2, call: 3, status: 'success' },
      { type: 'done', outcome: 'completed', finishReason: 'stop' },
    )
    await frames(3)
  })
  await page.getByText('drawn: A', { exact: true }).waitFor()
  const inside = (selector) =>
    page.evaluate(
      (selector) =>
        everything(element.shadowRoot).filter((one) => one.matches(selector) && one.checkVisibility()).length,
      selector,
    )
  assert.deepEqual([await inside('.usage'), await inside('.mark')], [0, 0])
  assert.deepEqual(
    (await page.evaluate(() => heard)).filter(([, text]) => !/decide now|become active/.test(text)),
    [],
    'nothing is read out',
  )
  await page.evaluate(() => element.focusComposer())
  await until(() => field(page).evaluate((one) => one.getRootNode().activeElement === one), 'the focus in the field')
  await page.evaluate(() => {
    client.open('other').set({ entries: many(client, 40) })
    element.conversation = 'other'
  })
  await page.getByText('Question 38').waitFor()
  assert.equal(await page.getByText('drawn: A', { exact: true }).count(), 0)
  const scroller = page.locator('sluice-thread .scroller')
  await scroller.hover()
  await page.mouse.wheel(0, -600)
  await page.getByRole('button', { name: /^Latest/ }).waitFor()
  await page.evaluate(() => element.scrollToEnd())
  await until(() => scroller.evaluate((one) => one.scrollHeight - one.scrollTop - one.clientHeight < 2), 'the end')
})

test('a list shows what `query` finds and which one is `current`; `compact` makes a question smaller', async (t) => {
  const page = await open(t, 'sluice-conversations')
  const found = await page.evaluate(async () => {
    const all = [
      { id: 'a', title: 'Rain', updated: 2, entries: 2 },
      { id: 'b', title: 'Sun', updated: 1, entries: 2 },
    ]
    client.conversations = { list: async ({ query = '' }) => all.filter(({ title }) => title.includes(query)) }
    await element.refresh()
    element.setAttribute('current', 'b')
    await element.updateComplete
    const current = [...element.shadowRoot.querySelectorAll('[aria-current=true]')].map(
      (one) => one.querySelector('.title').textContent,
    )
    element.query = 'Ra'
    for (let at = 0; element.shadowRoot.querySelectorAll('.title').length > 1 && at < 600; at++) await frames(1)
    const titles = [...element.shadowRoot.querySelectorAll('.title')].map((one) => one.textContent)
    const live = new Live()
    const dock = document
      .querySelector('#stage')
      .appendChild(Object.assign(document.createElement('sluice-questions'), { message: live }))
    live.push(...asking(0, 'a.b', { text: 'x'.repeat(400) }))
    await frames(3)
    const { height } = dock.getBoundingClientRect()
    dock.compact = true
    await frames(3)
    return {
      current,
      titles,
      searched: element.shadowRoot.querySelector('.search').value,
      smaller: dock.getBoundingClientRect().height < height,
    }
  })
  assert.deepEqual(found, { current: ['Sun'], titles: ['Rain'], searched: 'Ra', smaller: true })
})

test('the buttons of an entry are there on hover and on focus, and those of the last one always', async (t) => {
  const page = await open(t, 'sluice-thread')
  await page.evaluate(() => {
    client.ask('One', said('1'))
    client.ask('Two', said('2'))
  })
  await settle(page)
  const bars = page.getByRole('toolbar', { name: 'Actions' })
  const shows = (at) =>
    until(() => bars.nth(at).evaluate((one) => getComputedStyle(one).opacity === '1'), 'the buttons')
  const hidden = (at) =>
    until(() => bars.nth(at).evaluate((one) => getComputedStyle(one).opacity === '0'), 'them to go')
  await shows(3)
  await hidden(1)
  await page.getByText('1', { exact: true }).hover()
  await shows(1)
  await page.mouse.move(0, 0)
  await hidden(1)
  await bars.nth(1).getByRole('button').first().focus()
  await shows(1)
  const names = []
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowLeft', 'End', 'Home']) {
    await page.keyboard.press(key)
    names.push(await page.evaluate(() => element.shadowRoot.activeElement.shadowRoot.activeElement.dataset.action))
  }
  assert.deepEqual(names, ['again', 'delete', 'copy', 'delete', 'delete', 'copy'])
})

test('the header of a narrow chat cuts nothing: a long name and what goes on wrap beside what an app has there', async (t) => {
  for (const [width, height] of [
    [360, 740],
    [320, 640],
  ]) {
    const page = await open(t, 'sluice-chat', { name: 'Lulu, your companion' }, { viewport: { width, height } })
    const found = await page.evaluate(async () => {
      const tools = Object.assign(document.createElement('div'), { slot: 'tools' })
      tools.style.cssText = 'flex: none; width: 200px; height: 32px'
      element.append(tools)
      element.state = 'asking'
      await frames(3)
      const cut = [...element.shadowRoot.querySelectorAll('.head h2, .head .state')]
        .filter((one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight + 1)
        .map((one) => one.className || one.localName)
      const text = document.createRange()
      text.selectNodeContents(element.shadowRoot.querySelector('.who'))
      return {
        cut,
        over: text.getBoundingClientRect().right > tools.getBoundingClientRect().left,
        wide: document.documentElement.scrollWidth > innerWidth,
      }
    })
    assert.deepEqual(found, { cut: [], over: false, wide: false }, `${width} px`)
  }
})
