// What the gallery talks to: a real engine and host, tools that end in every way, and a model that says what
// `scenes.js` has it say.
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Engine, resultParts, tool } from 'sluice'
import { createHost } from 'sluice/host'
import { startScriptedServer } from 'sluice/testing'
import { serve } from 'sluice/web'
import { scenes } from './scenes.js'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const text = (description) => ({ type: 'string', description })
const object = (properties, required = Object.keys(properties)) => ({ type: 'object', properties, required })
const forEver = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
const base = { agentCallable: true, permission: 'public' }
const reads = { annotations: { readOnlyHint: true } }

const tools = [
  tool({
    ...base,
    ...reads,
    name: 'weather.now',
    description: 'The weather in a city.',
    tags: ['look up'],
    parameters: object({ city: text('where') }),
    title: { en: 'Look at the sky', zh: '看看天气' },
    done: { en: 'Looked up {count} things', zh: '查了 {count} 件事' },
    labels: { '/city': { en: 'City', zh: '城市' } },
    execute: async ({ city }, { signal }) => (
      await delay(420, undefined, { signal }), { city, now: '22 °C', next: '16:00' }
    ),
  }),
  tool({
    ...base,
    ...reads,
    name: 'weather.forecast',
    description: 'The days to come.',
    parameters: object({ city: text('where'), days: { type: 'integer' } }),
    execute: () => [
      { day: '17 Oct', high: 21, low: 14, rain: 0.8 },
      { day: '18 Oct', high: 24, low: 15, rain: 0 },
      { day: '19 Oct', high: 19, low: 12, rain: 0.35 },
    ],
  }),
  tool({
    ...base,
    ...reads,
    name: 'user.profile',
    description: 'Who the user is.',
    execute: () => ({
      id: 7,
      name: 'Lin',
      roles: ['admin', 'writer'],
      address: { city: 'Hangzhou', geo: { lat: 30.2, lon: 120.1 } },
      active: true,
      note: null,
      log: Array.from({ length: 40 }, (_, at) => ({ at, deep: { at } })),
    }),
  }),
  tool({
    ...base,
    permission: 'moderate',
    name: 'notes.add',
    description: 'Adds a note.',
    parameters: object({ text: text('the note'), due: text('when') }, ['text']),
    annotations: { destructiveHint: false },
    title: { en: 'Add a note', zh: '记笔记' },
    sentence: { en: 'note **{text}**', zh: '记下**{text}**' },
    labels: { '/text': { en: 'Note', zh: '内容' }, '/due': { en: 'Due', zh: '时间' } },
    icon: 'file',
    execute: ({ text }) => `noted: ${text}`,
  }),
  tool({
    ...base,
    permission: 'sensitive',
    name: 'message.send',
    description: 'Sends a message.',
    parameters: object({ to: text('who'), text: text('what') }),
    annotations: { destructiveHint: false, openWorldHint: true },
    title: { en: 'Send a message', zh: '发消息' },
    about: { en: 'Goes to the person at once, in your name.', zh: '以你的名义立即发送。' },
    sentence: { en: 'send **{text}** to **{to}**', zh: '给**{to}**发**{text}**' },
    labels: { '/to': { en: 'Recipient', zh: '收件人' }, '/text': { en: 'Message', zh: '内容' } },
    icon: 'mail',
    execute: ({ to }) => `sent to ${to}`,
  }),
  tool({
    ...base,
    permission: 'sensitive',
    name: 'shell.run',
    description: 'Runs a command in a terminal.',
    parameters: object({ command: text('the command') }),
    execute: () => 'ok',
  }),
  tool({
    ...base,
    permission: 'sensitive',
    name: 'srv.wipe',
    description: 'Reads a list.',
    parameters: object({ list: text('which') }),
    from: 'files.example',
    title: 'Read only',
    execute: () => 'ok',
  }),
  tool({
    ...base,
    ...reads,
    resultApproval: 'always',
    name: 'diary.read',
    description: 'Reads the diary of the user.',
    parameters: object({ day: text('which day') }),
    title: { en: 'Read the diary', zh: '读日记' },
    sentence: { en: 'read **your diary**', zh: '读**你的日记**' },
    labels: { '/day': { en: 'Day', zh: '日期' } },
    execute: ({ day }) => ({ day, entry: /[一-龥]/.test(day) ? '和小林在湖边野餐。' : 'Picnic by the lake with Lin.' }),
  }),
  tool({
    ...base,
    name: 'album.make',
    description: 'Sorts photos.',
    parameters: object({ photos: { type: 'integer' } }),
    title: { en: 'Make an album', zh: '做相册' },
    labels: { '/photos': { en: 'Photos', zh: '照片' } },
    icon: 'image',
    annotations: { destructiveHint: false },
    timeoutMs: 0,
    async execute({ photos }, context) {
      context.progress({ done: 12, total: photos })
      return await forEver(context)
    },
  }),
  tool({
    ...base,
    ...reads,
    name: 'web.search',
    description: 'Searches the web.',
    parameters: object({ query: text('for what') }),
    tags: ['look up'],
    timeoutMs: 60,
    execute: (_, context) => forEver(context),
  }),
  tool({
    ...base,
    name: 'file.read',
    description: 'Reads a file.',
    ...reads,
    parameters: object({ path: text('which') }),
    execute: ({ path }) => {
      throw new Error(`EACCES: permission denied, open '${path}'`)
    },
  }),
  tool({
    ...base,
    ...reads,
    name: 'camera.shoot',
    description: 'Takes pictures.',
    parameters: object({ count: { type: 'integer' } }),
    execute: ({ count }) => {
      const data = readFileSync(here('../../demo/pet/tray.png'), 'base64')
      return resultParts(
        { type: 'text', text: `${count} pictures` },
        ...Array.from({ length: count }, () => ({ type: 'image', mediaType: 'image/png', data })),
      )
    },
  }),
  tool({
    ...base,
    name: 'live2d.expression',
    description: 'Changes the face.',
    parameters: object({ name: text('which') }),
    ipc: { channel: 'pet:expression', payload: [{ arg: 'name' }] },
    sentence: { en: 'look **{name}**', zh: '做出**{name}**的表情' },
  }),
]

