// <sluice-server> on the demo's page: a real host behind it, and where a machine's own servers matter a client of the
// test's.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { startScriptedServer } from 'sluice/testing'
import { ask, focused, idle, last, open, read, settings, switches } from './demo/page.mjs'
import { picture, until } from '../browser/support.mjs'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const able = ({ body }) => {
  const text = JSON.stringify(body)
  if (/image|picture/i.test(text)) return { text: 'Red.' }
  return /Call the tool note/.test(text) && !/noted/.test(text)
    ? { calls: [{ name: 'note', arguments: { text: 'ready' } }] }
    : { text: 'ready' }
}
async function scripted(t, options) {
  const server = await startScriptedServer({
    answers: able,
    models: ['qwen3:8b', 'qwen3:32b', 'llama-4'],
    appendOnly: false,
    ...options,
  })
  t.after(server.close)
  return server
}
/** The server of a test, in the drawer. */
async function chosen(t, server, { address = 'Address', service = 'Another server', ...options } = {}) {
  const { page } = await open(t, options)
  const drawer = await settings(page)
  await drawer.getByLabel(/^(Service|服务)$/).selectOption(service)
  await drawer.getByLabel(address, { exact: true }).fill(server.baseURL)
  return { page, drawer, model: drawer.getByRole('combobox', { name: /^(Model|模型)$/ }) }
}
const steps = (drawer) => drawer.getByRole('log').getByRole('listitem')
const violations = async (page, selector) => {
  await page.evaluate(axe)
  const found = await page.evaluate((selector) => window.axe.run(selector, { resultTypes: ['violations'] }), selector)
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, any }) => `${id}: ${target.flat().join(' ')} ${any[0]?.message ?? ''}`),
  )
}

test('the models of the server are a list that what is written filters; any other name may be written', async (t) => {
  const { page, drawer, model } = await chosen(t, await scripted(t))
  await model.focus()
  await drawer.getByText('3 models.').waitFor()
  await page.keyboard.press('ArrowDown')
  const options = drawer.getByRole('option', { includeHidden: false }).and(drawer.locator('li'))
  await until(async () => (await options.allInnerTexts()).join() === 'qwen3:8b,qwen3:32b,llama-4', 'the models')
  await page.keyboard.press('Escape')
  await until(async () => (await options.count()) === 0, 'the end of the list')
  assert.equal(await drawer.isVisible(), true, 'Escape closes the list alone')
  await model.fill('qw 32')
  await until(async () => (await options.allInnerTexts()).join() === 'qwen3:32b', 'what is left')
  await picture(page, 'server-models')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  assert.equal(await model.inputValue(), 'qwen3:32b')
  await model.fill('something-else')
  await drawer.getByRole('button', { name: 'Use it' }).click()
  await drawer.getByText('something-else answers from the next message on.').waitFor()
})

for (const [locale, colorScheme, names, verdict] of [
  ['en-US', 'light', ['Reach', 'Key', 'Model', 'Text', 'Tools', 'Pictures'], 'Everything works.'],
  ['zh-CN', 'dark', ['连接', '密钥', '模型', '文字', '工具', '图片'], '一切正常。'],
]) {
  test(`a test shows each step when it is done, once, with its time: ${locale}`, async (t) => {
    const zh = locale === 'zh-CN'
    const { page, drawer, model } = await chosen(
      t,
      await scripted(t, { delayMs: 20 }),
      zh ? { locale, colorScheme, address: '接口地址', service: '其他服务器' } : { colorScheme },
    )
    await model.fill('qwen3:8b')
    await page.evaluate(() => {
      window.told = []
      window.times = new Set() // at which one was told
      new MutationObserver((all) =>
        all.forEach(({ addedNodes }) =>
          addedNodes.forEach((node) => {
            if (node.localName !== 'li') return
            window.told.push(node.querySelector('b').textContent.split(':')[0])
            window.times.add(all)
          }),
        ),
      ).observe(
        document.querySelector('#server sluice-server').shadowRoot.querySelector('sluice-server-page').shadowRoot,
        { childList: true, subtree: true },
      )
    })
    await drawer.getByRole('button', { name: zh ? '测试' : 'Test', exact: true }).press('Enter')
    await drawer.getByText(verdict).waitFor()
    assert.ok((await page.evaluate(() => window.times.size)) > 1, 'they do not come all at once')
    assert.deepEqual(await page.evaluate(() => window.told), names, 'each is read out once')
    for (const text of await steps(drawer).allInnerTexts()) assert.match(text, /\d (ms|s)/)
    assert.deepEqual(await violations(page, '#drawer'), [])
    await picture(page, `server-tested-${locale}`)
  })
}

