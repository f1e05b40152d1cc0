// `npx sluice chat` through pipes: what is said, asked, kept and told.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { built } from './dist.mjs'
import { fileConversations } from 'sluice/conversations'
import { startScriptedServer } from 'sluice/testing'
import { call, inOrder, log, parsed, path, scripted, sluice, texts } from './cli-support.mjs'
import { hiding } from './hiding.mjs'
import { main } from './on-terminal.mjs'
import { madeAnswer } from './support.mjs'

const { keyFor } = await built('model-options')

test('chat: piped lines are what is said, and answer what is asked', async (t) => {
  const { args, server } = await scripted(
    t,
    { text: 'Hello.' },
    call('file_delete', { path: '/a\u202etxt\x1b[2J' }),
    { text: 'Gone.' },
    call('file_delete', { path: '/b' }),
    { text: 'Kept.' },
  )
  const result = await log(() => sluice(['chat', ...args], 'Hi\nDelete a\ny\nDelete b\nn not that one\n'))
  assert.deepEqual([result.code, result.err], [0, ''])
  assert.deepEqual(result.log, ['delete /a\u202etxt\x1b[2J'])
  inOrder(
    result.out,
    '> Hi',
    'Hello.',
    '> Delete a',
    'The assistant wants to use file.delete.',
    '1 argument · 10 characters in 1 line',
    'can change or delete · asks every time',
    'path',
    '│ /a⟨U+202E⟩txt⟨U+001B⟩[2J',
    'run it? [y]es [n]o, why [e]dit [?]',
    'success',
    'Gone.',
    '> Delete b',
    'denied',
    'not that one',
    'Kept.',
  )
  assert.doesNotMatch(result.out, /\u202e|\x1b/)
  assert.deepEqual(
    server.requests[1].body.messages.map(({ role }) => role),
    ['user', 'assistant', 'user'],
  )
  assert.match(JSON.stringify(server.requests[4].body.messages), /not that one/)
})

test('chat: when there is nobody left to answer, nothing is run', async (t) => {
  const { args } = await scripted(t, call('file_delete', { path: '/a' }), { text: 'As you like.' })
  const result = await log(() => sluice(['chat', ...args, '--prompt', 'Delete a']))
  assert.equal(result.code, 0)
  assert.deepEqual(result.log, [])
  inOrder(result.out, '> Delete a', 'denied: there is nobody to ask', 'As you like.')
})

test('chat: a script is told that an answer failed, also where the next went well', async (t) => {
  const { args } = await scripted(t, { text: 'One.' }, { status: 400, error: 'not today' }, { text: 'Three.' })
  const { code, out } = await sluice(['chat', ...args], '1\n2\n3\n')
  inOrder(out, 'One.', '> 2', 'not today', '> 3', 'Three.')
  assert.equal(code, 1)
})

test('chat: what is no answer is asked again; arguments can be changed', async (t) => {
  const { args } = await scripted(t, call('file_delete', { path: '/a' }), { text: 'Done.' })
  const lines = [
    'Delete',
    'maybe',
    '',
    'a',
    '?',
    'e',
    '{"path":',
    'e',
    '[1]',
    'e',
    '{"path":7}',
    'y',
    'e',
    '{"path":"/tmp/x"}',
    'y',
  ]
  const result = await log(() => sluice(['chat', ...args], `${lines.join('\n')}\n`))
  assert.deepEqual(result.log, ['delete /tmp/x'])
  inOrder(
    result.out,
    "found 'maybe', expected y yes",
    "found '', expected",
    "found 'a', expected y yes, n no (and why), e other arguments",
    'n, no      do not run it',
    'JSON',
    'expected a JSON object',
    'Arguments as changed by you',
    'expected string',
    '│ /tmp/x',
    'run it?',
    'Done.',
  )
})

test('chat: always is remembered for the tools that can be remembered', async (t) => {
  const { args } = await scripted(
    t,
    call('file_list', { path: '/a' }),
    { text: 'One.' },
    call('file_list', { path: '/b' }),
    { text: 'Two.' },
  )
  const result = await log(() => sluice(['chat', ...args], 'List a\na\nList b\n'))
  assert.deepEqual(result.log, ['list /a', 'list /b'])
  inOrder(result.out, 'can change or delete', 'run it? [y]es [n]o, why [e]dit [a]lways [?]', 'One.', 'Two.')
  assert.equal(result.out.split('run it?').length, 2)
})

