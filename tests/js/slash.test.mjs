// What a person types at the terminal in place of a message.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { builtUrl } from './dist.mjs'
import { fileConversations } from 'sluice/conversations'
import { startScriptedServer } from 'sluice/testing'
import { main, noTerminal, onTerminal } from './on-terminal.mjs'
import { screenOf } from './terminal-screen.mjs'

let folder
before(() => (folder = mkdtempSync(join(tmpdir(), 'sluice-slash-'))))
after(() => rmSync(folder, { recursive: true, force: true }))

async function chat(t, answers, steps, { words = [], ...options } = {}) {
  const server = await startScriptedServer({
    answers: answers.map((answer) => (typeof answer === 'string' ? { text: answer } : answer)),
    appendOnly: false,
    models: ['other', 'odd\u202e'],
  })
  t.after(server.close)
  const store = join(folder, t.name.replace(/\W+/g, '-'))
  const { out, code, left } = await onTerminal(
    ['chat', '--base-url', server.baseURL, '--model', 'm', ...words.map((word) => (word === 'STORE' ? store : word))],
    [...steps, ['> ', '\x04']],
    { ...options, env: { ...(options.env ?? { NO_COLOR: '1' }), XDG_DATA_HOME: store } },
  )
  assert.deepEqual(left, [], out)
  assert.equal(code, 0)
  const asked = server.requests.map(({ body }) => body.messages.map(({ content }) => content))
  return {
    out,
    rows: screenOf(out, options.columns ?? 80),
    asked,
    models: server.requests.map(({ body }) => body.model),
    store: fileConversations(join(store, 'sluice', 'conversations')),
    at: store,
  }
}

test('/help tells every command; an unknown one is told, and not sent; two slashes send one', noTerminal, async (t) => {
  const { out, asked } = await chat(
    t,
    ['Fine.', 'Good.'],
    [
      ['/help tells', ''],
      ['> ', '/help\r'],
      ['> ', '/frobnicate now\r'],
      ['no command', ''],
      ['> ', '/opne x\r'],
      ['did you mean /open?', ''],
      ['> ', '//help\r'],
      ['Fine.', ''],
      ['> ', '/etc/hosts is what?\r'],
      ['Good.', ''],
      ['> ', '\r'],
      ['> ', '/__proto__\r'],
    ],
  )
  for (const name of ['help', 'new', 'list', 'open', 'model', 'again', 'edit', 'quit', 'tools', 'save'])
    assert.match(out, new RegExp(`/${name} .*\\w`))
  assert.deepEqual(
    asked.map((messages) => messages.at(-1)),
    ['/help', '/etc/hosts is what?'],
  )
})

test(
  '/again asks for another answer, /edit changes the question; both are branches of the conversation',
  noTerminal,
  async (t) => {
    const { asked, store } = await chat(
      t,
      ['One.', 'Two.', 'Three.', 'Four.', 'Five.'],
      [
        ['> ', '/again\r'],
        ['nothing was asked yet', ''],
        ['> ', 'First\r'],
        ['One.', ''],
        ['> ', 'Second\r'],
        ['Two.', ''],
        ['> ', '/again\r'],
        ['Three.', ''],
        ['> ', '/edit\r'],
        ['Second', ' thoughts\r'],
        ['Four.', ''],
        ['> ', '/save rain\r'],
        ['Kept as', ''],
        ['> ', 'Third\r'],
        ['Five.', ''],
      ],
    )
    assert.deepEqual(asked, [
      ['First'],
      ['First', 'One.', 'Second'],
      ['First', 'One.', 'Second'],
      ['First', 'One.', 'Second thoughts'],
      ['First', 'One.', 'Second thoughts', 'Four.', 'Third'],
    ])
    const { entries } = await store.load('rain')
    assert.deepEqual(
      entries.map(({ text, message }) => text ?? message.blocks[0].text),
      ['First', 'One.', 'Second thoughts', 'Four.', 'Third', 'Five.'],
    )
  },
)

test('/again in a kept conversation keeps both answers, and asks again what failed', noTerminal, async (t) => {
  const { asked, at } = await chat(
    t,
    ['One.', 'Two.', { status: 400, error: 'not today' }, 'Three.'],
    [
      ['> ', 'First\r'],
      ['One.', ''],
      ['> ', '/again\r'],
      ['Two.', ''],
      ['> ', 'Second\r'],
      ['not today', ''],
      ['> ', '/again\r'],
      ['Three.', ''],
    ],
    { words: ['--conversation', 'sun', '--store', 'STORE'] },
  )
  assert.deepEqual(asked.slice(2), Array(2).fill(['First', 'Two.', 'Second']))
  const { entries, head } = await fileConversations(at).load('sun')
  assert.deepEqual(
    entries.map(({ role, parent }) => [role, entries.findIndex(({ id }) => id === parent)]),
    [
      ['user', -1],
      ['assistant', 0],
      ['assistant', 0],
      ['user', 2],
      ['assistant', 3],
      ['assistant', 3],
    ],
  )
  assert.deepEqual(
    entries.map(({ message }) => message?.outcome),
    [undefined, 'completed', 'completed', undefined, 'failed', 'completed'],
  )
  assert.equal(head, entries.at(-1).id)
})