test('what does not work says one thing to do, and is no chat; tools that a model refuses are given as text by a click', async (t) => {
  const refusing = await scripted(t, {
    answers: (request) =>
      request.body.tools
        ? {
            status: 400,
            error: {
              message: 'tools is not supported by this model',
              type: 'invalid_request_error',
              param: 'tools',
              code: null,
            },
          }
        : able(request),
  })
  const { page, drawer, model } = await chosen(t, refusing)
  await model.fill('qwen3:8b')
  await drawer.getByRole('button', { name: 'Test', exact: true }).click()
  await drawer.getByText('A chat works.').waitFor()
  await drawer.getByRole('button', { name: 'Give tools as text' }).click()
  await until(async () => (await steps(drawer).count()) === 6, 'what was tried still holds')
  await drawer.getByRole('button', { name: 'Use it' }).click()
  await until(async () => (await switches(page)).mode === 'text', 'the mode')
  await drawer.getByLabel('Address', { exact: true }).fill('http://127.0.0.1:9')
  await until(async () => (await steps(drawer).count()) === 0, 'nothing: it was about another server')
  await drawer.getByRole('button', { name: 'Test', exact: true }).click()
  await drawer.getByText('A chat does not work yet.').waitFor()
  assert.match(
    await steps(drawer).last().innerText(),
    /Nothing answers at http:\/\/127\.0\.0\.1:9[^]*Check the address/,
  )
  await drawer.getByLabel('Address', { exact: true }).fill('')
  await drawer.getByRole('button', { name: 'Test', exact: true }).click()
  await drawer.getByText('Put in the address').waitFor()
  await until(async () => (await focused(page)) === 'address', 'the focus at the field')
})

test("a test can be stopped, and the words of a server are shown as a stranger's", async (t) => {
  const { page, drawer, model } = await chosen(
    t,
    await scripted(t, { models: ['a\u202eb'], answers: () => ({ status: 500, error: 'no\u202e key <b>here</b>' }) }),
  )
  await model.fill('m')
  await drawer.getByRole('button', { name: 'Test', exact: true }).click()
  await drawer.getByText('A chat does not work yet.').waitFor()
  assert.match(await steps(drawer).last().innerText(), /⟨U\+202E⟩ key <b>here<\/b>/)
  await model.fill('')
  await model.press('ArrowDown')
  await drawer.getByText('a⟨U+202E⟩b').waitFor()
  await model.press('Escape')
  await page.route(/bridge\/call/, async (route) => {
    // never answered
    if (route.request().postDataJSON().method === 'checkStep' && !route.request().postDataJSON().input.stop) return
    await route.continue()
  })
  await model.fill('m')
  await drawer.getByRole('button', { name: 'Test', exact: true }).click()
  await drawer.getByRole('button', { name: 'Stop', exact: true }).click()
  await drawer.getByText('Stopped.').waitFor()
})

