// <sluice-composer> and <sluice-chat> with a client that the test plays.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { picture, until, useBrowser } from './support.mjs'
import { usePages } from './ui/server.mjs'

const browser = useBrowser()
const pages = usePages()

async function open(t, tag = 'sluice-composer', properties = {}, options = {}) {
  const page = await browser.page(t, options)
  await page.goto(`${pages.url}/chat.html`)
  await page.waitForFunction(() => window.chatReady)
  if (options.locale?.startsWith('zh'))
    await page.evaluate(() => {
      document.documentElement.lang = 'zh-CN'
    })
  await page.evaluate(([tag, given]) => start(tag, given), [tag, properties])
  await settle(page)
  return page
}
const settle = (page) => page.evaluate(() => frames(3))
const field = (page) => page.getByRole('textbox', { name: /^(Message|消息)$/ })
const sent = (page) => page.evaluate(() => client.calls.filter(([name]) => name === 'send').map(([, { text }]) => text))
const chips = (page, name) => page.getByRole('list', { name }).getByRole('listitem')

test('Enter sends, Shift+Enter makes a line, a held key and an input method send nothing', async (t) => {
  const page = await open(t)
  await field(page).fill('One')
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('Two')
  assert.equal(await field(page).inputValue(), 'One\nTwo')
  await field(page).evaluate((one) => {
    one.dispatchEvent(
      new KeyboardEvent('keydown', {
        key: 'Enter',
        isComposing: true,
        bubbles: true,
        composed: true,
        cancelable: true,
      }),
    )
    one.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, composed: true, cancelable: true }),
    )
    one.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', repeat: true, bubbles: true, composed: true, cancelable: true }),
    )
  })
  assert.deepEqual(await sent(page), [])
  await page.keyboard.press('Enter')
  await until(async () => (await sent(page)).length === 1, 'the message')
  assert.deepEqual(await sent(page), ['One\nTwo'])
  assert.equal(await field(page).inputValue(), '')
  await page.keyboard.press('Enter')
  assert.equal((await sent(page)).length, 1, 'nothing is nothing')
  await page.evaluate(() => {
    element.submitKey = 'ctrl-enter'
  })
  await field(page).fill('Three')
  await page.keyboard.press('Enter')
  assert.equal(await field(page).inputValue(), 'Three\n')
  await page.keyboard.press('Control+Enter')
  await until(async () => (await sent(page)).length === 2, 'the message')
})

test('an input method that composes over CDP takes its Enter', async (t) => {
  const page = await open(t)
  await field(page).focus()
  const session = await page.context().newCDPSession(page)
  await session.send('Input.imeSetComposition', { text: 'ni', selectionStart: 2, selectionEnd: 2 })
  await session.send('Input.dispatchKeyEvent', {
    type: 'rawKeyDown',
    key: 'Process',
    code: 'Enter',
    windowsVirtualKeyCode: 229,
  })
  assert.deepEqual(await sent(page), [])
  await session.send('Input.insertText', { text: '你' })
  assert.equal(await field(page).inputValue(), '你')
  await page.keyboard.press('Enter')
  await until(async () => (await sent(page)).join() === '你', 'the message')
})

for (const [lang, words] of Object.entries({
  en: {
    queue: 'Waiting to be sent',
    hint: /Sent when Lulu has answered/,
    full: /At most 5/,
    remove: 'Remove two',
    stop: 'Stop',
  },
  zh: {
    queue: '等待发送',
    hint: /露露答完后发送|Lulu答完后发送/,
    full: /最多排队 5 条/,
    remove: '移除 two',
    stop: '停止',
  },
})) {
  test(`while an answer comes Enter queues: chips that can be taken back, sent one by one: ${lang}`, async (t) => {
    const page = await open(t, 'sluice-composer', { name: 'Lulu' }, { locale: lang === 'zh' ? 'zh-CN' : 'en-US' })
    await page.evaluate(() => {
      window.answers = []
      client.gives = (method, { text }) => void answers.push(client.ask(text))
      answers.push(client.ask('zero'))
    })
    const end = (outcome) =>
      page.evaluate(
        (outcome) =>
          answers.at(-1).push({ type: 'text', block: 0, text: 'x' }, { type: 'done', outcome, finishReason: 'stop' }),
        outcome,
      )
    for (const text of ['one', 'two', 'three', 'four', 'five', 'six']) {
      await field(page).fill(text)
      await page.keyboard.press('Enter')
      await page.getByText(text === 'six' ? words.full : words.hint).waitFor()
    }
    assert.equal(await chips(page, words.queue).count(), 5)
    assert.equal(await field(page).inputValue(), 'six')
    await picture(page, `chat-queue-${lang}`)
    assert.deepEqual(await sent(page), [])
    await field(page).fill('')
    await page.getByRole('button', { name: words.remove }).click()
    assert.equal(await field(page).inputValue(), 'two', 'nothing that was written is lost')
    await field(page).fill('')
    assert.deepEqual(await page.evaluate(() => element.queue), ['one', 'three', 'four', 'five'])
    await end('completed')
    await until(async () => (await sent(page)).join() === 'one', 'the first')
    await end('completed')
    await until(async () => (await sent(page)).join() === 'one,three', 'the next')
    await end('failed')
    await until(async () => (await field(page).inputValue()) === 'four\n\nfive', 'a draft again')
    assert.equal(await chips(page, words.queue).count(), 0)
  })
}

