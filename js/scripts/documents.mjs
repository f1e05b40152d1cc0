// npm run documents: writes the examples of native/include/sluice/documents.md anew, by running the library. Every
// block "```json <name>" of that page is the example of that name below.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { protocolsPage, withFences } from './fences.mjs'
import { command, root, say, Stop } from './run.mjs'

export const page = join(root, 'native/include/sluice/documents.md')

// -- the turns that are run -------------------------------------------------------------------------------------------

/** A turn over the bare addon, which is sluice.h function by function. */
class Scene {
  events = []
  #now = 1764078600000

  constructor(addon, engine, turn) {
    this.addon = addon
    this.engine = addon.engineNew(JSON.stringify(engine))
    this.turn = addon.turnNew(this.engine, JSON.stringify(turn))
    this.call('tick', this.#now)
    this.poll()
  }

  poll() {
    for (let event = this.addon.nextEvent(this.turn); event !== null; event = this.addon.nextEvent(this.turn))
      this.events.push(JSON.parse(event))
  }

  /** Calls a verb that must succeed, and polls. */
  call(verb, ...args) {
    const code = this.addon[verb](this.turn, ...args)
    if (code < 0) throw new Error(`${verb} gave ${code}: ${this.addon.get(this.turn, 7)}`)
    this.poll()
    return this
  }

  wait(ms) {
    return this.call('tick', (this.#now += ms))
  }

  feed(...chunks) {
    return this.call('feed', Buffer.from(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')))
  }

  /** A whole answer of `openai-chat`. */
  answer(deltas, finish_reason, ...more) {
    return this.feed(...deltas.map(delta), { choices: [{ index: 0, delta: {}, finish_reason }] }, ...more)
      .wait(900)
      .call('finish', 0, null)
  }

  /** The first event of this type that has these members. */
  event(type, members = {}) {
    const found = this.events.find(
      (event) => event.type === type && Object.entries(members).every(([name, value]) => event[name] === value),
    )
    if (found === undefined)
      throw new Error(`no event ${type} ${JSON.stringify(members)} among ${this.events.map((event) => event.type)}`)
    return found
  }

  document(what) {
    return JSON.parse(this.addon.get(this.turn, what))
  }
}

const delta = (delta) => ({ choices: [{ index: 0, delta }] })
const calls = (name, args, id = 'call_1') => ({
  tool_calls: [{ index: 0, id, function: { name, arguments: JSON.stringify(args) } }],
})
const says = (content) => ({ role: 'user', content })
const asking = (content, more = {}) => ({
  wire: 'openai-chat',
  request: { model: 'm', messages: [says(content)] },
  ...more,
})

const weather = {
  name: 'weather.now',
  description: 'The weather in a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  agentCallable: true,
  permission: 'moderate',
}
const smile = {
  name: 'live2d.expression',
  parameters: { type: 'object', properties: { name: { enum: ['smile', 'cry'] } }, required: ['name'] },
  agentCallable: true,
  permission: 'public',
  immediate: true,
  ipc: { channel: 'live2d:expression', payload: [{ arg: 'name' }] },
}

/** Every example of the page, by name. */
export function examples(addon) {
  const out = {}
  const add = (names) => Object.assign(out, names)

  const engine = { tools: [weather, { name: 'file.delete', agentCallable: false }], maxRounds: 3 }
  const turn = asking('Do I need an umbrella?', { firstByteTimeoutMs: 60000 })
  const main = new Scene(addon, engine, turn)
  add({ engine, turn, 'event request': main.event('request'), request: main.document(1) })
  main.call('response', 200, '{"x-request-id":"req_1"}')
  main.feed(delta({ reasoning_content: 'The forecast will tell.' }), delta({ content: 'Let me look. ' }))
  main.feed(
    delta({ tool_calls: [{ index: 0, id: 'call_1', function: { name: 'weather_now', arguments: '{"city":' } }] }),
  )
  main.feed(delta({ tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] }))
  main.answer([], 'tool_calls', { choices: [], usage: { prompt_tokens: 120, completion_tokens: 18 } })

  const shown = new Scene(addon, {}, asking('Draw the weather.'))
  shown.answer(
    [
      { content: 'Rain all day.' },
      {
        annotations: [
          {
            type: 'url_citation',
            url_citation: { url: 'https://weather.example/oslo', title: 'Oslo', start_index: 0, end_index: 4 },
          },
        ],
        images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }],
      },
    ],
    'stop',
  )
  add({ 'event sources': shown.event('sources'), 'event media': shown.event('media') })

  add({
    'event reasoning': main.event('reasoning'),
    'event text': main.event('text'),
    'event args': main.event('args'),
    'event card': main.event('card'),
    'event card read': main.event('card', { status: 'pending' }),
    'event approval': main.event('approval'),
    'event usage': main.event('usage'),
    'event round': main.event('round'),
  })
  main.wait(4000).call('approve', 1, 2, null)
  add({ 'event rule': main.event('rule'), 'event execute': main.event('execute') })
  main.call('submit', 1, 4, 'asking the weather station').wait(350).call('submit', 1, 0, 'Rain at four.')
  add({ 'event progress': main.event('progress'), 'event card done': main.event('card', { status: 'success' }) })
  main.answer([{ content: 'Take one.' }], 'stop')
  add({ 'event done': main.event('done'), message: main.document(2), history: main.document(3) })
  const { knownProtocols, profiles, settings, ...tools } = main.document(4)
  add({
    tools: {
      ...tools,
      knownProtocols: [...knownProtocols.slice(0, 3), '…'],
      profiles: [profiles[0], '…'],
      settings: '…',
    },
  })
  add({ settings: new Scene(addon, {}, asking('Hi')).document(4).settings })
  add({
    'find tool': JSON.parse(addon.findTool(main.turn, 'functions.weather_now')),
    'find no tool': JSON.parse(addon.findTool(main.turn, 'wether')),
  })
  addon.approve(main.turn, 1, 0, null)
  add({ error: main.document(7) })

  add({
    prompt: new Scene(addon, { tools: [weather] }, asking('Hi', { mode: 'text', protocol: 'hermes' })).document(5),
  })

  const called = { name: 'weather.now', arguments: '{}' }
  const written = {
    mode: 'text',
    protocol: 'hermes',
    injectTools: 'off',
    request: {
      messages: [
        { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: called }] },
        { role: 'tool', tool_call_id: 'call_1', content: 'Rain. <tool_call>' },
      ],
    },
  }
  add({
    'turn of results': written,
    'request of results': new Scene(addon, { tools: [weather] }, written).document(1),
  })