/** The element alone, with a client of the test's. */
async function alone(t, client, options) {
  const { page } = await open(t, options)
  await page.evaluate((client) => {
    const presets = [
      {
        provider: 'deepseek',
        title: 'DeepSeek',
        places: [{ baseURL: 'https://api.deepseek.com', hasKey: false }],
        wires: ['openai-chat'],
        keyNames: ['DEEPSEEK_API_KEY'],
        mode: 'auto',
        models: ['deepseek-chat'],
        local: false,
      },
      {
        provider: 'ollama',
        title: 'Ollama',
        places: [{ baseURL: 'http://127.0.0.1:11434', hasKey: false }],
        wires: ['ollama'],
        keyNames: [],
        mode: 'auto',
        models: ['qwen3:8b'],
        local: true,
      },
      {
        provider: 'vllm',
        title: 'vLLM',
        places: [{ baseURL: 'http://127.0.0.1:8000/v1', hasKey: false }],
        wires: ['openai-chat'],
        keyNames: [],
        mode: 'text',
        models: ['Qwen/Qwen3-8B'],
        local: true,
      },
    ]
    const refuse =
      ({ code }) =>
      async () => {
        throw Object.assign(new Error(code), { code, detail: `it is ${code}` })
      }
    window.used = []
    const server = client.none
      ? undefined
      : {
          view: client.code ? refuse(client) : async () => ({ presets, opensLinks: false }),
          local: async () => client.local ?? [],
          models: async () => [],
          use: async (input, mode) => (
            window.used.push([input, mode]), { current: { ...input, hasKey: false }, presets, opensLinks: false }
          ),
        }
    const element = Object.assign(document.createElement('sluice-server'), { client: { server } })
    element.addEventListener('sluice-connected', ({ detail }) => window.used.push(detail.server.model))
    document.querySelector('#chat').replaceChildren(element)
  }, client)
  return { page, element: page.locator('sluice-server') }
}

test('servers that answer on this computer come first, and the first of them is chosen with a model that it has', async (t) => {
  const { page, element } = await alone(t, { local: [{ provider: 'ollama', models: ['mistral:7b', 'phi4'] }] })
  await element.getByText('Ollama answers on this computer.').waitFor()
  const groups = await element
    .getByLabel('Service')
    .locator('optgroup')
    .evaluateAll((all) => all.map((one) => [one.label, ...[...one.children].map(({ label }) => label.trim())]))
  assert.deepEqual(groups, [
    ['On this computer, running', 'Ollama'],
    ['Services', 'DeepSeek'],
    ['On this computer, not running', 'vLLM'],
  ])
  assert.equal(await element.getByRole('combobox', { name: 'Model' }).inputValue(), 'mistral:7b')
  assert.equal(await element.getByLabel('API key').count(), 0, 'it needs none')
  await element.getByRole('button', { name: 'Use it' }).click()
  await until(() => page.evaluate(() => window.used.length === 2), 'the choice')
  assert.deepEqual(await page.evaluate(() => window.used), [
    [{ provider: 'ollama', model: 'mistral:7b' }, 'auto'],
    'mistral:7b',
  ])
  await element.getByLabel('Service').selectOption('vLLM')
  await element.getByRole('button', { name: 'Use it' }).click()
  await until(() => page.evaluate(() => window.used.length === 4), 'the choice')
  assert.deepEqual((await page.evaluate(() => window.used))[2], [{ provider: 'vllm', model: 'Qwen/Qwen3-8B' }, 'text'])
})

