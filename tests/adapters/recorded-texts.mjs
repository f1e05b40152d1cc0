// Every recorded text of the model families (../shared/texts), what the engine makes of each, and whether a client got
// just that.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { built } from '../js/dist.mjs'

const { Engine, tool } = await built('sluice')

export const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(process.env.SLUICE_SHARED || join(root, '../shared'), 'texts')
const exceptions = JSON.parse(readFileSync(join(root, 'tests/conformance_exceptions.json'), 'utf8'))
export const families = existsSync(folder)
  ? readdirSync(folder, { withFileTypes: true })
      .filter((one) => one.isDirectory())
      .map(({ name }) => name)
  : []

/**
 * The texts of a family, with tools for those that came without. `excepted`: those that contradict what is promised
 * here in the text beside the calls.
 */
export const textsOf = (family, excepted = false) =>
  readdirSync(join(folder, family))
    .filter((name) => `${family}/${name}` in exceptions === excepted)
    .map((name) => {
      const recorded = JSON.parse(readFileSync(join(folder, family, name), 'utf8'))
      const declared = (recorded.tools ?? [])
        .map((one) => one.function ?? one)
        .map(({ name, description, parameters }) => ({
          name,
          ...(description ? { description } : {}),
          ...(parameters ? { parameters } : {}),
        }))
      const called = [...new Set(recorded.expected_calls.map((call) => call.name))].map((name) => ({
        name,
        parameters: { type: 'object' },
      }))
      const functions = declared.length > 0 ? declared : called.length > 0 ? called : [{ name: 'nothing_of_this_name' }]
      return {
        ...recorded,
        name: `${family}/${name}`,
        excepted,
        declared: declared.length > 0,
        tools: functions.map((one) => ({ type: 'function', function: one })),
      }
    })

/** Is `said` these texts, with any white space between and around them? */
function isSaid(said, texts) {
  let left = said.trimStart()
  for (const text of texts.map((one) => one.trim())) {
    if (!left.startsWith(text)) return false
    left = left.slice(text.length).trimStart()
  }
  return left === ''
}

/** What the engine makes of a text: the calls, and what is shown. What lost something is shown as it was written. */
function expected({ input, protocol: _, tools, starts_in_reasoning: startsInReasoning = false }, family) {
  const declared = ({ function: { name, description = '', parameters = { type: 'object' } } }) => {
    const made = tool({ name, description, agentCallable: true })
    return { ...made, declaration: { ...made.declaration, parameters } } // `tool()` refuses what some recordings have
  }
  const engine = new Engine({ tools: tools.map(declared) })
  const { blocks } = engine.parse(input, { protocol: family, startsInReasoning })
  engine.close()
  const isWhole = ({ status, reason }) => status === 'pending' || reason === 'schema'
  const seen = new Set()
  const shown = blocks.flatMap((block) => {
    if (block.type === 'text') return [block.text]
    if (block.type !== 'tool_use' || isWhole(block) || seen.has(block.start)) return []
    seen.add(block.start)
    return [block.raw]
  })
  return {
    shown,
    lost: seen.size > 0,
    calls: blocks
      .filter((block) => block.type === 'tool_use' && isWhole(block))
      .map((block) => [block.name, block.arguments]),
  }
}

/** Holds what a client read against the recording. */
export function compare(recorded, family, { content, reasoning, calls, finish }) {
  const { shown, lost, calls: read } = expected(recorded, family)
  assert.deepEqual(calls, read, recorded.name)
  assert.equal(finish, calls.length > 0 ? 'tool_calls' : 'stop', recorded.name)
  assert.ok(isSaid(content, shown), `${recorded.name}: ${JSON.stringify(content)} is not ${JSON.stringify(shown)}`)
  const known = new Set(recorded.tools.map(({ function: { name } }) => name))
  const counted =
    recorded.expected_calls.length === 0 && recorded.declared ? calls.filter(([name]) => known.has(name)) : calls
  assert.deepEqual(
    counted,
    recorded.expected_calls.map(({ name, arguments: args }) => [name, args]),
    recorded.name,
  )
  if (!lost && !recorded.excepted)
    assert.ok(
      [recorded.expected_text, ...(recorded.text_variants ?? [])].some((text) => isSaid(text, shown)),
      `${recorded.name}: ${JSON.stringify(content)}`,
    )
  if (recorded.expected_reasoning !== undefined)
    assert.equal(reasoning.replaceAll(/\s+/g, ''), recorded.expected_reasoning.replaceAll(/\s+/g, ''), recorded.name)
}

/** The calls of a message of OpenAI. */
export const callsOf = (calls = []) => calls.map(({ function: { name, arguments: args } }) => [name, JSON.parse(args)])

export const skip = families.length === 0 && 'no recorded texts at ../shared or $SLUICE_SHARED'