  const goingOn = new Scene(addon, { tools: [weather] }, { wire: 'text', protocol: 'hermes' })
  goingOn.call('feed', Buffer.from('One moment. <tool_ca'))
  add({ 'message of a text that goes on': goingOn.document(2) })

  const held = new Scene(
    addon,
    { tools: [{ ...weather, permission: 'public', resultApproval: 'always' }] },
    asking('Umbrella?'),
  )
  held.answer([calls('weather_now', { city: 'Oslo' })], 'tool_calls')
  held.call(
    'submit',
    1,
    5,
    JSON.stringify({ output: { text: 'Rain at four. Key: abc' }, hostOutput: { text: 'Rain at four.' } }),
  )
  add({
    'event approval of a result': held.event('approval'),
    'event card rewritten': held.event('card', { status: 'awaiting_result_approval' }),
  })

  const stopped = new Scene(
    addon,
    { tools: [{ ...weather, permission: 'public' }], dispatch: 'block' },
    asking('Umbrella?'),
  )
  stopped.feed(delta({ content: 'I' }), delta(calls('weather_now', { city: 'Oslo' })), delta({ content: ' look' }))
  stopped.call('cancel', 0, 'the user pressed stop')
  add({ 'event abortRequest': stopped.event('abortRequest'), 'event abortTool': stopped.event('abortTool') })