test('Ctrl+Enter stops the answer and sends, Escape stops it', async (t) => {
  const page = await open(t)
  await page.evaluate(() => {
    window.live = client.ask('zero')
    live.cancel = async () => {
      client.calls.push(['cancel'])
      setTimeout(() => live.push({ type: 'done', outcome: 'cancelled' }), 60)
    }
  })
  await settle(page)
  await field(page).fill('Instead')
  await page.keyboard.press('Control+Enter')
  await until(async () => (await sent(page)).join() === 'Instead', 'the message')
  assert.deepEqual(
    (await page.evaluate(() => client.calls)).map(([name]) => name),
    ['cancel', 'send'],
  )
  await page.evaluate(() => {
    window.live = client.ask('again')
    live.cancel = async () => void client.calls.push(['cancel'])
  })
  await settle(page)
  await page.keyboard.press('Escape')
  await until(async () => (await page.evaluate(() => client.calls.length)) === 3, 'the stop')
  await page.getByRole('button', { name: 'Stop' }).click()
  assert.equal((await page.evaluate(() => client.calls)).length, 4)
})

test('a message that fails stays, with the reason; drafts are kept by conversation', async (t) => {
  const page = await open(t)
  await page.evaluate(() => {
    client.gives = Object.assign(new Error('no'), { detail: 'the disk is full', hint: 'make room' })
  })
  await field(page).fill('Dear diary')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('That did not work: the disk is full make room').waitFor()
  assert.equal(await field(page).inputValue(), 'Dear diary')
  await page.evaluate(async () => {
    element.conversation = 'other'
    await element.updateComplete
  })
  assert.equal(await field(page).inputValue(), '')
  assert.equal(await page.getByRole('alert').count(), 0)
  await field(page).fill('Dear other')
  for (const [id, text] of [
    ['main', 'Dear diary'],
    ['other', 'Dear other'],
  ]) {
    await page.evaluate(async (id) => {
      element.conversation = id
      await element.updateComplete
    }, id)
    assert.equal(await field(page).inputValue(), text)
  }
})

test('what is sent can be taken over', async (t) => {
  const page = await open(t)
  await page.evaluate(() => {
    window.taken = []
    document.addEventListener('sluice-send', (event) => {
      event.preventDefault()
      taken.push(event.detail)
    })
  })
  await field(page).fill('Mine')
  await page.keyboard.press('Enter')
  assert.deepEqual(await page.evaluate(() => taken), [{ text: 'Mine', parts: [], conversation: 'main' }])
  assert.deepEqual(await sent(page), [])
})

// -- files ------------------------------------------------------------------------------------------------------------

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
/** Hands files or text to an element as a paste or a drop would. */
const hand = (page, kind, files, { text, selector = 'sluice-composer textarea' } = {}) =>
  page.locator(selector).evaluate(
    (element, [kind, files, text]) => {
      const data = new DataTransfer()
      for (const { name, type, base64 } of files)
        data.items.add(new File([Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))], name, { type }))
      if (text) data.setData('text/plain', text)
      const event =
        kind === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, composed: true, cancelable: true })
          : new DragEvent(kind, { dataTransfer: data, bubbles: true, composed: true, cancelable: true })
      element.dispatchEvent(event)
      return event.defaultPrevented
    },
    [kind, files, text],
  )
