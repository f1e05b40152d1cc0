import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileRules, memoryRules } from 'sluice'
import { callsEcho, cards, collect, echo, ofType, stage } from './support.mjs'

const twice = [callsEcho, { text: 'Done.' }, callsEcho, { text: 'Done.' }]
const asking = (more) => echo({ permission: 'moderate', ...more })

test('a moderate tool waits until whoever reads the events approves', async (t) => {
  const { run } = await stage(t, { answers: twice, tools: [asking()] })
  const turn = run()
  const events = await collect(turn, (event) => event.type === 'approval' && turn.approve(event.call))
  const [approval] = ofType(events, 'approval')
  assert.equal(approval.stage, 'execution')
  assert.equal(approval.level, 'moderate')
  assert.match(approval.digest, /^[0-9a-f]{64}$/)
  assert.equal(cards(await turn.done)[0].status, 'success')
  assert.equal(turn.approve(approval.call), false, 'nothing is decided after the end')
})

test('a decision about another question than the one that waits decides nothing', async (t) => {
  const { run } = await stage(t, { answers: twice, tools: [asking({ resultApproval: 'always' })] })
  const turn = run()
  const asked = []
  await collect(turn, (event) => {
    if (event.type !== 'approval') return
    asked.push(event)
    const stale = { call: event.call, digest: asked.length === 1 ? '0'.repeat(64) : asked[0].digest }
    for (const decide of [
      () => turn.approve(stale),
      () => turn.approve(event.call, { digest: stale.digest }),
      () => turn.deny(stale, 'no'),
      () => turn.refuse(stale),
      () => turn.release(stale),
    ]) {
      assert.equal(decide(), false)
    }
    assert.equal(
      event.stage === 'execution' ? turn.approve(event, { digest: event.digest }) : turn.release(event),
      true,
    )
  })
  assert.deepEqual(
    asked.map(({ stage }) => stage),
    ['execution', 'result'],
  )
  assert.equal(cards(await turn.done)[0].status, 'success')
})

test('arguments that JSON cannot hold are no edit', async (t) => {
  const { run } = await stage(t, { answers: twice, tools: [asking()] })
  const turn = run()
  await collect(turn, (event) => {
    if (event.type !== 'approval') return
    assert.throws(() => turn.approve(event, { arguments: { text: NaN } }), {
      code: 'option',
      path: 'arguments.text',
      message: /found NaN/,
    })
    turn.deny(event)
  })
  assert.equal(cards(await turn.done)[0].status, 'denied')
})

test('a denial is told to the model with its reason', async (t) => {
  const { server, run } = await stage(t, { answers: twice, tools: [asking()] })
  const turn = run()
  await collect(turn, (event) => {
    if (event.type !== 'approval') return
    assert.equal(turn.deny(event.call, 'not on a Sunday'), true)
    assert.equal(turn.approve(event.call), false)
  })
  assert.equal(cards(await turn.done)[0].status, 'denied')
  assert.match(server.requests[1].body.messages[2].content, /not on a Sunday/)
})

test('edited arguments run and stand beside the original', async (t) => {
  const { run } = await stage(t, { answers: twice, tools: [asking()] })
  const turn = run()
  await collect(
    turn,
    (event) => event.type === 'approval' && turn.approve(event.call, { arguments: { text: 'edited' } }),
  )
  const [card] = cards(await turn.done)
  assert.equal(card.output, 'you said edited')
  assert.deepEqual(card.arguments, { text: 'hi' })
  assert.deepEqual(card.editedArguments, { text: 'edited' })
})

test('an adapter decides where nobody reads the events', async (t) => {
  const asks = []
  const execution = async (ask) => {
    asks.push(ask)
    return 'once'
  }
  const { run } = await stage(t, { answers: twice, tools: [asking()], approvals: { execution } })
  assert.equal(cards(await run().done)[0].status, 'success')
  assert.equal(asks.length, 1)
  assert.equal(asks[0].name, 'echo.back')
  assert.equal(asks[0].description, 'Says it again.')
  assert.deepEqual(asks[0].arguments, { text: 'hi' })
  const denied = run({ approvals: { execution: () => ({ decision: 'deny', reason: 'no' }) } })
  assert.equal(cards(await denied.done)[0].status, 'denied')
})

/** What the next warning of Sluice says. */
const warning = () =>
  new Promise((resolve) => {
    process.on('warning', function hear({ name, message }) {
      if (name !== 'SluiceWarning') return
      process.off('warning', hear)
      resolve(message)
    })
  })

