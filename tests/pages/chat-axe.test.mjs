// axe-core on the chat: in each state, scheme and language, nothing is to be found fault with.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { until, useBrowser } from '../browser/support.mjs'
import { usePages } from '../browser/ui/server.mjs'

const browser = useBrowser()
const pages = usePages()
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const states = {
  welcome: () => {},
  answered: () =>
    void client.ask(
      'What about today?',
      [
        { type: 'text', block: 0, text: 'Rain at **four**.' },
        { type: 'round', round: 1, startedAt: 0, endedAt: 8000 },
        { type: 'done', outcome: 'completed', finishReason: 'stop' },
      ],
      { branch: { index: 1, count: 3 }, at: Date.now() - 90_000_000 },
    ),
  sourced: () => {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC'
    client.ask('What about today?', [
      { type: 'text', block: 0, text: 'Rain at four.' },
      {
        type: 'sources',
        block: 0,
        sources: [
          { kind: 'web', url: 'https://weather.example/', title: 'Oslo', cited: 'Rain' },
          { kind: 'file', title: 'a.pdf' },
        ],
      },
      { type: 'media', block: 1, part: { type: 'image', mediaType: 'image/png', data: png } },
      { type: 'media', block: 1, part: { type: 'file', mediaType: 'text/csv', data: 'aGk=' } },
      { type: 'media', block: 1, part: { type: 'file', name: 'a.zip', url: 'https://files.example/a' } },
      { type: 'done', outcome: 'completed', finishReason: 'stop' },
    ])
    const message = () =>
      document
        .querySelector('sluice-chat')
        .shadowRoot.querySelector('sluice-thread')
        .shadowRoot.querySelectorAll('sluice-entry')[1]
        ?.shadowRoot.querySelector('sluice-message')
    return new Promise((resolve) => {
      const look = () =>
        message()?.shadowRoot.querySelectorAll('.sources li, .media figure').length === 5
          ? resolve()
          : setTimeout(look, 20)
      look()
    })
  },
  answering: () =>
    client
      .ask('What about today?')
      .push({ type: 'reasoning', block: 0, text: 'Hm.' }, { type: 'text', block: 1, text: 'Rain' }),
  asking: () => client.ask('Tell Lin').push(...asking(0, 'message.send', { to: 'Lin', text: 'Later' })),
  failed: () =>
    void client.ask('Go', [
      { type: 'text', block: 0, text: 'I' },
      { type: 'error', block: 1, code: 'network', detail: 'ECONNREFUSED' },
      { type: 'done', outcome: 'failed' },
    ]),
  offline: () => {
    client.ask('Go').push({ type: 'text', block: 0, text: 'I' })
    client.connect('lost', Date.now() + 60_000)
  },
  writing: () => {
    client.ask('One')
    const composer = element.shadowRoot.querySelector('sluice-composer')
    composer.value = 'Two'
    void composer.send()
    composer.value = 'Three'
    composer.attachments = [{ name: '', mediaType: 'text/plain', bytes: new Uint8Array(5000) }]
  },
  editing: () => {
    client.ask('One', said('1'))
    return frames(2).then(() => element.shadowRoot.querySelector('sluice-thread').editLast())
  },
  deleting: () => {
    client.ask('One', said('1'))
    return frames(2).then(() =>
      element.shadowRoot
        .querySelector('sluice-thread')
        .shadowRoot.querySelectorAll('sluice-entry')[1]
        .shadowRoot.querySelector('[data-action=delete]')
        .click(),
    )
  },
}

for (const [lang, scheme] of [
  ['en', 'light'],
  ['zh-CN', 'dark'],
]) {
  for (const [state, make] of Object.entries(states)) {
    test(`axe finds nothing in a chat that is ${state}: ${lang}, ${scheme}`, async (t) => {
      const page = await browser.page(t, { colorScheme: scheme, reducedMotion: 'reduce', times: 5 })
      await page.goto(`${pages.url}/chat.html`)
      await page.waitForFunction(() => window.chatReady)
      await page.evaluate((lang) => {
        document.documentElement.lang = lang
        start('sluice-chat', { name: 'Lulu', suggestions: ['One', 'Two'] })
      }, lang)
      await page.evaluate(make)
      const arming = page.locator('sluice-approval .decide[aria-disabled=true]')
      await until(async () => (await arming.count()) === 0, 'the buttons of the questions')
      // what fades has faded, by the page's clock
      await page.evaluate(() => new Promise((resolve) => setTimeout(() => frames(3).then(resolve), 900)))
      await page.evaluate(axe)
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }))
      const found = violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, any }) => `${id}: ${target.flat().join(' ')} ${any[0]?.message ?? ''}`),
      )
      // The page of these tests has neither a heading of its own nor landmarks around everything.
      assert.deepEqual(
        found.filter((one) => !/^(page-has-heading-one|region|landmark-one-main)/.test(one)),
        [],
      )
    })
  }
}