test('chat: a result is shown before the model reads it', async (t) => {
  const { args, server } = await scripted(
    t,
    call('file_read', { path: '/a' }),
    { text: 'Never mind.' },
    call('file_read', { path: '/b' }),
    { text: 'I see.' },
  )
  const { out } = await sluice(['chat', ...args], 'Read a\nx\nno\nRead b\nyes\n')
  inOrder(
    out,
    'The model will see',
    '│ secret⟨U+202E⟩ of /a',
    'let the model read this? [y]es [n]o, why [?]',
    "found 'x', expected y yes, or n no",
    'result_rejected',
    'Never mind.',
    'of /b',
    'I see.',
  )
  assert.doesNotMatch(JSON.stringify(server.requests[1].body.messages), /secret/)
  assert.match(JSON.stringify(server.requests[3].body.messages), /secret/)
})

test('chat: a model that takes no tools is told with the option of the command', async (t) => {
  const { args } = await scripted(t, { status: 400, error: 'm does not support tools' })
  const { code, out } = await sluice(['chat', ...args, '--prompt', 'x'])
  assert.equal(code, 1)
  inOrder(out, 'tools_unsupported', '--mode text describes the tools in the prompt instead')
  assert.doesNotMatch(out, /"mode"/)
})

test('chat: --yes, --system, --mode text, the key', async (t) => {
  const { args, server } = await scripted(
    t,
    { text: texts.vcp.replaceAll('weather.now', 'file.delete').replaceAll('city', 'path') },
    { text: 'Fine.' },
  )
  writeFileSync(path('system.txt'), 'You are terse. {{tools}}')
  const result = await log(() =>
    sluice(
      ['chat', ...args, '--prompt', 'Go', '--yes', '--mode', 'text', '--system', path('system.txt'), '--api-key', 'k'],
      '',
      { env: { OPENAI_API_KEY: 'of-another' } },
    ),
  )
  assert.equal(result.code, 0, result.out)
  assert.deepEqual(result.log, ['delete 杭州'])
  inOrder(result.out, 'approved automatically: --yes', 'Fine.')
  assert.doesNotMatch(result.out, /one message/, 'only with --verbose')
  assert.equal(server.requests[0].headers.authorization, 'Bearer k')
  assert.match(server.requests[0].body.messages[0].content, /^You are terse\. .*TOOL_REQUEST/s)
  assert.equal(server.requests[0].body.tools, undefined)
})

test('chat: a key of the environment goes to its own provider only, or where --key-env says', async (t) => {
  const { server, args } = await scripted(t, { text: 'One.' }, { text: 'Two.' }, { text: 'Three.' })
  const env = { DEEPSEEK_API_KEY: 'key-of-deepseek', MY_KEY: 'key-of-mine' }
  const at = [...args, '--prompt', 'Go']
  await sluice(['chat', '--provider', 'deepseek', ...at], '', { env })
  await sluice(['chat', ...at, '--key-env', 'MY_KEY'], '', { env })
  await sluice(['chat', ...at, '--path', '/chat/completions', '--wire', 'openai-chat'], '', { env })
  assert.deepEqual(
    server.requests.map(({ headers }) => headers.authorization),
    [undefined, 'Bearer key-of-mine', undefined],
  )
})

test('chat: a provider of another wire, and its recorded answer in parse', async (t) => {
  const { server } = await scripted(t, { text: 'Let me see. ', ...call('file_read', { path: 'a' }) }, { text: 'Done.' })
  const at = ['--provider', 'anthropic', '--base-url', server.baseURL, '--model', 'm', '--key-env', 'MY_KEY']
  const { code, out } = await sluice(['chat', ...at, '--tools', path('tools.mjs'), '--prompt', 'Go', '--yes'], '', {
    env: { MY_KEY: 'key-of-mine' },
  })
  assert.equal(code, 0, out)
  inOrder(out, 'Let me see.', 'Done.')
  assert.deepEqual(
    server.requests.map(({ path, headers }) => [path, headers['x-api-key']]),
    Array(2).fill(['/v1/messages', 'key-of-mine']),
  )
  const { server: again } = await scripted(t, { text: 'Let me see. ', ...call('file_read', { path: 'a' }) })
  const { path: url, text } = server.requests[0]
  writeFileSync(
    path('recorded'),
    await (
      await fetch(again.url + url, { method: 'POST', headers: { 'anthropic-version': '2023-06-01' }, body: text })
    ).text(),
  )
  const { message, err } = await parsed('recorded', ['--chunks', 'byte'])
  assert.equal(err, 'wire: anthropic, because it has events of anthropic\n')
  assert.deepEqual(
    message.blocks.map((block) => block.text ?? [block.name, block.arguments, block.source]),
    ['Let me see. ', ['file_read', { path: 'a' }, 'native']],
  )
})