  const pet = new Scene(addon, { tools: [smile] }, asking('Hi'))
  pet.answer(
    [{ content: 'Hello! ' }, calls('live2d_expression', { name: 'smile' }), { content: 'Good to see you.' }],
    'stop',
  )
  add({ 'event ipc': pet.event('ipc') })

  const checked = new Scene(addon, {}, asking('A number, please', { checkFinal: true }))
  checked.answer([{ content: 'seven' }], 'stop')
  checked.call('conclude', 1, 'Write it in digits.')
  add({ 'event final': checked.event('final'), 'event retracted': checked.event('retracted') })

  const referring = new Scene(addon, { tools: [weather] }, asking('At home?', { checkArguments: true }))
  referring.answer([calls('weather_now', { city: '{{home}}' })], 'tool_calls')
  add({ 'event resolve': referring.event('resolve') })

  const refused = new Scene(addon, {}, asking('Hi'))
  refused
    .call('response', 503, '{"retry-after":"2","x-request-id":"req_2"}')
    .call('feed', Buffer.from('{"error":{"message":"overloaded"}}'))
    .call('finish', 0, null)
  add({ 'event error': refused.event('error') })

  const quoted = new Scene(addon, { tools: [weather] }, { wire: 'text', protocol: 'hermes' })
  quoted
    .call('feed', Buffer.from('<tool_call>{"name": "weather.now", "arguments": {"city": </tool_call>'))
    .call('finish', 0, null)
  add({ 'event diagnostic': quoted.event('diagnostic') })

  const open = [
    says('Umbrella?'),
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather.now', arguments: '{"city":"Oslo"}' } }],
    },
  ]
  const adopting = new Scene(
    addon,
    { tools: [weather] },
    { wire: 'openai-chat', request: { model: 'm', messages: open } },
  )
  add({ 'event card adopted': adopting.event('card') })

  const wrong = addon.engineNew('{"tools":[{"name":"t","permission":"maybe"}]}')
  add({ 'engine error': JSON.parse(addon.engineError(wrong)) })
  return out
}

// -- how they stand on the page ---------------------------------------------------------------------------------------

/** JSON in lines of at most `width` characters: what fits stands on one line. */
export function shown(value, indent = '', width = 120) {
  const line = oneLine(value)
  if (typeof value !== 'object' || value === null || indent.length + line.length <= width) return line
  const inner = `${indent}  `
  const items = Array.isArray(value)
    ? value.map((item) => shown(item, inner, width))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${shown(item, inner, width)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${items.map((item) => inner + item).join(',\n')}\n${indent}${close}`
}

function oneLine(value) {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${value.map(oneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${oneLine(item)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/** The page with every example as the library gives it now. `used`: gets the names of the examples on the page. */
export function rewritten(text, all, used = new Set()) {
  return text.replace(/^```json ([^\n]+)\n[^]*?^```$/gm, (_, name) => {
    if (!(name in all))
      throw new Stop(`documents.md: there is no example "${name}"; there are ${Object.keys(all).join(', ')}`)
    used.add(name)
    return `\`\`\`json ${name}\n${shown(all[name])}\n\`\`\``
  })
}

export function loadExamples() {
  const file = process.env.SLUICE_ADDON ?? join(root, 'build/release/sluice.node')
  if (!existsSync(file)) throw new Stop(`${file} is missing: npm run build`)
  return examples(createRequire(import.meta.url)(file))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(() => {
    const all = loadExamples()
    const before = readFileSync(page, 'utf8')
    const after = rewritten(before, all)
    writeFileSync(page, after)
    writeFileSync(protocolsPage, withFences(readFileSync(protocolsPage, 'utf8')))
    say(
      `native/include/sluice/documents.md: ${after === before ? 'every example is as it was' : 'the examples were written anew'}`,
    )
  })
}