const address = 'https://api.example.com/v1'

/** What is asked, in each language, to the scene of it. */
const byQuestion = new Map(
  scenes.flatMap((scene) =>
    Object.entries(scene.question).map(([language, question]) => [question, { scene, language }]),
  ),
)

/** `{ en, zh }` anywhere in a value becomes the text of the language. */
function inLanguage(value, language) {
  if (typeof value !== 'object' || value === null || value instanceof Promise) return value
  if (Array.isArray(value)) return value.map((one) => inLanguage(one, language))
  if ('en' in value && 'zh' in value) return value[language]
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inLanguage(inner, language)]))
}

const textOf = (content) =>
  Array.isArray(content) ? content.map(({ text = '' }) => text).join('') : String(content ?? '')

function answer({ body: { messages } }) {
  const asked = messages.findLastIndex(({ role, content }) => role === 'user' && byQuestion.has(textOf(content)))
  const { scene, language } = byQuestion.get(textOf(messages[asked]?.content)) ?? {}
  const round = messages.slice(asked + 1).filter(({ role }) => role === 'assistant').length
  const said = scene?.rounds[round] ?? [{ text: '…' }]
  return inLanguage(
    Array.isArray(said)
      ? { parts: said, usage: { prompt_tokens: 1130, completion_tokens: 86, cached_tokens: 1024 } }
      : said,
    language,
  )
}

/** Starts the gallery's page on this machine. `port`: default any that is free. */
export async function startGallery({ port = 0, tester } = {}) {
  const scripted = await startScriptedServer({ answers: answer, appendOnly: false, delayMs: 12 })
  // What is shown of the address is the same at any port.
  const transport = ({ url, ...request }, signal) =>
    fetch(url.replace(address, scripted.baseURL), { ...request, signal })
  const engine = new Engine({ tools })
  let chosen
  const host = createHost(engine, {
    server: { current: () => chosen, use: (model) => void (chosen = model ?? undefined) },
    run: ({ text }) => ({
      model: { baseURL: address, name: 'qwen3' },
      transport,
      ...byQuestion.get(text)?.scene.settings,
    }),
    openExternal: () => {},
    maxRunning: 1000,
    keepMessages: 10_000,
  })
  const close = async () => {
    await host.close()
    engine.close()
    await scripted.close()
    await tester?.close()
  }
  try {
    const server = await serve({
      host,
      rights: { read: true, chat: true, approve: true, configure: true, server: true },
      roots: { '/': here('./'), '/shared/': here('../shared/') },
      port,
      routes: { 'POST /api/tester': () => ({ url: tester?.url ?? null }) },
    })
    return { url: server.url, origin: server.origin, close: () => server.close().finally(close) }
  } catch (error) {
    await close()
    throw error
  }
}
