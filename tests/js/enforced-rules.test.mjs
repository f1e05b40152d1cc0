// What providers enforce beyond their documentation: each rule has a case, refuses the smallest wrong request in the
// provider's words, takes the smallest right one, and takes what Sluice writes for the same conversation.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Engine, tool } from 'sluice'
import { enforcedRules, startScriptedServer } from 'sluice/testing'
import { checks } from './checks.mjs'
import { cases, schema } from './enforced-cases.mjs'

const paths = {
  'openai-chat': () => '/v1/chat/completions',
  anthropic: () => '/v1/messages',
  gemini: (model) => `/v1beta/models/${model}:generateContent`,
  'gemini-interactions': () => '/v1beta/interactions',
  'openai-responses': () => '/v1/responses',
  ollama: () => '/api/chat',
}

/** The words of a rule, whatever stands in its places. */
const wordsOf = ({ words }) =>
  new RegExp(
    `^${words
      .split(/\{\w+\}/)
      .map((piece) => piece.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
      .join('[^]*')}$`,
  )

const messageIn = (body) => {
  const { error } = JSON.parse(body)
  return typeof error === 'string' ? error : error.message
}

/** What a server with the case's manner says to these bodies: null where it takes one. */
async function answersTo(t, wire, one, bodies, strict = true) {
  const { server, thoughts, first } = one
  const asked = await startScriptedServer({
    answers: (_, index) => (first && index === 0 ? first.answer : { text: 'ok', json: true }),
    appendOnly: false,
    strict,
    ...(server ? { server } : {}),
    ...(thoughts ? { thoughts } : {}),
  })
  t.after(asked.close)
  const ask = async (body) => {
    const response = await fetch(asked.url + paths[wire](one.model ?? 'm'), {
      method: 'POST',
      headers: { 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ ...body, ...(wire === 'gemini' ? {} : { stream: false }) }),
    })
    return { status: response.status, text: await response.text() }
  }
  const before = first && JSON.parse((await ask(first.body)).text)
  const said = []
  for (const body of bodies) {
    const { status, text } = await ask(typeof body === 'function' ? body(before) : body)
    said.push(status === 200 ? null : messageIn(text))
  }
  return said
}

/** What a strict server refuses of what an engine writes in this conversation. */
async function ownRefusals(t, wire, one, rule) {
  const { answers = [{ text: 'ok' }], tools = [], messages = [{ role: 'user', content: 'x' }] } = one.own
  const server = await startScriptedServer({
    answers: (_, index) => answers[Math.min(index, answers.length - 1)],
    strict: !one.direct,
    ...(one.server ? { server: one.server } : {}),
    ...(one.thoughts ? { thoughts: one.thoughts } : {}),
  })
  t.after(server.close)
  const refusals = []
  const transport = async ({ url, ...request }, signal) => {
    const response = await fetch(server.url + new URL(url).pathname + new URL(url).search, { ...request, signal })
    if (response.status === 400) refusals.push(messageIn(await response.clone().text()))
    return response
  }
  const engine = new Engine({
    transport,
    retries: 0,
    tools: tools.map((more) =>
      tool({
        name: 'f',
        description: 'd',
        parameters: schema,
        agentCallable: true,
        permission: 'public',
        execute: () => 'r',
        ...more,
      }),
    ),
  })
  t.after(() => engine.close())
  const model = {
    wire,
    baseURL: one.baseURL ?? server.baseURLs[wire],
    apiKey: 'k',
    name: one.own.model ?? one.model ?? 'm',
  }
  await engine.run({ model, messages, ...one.own.settings }).done
  assert.ok(server.requests.length > 0, 'nothing was sent')
  if (!one.direct) return refusals
  const context = { model: 'm', given: one.given ?? [], server: {} }
  return server.requests.filter(({ body }) => rule.refuses(body, context)).map(() => rule.words)
}

test('every rule has a case, a month and a source, and a name of its own', () => {
  for (const [wire, rules] of Object.entries(enforcedRules)) {
    assert.deepEqual(
      rules.map(({ name }) => name),
      [...new Set(rules.map(({ name }) => name))],
    )
    assert.deepEqual(Object.keys(cases[wire]).sort(), rules.map(({ name }) => name).sort(), wire)
    for (const { name, since, source } of rules) {
      assert.match(since, /^20\d\d-(0[1-9]|1[0-2])$/, name)
      assert.match(source, /^(documentation: .+|RFC \d+.+|[\w.-]+\/[\w.-]+#\d+.*)$/, name)
    }
  }
})

for (const [wire, rules] of Object.entries(enforcedRules)) {
  test(`${wire}: each rule refuses the smallest wrong request in its words, and takes the smallest right one`, async (t) => {
    for (const rule of rules) {
      const one = cases[wire][rule.name]
      const bodies = [one.refused, one.taken]
      const [refused, taken] = one.direct
        ? bodies.map((body) => checks[wire](body, one.given, { strict: true, server: one.server }))
        : await answersTo(t, wire, one, bodies)
      assert.match(refused ?? 'taken', wordsOf(rule), rule.name)
      assert.equal(taken, null, `${rule.name}: ${taken}`)
    }
  })

  for (const rule of rules) {
    const { name } = rule
    const one = cases[wire][name]
    if (typeof one.own === 'string') continue
    test(`${wire}: what Sluice writes breaks no rule: ${name}`, async (t) => {
      assert.deepEqual(await ownRefusals(t, wire, one, rule), [])
    })
  }
}