test('what comes late of another client changes nothing, what is written meanwhile stays, and a test that left the page was stopped', async (t) => {
  const { page, element } = await alone(t, {})
  await element.getByLabel('Service').waitFor()
  await page.evaluate(() => {
    const shown = document.querySelector('sluice-server')
    const { server } = shown.client
    const wait = (name) => new Promise((resolve) => ((window.late ??= {})[name] = resolve))
    const presets = [
      {
        provider: 'ollama',
        title: 'Ollama',
        places: [],
        wires: ['ollama'],
        keyNames: [],
        mode: 'auto',
        models: ['qwen3:8b'],
        local: true,
      },
    ]
    window.clients = {
      slow: {
        server: {
          ...server,
          view: () =>
            wait('view').then(() => ({ presets: [{ ...presets[0], title: 'Of another client' }], opensLinks: false })),
        },
      },
      here: {
        server: {
          ...server,
          view: async () => ({
            presets,
            current: { provider: 'ollama', model: 'mine', hasKey: false },
            opensLinks: false,
          }),
          local: () => wait('local').then(() => [{ provider: 'ollama', models: ['first'] }]),
          check: async function* (_, { signal }) {
            await new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)))
          },
        },
      },
    }
    shown.client = window.clients.slow
  })
  await until(() => page.evaluate(() => window.late?.view !== undefined), 'the slow client')
  await page.evaluate(() => (document.querySelector('sluice-server').client = window.clients.here))
  const model = element.getByRole('combobox', { name: 'Model' })
  await until(async () => (await model.inputValue()) === 'mine', 'what is chosen')
  await model.fill('another')
  await page.evaluate(() => (window.late.view(), window.late.local()))
  await element.getByText('Ollama answers on this computer.').waitFor()
  assert.deepEqual(
    [await model.inputValue(), await element.getByLabel('Service').locator('option').allInnerTexts()],
    ['another', ['Ollama']],
  )
  await element.getByRole('button', { name: 'Test', exact: true }).click()
  await element.getByRole('button', { name: 'Stop', exact: true }).waitFor()
  await page.evaluate(() => {
    const shown = document.querySelector('sluice-server')
    const { parentNode } = shown
    shown.remove()
    parentNode.append(shown)
  })
  await element.getByText('Stopped.').waitFor()
  await element.getByRole('button', { name: 'Test again', exact: true }).waitFor()
})

test('a host without a choice, a window without the right and a host that fails each say so', async (t) => {
  for (const [client, words] of [
    [{ none: true }, /does not let people choose/],
    [{ code: 'unsupported' }, /does not let people choose/],
    [{ code: 'forbidden' }, /may not choose/],
    [{ code: 'internal' }, /cannot be read: it is internal/],
  ]) {
    const { page, element } = await alone(t, client)
    await until(async () => words.test(await read(element)), String(words))
    await page.context().close()
  }
})

for (const [width, height] of [
  [320, 256],
  [320, 640],
  [900, 700],
]) {
  for (const [locale, colorScheme] of [
    ['en-US', 'dark'],
    ['zh-CN', 'light'],
  ]) {
    test(`the first start at ${width} × ${height}, ${locale}, ${colorScheme}: nothing is too wide, axe finds nothing, and one click leads to the chat`, async (t) => {
      const { page } = await open(t, { viewport: { width, height }, locale, colorScheme, demo: { ask: true } })
      await page
        .locator('#start')
        .getByLabel(/^(Service|服务)$/)
        .waitFor()
      assert.equal(await page.locator('#talk').isVisible(), false)
      await page
        .locator('#start')
        .getByText(/^(More|更多)$/)
        .click()
      assert.equal(
        await page.evaluate(() =>
          Math.max(
            document.documentElement.scrollWidth - innerWidth,
            document.querySelector('#start').scrollWidth - document.querySelector('#start').clientWidth,
          ),
        ),
        0,
      )
      assert.deepEqual(await violations(page, '#start'), [])
      await picture(page, `demo-first-${width}x${height}-${locale}`)
      await page.getByRole('button', { name: /Try it without a key|不用密钥，先试试/ }).press('Enter')
      await page.locator('#talk').waitFor()
      await until(async () => /^(Message|消息)$/.test(await focused(page)), 'the focus in the field')
      await page.locator('.scene:visible').first().waitFor()
    })
  }
}

test('the first start with a server: service, key and model, then a question', async (t) => {
  const server = await scripted(t, { answers: () => ({ text: 'I am real.' }) })
  const { page } = await open(t, { demo: { ask: true } })
  const start = page.locator('#start')
  await start.getByLabel('Service').selectOption('Another server')
  await start.getByLabel('Address').fill(server.baseURL)
  await start.getByRole('combobox', { name: 'Model' }).fill('qwen3:8b')
  await page.keyboard.press('Enter')
  await page.locator('#talk').waitFor()
  await until(async () => (await focused(page)) === 'Message', 'the focus in the field')
  await page.keyboard.type('Who are you?')
  await ask(page, () => page.keyboard.press('Enter'))
  await idle(page)
  assert.match(await read(last(page)), /I am real\./)
  assert.equal(await page.locator('#model').innerText(), 'qwen3:8b')
})