const file = (name, type, content) => ({ name, type, base64: content ?? png })
const base64 = (text) => Buffer.from(text).toString('base64')

test('files are told by their bytes, counted and measured; what is refused is said in words', async (t) => {
  const page = await open(t)
  await page.evaluate(() => {
    window.refused = []
    document.addEventListener('sluice-refused', ({ detail }) => refused.push([detail.file.name, detail.why]))
  })
  const refuse = async (given, words) => {
    await hand(page, 'paste', given)
    await page.getByRole('alert').getByText(words).waitFor()
  }
  await refuse([file('a.svg', 'image/svg+xml', base64('\x01\0<svg/>'))], 'a.svg cannot be sent')
  await refuse([file('fake.png', 'image/png', base64('GIF\0'))], 'fake.png cannot be sent')
  await refuse([file('cut.png', 'image/png', png.slice(0, 40))], 'cut.png cannot be read')
  await refuse(
    Array.from({ length: 10 }, (_, at) => file(`${at}.png`, 'text/plain')),
    'At most 8 files go with a message',
  )
  assert.equal(await chips(page, 'Attached files').count(), 8)
  await page.getByRole('button', { name: 'Remove 0.png' }).click()
  assert.equal(await page.evaluate(() => element.shadowRoot.activeElement.getAttribute('aria-label')), 'Remove 1.png')
  await page.evaluate(() => {
    element.maxBytes = 500
  })
  await refuse([file('last.png', 'image/png')], 'last.png is too large: 500 B go with a message')
  assert.deepEqual(await page.evaluate(() => refused), [
    ['a.svg', 'type'],
    ['fake.png', 'type'],
    ['cut.png', 'unreadable'],
    ['8.png', 'count'],
    ['last.png', 'size'],
  ])
})

test('a picture that is larger than 2,048 pixels is drawn smaller, and one that is not is left as it is', async (t) => {
  const page = await open(t)
  const [large, small] = await page.evaluate(async () => {
    const make = async (width, height) => {
      const canvas = new OffscreenCanvas(width, height)
      canvas.getContext('2d').fillRect(0, 0, width, height)
      return new File([await canvas.convertToBlob({ type: 'image/jpeg' })], `${width}.jpg`, { type: 'image/jpeg' })
    }
    const files = [await make(5000, 2500), await make(300, 200)]
    await element.attach(files)
    const size = async ({ bytes, mediaType }) => {
      const { width, height } = await createImageBitmap(new Blob([bytes], { type: mediaType }))
      return [mediaType, width, height]
    }
    return [
      [...(await size(element.attachments[0]))],
      [...(await size(element.attachments[1])), element.attachments[1].bytes.length === files[1].size],
    ]
  })
  assert.deepEqual(
    [large, small],
    [
      ['image/jpeg', 2048, 1024],
      ['image/jpeg', 300, 200, true],
    ],
  )
})

test('a long paste is a chip, a short one is left to the field, a file of text goes in a fence', async (t) => {
  const page = await open(t)
  assert.equal(await hand(page, 'paste', [], { text: 'short' }), false)
  assert.equal(await hand(page, 'paste', [], { text: 'word '.repeat(10_000) }), true)
  await page.getByText('Pasted text · 50 kB').waitFor()
  await hand(page, 'paste', [file('notes.md', '', base64('# Notes'))])
  await page.getByText('notes.md · 7 B').waitFor()
  await field(page).fill('Sum this up')
  await picture(page, 'chat-chips')
  await page.keyboard.press('Enter')
  await until(async () => (await sent(page)).length === 1, 'the message')
  const [text] = await sent(page)
  assert.match(text, /^Sum this up\n\n(word ){10000}\n\nnotes\.md:\n```\n# Notes\n```$/)
  assert.equal(await page.locator('.chip').count(), 0)
})

// -- the chat ---------------------------------------------------------------------------------------------------------

