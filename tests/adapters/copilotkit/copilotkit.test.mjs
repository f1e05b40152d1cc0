// CopilotKit: its state of a question, and a page with its chat in Chromium, in front of a CopilotRuntime whose
// HttpAgent calls agUIHandler in the process.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { built } from '../../js/dist.mjs'
import { build } from 'esbuild'
import { until, useBrowser } from '../../browser/support.mjs'
import { echo, stage } from '../../js/support.mjs'

const { agUIHandler } = await built('sluice/ag-ui')
const { memoryConversations } = await built('sluice/conversations')
const { nodeListener } = await built('sluice/web')

process.env.COPILOTKIT_TELEMETRY_DISABLED = 'true'
const call = (id, text) => ({ id, name: 'echo_back', arguments: { text } })
const twoCalls = { text: 'I ask. ', calls: [call('a', 'hi'), call('b', 'ho')] }

/** agUIHandler before a scripted model. */
async function handlerOf(t, answers, tools, more = {}) {
  const { server, engine } = await stage(t, { answers, tools })
  const store = memoryConversations()
  return {
    server,
    store,
    handler: agUIHandler(engine, {
      run: () => ({ model: { baseURL: server.baseURL, name: 'scripted', apiKey: 'secret' } }),
      store,
      authorize: () => true,
      ...more,
    }),
  }
}

describe('its state of a question', async () => {
  const { ɵInterruptState: InterruptState } = await import('@copilotkit/core')

  async function played(t, more) {
    const { handler, server } = await handlerOf(
      t,
      [twoCalls, { text: 'Done.' }],
      [echo({ permission: 'sensitive' })],
      more,
    )
    const post = async (messages, more) => {
      const response = await handler(
        new Request('http://app.test/', {
          method: 'POST',
          body: JSON.stringify({
            threadId: 't',
            runId: 'r',
            messages: [{ id: 'm', role: 'user', content: 'Hello' }, ...messages],
            ...more,
          }),
        }),
      )
      return (await response.text())
        .split('\n\n')
        .filter(Boolean)
        .map((one) => JSON.parse(one.slice(6)))
    }
    const { interrupts } = (await post([])).at(-1).outcome
    const state = new InterruptState()
    state.setStandard(interrupts)
    assert.deepEqual(state.resolve({ approved: true }, interrupts[0].id), { kind: 'waiting' })
    const { kind, resume, toolResults } = state.cancel(interrupts[1].id)
    assert.equal(kind, 'resume')
    const events = await post(
      toolResults.map((result, at) => ({ id: `made-${at}`, role: 'tool', ...result })),
      { resume },
    )
    assert.deepEqual([events.at(-1).outcome, server.requests.length], [{ type: 'success' }, 2])
    assert.deepEqual(
      events
        .filter(({ type }) => type === 'TOOL_CALL_RESULT')
        .map(({ content }) => /you said/.test(content))
        .sort(),
      [false, true],
    )
    assert.ok(!JSON.stringify(server.requests[1].body.messages).includes('approved'))
    return toolResults
  }

  test('it takes ours, writes no tool message, and gives a resume that is one of ours', async (t) => {
    assert.deepEqual(await played(t), [])
  })

  test('with the reason tool_call it writes tool messages of its own, which are ignored', async (t) => {
    assert.equal((await played(t, { reason: 'tool_call' })).length, 2)
  })
})

describe('in Chromium', () => {
  const browser = useBrowser()

  test('a chat with a question of two calls, a tool of the page, and on with the next message', async (t) => {
    const { CopilotRuntime, createCopilotRuntimeHandler, InMemoryAgentRunner } = await import('@copilotkit/runtime/v2')
    const { HttpAgent } = await import('@ag-ui/client')
    const answers = [
      twoCalls,
      { text: 'Both done.' },
      { text: 'I set it. ', calls: [{ id: 'p', name: 'set_title', arguments: { title: 'Rome' } }] },
      { text: 'It is set.' },
    ]
    const { handler, server, store } = await handlerOf(t, answers, [echo({ permission: 'sensitive' })])
    const agent = new HttpAgent({ url: 'http://in.process/', fetch: (url, init) => handler(new Request(url, init)) })
    const runtime = createCopilotRuntimeHandler({
      runtime: new CopilotRuntime({ agents: { default: agent }, runner: new InMemoryAgentRunner() }),
      basePath: '/api/copilotkit',
    })
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL('page.mjs', import.meta.url))],
      bundle: true,
      write: false,
      outdir: '/out',
      format: 'esm',
      splitting: false,
      target: 'es2022',
      logLevel: 'error',
      define: { 'process.env.NODE_ENV': '"production"' },
      loader: { '.woff': 'empty', '.woff2': 'empty', '.ttf': 'empty' },
    })
    const files = new Map(outputFiles.map(({ path, contents }) => [path.replace('/out', ''), contents]))
    const listener = nodeListener(async (request) => {
      const { pathname } = new URL(request.url)
      if (pathname.startsWith('/api/')) return await runtime(request)
      const file = files.get(pathname)
      if (file)
        return new Response(file, {
          headers: { 'content-type': pathname.endsWith('.css') ? 'text/css' : 'text/javascript' },
        })
      return new Response(
        '<!doctype html><link rel="icon" href="data:,"><link rel="stylesheet" href="/page.css"><div id="app" style="height: 600px"></div><script type="module" src="/page.js"></script>',
        { headers: { 'content-type': 'text/html' } },
      )
    })
    const http = createServer(listener)
    await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve))
    t.after(() => {
      http.closeAllConnections()
      http.close()
    })

    const page = await browser.page(t)
    await page.goto(`http://127.0.0.1:${http.address().port}/`)
    const say = async (text) => {
      await page.locator('textarea').fill(text)
      await page.keyboard.press('Enter')
    }
    await say('Hello')
    const question = (which) => page.locator(`#question [data-call="${which}"]`)
    await question('ho').waitFor()
    assert.match(
      await question('hi').locator('span').textContent(),
      /May echo\.back run\? Says it again\. \{"text":"hi"\}/,
    )
    await question('hi').getByText('edit').click()
    await question('ho').getByText('no').click()
    await page.getByText('Both done.').waitFor()
    assert.equal(await page.locator('#question').count(), 0)
    const [told] = server.requests.slice(-1)
    assert.deepEqual(
      told.body.messages
        .filter(({ role }) => role === 'tool')
        .map(({ content }) => [/you said edited/.test(content), /refused/.test(content)]),
      [
        [true, false],
        [false, true],
      ],
    )

    await say('The title, please.')
    await page.getByText('It is set.').waitFor()
    assert.equal(await page.title(), 'Rome')
    assert.equal(server.requests.length, 4)
    assert.deepEqual(
      server.requests[3].body.messages.map(({ role }) => role),
      ['user', 'assistant', 'tool', 'tool', 'assistant', 'user', 'assistant', 'tool'],
    )
    assert.equal(server.requests[3].body.messages.at(-1).content, 'the title is set')
    const [id] = (await store.list()).map((one) => one.id)
    await until(async () => (await store.load(id)).entries.length === 4)
  })
})
