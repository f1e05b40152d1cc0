// What elements keep, let go and take up again while they live in a page: items that come and go, another place,
// another client, another language.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { open as openPage, pages } from './ui/message.mjs'

/** A page with clients that a test plays. */
async function open(t) {
  const page = await openPage(t)
  await page.goto(`${pages.url}/chat.html`)
  await page.waitForFunction(() => window.chatReady)
  return page
}

test('a list keeps what stays, in order, and nothing of the 1,000 items that went', async (t) => {
  const page = await open(t)
  const found = await page.evaluate(async () => {
    const ask = (at) => ({
      call: at,
      stage: 'execution',
      name: at % 2 ? 'a' : 'b',
      arguments: { at },
      policy: 'ask_once',
      token: `t${at}`,
    })
    let view
    let tell
    const message = { id: 'm', subscribe: (listener) => ((tell = listener), () => {}), getSnapshot: () => view }
    const show = (from, count) =>
      (view = {
        role: 'assistant',
        seq: from,
        blocks: [],
        questions: Array.from({ length: count }, (_, index) => ask(from + index)),
      })
    const nodes = (root) => {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_ALL)
      let count = 0
      while (walker.nextNode()) count++
      return count
    }
    show(0, 6)
    const element = Object.assign(document.createElement('sluice-questions'), { message })
    document.querySelector('#stage').append(element)
    await frames(2)
    const list = element.renderRoot.querySelector('.list')
    const before = nodes(list)
    const [, , third] = list.querySelectorAll('sluice-approval')
    show(1, 6)
    tell()
    await frames(2)
    const kept = [...list.querySelectorAll('sluice-approval')].includes(third)
    const order = [...list.querySelectorAll('sluice-approval')].map((one) => one.ask.token).join()
    for (let from = 10; from < 70; from += 6) {
      show(from, 6)
      tell()
      await frames(2)
    }
    show(0, 6)
    tell()
    await frames(2)
    const after = nodes(list)
    element.remove()

    const host = document.createElement('sluice-configuration')
    host.client = { configuration: () => new Promise(() => {}), subscribe: () => () => {} }
    document.querySelector('#stage').append(host)
    await customElements.whenDefined('sluice-picker')
    host.remove()
    const options = Array.from({ length: 40 }, (_, at) => ({ id: `p${at}`, note: '' }))
    const picker = Object.assign(document.createElement('sluice-picker'), { options })
    document.querySelector('#stage').append(picker)
    await picker.updateComplete
    const all = nodes(picker.renderRoot)
    for (let round = 0; round < 26; round++) {
      picker.options = []
      await picker.updateComplete
      picker.options = [...options].reverse()
      await picker.updateComplete
      picker.options = options
      await picker.updateComplete
    }
    return {
      before,
      kept,
      order,
      after,
      all,
      ids:
        [...picker.renderRoot.querySelectorAll('li b')].map((one) => one.textContent).join() ===
        options.map(({ id }) => id).join(),
      again: nodes(picker.renderRoot),
    }
  })
  assert.equal(found.kept, true, 'a question that stays is the same element')
  assert.equal(found.order, 't1,t3,t5,t2,t4,t6')
  assert.equal(found.after, found.before, 'nodes in the list of questions')
  assert.equal(found.ids, true, 'the order of the options')
  assert.equal(found.again, found.all, 'nodes in the list of options')
})