test('files are dropped and pasted anywhere on the chat', async (t) => {
  const page = await open(t, 'sluice-chat')
  assert.equal(await hand(page, 'dragover', [file('a.png', '')], { selector: 'sluice-thread .scroller' }), true)
  await page.getByText('Drop files here').waitFor()
  assert.equal(await hand(page, 'drop', [file('a.png', '')], { selector: 'sluice-thread .scroller' }), true)
  await until(async () => (await chips(page, 'Attached files').count()) === 1, 'the picture')
  assert.equal(await page.getByText('Drop files here').count(), 0)
  await hand(page, 'paste', [file('b.png', '')], { selector: 'sluice-thread .scroller' })
  await until(async () => (await chips(page, 'Attached files').count()) === 2, 'both')
})

test('the welcome has suggestions, and goes with the first entry', async (t) => {
  const page = await open(t, 'sluice-chat', {
    name: 'Lulu',
    suggestions: ['What about the weather?', { title: 'A letter', text: 'Write a letter to ', send: false }],
  })
  await page.getByRole('heading', { name: 'Hi, I am Lulu.' }).waitFor()
  await picture(page, 'chat-welcome')
  await page.getByRole('button', { name: 'A letter' }).click()
  assert.equal(await field(page).inputValue(), 'Write a letter to ')
  assert.deepEqual(await sent(page), [])
  await page.getByRole('button', { name: 'What about the weather?' }).click()
  await until(async () => (await sent(page)).join() === 'What about the weather?', 'the message')
  await page.evaluate(() => client.ask('What about the weather?'))
  await page.getByRole('heading', { name: 'Hi, I am Lulu.' }).waitFor({ state: 'detached' })
})

for (const [lang, words] of Object.entries({
  en: {
    banner: /Not connected\. Trying again in [45] s\./,
    retry: 'Try now',
    hint: 'Not connected: your text stays here.',
    lost: 'not connected',
    back: 'Connected again.',
    anew: 'Not connected. The app has ended or begun anew: open its page again.',
    long: 'open the address that it gives now',
  },
  zh: {
    banner: /连接断开，[45] 秒后重试。/,
    retry: '立即重试',
    hint: '未连接：你写的内容会留在这里。',
    lost: '未连接',
    back: '已重新连接。',
    anew: '连接断开。应用已退出或重新启动，请重新打开它的页面。',
    long: '请打开它现在给出的地址',
  },
})) {
  test(`a host that is gone is told: nothing looks as if it went on, and typing stays possible: ${lang}`, async (t) => {
    const page = await open(
      t,
      'sluice-chat',
      { name: 'Lulu' },
      { locale: lang === 'zh' ? 'zh-CN' : 'en-US', colorScheme: 'dark' },
    )
    await page.evaluate(() => client.ask('Hello').push({ type: 'text', block: 0, text: 'Well' }))
    await settle(page)
    assert.equal(await page.locator('sluice-chat').getAttribute('state'), 'speaking')
    await page.evaluate(() => {
      hear()
      client.connect('lost', Date.now() + 5000)
    })
    await page.getByText(words.banner).waitFor()
    assert.equal(await page.locator('sluice-chat').getAttribute('state'), 'offline')
    assert.equal(await page.locator('sluice-composer .stop').count(), 0)
    await field(page).fill('Still there?')
    await page.keyboard.press('Enter')
    await page.getByText(words.hint).waitFor()
    assert.equal(await field(page).inputValue(), 'Still there?')
    assert.deepEqual(await sent(page), [])
    await picture(page, `chat-offline-${lang}`)
    await page.getByRole('button', { name: words.retry }).click()
    assert.deepEqual((await page.evaluate(() => client.calls)).at(-1), ['retry'])
    assert.equal(await page.getByText(words.long).count(), 0)
    await page.evaluate(() => {
      client.connection.since = Date.now() - 61_000
    })
    await page.getByText(words.long).waitFor()
    await page.evaluate(() => client.connect('lost'))
    await page.getByText(words.anew).waitFor()
    await page.waitForTimeout(1200)
    await page.evaluate(() => client.connect('connected'))
    await until(
      async () => (await page.evaluate(() => heard)).some(([, text]) => text === words.back),
      'that it is back',
    )
    assert.deepEqual(
      (await page.evaluate(() => heard)).map(([, text]) => text).filter((text) => text !== words.hint),
      [words.lost, words.back],
      'once, not every second',
    )
  })
}

