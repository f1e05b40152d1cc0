// Sources, pictures and files of an answer: what windows show, what is kept beside a conversation, what the next model
// gets, and what readers of durable turns, the AI SDK and AG-UI receive.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileConversations, messagesForModel, withoutPictures, withPictures } from 'sluice/conversations'
import { built } from './dist.mjs'
import { hostStage, until } from './host-support.mjs'
import { madeAnswer } from './support.mjs'

const { applyDeltas, emptyView } = await built('view')
const { EventWriter } = await built('event-writer')
const { MessageWriter } = await built('message-writer')
const { messageFrom } = await built('read-chunks')
const { chunksFor } = await built('saved-answer')
const { toChatMessages } = await built('to-chat-messages')
const { endingOf } = await built('ending')
const { MessageNumbering } = await built('message-numbering')
const { Reading } = await built('reading')

const { png, url, parts: answered } = madeAnswer
const picture = { type: 'image', mediaType: 'image/png', data: png }
const file = { type: 'file', mediaType: 'text/plain', data: 'aGk=', name: 'a.txt' }
const page = { kind: 'web', url, title: 'Oslo', start: 0, end: 4 }
const document = { kind: 'file', title: 'a.pdf', id: 'file-1', cited: 'rain' }

function folder(t) {
  const path = mkdtempSync(join(tmpdir(), 'sluice-made-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

test('host: windows get sources and pictures, the store keeps the picture once, and the next request has it', async (t) => {
  const path = folder(t)
  const conversations = fileConversations(path)
  const first = await hostStage(t, { answers: [{ parts: answered }], host: { conversations } })
  const window = first.open()
  const message = await window.send('Draw it')
  await until(() => window.view(message).outcome, 'the end')
  const { blocks } = window.view(message)
  assert.deepEqual(
    blocks.map(({ type, text, sources, parts }) => [type, text ?? parts, sources]),
    [
      ['text', 'Rain.', [page]],
      ['media', [picture], undefined],
    ],
  )
  assert.equal(window.mismatches, 0)
  assert.deepEqual((await first.open().get('subscribe', { message })).blocks, blocks, 'a late window gets the same')
  await first.host.close()
  const stored = readFileSync(join(path, 'main/conversation.jsonl'), 'utf8')
  assert.ok(!stored.includes(png), 'the entry refers to the picture')
  assert.deepEqual(readdirSync(join(path, 'main')).filter((name) => name.endsWith('.png')).length, 1)

  const second = await hostStage(t, {
    answers: [{ text: 'Yes.' }],
    host: {
      conversations: fileConversations(path),
      run: () => ({
        model: { baseURL: second.server.baseURL, name: 'another' },
        madePictures: 'send',
      }),
    },
  })
  const later = second.open()
  await later.get('open')
  assert.deepEqual((await later.get('subscribe', { message })).blocks, blocks)
  const next = await later.send('Is it nice?')
  await until(() => later.view(next).outcome, 'the end of the second answer')
  assert.ok(JSON.stringify(second.server.requests[0].body.messages).includes(`data:image/png;base64,${png}`))
  const markdown = await fileConversations(path).export('main', 'markdown')
  assert.match(markdown, /1\. Oslo <https:\/\/weather\.example\/oslo>/)
  assert.ok(markdown.includes(`![](data:image/png;base64,${png})`))
})

test('MessageNumbering: sources of a text that goes on follow those that it has', () => {
  const view = { rounds: 1, blocks: [{ type: 'text', text: 'Rain.', sources: [page] }] }
  const numbering = new MessageNumbering()
  numbering.resume(view)
  numbering.translate({ type: 'text', block: 0, text: ' Sun.' })
  const sources = { type: 'sources', block: 0, sources: [{ ...page, start: 1, end: 4 }, document] }
  const all = [page, { ...page, start: 6, end: 9 }, document]
  assert.deepEqual(numbering.translate(sources).sources, all)
  const other = new MessageNumbering()
  other.restore(JSON.parse(JSON.stringify(numbering.saved)))
  assert.deepEqual(other.translate(sources).sources, all, 'also in another process')
  const apart = new MessageNumbering()
  apart.resume(view)
  apart.translate({ type: 'text', block: 0, text: 'Note.', phase: 'commentary' })
  assert.deepEqual(apart.translate(sources), { ...sources, block: 1 }, 'another text has its own')
})

test('speech: sources and pictures are not said', () => {
  const reading = new Reading()
  const blocks = [
    { type: 'text', text: 'Rain.', sources: [page, document] },
    { type: 'media', parts: [picture, file] },
  ]
  assert.deepEqual(reading.next({ blocks }), [{ type: 'text', block: 0, text: 'Rain.' }])
})

test('withoutPictures and withPictures: media blocks and metadata.media come back whole', async () => {
  const part = { ...picture, id: 'ig_1', name: 'rain.png' }
  const entry = {
    id: 'a',
    parent: null,
    at: 0,
    role: 'assistant',
    message: { role: 'assistant', rounds: 1, blocks: [{ type: 'media', round: 1, parts: [part, file] }] },
    history: [{ role: 'assistant', content: 'x', metadata: { media: [part, file], other: 1 } }],
  }
  const { entry: kept, blobs } = withoutPictures(entry)
  assert.equal(blobs.length, 1)
  assert.ok(!JSON.stringify(kept).includes(png))
  assert.deepEqual(kept.message.blocks[0].parts[0], {
    type: 'image',
    id: 'ig_1',
    name: 'rain.png',
    url: `sluice:${blobs[0].ref}`,
  })
  assert.deepEqual(kept.message.blocks[0].parts[1], file, 'a file stays where it is')
  const whole = await withPictures(kept, async (ref) => (ref === blobs[0].ref ? blobs[0].bytes : null))
  assert.deepEqual(whole, entry)
  for (const media of [null, 'x', [null], [{ type: 'image' }]])
    withoutPictures({ ...entry, history: [{ role: 'assistant', content: 'x', metadata: { media } }] })
})

test('messagesForModel: a model that refused pictures does not get those of earlier answers', async () => {
  const base = { parent: null, at: 0 }
  const branch = [
    { ...base, id: '1', role: 'user', text: 'Draw' },
    {
      ...base,
      id: '2',
      role: 'assistant',
      message: { role: 'assistant', rounds: 1, blocks: [] },
      history: [{ role: 'assistant', content: 'x', metadata: { media: [picture, file] } }],
    },
    { ...base, id: '3', role: 'user', text: 'And?' },
    {
      ...base,
      id: '4',
      role: 'assistant',
      message: {
        role: 'assistant',
        rounds: 1,
        outcome: 'failed',
        blocks: [{ type: 'error', code: 'pictures_unsupported', detail: '' }],
      },
    },
    { ...base, id: '5', role: 'user', text: 'Now?' },
  ]
  const messages = await messagesForModel(branch)
  assert.deepEqual(messages[1].metadata.media, [{ type: 'file', mediaType: 'image/png' }, file])
})

test('endingOf: an answer of nothing but a picture is an answer', () => {
  assert.equal(endingOf({ outcome: 'completed', blocks: [{ type: 'media' }] }), undefined)
  assert.equal(endingOf({ outcome: 'completed', blocks: [] }), 'empty')
})

// -- readers ----------------------------------------------------------------------------------------------------------

const events = [
  { type: 'text', block: 0, text: 'Rain.' },
  { type: 'sources', block: 0, sources: [page] },
  { type: 'sources', block: 0, sources: [page, document] },
  { type: 'media', block: 1, part: picture },
  { type: 'media', block: 1, part: file },
  { type: 'media', block: 1, part: { type: 'file', id: 'file_1' } },
]
const turnOf = (list) => [{ type: 'request', round: 1 }, ...list]

/** The message after these events. */
function messageOf(list) {
  const { blocks } = applyDeltas(
    emptyView('m'),
    list.filter(({ type }) => type !== 'request'),
    1,
  )
  return { role: 'assistant', rounds: 1, blocks: blocks.map((block) => ({ ...block, round: 1 })) }
}

const parts = (chunks) => messageFrom('m', chunks).parts.filter(({ type }) => type !== 'step-start')
const expected = [
  { type: 'text', text: 'Rain.', state: 'done' },
  {
    type: 'source-url',
    sourceId: 'm:b0:s1',
    url: page.url,
    title: 'Oslo',
    providerMetadata: { sluice: { kind: 'web', start: 0, end: 4 } },
  },
  {
    type: 'source-document',
    sourceId: 'm:b0:s2',
    mediaType: 'application/octet-stream',
    title: 'a.pdf',
    providerMetadata: { sluice: { kind: 'file', id: 'file-1', cited: 'rain' } },
  },
  { type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${png}` },
  { type: 'file', mediaType: 'text/plain', url: 'data:text/plain;base64,aGk=' },
  { type: 'data-sluice-file', data: { id: 'file_1' } },
]

test('AI SDK: each source and each part is sent once, also in a message that is told again', () => {
  const writer = new MessageWriter('m', [])
  const chunks = [...turnOf(events).flatMap((event) => writer.take(event)), ...writer.end({ outcome: 'completed' })]
  assert.deepEqual(parts(chunks), expected)
  const again = new MessageWriter('m', [])
  assert.deepEqual(parts(again.retell(messageOf(events))), expected)
  assert.deepEqual(
    again.take({ type: 'sources', block: 0, sources: [page, document] }),
    [],
    'a list that did not grow brings nothing',
  )
})

test('AI SDK: parts that a page sends back become no text of the model', () => {
  const messages = [
    { id: '1', role: 'user', parts: [{ type: 'text', text: 'Draw' }] },
    {
      id: '2',
      role: 'assistant',
      parts: [
        ...expected,
        {
          type: 'dynamic-tool',
          toolName: 'code',
          toolCallId: 'c',
          state: 'output-available',
          input: {},
          output: [picture, { type: 'file', id: 'file_1' }],
        },
      ],
    },
  ]
  assert.deepEqual(
    toChatMessages(messages).map(({ content }) => content),
    ['Draw', 'Rain.', '[picture]\n[file]'],
  )
})

test('durable turns: a reader that has a part of the answer gets the other sources and pictures', async () => {
  const all = turnOf(events)
  for (let has = 0; has <= all.length; has++) {
    const before = new MessageWriter('m', [])
    const first = all.slice(0, has).flatMap((event) => before.take(event))
    for (const log of [
      all,
      [{ type: 'reset', message: messageOf(all.slice(0, has)) }, ...all.slice(has)],
      [...all.slice(0, has), { type: 'reset', message: messageOf(all) }],
    ]) {
      const turns = {
        async *events() {
          yield* log
          yield { type: 'done', outcome: 'completed' }
        },
        status: async () => ({ phase: 'done', questions: [], message: messageOf(all), outcome: 'completed' }),
      }
      const going = { message: messageOf(all.slice(0, has)), decided: new Set(), results: new Set() }
      const chunks = []
      const writer = new MessageWriter('m', [])
      for await (const one of chunksFor({ turns, turn: 't', writer, onEnd: async () => {} }, going))
        chunks.push(...one.chunks.map((text) => JSON.parse(text)))
      const got = parts([...first, ...chunks]).filter(({ type }) => type !== 'text')
      assert.deepEqual(got, expected.slice(1), `has ${has}, log ${JSON.stringify(log).slice(0, 200)}`)
    }
  }
})

test('durable turns: a message that lost a picture is read again from its start', async () => {
  const all = turnOf(events)
  const turns = {
    async *events() {
      yield* all
      yield { type: 'reset', message: messageOf(all.slice(0, -1)) }
    },
  }
  const chunks = []
  for await (const one of chunksFor({ turns, turn: 't', writer: new MessageWriter('m', []), onEnd: async () => {} }))
    chunks.push(...one.chunks.map((text) => JSON.parse(text)))
  assert.equal(chunks.at(-1).type, 'error')
})

test('AG-UI: sluice.sources and sluice.media name the message', () => {
  const writer = new EventWriter({ threadId: 't', runId: 'r', protocolVersion: '1.0' }, 'm', [])
  const told = turnOf(events).flatMap((event) => writer.take(event))
  assert.deepEqual(
    told.filter(({ type }) => type === 'CUSTOM').map(({ name, value }) => [name, value]),
    [
      ['sluice.sources', { messageId: 'm:b0', sources: [page] }],
      ['sluice.sources', { messageId: 'm:b0', sources: [page, document] }],
      ['sluice.media', { messageId: 'm:b1', part: picture }],
      ['sluice.media', { messageId: 'm:b1', part: file }],
      ['sluice.media', { messageId: 'm:b1', part: { type: 'file', id: 'file_1' } }],
    ],
  )
})

test('AG-UI: pictures and files of a result are parts of its content', () => {
  const writer = new EventWriter({ threadId: 't', runId: 'r', protocolVersion: '1.0' }, 'm', [])
  const card = {
    type: 'card',
    block: 0,
    call: 1,
    name: 'code',
    source: 'provider',
    status: 'success',
    parts: [picture, file, { type: 'file', id: 'file_1' }],
  }
  const { content } = writer.take(card).find(({ type }) => type === 'TOOL_CALL_RESULT')
  assert.deepEqual(content, [
    { type: 'image', source: { type: 'data', value: png, mimeType: 'image/png' } },
    { type: 'document', source: { type: 'data', value: 'aGk=', mimeType: 'text/plain' } },
  ])
})
