// The elements in React, under the strict policy: tests/apps/react-elements.tsx, bundled as an app would be.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { until, useBrowser } from './support.mjs'
import { usePages } from './ui/server.mjs'

const browser = useBrowser()
const pages = usePages()
const folder = fileURLToPath(new URL('../apps/', import.meta.url))

async function bundle() {
  const contents = `import { createElement } from 'react'
    import { createRoot } from 'react-dom/client'
    import { Chat } from './react-elements.tsx'
    export function show(client, hear) {
      const root = createRoot(document.body.appendChild(document.createElement('main')))
      root.render(createElement(Chat, { client, hear }))
      return root
    }`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder, loader: 'tsx' },
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warning',
  })
  return outputFiles[0].text
}

test('React sets the properties of an element, hears its events, and may take them over', async (t) => {
  const page = await browser.page(t)
  const script = await bundle()
  await page.route('**/react-app.js', (route) => route.fulfill({ contentType: 'text/javascript', body: script }))
  await page.goto(`${pages.url}/chat.html`)
  await page.waitForFunction(() => window.chatReady)
  await page.evaluate(async () => {
    const { show } = await import('/react-app.js')
    window.client = new FakeClient()
    window.heard = []
    client.ask('A', [
      { type: 'text', block: 0, text: 'An answer.' },
      { type: 'done', outcome: 'completed', finishReason: 'stop' },
    ])
    window.root = show(client, (text) => heard.push(text))
  })
  await page.getByText('An answer.', { exact: true }).waitFor()
  assert.equal(await page.locator('sluice-message', { hasText: 'Hello' }).locator('strong').innerText(), 'Hello')
  assert.equal(await page.getByText('Be kind.').isVisible(), true, 'children stand in their slots')
  const chat = page.locator('sluice-chat')
  assert.deepEqual(
    await chat.evaluate((one) => [
      one.name,
      one.usage,
      one.cues,
      one.conversation,
      one.client === client,
      one.className,
      one.suggestions[0].send,
    ]),
    ['Lulu', 'all', 'none', 'main', true, 'mine', false],
  )

  await page.getByRole('button', { name: 'Write' }).click()
  const field = chat.locator('textarea')
  for (const text of ['keep', 'go']) {
    await field.fill(text)
    await field.press('Enter')
    await until(() => page.evaluate((text) => heard.includes(text), text), 'the event')
  }
  await page.getByText('2 asked in main').waitFor()
  assert.deepEqual(
    await page.evaluate(() => client.calls.filter(([method]) => method === 'send').map(([, { text }]) => text)),
    ['go'],
    'what the app prevents is not sent',
  )

  await page.evaluate(() =>
    client.ask(
      'B',
      [
        { type: 'text', block: 0, text: 'Elsewhere.' },
        { type: 'done', outcome: 'completed' },
      ],
      { conversation: 'other' },
    ),
  )
  await page.getByRole('button', { name: 'Other', exact: true }).click()
  await page.getByText('Elsewhere.', { exact: true }).waitFor()
  assert.equal(await page.getByText('An answer.', { exact: true }).count(), 0)
  await page.evaluate(() => root.unmount())
  assert.equal(await page.locator('sluice-chat').count(), 0)
})
