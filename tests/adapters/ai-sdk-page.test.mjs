// js/examples/ai-sdk as its readers start it, in Chromium: `useChat` of both majors, unchanged, bundled by esbuild, in
// front of a scripted model.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { built } from '../js/dist.mjs'
import { browser as findBrowser } from '../../js/scripts/setup.mjs'
import { until, useBrowser } from '../browser/support.mjs'

const { startScriptedServer } = await built('sluice/testing')

const root = fileURLToPath(new URL('../..', import.meta.url))
const clients = join(root, 'tests/adapters/node_modules')
const skip = !findBrowser() && 'no Chromium was found; $SLUICE_CHROMIUM may name one'

/** The example in a folder of its own, with what `npm install` would bring. */
function installed(t, major) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-use-chat-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(join(root, 'js/examples/ai-sdk'), folder, { recursive: true })
  const packages = {
    ai: join(clients, `ai-${major}`),
    '@ai-sdk/react': join(clients, `ai-react-${major}`),
    react: join(clients, 'react'),
    'react-dom': join(clients, 'react-dom'),
    esbuild: join(root, 'node_modules/esbuild'),
    sluice: root,
  }
  for (const [name, target] of Object.entries(packages)) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true })
    symlinkSync(target, join(folder, 'node_modules', name))
  }
  return folder
}

/** `node server.mjs`: its address, and what ends it. */
async function started(t, folder, env) {
  const child = spawn(process.execPath, ['server.mjs'], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve) => child.on('exit', resolve))
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
  }
  t.after(stop)
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece) => {
      said += piece
    })
  const url = await until(
    () => /^http:\S+/m.exec(said)?.[0] ?? (child.exitCode !== null && assert.fail(said)),
    'the server',
  )
  return { url, stop }
}

const call = (name, args = {}) => ({ call: { name, arguments: args } })
const writes = (title, text) => call('note_write', { title, text })