test('/new, /list, /open and /save go between conversations', noTerminal, async (t) => {
  const { asked, out, store } = await chat(
    t,
    ['One.', 'Two.', 'Three.', 'Four.'],
    [
      ['> ', '/list\r'],
      ['there is no conversation yet', ''],
      ['> ', 'First\r'],
      ['One.', ''],
      ['> ', '/save\r'],
      ['expected a name', ''],
      ['> ', '/save a\r'],
      ['Kept as', ''],
      ['> ', '/new b\r'],
      ['A new conversation, kept', ''],
      ['> ', 'Second\r'],
      ['Two.', ''],
      ['> ', '/new a\r'],
      ["there is a conversation 'a' already", ''],
      ['> ', '/open nowhere\r'],
      ['there is no conversation', ''],
      ['> ', '/open a\r'],
      ['2 messages are', ''],
      ['> ', 'Third\r'],
      ['Three.', ''],
      ['> ', '/new\r'],
      ['/save NAME keeps it', ''],
      ['> ', 'Fourth\r'],
      ['Four.', ''],
      ['> ', '/list\r'],
      ['(2)', ''],
    ],
  )
  assert.deepEqual(asked, [['First'], ['Second'], ['First', 'One.', 'Third'], ['Fourth']])
  assert.match(out, /a {2}\(4\) {2}First/)
  assert.deepEqual(
    (await store.list()).map(({ id }) => id),
    ['a', 'b'],
  )
})

test('/model changes the model, /tools tells the tools, /quit ends the chat', noTerminal, async (t) => {
  const { models } = await chat(
    t,
    ['One.', 'Two.'],
    [
      ['> ', '/model\r'],
      ['m answers.', ''],
      ['The server has other, odd⟨U+202E⟩.', ''],
      ['> ', 'First\r'],
      ['One.', ''],
      ['> ', '/model other\r'],
      ['other answers from now on', ''],
      ['> ', 'Second\r'],
      ['Two.', ''],
      ['> ', '/tools\r'],
      ['--tools FILE.mjs brings them', ''],
      ['> ', '/mo\t'],
      ['/model', '\r'],
    ],
  )
  assert.deepEqual(models, ['m', 'other'])
  const server = await startScriptedServer({ answers: [] })
  t.after(server.close)
  const { code, left } = await onTerminal(['chat', '--base-url', server.baseURL, '--model', 'm'], [['> ', '/quit\r']])
  assert.deepEqual([code, left], [0, []])
})

test('/tools says of a tool that no model sees why', noTerminal, async (t) => {
  const file = join(folder, 'hidden.mjs')
  const tool = (name, more) => `{ name: '${name}', description: 'About ${name}.', execute: () => '', ${more} }`
  writeFileSync(file, `export default [${tool('seen', 'agentCallable: true')}, ${tool('unseen', '')}]`)
  const { out } = await chat(
    t,
    [],
    [
      ['> ', '/tools\r'],
      ['About seen.', ''],
      ['About unseen.  hidden: agentCallable is false', ''],
    ],
    { words: ['--tools', file] },
  )
  assert.doesNotMatch(out, /About seen\. {2}hidden/)
})

test('what is typed while it answers stands nowhere in the answer, and is asked next', noTerminal, async (t) => {
  const { rows, asked } = await chat(
    t,
    [{ parts: [{ text: 'Wait for it' }, { wait: 600 }, { text: ': done.' }] }, 'Yes.'],
    [
      ['> ', 'Go\r'],
      ['Wait for it', 'And then?\rhal'],
      [': done.', ''],
      ['Yes.', ''],
      ['> hal', '\x15'],
    ],
  )
  assert.ok(rows.includes('Wait for it: done.'), rows.join('\n'))
  assert.ok(rows.includes('> And then?'))
  assert.deepEqual(
    asked.map((messages) => messages.at(-1)),
    ['Go', 'And then?'],
  )
})