test('keys of the environment are found by the address', () => {
  const before = { ...process.env }
  Object.assign(process.env, { OPENAI_API_KEY: 'o', MOONSHOT_API_KEY: 'k', GOOGLE_API_KEY: 'g' })
  delete process.env.GEMINI_API_KEY
  try {
    assert.equal(keyFor('https://api.openai.com/v1'), 'o')
    assert.equal(keyFor('https://api.moonshot.cn/v1'), 'k')
    assert.equal(
      keyFor('https://generativelanguage.googleapis.com/v1beta/openai'),
      'g',
      'the second name, where the first is not set',
    )
    for (const other of [
      'http://api.openai.com/v1',
      'https://api.openai.com.evil.example/v1',
      'http://127.0.0.1:11434',
      'nonsense',
    ])
      assert.equal(keyFor(other), undefined, other)
  } finally {
    process.env = before
  }
})

test('chat: --verbose says the shape of a message', async (t) => {
  const { args } = await scripted(t, call('file_list', { path: '/' }), { text: 'Three files.' })
  const { out } = await sluice(['chat', ...args, '--prompt', 'What is there?', '--yes', '--verbose'])
  assert.match(out, /\d s · one message, completed, 2 rounds.*: file\.list success → text\n/)
})

test('chat: --usage says how many tokens came from the cache', async (t) => {
  const usage = { prompt_tokens: 12_000, completion_tokens: 18, cached_tokens: 9800, cache_write_tokens: 200 }
  const { args } = await scripted(t, { text: 'Three files.', usage })
  const { out } = await sluice(['chat', ...args, '--prompt', 'What is there?', '--usage'])
  assert.match(out, /12,000 tokens in, of these 9,800 from the cache, (200 written to it, )?18 out\n/)
})

test('chat: a conversation is kept by name, and goes on', async (t) => {
  const { server, args } = await scripted(
    t,
    { text: 'One.' },
    { text: 'Two.' },
    { status: 400, error: 'no' },
    { text: 'Three.' },
    { text: 'Four.' },
  )
  const store = ['--store', path('kept')]
  assert.match((await sluice(['chat', '--list', ...store])).out, /there is no conversation yet/)
  const first = await sluice(['chat', ...args, '--conversation', 'rain', ...store], 'Will it rain?\n')
  assert.doesNotMatch(first.out, /goes on/)
  const second = await sluice(['chat', ...args, '--conversation', 'rain', ...store], 'Sure?\nlost\n')
  inOrder(
    second.out,
    "This goes on with 'rain', where 2 messages are; the last:",
    '> Will it rain?',
    'One.',
    '> Sure?',
    'Two.',
  )
  const messages = (at) => server.requests[at].body.messages.map(({ content }) => content)
  assert.deepEqual(messages(1), ['Will it rain?', 'One.', 'Sure?'])
  await sluice(['chat', ...args, '--resume', ...store, '--prompt', 'Really?'])
  assert.deepEqual(messages(3), ['Will it rain?', 'One.', 'Sure?', 'Two.', 'Really?'], 'what failed is not kept')
  await sluice(['chat', ...args, '--conversation', 'sun', ...store, '--prompt', 'And the sun?'])
  const { out } = await sluice(['chat', '--list', ...store])
  assert.match(
    out,
    /^20\d\d-\d\d-\d\d \d\d:\d\d {2}sun {2}\(2\) {2}And the sun\?\n20.* rain {2}\(8\) {2}Will it rain\?\n$/,
  )
})

test('chat: where nothing is to be kept nothing is, and what cannot be kept is told', async (t) => {
  const { args } = await scripted(t, { text: 'One.' }, { text: 'Two.' })
  const env = { XDG_DATA_HOME: path('data'), LOCALAPPDATA: path('data') }
  await sluice(['chat', ...args, '--prompt', 'Hi'], '', { env })
  assert.ok(!existsSync(path('data')))
  const none = await sluice(['chat', ...args, '--resume', '--prompt', 'Hi'], '', { env })
  assert.deepEqual([none.code, /there is no conversation yet/.test(none.err)], [2, true])
  for (const words of [
    ['--store', path('x')],
    ['--conversation', 'a', '--resume'],
  ])
    assert.equal((await sluice(['chat', ...args, ...words], '', { env })).code, 2)
  writeFileSync(path('file'), 'x')
  const damaged = await sluice(['chat', ...args, '--conversation', 'a', '--store', path('file'), '--prompt', 'Hi'])
  assert.deepEqual(
    [damaged.code, /expected a folder/.test(damaged.err)],
    [1, true],
    'what cannot be read is not gone on with',
  )
  const full = spawn('bash', [
    '-c',
    `trap '' XFSZ; ulimit -f 0; exec "$0" "$@"`,
    process.execPath,
    main,
    'chat',
    ...args,
    '--conversation',
    'a',
    '--store',
    path('full'),
    '--prompt',
    'Hi',
  ])
  let out = ''
  full.stdout.setEncoding('utf8').on('data', (text) => (out += text))
  const [code] = await once(full, 'close')
  assert.equal(code, 0)
  inOrder(out, 'Two.', '⚠ not saved: ')
})