test('every element follows the language of where it stands: given later, moved, in a shadow root of the app', async (t) => {
  const page = await open(t)
  const found = await page.evaluate(async () => {
    const [ask] = asking(0, 'notes.add', { text: 'x' }).slice(1)
    const live = new Live('asks')
    live.push(...asking(0, 'notes.add', { text: 'x' }))
    const client = new FakeClient()
    const never = () => new Promise(() => {})
    client.conversations = { list: never }
    client.configuration = never
    client.server = { view: never, local: never }
    const given = {
      'sluice-message': { message: live },
      'sluice-card': { card: { type: 'tool_use', call: 1, name: 'a', status: 'success' } },
      'sluice-approval': { ask: ask.ask, message: live },
      'sluice-questions': { message: live },
      'sluice-text': { text: '```\ncode\n```' },
      ...Object.fromEntries(
        ['thread', 'composer', 'chat', 'conversations', 'configuration', 'server'].map((name) => [
          `sluice-${name}`,
          { client },
        ]),
      ),
    }
    /** What is written and said of an element, through shadow roots. */
    const shown = (node) =>
      [...(node.shadowRoot ?? node).childNodes]
        .map((one) =>
          one.nodeType === 3
            ? one.data
            : one.nodeType !== 1 || one.localName === 'style'
              ? ''
              : [...one.attributes].map(({ value }) => value).join(' ') +
                shown(one) +
                (one.shadowRoot ? [...one.children].map(shown).join('') : ''),
        )
        .join(' ')
    const chinese = (element) => /[\u4e00-\u9fff]/.test(shown(element))
    const stage = document.querySelector('#stage')
    const host = document.createElement('div')
    host.attachShadow({ mode: 'open' }).append(Object.assign(document.createElement('div'), { lang: 'en' }))
    const zh = Object.assign(document.createElement('div'), { lang: 'zh' })
    stage.append(host, zh)
    const wrong = []
    for (const [tag, properties] of Object.entries(given)) {
      const element = document.createElement(tag)
      const is = async (wanted, what) => {
        for (let tries = 0; tries < 400 && chinese(element) !== wanted; tries++) await frames(1)
        if (chinese(element) !== wanted) wrong.push(`${tag}: ${what}`)
      }
      stage.append(element)
      await element.updateComplete
      Object.assign(element, properties)
      await element.updateComplete
      await is(false, 'English')
      zh.append(element)
      await is(true, 'moved')
      host.shadowRoot.firstChild.append(element)
      await is(false, 'moved into a shadow root')
      host.shadowRoot.firstChild.lang = 'zh'
      await is(true, 'the language of the shadow root')
      element.lang = 'en'
      await is(false, 'its own language')
      host.shadowRoot.firstChild.lang = 'en'
      element.remove()
    }
    return wrong
  })
  assert.deepEqual(found, [])
})