test(
  'a whole chat at 40, 80 and 120 columns, without colours and on a terminal that can do nothing',
  noTerminal,
  async (t) => {
    const answer =
      '# Title\n\nSome **bold words** that are long enough to be wrapped at least at forty columns, and 中文也会在这里换行，因为这一行很长很长，比终端还宽。\n\n| a | b |\n|---|---|\n| one | two |\n\n```\ncode  stays\n```\n'
    for (const columns of [40, 80, 120]) {
      for (const env of [{ NO_COLOR: '' }, { NO_COLOR: '1' }, { TERM: 'dumb' }]) {
        const { rows, out } = await chat(
          t,
          [answer],
          [
            ['> ', 'Go\r'],
            ['code  stays', ''],
            [' s', ''],
          ],
          { columns, env },
        )
        assert.ok(rows.includes('code  stays'), rows.join('\n'))
        assert.ok(
          rows.some((row) => /^a {2} │ b$/.test(row)),
          rows.join('\n'),
        )
        const styled = env.NO_COLOR === ''
        assert.equal(/\x1b\[1m/.test(out), styled)
        assert.equal(
          rows.some((row) => row.includes('**')),
          !styled,
        )
        if (env.TERM) assert.doesNotMatch(out.slice(out.indexOf('Title'), out.indexOf('code  stays')), /\x1b/)
      }
    }
  },
)

test('at 40 columns a question breaks at words, and leaves room for the answer', noTerminal, async (t) => {
  const tools = join(folder, 'tools.mjs')
  writeFileSync(
    tools,
    `import { tool } from ${JSON.stringify(builtUrl('sluice').href)}
    export default [tool({ agentCallable: true, name: 'note.add', description: 'Adds a note that a person reads later, with all that belongs to it.', permission: 'sensitive', parameters: { type: 'object', properties: { text: { type: 'string' } } }, execute: () => 'noted' })]`,
  )
  const { rows } = await chat(
    t,
    [{ calls: [{ name: 'note_add', arguments: { text: 'x'.repeat(40) } }] }, 'Done.'],
    [
      ['> ', 'Go\r'],
      ['[?]', ''],
      ['> ', 'yes\r'],
      ['Done.', ''],
    ],
    { columns: 40, words: ['--tools', tools] },
  )
  const all = rows.join('\n')
  assert.match(all, /│ {4}> Adds a note that a person reads\n│ {4}> later, with all that belongs to\n│ {4}> it\./)
  assert.match(
    all,
    /│ {2}note\.add: run it\? \[y\]es \[n\]o, why\n│ {2}\[e\]dit \[\?\]\n│ {2}> yes\n╰─ ✔ success note\.add/,
  )
  assert.equal(
    rows
      .filter((row) => / │ x+$/.test(row))
      .join('')
      .match(/x/g).length,
    40,
    'every character of the value',
  )
})

test(
  'a question has the words of the app at 40, 80 and 120 columns: its sentence, what it does, each argument by label and name, and the prompt last',
  noTerminal,
  async (t) => {
    const tools = join(folder, 'words.mjs')
    writeFileSync(
      tools,
      `import { tool } from ${JSON.stringify(builtUrl('sluice').href)}
    export default [tool({ agentCallable: true, name: 'message.send', description: 'For the model alone.', permission: 'sensitive', executionApproval: 'ask_always', annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
      title: { en: 'Send a message', zh: '发消息' }, about: { en: 'It goes out at once.', zh: '马上发出。' }, sentence: { en: 'send **{text}** to **{to}**', zh: '把 **{text}** 发给 **{to}**' }, labels: { '/to': { en: 'Recipient', zh: '收件人' } },
      parameters: { type: 'object', properties: { to: { type: 'string' }, text: { type: 'string', title: 'What it says' } } }, execute: () => 'sent' })]`,
    )
    for (const columns of [40, 80, 120]) {
      const { rows } = await chat(
        t,
        [{ calls: [{ name: 'message_send', arguments: { to: 'Lin', text: 'I am late.\nSorry!' } }] }, 'Done.'],
        [
          ['> ', 'Go\r'],
          [columns > 40 ? '[?] ' : '[?]', columns > 40 ? 'y\r' : ''],
          ...(columns > 40 ? [] : [['> ', 'y\r']]),
          ['Done.', ''],
        ],
        { columns, words: ['--tools', tools] },
      )
      assert.ok(
        rows.every((row) => row.length <= columns),
        rows.join('\n'),
      )
      const shown = rows.slice(
        rows.findIndex((row) => row.includes('goes out')),
        rows.findIndex((row) => row.includes('run it?')),
      )
      const said = shown.map((row) => row.replace(/^│ {0,4}(> )?/, '').trim()).join('\n')
      const inOne = said.replaceAll(/\s+/g, ' ')
      const order = [
        'It goes out at once.',
        'The assistant wants to send I am late.⟨U+000A⟩Sorry! to Lin.',
        'message.send · 2 arguments · 20 characters in 3 lines',
        'changes something · leaves this computer · asks every time',
        '› Recipient · to',
        '│ Lin',
        '› What it says · text',
        '1 │ I am late.',
        '2 │ Sorry!',
      ]
      assert.deepEqual(
        order.filter((one) => !inOne.includes(one)),
        [],
        `${columns}: ${said}`,
      )
      assert.deepEqual(
        order.map((one) => inOne.indexOf(one)),
        order.map((one) => inOne.indexOf(one)).sort((a, b) => a - b),
        said,
      )
      assert.ok(!said.includes('For the model alone.'), 'the words for people stand in its place')
    }
  },
)

test('without a terminal a slash is text', async (t) => {
  const server = await startScriptedServer({ answers: [{ text: 'As you say.' }] })
  t.after(server.close)
  const child = spawn(process.execPath, [main, 'chat', '--base-url', server.baseURL, '--model', 'm'])
  child.stdin.end('/quit\n')
  child.stdout.resume()
  await new Promise((resolve) => child.on('close', resolve))
  assert.equal(server.requests[0].body.messages[0].content, '/quit')
})