test('the arrow up in an empty field changes the last question, in its place', async (t) => {
  const page = await open(t, 'sluice-chat')
  await page.evaluate(() => {
    client.ask('One', said('1'))
    client.ask('Two', said('2'))
  })
  await settle(page)
  await field(page).focus()
  await page.keyboard.press('ArrowUp')
  const editor = page.getByRole('textbox', { name: 'The question' })
  assert.equal(await editor.inputValue(), 'Two')
  await picture(page, 'chat-edit')
  await page.keyboard.press('Escape')
  assert.equal(await editor.count(), 0)
  await field(page).focus()
  await page.keyboard.press('ArrowUp')
  await editor.fill('Three')
  await page.keyboard.press('Enter')
  await until(async () => (await page.evaluate(() => client.calls)).length === 1, 'the edit')
  assert.deepEqual(await page.evaluate(() => client.calls), [['edit', 'main-2q', 'Three']])
})

test('actions are a toolbar with one tab stop: copied, asked again, deleted after a question, read aloud', async (t) => {
  const page = await open(t, 'sluice-thread')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.evaluate(() => {
    window.spoken = []
    element.voice = { say: (text) => spoken.push(text), stop() {} }
    client.ask(
      'One',
      [
        { type: 'text', block: 0, text: '**Bold**' },
        ...asking(1, 'x', {}).slice(0, 1),
        { type: 'text', block: 2, text: 'and more' },
        { type: 'done', outcome: 'completed', finishReason: 'stop' },
      ],
      { branch: { index: 1, count: 3 } },
    )
  })
  await settle(page)
  const bar = page.getByRole('toolbar', { name: 'Actions' }).last()
  const button = (name, at = bar) => at.getByRole('button', { name })
  assert.equal(await bar.locator('[tabindex="0"]').count(), 1)
  await button('Copy').focus()
  await page.keyboard.press('Enter')
  await button('Copied').waitFor()
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), '**Bold**\n\nand more')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await button('Read aloud').click()
  assert.deepEqual(await page.evaluate(() => spoken), ['**Bold**\n\nand more'])
  const mine = page.getByRole('toolbar', { name: 'Actions' }).first()
  await page.locator('.mine').hover()
  await button('Previous version', mine).click()
  await button('Delete').click()
  await page.getByText('Delete this and everything that follows?').waitFor()
  assert.equal(
    await page.evaluate(() => document.activeElement.shadowRoot.activeElement.shadowRoot.activeElement.textContent),
    'Cancel',
  )
  await page.keyboard.press('Escape')
  await button('Delete').click()
  await page.locator('.deleting').getByRole('button', { name: 'Delete' }).click()
  assert.deepEqual(await page.evaluate(() => client.calls), [
    ['regenerate', 'main-1a'],
    ['choose', 'main-1q', 0],
    ['delete', 'main-1a'],
  ])
})

for (const [width, height] of [
  [320, 256],
  [360, 640],
  [900, 700],
  [1920, 1080],
]) {
  test(`a chat fits into ${width} × ${height}`, async (t) => {
    const page = await open(
      t,
      'sluice-chat',
      { name: 'Lulu', suggestions: ['One', 'Two'] },
      { viewport: { width, height } },
    )
    await page.evaluate(() => {
      for (let at = 0; at < 5; at++)
        client.ask(`Question ${at}`, said(`An answer that is longer than the question was, number ${at}.`))
    })
    await settle(page)
    await picture(page, `chat-${width}x${height}`)
    const { wide, thread, head, row } = await page.evaluate(() => {
      const high = (one) => one.getBoundingClientRect().height
      const composer = element.shadowRoot.querySelector('sluice-composer')
      return {
        wide: document.documentElement.scrollWidth > innerWidth,
        thread: high(element.shadowRoot.querySelector('sluice-thread')),
        head: high(element.shadowRoot.querySelector('header')),
        row: high(composer.shadowRoot.querySelector('.row')),
      }
    })
    assert.equal(wide, false)
    assert.ok(thread > height * 0.5, `${thread} px of conversation`)
    if (height < 420) assert.ok(head < 40 && row < 52, `header and field are one line: ${head} and ${row} px`)
  })
}