test('chat: the key of the environment goes to no other server than the one that it is for', async (t) => {
  const { args, server } = await scripted(t, { text: 'Hi.' })
  await sluice(['chat', ...args, '--prompt', 'Go'], '', { env: { OPENAI_API_KEY: 'k' } })
  assert.equal(server.requests[0].headers.authorization, undefined)
})

test('chat: what a server, a model and a tool write is marked where it hides, and an error is told once', async (t) => {
  const { args } = await scripted(
    t,
    { status: 400, error: 'bad\u202e\x1b[2J words' },
    { reasoning: 'hm\u200b', text: 'see \u202egpj.exe\r\n👩‍💻 \x9b2J' },
  )
  const { out } = await sluice(['chat', ...args], '1\n2\n')
  inOrder(out, 'bad⟨U+202E⟩⟨U+001B⟩[2J words', 'hm⟨U+200B⟩', 'see ⟨U+202E⟩gpj.exe\n👩‍💻 ⟨U+009B⟩2J')
  assert.equal(out.split('bad⟨').length, 2, out)
  assert.doesNotMatch(out, /[\u202e\u200b\x1b\x9b]/)
})

test('chat: nothing hides in what is asked', async (t) => {
  // Of those that a model can write: the engine refuses `__proto__`, and asks nobody.
  const ways = hiding.filter(
    ({ cut, unread, ask, card, arguments: args }) =>
      !cut && !unread && !ask && !card && !Object.hasOwn(args, '__proto__'),
  )
  const { args: words } = await scripted(
    t,
    ...ways.flatMap(({ arguments: args }) => [call('file_list', { path: '/', ...args }), { text: 'Kept as it was.' }]),
  )
  const { out } = await sluice(['chat', ...words], 'Go\nn\n'.repeat(ways.length))
  const answers = out.split('Kept as it was.')
  assert.equal(answers.length, ways.length + 1, out)
  for (const [i, { way, shown, long }] of ways.entries()) {
    const rows = answers[i].replaceAll(/\n│ {2} {8}│ /g, '') // what was wrapped
    for (const one of shown) {
      // the engine's texts have no half characters, neither here nor for the tool
      const part = one.replaceAll(/⟨U\+D[89A-F]\w\w⟩/g, '\ufffd')
      assert.ok(rows.includes(part), `${way}: ${part} in ${answers[i]}`)
    }
    inOrder(answers[i], 'The assistant wants to use file.list.', 'run it?', 'denied')
    if (!long) assert.ok(answers[i].split('\n').length < 40, `${way}: ${answers[i]}`)
  }
})

test('chat: what is too long is shown on request, and what nobody reads wants another word', async (t) => {
  const { args } = await scripted(
    t,
    call('file_delete', { path: 'x'.repeat(25_000) }),
    { text: 'One.' },
    call('file_delete', { path: 'y'.repeat(300_000) }),
    { text: 'Two.' },
  )
  const result = await log(() => sluice(['chat', ...args], 'Delete\ny\ns\ny\nDelete\ny\nunseen\n'))
  inOrder(
    result.out,
    '16,000 characters in 1 line are not shown here',
    'run it? [y]es [n]o, why [e]dit [s]how all [?]',
    'not all of it was shown: s shows it',
    'run it? [y]es [n]o, why [e]dit [?]',
    'One.',
    '291,000 characters in 1 line are not shown here',
    'run it? unseen [n]o',
    'the word unseen approves them all the same',
    'Two.',
  )
  assert.deepEqual(
    result.log.map((line) => line.length),
    [25_007, 300_007],
  )
})