test('an element that is moved goes on as it was, and one that gets another client or message begins anew', async (t) => {
  const page = await open(t)
  const found = await page.evaluate(async () => {
    const stage = document.querySelector('#stage')
    const elsewhere = stage.appendChild(document.createElement('div'))
    const add = (tag, properties = {}) => stage.appendChild(Object.assign(document.createElement(tag), properties))
    const found = {}

    const text = add('sluice-text', { text: `Step 1: ${'the same words, '.repeat(20)}` })
    await frames(2)
    text.text = text.text.replace('1', '2')
    await frames(2)
    found.text = seen(text).slice(0, 6)

    const messages = ['a', 'b'].map((id) => {
      const live = new Live(id)
      live.push({ type: 'card', block: 0, call: 1, name: id, status: 'success', arguments: { x: 1 } })
      return live
    })
    const message = show(messages[0])
    await frames(2)
    message.renderRoot.querySelector('sluice-card').open = true
    message.message = messages[1]
    await frames(2)
    found.open = message.renderRoot.querySelector('sluice-card').open
    message.remove()

    const live = new Live('dialog')
    live.push(...asking(0, 'notes.add', { text: 'x' }))
    const dialog = show(live, { approvals: 'dialog' })
    await frames(2)
    elsewhere.append(dialog)
    await frames(2)
    found.modal = dialog.renderRoot.querySelector('dialog').matches(':modal')
    dialog.remove()

    const { registerCards } = await import('/sluice/ui/index.js')
    for (const tag of ['x-one', 'x-two']) customElements.define(tag, class extends HTMLElement {})
    const card = add('sluice-card', { card: { type: 'tool_use', call: 1, name: 'drawn', status: 'success' } })
    const off = registerCards({ drawn: 'x-one' })
    await frames(2)
    registerCards({ drawn: 'x-two' })
    await frames(2)
    off()
    await frames(2)
    found.card = card.innerHTML.match(/<x-\w+/g).join()

    const told = []
    const questions = document.createElement('sluice-questions')
    for (const type of ['sluice-ask', 'sluice-settled'])
      questions.addEventListener(type, (event) => told.push(type) && event.preventDefault())
    stage.append(questions)
    await frames(2)
    questions.message = live
    await frames(2)
    elsewhere.append(questions)
    await frames(2)
    found.taken = seen(questions)
    await live.deny({ token: 't1', call: 1 })
    await frames(2)
    found.told = told

    // An element that stands in the page before its code is there, and what a page set then.
    const early = document.implementation.createHTMLDocument('').createElement('sluice-composer')
    Object.assign(early, { value: 'Hello', client: new FakeClient() })
    stage.append(early)
    await frames(2)
    found.early = early.renderRoot.querySelector('textarea').value

    const client = new FakeClient()
    const chat = add('sluice-chat', { client })
    client.connect('connecting')
    await frames(3)
    const { setTimeout } = window
    let timers = 0
    window.setTimeout = (run, ms, ...rest) => setTimeout(run, ms, ...rest, (timers += ms === 1000))
    chat.requestUpdate()
    chat.remove()
    await frames(2)
    window.setTimeout = setTimeout
    found.timers = timers
    elsewhere.append(chat)
    chat.client = undefined
    await frames(2)
    found.state = chat.state
    const other = new FakeClient()
    client.ask('Hello', [
      { type: 'text', block: 0, text: 'Hi' },
      { type: 'done', outcome: 'completed' },
    ])
    chat.client = client
    client.connect('connected')
    await frames(4)
    const entry = chat.renderRoot.querySelector('sluice-thread').renderRoot.querySelector('sluice-entry')
    entry.copied = true
    stage.append(chat)
    await frames(2)
    found.copied = entry.copied
    chat.client = other
    await frames(4)
    found.entries = chat.renderRoot.querySelector('sluice-thread').renderRoot.querySelectorAll('sluice-entry').length
    chat.remove()

    const lists = [async () => [{ id: 'a', title: 'First', updated: 0 }], () => new Promise(() => {})].map((list) =>
      Object.assign(new FakeClient(), { conversations: { list } }),
    )
    const list = add('sluice-conversations', { client: lists[0] })
    await frames(3)
    found.listed = [seen(list).includes('First')]
    list.client = lists[1]
    await frames(3)
    found.listed.push(seen(list).includes('First'))

    const preset = {
      title: 'Here',
      provider: 'p',
      places: [{ baseURL: 'http://127.0.0.1:1' }],
      keyNames: [],
      models: ['m'],
      wires: ['w'],
      mode: 'auto',
      local: false,
    }
    const view = async () => ({ presets: [preset], current: undefined })
    const side = {
      view,
      local: async () => [],
      models: async () => ['m'],
      check: async function* (_, { signal }) {
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
    }
    const server = add('sluice-server', { client: { server: side } })
    const button = () => server.renderRoot.querySelector('sluice-server-page')?.renderRoot.querySelector('[part=test]')
    for (let tries = 0; tries < 400 && !button(); tries++) await frames(1)
    if (!button())
      return {
        html: server.renderRoot.innerHTML,
        page: server.renderRoot.querySelector('sluice-server-page')?.renderRoot.innerHTML,
        found,
      }
    button().click()
    await frames(2)
    found.test = [button().textContent]
    elsewhere.append(server)
    await frames(3)
    found.test.push(button().textContent, seen(server).includes('abort'))
    server.client = { server: { ...side, view: () => new Promise(() => {}) } }
    await frames(3)
    found.test.push(button() === null)
    return found
  })
  assert.equal(found.text, 'Step 2', 'a text that is the same but for its beginning')
  assert.equal(found.open, false, 'a card of another message')
  assert.equal(found.modal, true, 'a dialog that is moved')
  assert.equal(found.card, '<x-two', 'another renderer gets no node of the first')
  assert.equal(found.taken, '', 'what the app took over stays with it')
  assert.deepEqual(found.told, ['sluice-ask', 'sluice-settled'])
  assert.equal(found.early, 'Hello')
  assert.equal(found.timers, 0, 'what is not in the page counts no seconds')
  assert.equal(found.state, 'idle')
  assert.equal(found.copied, false)
  assert.equal(found.entries, 0, 'another client has its own entries')
  assert.deepEqual(found.listed, [true, false], 'another client has its own list')
  assert.deepEqual(
    found.test,
    ['Stop', 'Test again', false, true],
    'a test ends with the place or the client of its element',
  )
})