describe('useChat in a page', { skip }, () => {
  const browser = useBrowser()

  for (const major of [7, 6]) {
    test(`AI SDK ${major}`, async (t) => {
      const answers = []
      const model = await startScriptedServer({ answers })
      t.after(() => model.close())
      const folder = installed(t, major)
      const env = { MODEL_URL: model.baseURL, MODEL: 'scripted', PORT: '0' }
      let app = await started(t, folder, env)
      const page = await browser.page(t)
      const posts = []
      page.on('request', (request) => {
        if (request.method() === 'POST' && request.url().endsWith('/api/chat')) posts.push(request.postDataJSON())
      })
      await page.goto(app.url)

      /** Writes a message to a model that will answer like this. */
      const ask = async (text, ...next) => {
        answers.push(...next)
        posts.length = 0
        await page.getByRole('textbox', { name: 'Message' }).fill(text)
        await page.keyboard.press('Enter')
      }
      const card = (name) => page.getByRole('region', { name }).last()
      const shows = (text) => page.getByText(text, { exact: true }).last().waitFor()
      const face = () => page.getByLabel('Face').innerText()
      /** Once the page is at rest: how often it posted. Pages that post by themselves do so at once. */
      const posted = async () => {
        for (let still = 0, count = -1; still < 8; ) {
          await new Promise((resolve) => setTimeout(resolve, 15))
          const ready = (await page.getByLabel('Status').innerText()) === 'ready' && posts.length === count
          still = ready ? still + 1 : 0
          count = posts.length
        }
        return posts.length
      }

      await t.test('a face in mid-sentence, and a call that is edited before it runs', async () => {
        await ask(
          'Note the code of the cellar.',
          {
            parts: [
              { text: 'Look: ' },
              call('live2d_expression', { name: 'surprised' }),
              { text: 'I write it.' },
              writes('cellar', '0815'),
            ],
          },
          { text: 'It is written.' },
        )
        await card('note.write').getByText('approval-requested').waitFor()
        assert.equal(await face(), '😮')
        assert.deepEqual(
          [await posted(), model.requests.length],
          [1, 1],
          'nobody posts, and nothing runs, while a person thinks',
        )
        await card('note.write')
          .getByLabel('Arguments')
          .fill(JSON.stringify({ title: 'attic', text: '4712' }))
        await card('note.write').getByRole('button', { name: 'Run' }).click()
        await shows('It is written.')
        assert.equal(
          await card('note.write').innerText(),
          'note.write output-available\n{"title":"attic","text":"4712"}\nwrote attic',
        )
        assert.deepEqual([await posted(), model.requests.length], [2, 2])
        assert.equal(await page.locator('article').count(), 2, 'one question, one answer')
        assert.match(model.requests[1].body.messages.at(-1).content, /wrote attic/)
      })

      await t.test('a call that is refused', async () => {
        await ask(
          'Throw the notes away.',
          { text: 'I empty them. ', calls: [writes('attic', '').call] },
          { text: 'Then they stay.' },
        )
        await card('note.write').getByRole('button', { name: 'No' }).click()
        await shows('Then they stay.')
        await card('note.write').getByText('output-denied').waitFor()
        assert.equal(await posted(), 2)
        assert.match(model.requests.at(-1).body.messages.at(-1).content, /The user said no\./)
      })

      await t.test('a result that the model reads when a person let it out', async () => {
        const before = model.requests.length
        await ask(
          'What opens the garage?',
          { calls: [call('note_read', { title: 'garage' }).call] },
          { text: 'You have it noted.' },
        )
        await shows('The code of the door is 4711.')
        assert.equal(await page.locator('blockquote').innerText(), 'The code of the door is 4711.')
        assert.deepEqual([await posted(), model.requests.length - before], [1, 1])
        await page.getByRole('button', { name: 'Show it' }).click()
        await shows('You have it noted.')
        assert.deepEqual([await posted(), model.requests.length - before], [2, 2])
        assert.match(model.requests.at(-1).body.messages.at(-1).content, /4711/)
      })

      await t.test('a tool that the page runs, beside a face and one of the server', async () => {
        await ask(
          'Where am I?',
          {
            calls: [call('page_zone').call, call('live2d_expression', { name: 'smile' }).call, call('note_list').call],
          },
          { text: 'There.' },
        )
        await shows('There.')
        assert.deepEqual([await posted(), await face()], [2, '🙂'])
        const results = model.requests
          .at(-1)
          .body.messages.filter(({ role }) => role === 'tool')
          .map(({ content }) => content)
        assert.ok(
          results.some((text) => /UTC|\//.test(text)) && results.some((text) => text.includes('garage')),
          String(results),
        )
      })

      await t.test('the page is loaded again in mid-answer', async () => {
        let goOn
        const gate = new Promise((resolve) => (goOn = resolve))
        await ask('Tell me a story.', { parts: [{ text: 'Once upon' }, { wait: gate }, { text: ' a time.' }] })
        await shows('Once upon')
        const before = await page.locator('article').count()
        await page.reload()
        await shows('Once upon')
        assert.equal(
          await page.locator('article').count(),
          before,
          'what was there, from the store, and the answer that goes on',
        )
        goOn()
        await shows('Once upon a time.')
        assert.deepEqual([await posted(), model.requests.at(-1).aborted], [1, false])
        assert.equal(await page.locator('article').count(), before)
      })

      await t.test('the server is another one between question and answer, and the page too', async () => {
        for (const reload of major === 7 ? [false, true] : [true]) {
          await ask(
            'And the shed?',
            { text: 'I note it. ', calls: [writes('shed', '42').call] },
            { text: reload ? 'Noted again.' : 'Noted.' },
          )
          await card('note.write').getByText('approval-requested').waitFor()
          assert.equal(await posted(), 1)
          await app.stop()
          app = await started(t, folder, { ...env, PORT: new URL(app.url).port })
          if (reload) await page.reload()
          await card('note.write').getByRole('button', { name: 'Run' }).click()
          await shows(reload ? 'Noted again.' : 'Noted.')
          assert.equal(
            await card('note.write').innerText(),
            'note.write output-available\n{"title":"shed","text":"42"}\nwrote shed',
          )
          assert.equal(await posted(), 2)
        }
      })

      await t.test('an answer that is stopped', async () => {
        await ask('Count.', { parts: [{ text: 'One,' }, { wait: 60_000 }, { text: ' two' }] }, { text: 'As you like.' })
        await shows('One,')
        await page.getByRole('button', { name: 'Stop' }).click()
        assert.equal(await posted(), 1)
        await ask('Thanks.')
        await shows('As you like.')
        assert.deepEqual(
          model.requests
            .at(-1)
            .body.messages.slice(-3)
            .map(({ content }) => content),
          ['Count.', 'One,', 'Thanks.'],
        )
      })
    })
  }
})
