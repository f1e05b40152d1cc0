// Everything by keyboard alone: after each key the focus is somewhere, and where something closes it goes back to where
// it came from.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until, useBrowser } from './support.mjs'
import { usePages } from './ui/server.mjs'

const browser = useBrowser()
const pages = usePages()

/** A page with an element of the chat, and hands that press keys and say where they are. */
async function begin(t, tag, properties, { lang = 'en', ...options } = {}) {
  const page = await browser.page(t, options)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${pages.url}/chat.html`)
  await page.waitForFunction(() => window.chatReady)
  await page.evaluate(
    ([tag, given, lang]) => {
      document.documentElement.lang = lang
      start(tag, given)
      window.deepest = () => {
        let one = document.activeElement
        while (one?.shadowRoot?.activeElement) one = one.shadowRoot.activeElement
        return one
      }
      /** What has the focus, as it is called. */
      window.at = () => {
        const one = deepest()
        if (one === document.body) return 'body'
        const { left, top, width, height } = one.getBoundingClientRect()
        const away =
          left + width < 0 ||
          top + height < 0 ||
          left > innerWidth ||
          top > innerHeight ||
          (width === 0 && height === 0)
        return `${(one.getAttribute('aria-label') ?? one.textContent.trim().slice(0, 60)) || one.localName}${away ? ' (out of sight)' : ''}`
      }
      window.lost = () => document.activeElement === document.body || deepest() === document.body
    },
    [tag, properties, lang],
  )
  await page.evaluate(() => frames(3))
  const where = () => page.evaluate(() => at())
  const is = (name) =>
    until(
      async () => (typeof name === 'string' ? (await where()) === name : name.test(await where())),
      `the focus on ${name}, not`,
    ).catch(async (error) => {
      throw new Error(`${error.message}; it is on ${await where()}`)
    })
  /** Presses keys one by one; nothing may lose the focus. */
  const press = async (...keys) => {
    for (const key of keys) {
      await page.keyboard.press(key)
      await until(() => page.evaluate(() => frames(2).then(() => !lost())), `${key} to keep the focus`)
    }
  }
  /** Goes on with a key until something is reached. */
  const to = async (name, key = 'Tab', most = 50) => {
    const passed = []
    while (passed.length < most) {
      const now = await where()
      if (typeof name === 'string' ? now === name : name.test(now)) return
      passed.push(now)
      if (now === 'body') break
      await page.keyboard.press(key)
      await page.evaluate(() => frames(1))
    }
    assert.fail(`${name} is not reached by ${key}: ${passed.join(' › ')}`)
  }
  const calls = () =>
    page.evaluate(() =>
      client.calls
        .splice(0)
        .map(([name, first, second]) => [name, first?.text ?? first, ...(second === undefined ? [] : [second])]),
    )
  const called = async (...wanted) => {
    const got = []
    await until(async () => got.push(...(await calls())) >= wanted.length, `${wanted.map(([name]) => name)}`)
    assert.deepEqual(got, wanted)
  }
  return { page, where, is, press, to, calls, called, type: (text) => page.keyboard.type(text) }
}

test('a whole turn from an empty page: writing, queueing and taking back, stopping, and the toolbar of an answer', async (t) => {
  const { page, is, press, to, called, type } = await begin(t, 'sluice-chat', { name: 'Lulu', suggestions: ['Begin'] })
  await page.evaluate(() => {
    client.gives = (method, given) => {
      if (method !== 'send') return
      window.live = client.ask(given.text)
      live.cancel = async () => live.push({ type: 'done', outcome: 'cancelled' })
    }
  })
  await press('Tab', 'Tab')
  await is('Begin')
  await press('Enter')
  await called(['send', 'Begin'])
  await is('Message')
  // While it answers: two wait, one is taken back, Escape stops, and what waits is a draft.
  await type('Second')
  await press('Enter')
  await type('Third')
  await press('Enter')
  await to('Remove Third', 'Shift+Tab')
  await press('Enter')
  await is('Message')
  assert.equal(await page.evaluate(() => element.value), 'Third')
  await page.evaluate(() =>
    live.push(
      { type: 'text', block: 0, text: '**One**' },
      { type: 'done', outcome: 'completed', finishReason: 'stop' },
    ),
  )
  await called(['send', 'Second'])
  await page.evaluate(() => live.push({ type: 'text', block: 0, text: 'Two' }))
  await to('Stop')
  await press('Enter')
  await is('Message')
  assert.equal(await page.evaluate(() => element.value), 'Third')
  await press('Control+a', 'Delete')
  await to('Go on', 'Shift+Tab')
  await press('Enter')
  await called(['goOn', 'main-2a'])
  await is('Conversation')
  // The toolbar of an answer that ended well.
  await page.evaluate(() => {
    const { entries } = client.open().getSnapshot()
    client.gives = (method, entry, index) => {
      if (method === 'choose')
        client.open().set({
          entries: entries.slice(0, 2).map((one) => (one.id === entry ? { ...one, branch: { index, count: 3 } } : one)),
        })
      if (method === 'delete') client.open().set({ entries: [] })
    }
    client.open().set({
      entries: entries
        .slice(0, 2)
        .map((one) => (one.role === 'user' ? { ...one, branch: { index: 1, count: 3 } } : one)),
    })
  })
  await to('Message')
  await to('Copy', 'Shift+Tab')
  await press('Enter')
  await is('Copied')
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), '**One**')
  await press('ArrowRight', 'Enter')
  await called(['regenerate', 'main-1a'])
  await is('Conversation')
  // The question above it: versions, changed and kept, deleted after a question.
  await to('Message')
  await to('Another answer', 'Shift+Tab')
  await to('Copy', 'Shift+Tab')
  await press('End')
  await is('Next version')
  await press('Enter')
  await called(['choose', 'main-1q', 2])
  await is('Next version')
  await press('ArrowLeft', 'Enter')
  await called(['choose', 'main-1q', 1])
  await is('Previous version')
  await to('Change the question', 'ArrowLeft')
  await press('Enter')
  await is('The question')
  await press('Escape')
  await is('Change the question')
  await press('Enter')
  await type(' anew')
  await page.evaluate(() => {
    client.gives = Object.assign(new Error('no'), { detail: 'the disk is full' })
  })
  await press('Enter')
  await called(['edit', 'main-1q', 'Begin anew'])
  await page.getByText('That did not work: the disk is full').waitFor()
  await is('The question')
  assert.equal(await page.evaluate(() => deepest().value), 'Begin anew', 'nothing that was written is lost')
  await page.evaluate(() => {
    client.gives = undefined
  })
  await press('Enter')
  await called(['edit', 'main-1q', 'Begin anew'])
  await is('Conversation')
  await to('Message')
  await press('ArrowUp')
  await is('The question')
  await press('Escape')
  await is('Change the question')
  await to('Delete', 'ArrowRight')
  await press('Enter')
  await is('Cancel')
  await press('Escape')
  await is('Delete')
  await press('Enter', 'Tab')
  await is('Delete')
  await page.evaluate(() => {
    client.gives = (method) => method === 'delete' && client.open().set({ entries: [] })
  })
  await press('Enter')
  await called(['delete', 'main-1q'])
  await is('Conversation')
})

for (const lang of ['en', 'zh-CN']) {
  const words = {
    en: {
      message: 'Message',
      not: 'Not now',
      allow: 'Allow',
      changed: 'Allow with changes',
      edit: 'Edit arguments',
      done: 'Done',
      why: 'Give a reason',
      unseen: /not seen/,
      all: 'Refuse all',
      some: 'Allow 1 · refuse 1',
      talk: 'Conversation',
    },
    'zh-CN': {
      message: '消息',
      not: '先不要',
      allow: '允许',
      changed: '按修改允许',
      edit: '修改参数',
      done: '完成',
      why: '填写原因',
      unseen: /没看/,
      all: '全部拒绝',
      some: '允许 1 个 · 拒绝 1 个',
      talk: '对话',
    },
  }[lang]
  test(`questions: refused, allowed once all of it was seen, with a reason, changed, and as a checklist: ${lang}`, async (t) => {
    const { page, where, is, press, to, type } = await begin(
      t,
      'sluice-chat',
      { name: 'Lulu' },
      { lang, times: 4, reducedMotion: 'reduce' },
    )
    const answer = async (...wanted) => {
      await until(() => page.evaluate((count) => live.answers.length >= count, wanted.length), 'the answer')
      assert.deepEqual(await page.evaluate(() => live.answers.splice(0)), wanted)
    }
    const missing = page.getByRole('button', { name: words.unseen })
    /** Keys do nothing before a button is armed: then they do. */
    const armed = (name) => page.getByRole('button', { name, exact: true, disabled: false }).waitFor()
    const ask = (call, args, more) =>
      page.evaluate(
        ([call, args, more]) => live.push(...asking(call, 'note.add', args, more)),
        [call, args, more ?? {}],
      )
    await page.evaluate(() => {
      window.live = client.ask('Go')
    })
    // Nobody writes: the question takes the focus, and gives it back to the conversation.
    await ask(0, { text: 'a' })
    await is(words.not)
    await armed(words.not)
    await press('Enter')
    await answer(['deny', 't1'])
    await is(words.talk)
    // A person writes: the question waits, and gives the focus back to the field.
    await to(words.message)
    await ask(1, { text: 'line\n'.repeat(80) })
    await page.getByRole('button', { name: words.not, exact: true }).waitFor()
    await is(words.message)
    await missing.waitFor()
    await to(words.unseen, 'Shift+Tab')
    // What is in sight counts after a moment: a key that comes before leads nowhere yet, and the next one goes on.
    await until(async () => {
      if ((await missing.count()) === 0) return true
      await page.keyboard.press(words.unseen.test(await where()) ? 'Enter' : 'Tab')
      return false
    }, 'every line to be seen')
    await armed(words.allow)
    await to(words.allow)
    await press('Enter')
    await answer(['approve', 't2'])
    await is(words.message)
    // With a reason.
    await ask(2, { text: 'b' })
    await to(words.why, 'Shift+Tab')
    await press('Enter')
    await type('later')
    await press('Escape')
    await is(words.why)
    await press('Enter')
    await type('no')
    await armed(words.not)
    await press('Enter')
    await answer(['deny', 't3', 'no'])
    await is(words.message)
    // Changed.
    await ask(3, { text: 'c' }, { ask: { parameters: { type: 'object', properties: { text: { type: 'string' } } } } })
    await to(words.edit, 'Shift+Tab')
    await press('Enter')
    await until(
      () => page.evaluate(() => deepest().localName === 'textarea' || deepest().localName === 'input'),
      'the field',
    )
    await press('Escape')
    await is(words.edit)
    await press('Enter', 'End')
    await type('!')
    await to(words.done)
    await press('Enter')
    await armed(words.changed)
    await to(words.changed)
    await press('Enter')
    await answer(['approve', 't4', { arguments: { text: 'c!' } }])
    await is(words.message)
    // Two at once are a checklist: one is ticked, the other refused.
    await ask(4, { text: 'd' })
    await ask(5, { text: 'e' })
    await page.getByRole('checkbox').nth(1).waitFor()
    await until(
      async () => (await page.locator('sluice-approval .tick').nth(1).getAttribute('aria-disabled')) === 'false',
      'the rows to be seen',
    )
    await to(words.all, 'Shift+Tab')
    for (let at = 0; at < 20 && !(await page.evaluate(() => deepest().type === 'checkbox')); at++)
      await press('Shift+Tab')
    await press('Space')
    await armed(words.some)
    await to(words.some)
    await press('Enter')
    await answer(['deny', 't5'], ['approve', 't6'])
    await is(words.message)
  })
}

test('what an answer holds: a card, a link after its question, code, a picture, thoughts, and the end', async (t) => {
  const { page, is, press, to, called } = await begin(
    t,
    'sluice-chat',
    { name: 'Lulu' },
    { viewport: { width: 900, height: 600 } },
  )
  await page.evaluate(() => {
    element.loadImage = async () =>
      new Blob([Uint8Array.from(atob(photo.data), (one) => one.charCodeAt(0))], { type: 'image/png' })
    const photo = {
      type: 'image',
      mediaType: 'image/png',
      data: 'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC',
    }
    client.ask('Look', [
      { type: 'reasoning', block: 0, text: 'Hm.' },
      {
        type: 'card',
        block: 1,
        call: 1,
        name: 'camera.shoot',
        status: 'success',
        arguments: { count: 2 },
        output: 'two',
        parts: [photo, photo],
      },
      {
        type: 'text',
        block: 2,
        text: '[there](https://example.com/a)\n\n```js\nlet one = 1\n```\n\n| a |\n|---|\n| 1 |\n\n![cat](https://example.com/cat.png)',
      },
      { type: 'done', outcome: 'completed', finishReason: 'stop' },
    ])
  })
  await page.getByRole('link', { name: 'there' }).waitFor()
  await press('Tab')
  await to(/^Thought/)
  await press('Enter')
  await page.getByText('Hm.').waitFor()
  await to(/^camera\.shoot/)
  await press('Enter')
  await page.getByText('count').first().waitFor()
  await press('Enter')
  await to('Picture 1 of 2')
  await press('Enter')
  await page.getByRole('dialog').getByText('Picture 1 of 2').waitFor()
  await press('ArrowRight')
  await page.getByRole('dialog').getByText('Picture 2 of 2').waitFor()
  await press('Escape')
  await is('Picture 1 of 2')
  // A link asks: left by Escape, copied, then opened; the focus is on the link again.
  await to('there')
  await press('Enter')
  await is('Not now')
  await press('Escape')
  await is('there')
  await press('Enter', 'Tab', 'Enter')
  await is('Copied')
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'https://example.com/a')
  await press('Tab', 'Enter')
  await called(['openLink', 'https://example.com/a', { agreed: true }])
  await is('there')
  await to('Wrap lines')
  await press('Space')
  await to('Copy')
  await press('Enter')
  await is('Copied')
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /let one = 1/)
  await to('Copy as CSV')
  await press('Enter')
  await is('Copied')
  await to(/^cat/)
  await press('Enter')
  await until(() => page.evaluate(() => deepest().localName === 'img'), 'the picture that came')
  await to('Message')
  // What leads to the end goes with it; so does what tries the host again.
  await page.evaluate(() => client.open().set({ entries: many(client, 24) }))
  await page.getByText('Answer 23').waitFor()
  await to('Conversation', 'Shift+Tab')
  await press('Home')
  await page.getByRole('button', { name: /^Latest/ }).waitFor()
  await page.evaluate(() => element.focusComposer())
  await to(/^Latest/, 'Shift+Tab')
  await press('Enter')
  await is('Conversation')
  await page.evaluate(() => client.connect('lost', Date.now() + 60_000))
  await to('Try now', 'Shift+Tab')
  await press('Enter')
  await called(['retry', undefined])
  await page.evaluate(() => client.connect('connected'))
  await is('Message')
})

test('conversations: opened, found, renamed, kept as they are, deleted, and more of them', async (t) => {
  const { page, is, press, to, type } = await begin(t, 'sluice-conversations', { current: 'c1' })
  await page.evaluate(async () => {
    window.all = Array.from({ length: 130 }, (_, at) => ({
      id: `c${at}`,
      title: `Talk ${at}`,
      updated: Date.now() - at * 100_000_000,
      entries: 2,
    }))
    client.conversations = {
      list: async ({ query = '', skip = 0, limit = 100 }) =>
        all.filter(({ title }) => title.includes(query)).slice(skip, skip + limit),
      rename: async (id, title) =>
        void Object.assign(
          all.find((one) => one.id === id),
          { title },
        ),
      delete: async (id) => void (all = all.filter((one) => one.id !== id)),
      export: async () => '',
    }
    await element.refresh()
  })
  await press('Tab')
  await is('New conversation')
  await press('Tab')
  await is('Search')
  await press('Tab')
  await is(/^Talk 0/)
  await press('Enter')
  assert.equal(await page.evaluate(() => element.current), 'c0')
  await is(/^Talk 0/)
  await to('Rename: Talk 0')
  await press('Enter')
  await is('Title')
  await press('Enter')
  await is('Rename: Talk 0') // nothing was changed
  await press('Enter')
  await is('Title')
  await type('Walks')
  await press('Enter')
  await is('Rename: Walks')
  await to('Delete: Walks')
  await press('Enter')
  await is('Cancel')
  await press('Escape')
  await is('Delete: Walks')
  await press('Enter', 'Tab', 'Enter')
  await is(/^Talk 1/)
  await page.locator('.more').focus()
  await press('Enter')
  await is(/^Talk 101/)
})
