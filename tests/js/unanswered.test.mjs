// Waits that only the app can end: one warning for each engine, unless the app has shown that it answers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHost } from 'sluice/host'
import { connect } from 'sluice/renderer'
import { until } from './host-support.mjs'
import { callsEcho, echo, holdWaits, stage } from './support.mjs'

const asks = (more) => echo({ permission: 'sensitive', ...more })
const inWindow = () => echo({ execute: undefined, runsIn: 'window' })
const answers = () => callsEcho

function heard(t) {
  const warnings = []
  const hear = (warning) => warning.code === 'SLUICE_UNANSWERED' && warnings.push(warning.message)
  process.on('warning', hear)
  t.after(() => process.off('warning', hear))
  return warnings
}

/** Ten seconds pass; a warning is told a moment later. */
async function long(pass) {
  for (let n = 0; n < 3; n++) await new Promise((resolve) => setImmediate(resolve))
  pass()
  for (let n = 0; n < 3; n++) await new Promise((resolve) => setImmediate(resolve))
}

/** Reads the events; `on` is called before the next one is asked for. Resolves when something waits for the app. */
const read = (run, on = () => {}) =>
  new Promise(
    (resolve) =>
      void (async () => {
        for await (const event of run) {
          if (['approval', 'execute'].includes(event.type)) resolve()
          await on(event)
        }
      })(),
  )

const waits = [
  ['a question', { tools: [asks()] }, 'echo.back has waited 10 s: run.approve(event), run.deny(event), or approvals'],
  [
    'a result',
    { tools: [echo({ resultApproval: 'always' })] },
    'echo.back has waited 10 s: run.release(event), run.deny(event), or approvals',
  ],
  [
    'a tool of a window, without a host',
    { tools: [inWindow()] },
    'echo.back has waited 10 s: run.succeed(event, value) or run.fail(event, message)',
  ],
]

for (const [what, given, words] of waits) {
  test(`${what} that nobody answers is told once for each engine`, async (t) => {
    const pass = holdWaits(t, 10_000)
    const warnings = heard(t)
    const { run } = await stage(t, { answers, ...given })
    const runs = [run(), run()]
    for (const one of runs) await read(one)
    await long(pass)
    assert.deepEqual(warnings, [words])
    const third = run()
    await read(third)
    await long(pass)
    assert.deepEqual(warnings, [words])
    for (const one of [...runs, third]) await one.cancel()
  })
}

test('no warning where somebody answers, or may still answer', async (t) => {
  const pass = holdWaits(t, 10_000)
  const warnings = heard(t)
  const quiet = {
    'approvals answers': [
      { tools: [asks()], approvals: { execution: () => new Promise(() => {}) } },
      (run) => read(run),
    ],
    'the reader holds the event': [
      { tools: [asks()] },
      (run) => read(run, ({ type }) => type === 'approval' && new Promise(() => {})),
    ],
    'an external tool': [{ tools: [echo({ execute: undefined, external: true })] }, (run) => read(run)],
    'the app looks at quiet': [{ tools: [asks()] }, (run) => (void run.quiet, read(run))],
    'the run ended': [
      { tools: [asks()] },
      (run) => read(run, ({ type }) => void (type === 'approval' && setImmediate(() => run.cancel()))),
    ],
  }
  for (const [what, [given, follow]] of Object.entries(quiet)) {
    const { run } = await stage(t, { answers, ...given })
    const one = run()
    await follow(one)
    await long(pass)
    assert.deepEqual(warnings, [], what)
    await one.cancel('over', { graceMs: 0 })
  }
})

test('an app that has answered once is not warned: a person takes longer', async (t) => {
  const pass = holdWaits(t, 10_000)
  const warnings = heard(t)
  const { run } = await stage(t, { answers: [callsEcho, { text: 'Done.' }, callsEcho], tools: [asks()] })
  const first = run()
  for await (const event of first) if (event.type === 'approval') first.deny(event)
  const second = run()
  await read(second)
  await long(pass)
  assert.deepEqual(warnings, [])
  await second.cancel()
})

test('a host waits for people without a warning', async (t) => {
  const pass = holdWaits(t, 10_000)
  const warnings = heard(t)
  const { engine, server } = await stage(t, { answers, tools: [asks()] })
  const host = createHost(engine, { run: () => ({ model: { baseURL: server.baseURL, name: 'scripted' } }) })
  t.after(() => host.close())
  const message = await connect(host.bridge()).send('Hello')
  await until(() => message.getSnapshot().questions.length > 0)
  await long(pass)
  assert.deepEqual(warnings, [])
})