test('chat: an answer that was cut, withheld, broken off or empty is told, and a failure', async (t) => {
  for (const [answer, told] of [
    [{ text: 'I am', finish: 'length' }, 'The answer was cut at its length limit.'],
    [{ text: 'I am', finish: 'content_filter' }, 'The provider withheld the rest.'],
    // it is asked for again, twice
    [[{ text: '' }, { text: '' }, { text: '' }], '✖ empty_answer: the provider answered nothing'],
  ]) {
    const { args } = await scripted(t, ...[answer].flat(), { text: 'Whole.' })
    const { code, out } = await sluice(['chat', ...args], 'Hi\nAgain\n')
    inOrder(out, '> Hi', told, '> Again', 'Whole.', ' s\n')
    assert.equal(code, 1, told)
  }
})

test('chat: tools that nothing runs, and files that hold none, are told', async (t) => {
  const { args } = await scripted(t)
  const base = args.slice(0, 4)
  writeFileSync(path('idle.mjs'), 'export const tools = [{ name: "x", description: "d" }]')
  assert.match((await sluice(['chat', ...base, '--tools', path('idle.mjs')])).err, /x cannot be run: expected execute/)
  writeFileSync(path('none.mjs'), 'export const nothing = 1')
  assert.match(
    (await sluice(['chat', ...base, '--tools', path('none.mjs')])).err,
    /found no such export, expected an array of tools as default export/,
  )
  writeFileSync(path('throws.mjs'), 'throw new Error("my own fault")')
  assert.match((await sluice(['chat', ...base, '--tools', path('throws.mjs')])).err, /my own fault/)
})

test('chat: Ctrl-C stops an answer and its tool', {
  skip: process.platform === 'win32' && 'no signals there',
}, async (t) => {
  const { args } = await scripted(t, call('file_watch', { path: '/a' }))
  const result = await log(() => sluice(['chat', ...args, '--prompt', 'Watch'], '', { signalOn: 'watching' }))
  assert.equal(result.code, 130)
  assert.deepEqual(result.log, ['watching', 'aborted'])
  inOrder(result.out, 'watching', '╰─ ', 'stopped')
})

test('chat: a server that is not there is an error in a sentence, and a failure', async () => {
  const server = await startScriptedServer({ answers: [] })
  await server.close()
  const { code, out } = await sluice(['chat', '--base-url', server.baseURL, '--model', 'm', '--prompt', 'x'])
  assert.equal(code, 1)
  assert.match(out, /trying again in \d\.\d s, 1 of \d: .*ECONNREFUSED/)
  assert.match(out, /network: .*ECONNREFUSED/)
})

test('chat: a program that is killed in a tool leaves the question and the call in the conversation', async (t) => {
  const { args } = await scripted(t, call('pay', { to: 'bob' }))
  writeFileSync(
    path('killed-tools.mjs'),
    `export default [{
    name: 'pay', description: 'Pays.', agentCallable: true, permission: 'public', parameters: { type: 'object', properties: { to: { type: 'string' } } },
    execute: () => { process.kill(process.pid, 'SIGKILL'); for (;;); },
  }]`,
  )
  await sluice([
    'chat',
    ...args,
    '--tools',
    path('killed-tools.mjs'),
    '--yes',
    '--conversation',
    'k',
    '--store',
    path('killed'),
    '--prompt',
    'Pay bob.',
  ])
  const { entries } = await fileConversations(path('killed')).load('k')
  assert.deepEqual(
    entries.map(({ role, text }) => [role, text]),
    [
      ['user', 'Pay bob.'],
      ['assistant', undefined],
    ],
  )
  const [{ status, arguments: given }] = entries[1].message.blocks
  assert.deepEqual([status, given], ['unknown', { to: 'bob' }])
  assert.match(entries[1].history.at(-1).content, /may or may not have taken effect/)
})

test('chat --save: sources are printed after the text, and the picture is written to a new file', async (t) => {
  const { png, url, parts } = madeAnswer
  const { args } = await scripted(t, { parts })
  const folder = path('made/here')
  const { code, out, err } = await sluice(['chat', ...args, '--save', folder, '--prompt', 'Draw'])
  assert.deepEqual([code, err], [0, ''])
  inOrder(out, 'Rain.', `[1] Oslo ${url}`, '▣ image/png, 70 bytes → ', 'picture-1.png')
  assert.deepEqual(readFileSync(`${folder}/picture-1.png`), Buffer.from(png, 'base64'))
  const refused = await sluice(['chat', ...args, '--save', `${folder}/picture-1.png/x`, '--prompt', 'Draw'])
  assert.equal(refused.code, 2)
  assert.match(refused.err, /^--save: /)
})