test('an adapter that throws or answers nonsense denies, by policy, and a warning says so', async (t) => {
  const { run } = await stage(t, {
    answers: [...Array(6)].flatMap(() => [callsEcho, { text: 'Done.' }]),
    tools: [asking({ resultApproval: 'always' })],
  })
  const expected = 'found %, expected once | turn | session | always | deny | reject'
  for (const [stage, execution, result, said] of [
    [
      'execution',
      () => {
        throw new Error('window gone')
      },
      undefined,
      'window gone',
    ],
    ['execution', () => true, undefined, `approvals.execution: ${expected.replace('%', 'true')}`],
    ['execution', () => 'release', undefined, `approvals.execution: ${expected.replace('%', '"release"')}`],
    [
      'execution',
      () => ({ remember: 'once' }),
      undefined,
      `approvals.execution.decision: ${expected.replace('%', 'undefined')}`,
    ],
    ['result', () => 'once', () => 'once', 'approvals.result: found "once", expected release | reject | deny'],
    [
      'result',
      () => 'once',
      async () => {
        throw new Error('window gone')
      },
      'window gone',
    ],
  ]) {
    const warned = warning()
    const [card] = cards(await run({ approvals: { execution, ...(result ? { result } : {}) } }).done)
    assert.deepEqual([card.status, card.reason], [stage === 'result' ? 'result_rejected' : 'denied', 'policy'])
    const { decision, by, reason } = card.approvals.at(-1)
    assert.deepEqual([decision, by, reason], ['denied', 'policy', `the approval failed: ${said}`])
    assert.doesNotMatch(card.modelOutput, /user/)
    assert.equal(await warned, `approvals.${stage} failed, which is a no to call 1 (echo.back): ${said}`)
  }
})

test('a stage of an adapter that is null is left to those who read the events', async (t) => {
  const { run } = await stage(t, {
    answers: twice,
    tools: [asking()],
    approvals: { execution: null, result: undefined },
  })
  const running = run()
  for await (const event of running) {
    if (event.type !== 'approval') continue
    await new Promise((resolve) => setTimeout(resolve, 20))
    assert.equal(running.approve(event), true)
  }
  assert.equal(cards(await running.done)[0].status, 'success')
})

test('without an adapter and without a reader the question is denied', async (t) => {
  const { run } = await stage(t, { answers: twice, tools: [asking()] })
  const result = await run().done
  assert.equal(cards(result)[0].status, 'denied')
  assert.match(cards(result)[0].modelOutput, /no_approver/)
})

test('a reader that goes away leaves no question open', async (t) => {
  const { run } = await stage(t, { answers: twice, tools: [asking()] })
  const turn = run()
  for await (const event of turn) if (event.type === 'approval') break
  assert.equal(cards(await turn.done)[0].status, 'denied')
})

test('a result waits for its release, and the model reads only the refusal otherwise', async (t) => {
  const { server, run } = await stage(t, { answers: twice, tools: [echo({ resultApproval: 'always' })] })
  const released = await run({
    approvals: { result: (ask) => (ask.preview.text === 'you said hi' ? 'release' : 'reject') },
  }).done
  assert.equal(cards(released)[0].status, 'success')
  const rejected = await run({ approvals: { result: () => ({ decision: 'reject', reason: 'private' }) } }).done
  assert.equal(cards(rejected)[0].status, 'result_rejected')
  assert.doesNotMatch(server.requests[3].text, /you said hi/)
})

test('a remembered approval is kept for later turns, can be listed and revoked', async (t) => {
  const { engine, run } = await stage(t, { answers: [...twice, ...twice], tools: [asking()], rules: memoryRules() })
  const approve = { approvals: { execution: () => ({ decision: 'session' }) } }
  await run(approve).done
  assert.deepEqual(
    engine.rules.list().map(({ tool, effect, scope }) => ({ tool, effect, scope })),
    [{ tool: 'echo.back', effect: 'allow', scope: 'session' }],
  )
  assert.equal(cards(await run().done)[0].status, 'success', 'nobody was asked')
  assert.equal(engine.rules.revoke(engine.rules.list()[0]), true)
  assert.deepEqual(engine.rules.list(), [])
  assert.equal(cards(await run().done)[0].status, 'denied')
})

test('file() keeps what is for ever and refuses a file that it cannot read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-'))
  try {
    const path = join(folder, 'deep', 'rules.json')
    const store = fileRules(path)
    store.add({ tool: 'a', effect: 'allow', scope: 'always' })
    store.add({ tool: 'a', effect: 'allow', scope: 'always' })
    store.add({ tool: 'b', effect: 'allow', scope: 'session' })
    assert.equal(store.list().length, 2)
    assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), [{ tool: 'a', effect: 'allow', scope: 'always' }])
    assert.equal(fileRules(path).list().length, 1)
    writeFileSync(path, '{"tool"')
    assert.throws(() => fileRules(path), { code: 'option', path })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
