// Examples of windows, word for word, in a page behind the built preload and a strict policy.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { build } from 'esbuild'
import { examplesOf, root } from '../examples.mjs'
import { openApp } from './electron/app.mjs'
import { until, useBrowser } from './support.mjs'

const browser = useBrowser()

/** Opens an empty page of the app and loads the example into it. */
async function load(t, code, options) {
  const app = await openApp(t, browser, options)
  const window = await app.window(t, { path: '/bare.html' })
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: root },
    bundle: true,
    format: 'esm',
    write: false,
    logLevel: 'silent',
  })
  await window.page.route('**/example.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: outputFiles[0].text }),
  )
  return { app, window, start: () => window.evaluate(() => import('/example.js').then(() => undefined)) }
}

for (const [name, code] of examplesOf('js', 'window')) {
  test(`${name} shows a message`, async (t) => {
    const { window, start } = await load(t, code, { answers: [{ text: 'Take one.' }] })
    await start()
    // The host of these examples gives its window no such right.
    if (code.includes('sluice-server'))
      return await window.page.getByText('This window may not choose the server.').waitFor()
    if (code.includes('sluice-chat')) {
      await window.page.getByRole('textbox', { name: 'Message' }).fill('Do I need an umbrella?')
      await window.page.keyboard.press('Enter')
    }
    await window.page.locator('sluice-message').getByText('Take one.').first().waitFor()
  })
}

for (const [name, code] of examplesOf('js', 'text')) {
  test(`${name} shows a text`, async (t) => {
    const { window, start } = await load(t, code)
    await start()
    await window.page.locator('sluice-text strong').getByText('Sums').waitFor()
    await window.page.locator('sluice-text mfrac').waitFor()
    assert.equal(await window.page.locator('sluice-text a').getAttribute('href'), 'https://example.com/sums')
  })
}

for (const [name, code] of examplesOf('js', 'pet')) {
  test(`${name} gives the model's expressions to the host`, async (t) => {
    const { app, window, start } = await load(t, code)
    await window.evaluate(() => {
      const definitions = [{ Name: 'smile' }, { Name: 'worried' }]
      const expressionManager = { definitions }
      window.model = {
        internalModel: { motionManager: { definitions: { Idle: [{}] }, expressionManager } },
        expression: async () => true,
        motion: async () => true,
      }
    })
    await start()
    await until(async () => JSON.stringify(await app.ask('tools')).includes('live2d.expression'), 'the tools')
    assert.match(JSON.stringify(await app.ask('tools')), /live2d\.motion/)
  })
}