for (const [width, height] of [
  [320, 256],
  [360, 740],
  [900, 700],
]) {
  test(`a question stands above the field and can be decided at ${width} × ${height}`, async (t) => {
    const page = await open(t, 'sluice-chat', { name: 'Lulu' }, { viewport: { width, height } })
    await page.evaluate(() => {
      window.live = client.ask('Tell Lin')
      live.push(
        { type: 'text', block: 0, text: 'I will.' },
        ...asking(1, 'message.send', { to: 'Lin', text: 'I will be ten minutes late.' }),
      )
    })
    const dock = page.locator('sluice-chat sluice-questions')
    await dock.getByRole('button', { name: 'Allow' }).waitFor()
    if (height > 330) await page.getByText('Asks below').waitFor()
    assert.equal(await page.locator('sluice-message sluice-approval').count(), 0, 'it is asked once')
    const box = await dock.boundingBox()
    assert.ok(box.y >= 0 && box.y + box.height <= height, `the question is at ${box.y}, ${box.height} px high`)
    assert.ok(height > 480 ? box.height <= height * 0.6 + 1 : box.height > height * 0.9, `${box.height} px`)
    const unseen = dock.getByRole('button', { name: /not seen|out of view/ })
    await until(async () => {
      if ((await dock.getByRole('button', { name: 'Allow' }).getAttribute('aria-disabled')) === 'false') return true
      if ((await unseen.count()) > 0) await unseen.click({ timeout: 1000 }).catch(() => {})
      return false
    }, 'the question to be seen')
    await picture(page, `chat-dock-${width}x${height}`)
    await dock.getByRole('button', { name: 'Allow' }).click()
    await until(() => page.evaluate(() => live.answers.length === 1), 'the answer')
  })
}

test('a welcome that is longer than its room begins at its beginning', async (t) => {
  const suggestions = Array.from({ length: 20 }, (_, at) => `A suggestion that is number ${at} and takes a line`)
  const page = await open(t, 'sluice-chat', { suggestions, name: 'Lulu' }, { viewport: { width: 360, height: 400 } })
  const scroller = page.locator('sluice-thread .scroller')
  const [top, room] = await scroller.evaluate((one) => [one.scrollTop, one.scrollHeight - one.clientHeight])
  assert.ok(room > 100, `${room} px are out of sight`)
  assert.equal(top, 0)
  await page.evaluate(() => client.open().set({ entries: many(client, 40) }))
  await until(
    () => scroller.evaluate((one) => one.scrollTop > 100 && one.scrollHeight - one.scrollTop - one.clientHeight < 40),
    'the end of what was said',
  )
})

test('two fields of a conversation show the same draft and send what waits once; a draft stays with its conversation', async (t) => {
  const page = await open(t)
  const found = await page.evaluate(async () => {
    const other = Object.assign(document.createElement('sluice-composer'), { client })
    element.after(other)
    await frames(1)
    const fields = () => [element, other].map((one) => one.renderRoot.querySelector('textarea').value)
    const write = async (text) => {
      element.value = text
      await element.send()
    }
    const given = {}
    const live = client.ask('Hello', [{ type: 'text', block: 0, text: 'Hm' }])
    await write('One')
    await write('Two')
    element.value = 'Three'
    await frames(2)
    given.fields = fields()
    given.queues = [element.queue, other.queue]
    live.push({ type: 'done', outcome: 'completed' })
    await frames(2)
    given.sent = client.calls.filter(([name]) => name === 'send').map(([, { text }]) => text)

    // Ctrl+Enter: the draft waits until the host has stopped the answer. Meanwhile a person looks at another
    // conversation.
    client.ask('Again', [{ type: 'text', block: 0, text: 'Hm' }])
    client.calls = []
    await frames(2)
    element.renderRoot
      .querySelector('textarea')
      .dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true }))
    await frames(2)
    element.conversation = 'elsewhere'
    await frames(2)
    given.elsewhere = fields()
    client.open('elsewhere').set({ entries: [{ id: 'x', role: 'user', text: 'x', at: 0 }] })
    await frames(2)
    given.calls = client.calls.map(([name]) => name)
    element.remove()
    other.remove()
    return given
  })
  assert.deepEqual(found.fields, ['Three', 'Three'])
  assert.deepEqual(found.queues, [
    ['One', 'Two'],
    ['One', 'Two'],
  ])
  assert.deepEqual(found.sent, ['One'], 'the next one waits for the answer to this')
  assert.deepEqual(found.elsewhere, ['', 'Three'], 'the draft is back where it was written')
  assert.deepEqual(found.calls, [], 'nothing is sent to the other conversation')
})
