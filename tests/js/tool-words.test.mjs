// What a tool is called among people: how it is declared, what it is bound to, and how it comes to the windows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { built } from './dist.mjs'
import { memoryRules, SluiceError, tool } from 'sluice'
import { callsDelete, guarded, hostStage, until } from './host-support.mjs'
import { callsEcho, echo, stage } from './support.mjs'

const { inLanguage } = await built('in-language')

const parameters = {
  type: 'object',
  properties: {
    to: { type: 'string', title: 'Who' },
    text: { type: 'string' },
    'a/b': { type: 'string', title: 'Odd' },
  },
}
const send = (more) => tool({ name: 'message.send', parameters, ...more })

test('words stand beside the declaration, which holds the title alone', () => {
  const { words, declaration } = send({
    title: { en: 'Send a message', zh: '发消息' },
    sentence: 'send **{text}** to **{to}**',
    icon: 'mail',
    labels: { '/text': 'Text' },
    annotations: { readOnlyHint: false },
  })
  assert.deepEqual(words, {
    title: { en: 'Send a message', zh: '发消息' },
    sentence: 'send **{text}** to **{to}**',
    icon: 'mail',
    labels: { '/to': 'Who', '/a~1b': 'Odd', '/text': 'Text' },
  })
  assert.deepEqual(declaration.annotations, { readOnlyHint: false, title: 'Send a message' })
  for (const member of ['title', 'sentence', 'icon', 'labels']) assert.equal(declaration[member], undefined, member)
  assert.equal(send({ title: 'Send', annotations: { title: 'Its own' } }).declaration.annotations.title, 'Its own')
  assert.equal(tool({ name: 'a', parameters: { type: 'object', properties: { x: {} } } }).words, undefined)
  assert.equal(tool({ name: 'a' }).declaration.identity, undefined)
})

test('words that are wrong are refused where they stand', () => {
  const refused = (more) => {
    try {
      send(more)
    } catch (error) {
      assert.ok(error instanceof SluiceError && error.code === 'option', String(error))
      return `${error.path}: ${error.detail}${error.hint ? ` (${error.hint})` : ''}`
    }
    return undefined
  }
  for (const [options, said] of [
    [{ title: 5 }, /^message\.send\.title: found 5, expected a text of one line/],
    [{ title: '' }, /title: found ""/],
    [{ title: ' ' }, /title/],
    [{ title: 'a\nb' }, /title/],
    [{ about: 'a'.repeat(301) }, /about/],
    [{ title: {} }, /title: found an object/],
    [{ title: { 'not a tag': 'x' } }, /found "not a tag", expected a language tag/],
    [{ about: { en: 1 } }, /about\.en: found 1/],
    [
      { sentence: 'send {what}' },
      /sentence: found "\{what\}", expected the name of an argument in braces \(\{to\} \{text\} \{a\/b\}\)/,
    ],
    [{ sentence: { zh: '发 {to' } }, /braces in pairs/],
    [{ sentence: 'send {}' }, /\{\}/],
    [{ sentence: 'send **{to}' }, /stars in pairs/],
    [{ icon: 'letter' }, /icon: found "letter", expected tool \| search/],
    [{ icon: 'data:text/html,x' }, /icon/],
    [{ icon: `data:image/svg+xml,${'x'.repeat(20_000)}` }, /icon/],
    [{ labels: { to: 'x' } }, /labels: found "to", expected a JSON Pointer \(\/to\)/],
    [{ labels: { '/to': 1 } }, /labels\["\/to"\]: found 1/],
    [{ from: 'srv', sentence: 'send' }, /sentence: found it beside `from`/],
    [{ from: 'srv', icon: 'mail' }, /icon: found it beside `from`/],
  ])
    assert.match(refused(options) ?? 'nothing', said)
  assert.equal(refused({ from: 'srv', title: 'Send' }), undefined)
  assert.deepEqual(
    send({ from: 'srv', title: 'Send' }).words,
    { from: 'srv', title: 'Send' },
    'the schema of a stranger names nothing',
  )
})

test('a text is told in the language of the person, else in English, else in its first', () => {
  const text = { de: 'Hallo', en: 'Hello', zh: '你好', 'zh-TW': '你好嗎' }
  assert.deepEqual(
    ['zh-CN', 'zh-tw', 'de', 'fr', 'EN'].map((lang) => inLanguage(text, lang)),
    ['你好', '你好嗎', 'Hallo', 'Hello', 'Hello'],
  )
  assert.deepEqual([inLanguage('x', 'zh'), inLanguage({ de: 'Hallo' }, 'fr'), inLanguage({}, 'fr')], ['x', 'Hallo', ''])
})

test('another sentence ends what was remembered, as another function does', async (t) => {
  const execute = () => 'done'
  const ask = async (rules, words) => {
    let asked = 0
    const { run } = await stage(t, {
      answers: [callsEcho, { text: 'End.' }],
      tools: [echo({ execute, permission: 'moderate', ...words })],
      rules,
      approvals: { execution: () => (asked++, 'session') },
    })
    await run().done
    return asked
  }
  const before = { title: 'Say it', sentence: 'say **{text}**' }
  const rules = memoryRules()
  assert.deepEqual([await ask(rules, before), await ask(rules, before)], [1, 0])
  for (const changed of [
    { ...before, sentence: 'read **{text}**' },
    { ...before, about: 'Reads only.' },
    { ...before, labels: { '/text': 'Nothing' } },
    { title: before.title },
    {},
  ])
    assert.equal(await ask(rules, changed), 1, JSON.stringify(changed))
})

test('cards and questions carry the words, what the form needs, and who would read the result', async (t) => {
  const words = { title: { en: 'Delete a file', zh: '删除文件' }, sentence: 'delete **{path}**' }
  const { tool: made } = guarded({ ...words, resultApproval: 'always', annotations: { readOnlyHint: true } })
  const { open, server } = await hostStage(t, { answers: [callsDelete, { text: 'Done.' }], tools: [made] })
  const window = open()
  const message = await window.send('Delete it')
  const ask = await until(() => window.asks(message)[0], 'a question')
  assert.deepEqual(
    [ask.words, ask.parameters.required, ask.title, ask.reader],
    [words, ['path'], 'Delete a file', undefined],
  )
  assert.deepEqual(
    [window.cards(message)[0].words, window.cards(message)[0].reads, window.cards(message)[0].silent],
    [words, true, undefined],
  )
  await window.get('approve', { message, token: ask.token })
  const result = await until(() => window.asks(message).find(({ stage }) => stage === 'result'), 'the result')
  assert.deepEqual([result.words, result.reader], [words, { model: 'scripted', host: new URL(server.baseURL).host }])
  await window.get('approve', { message, token: result.token })
})
