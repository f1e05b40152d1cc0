// The recipes, word for word: each in a folder of its own, started as its page says, and used by a person.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { startScriptedServer } from 'sluice/testing'
import { root } from '../examples.mjs'
import { until, useBrowser } from './support.mjs'

const browser = useBrowser()
const setup = pathToFileURL(join(root, 'tests/js/examples-setup.mjs')).href

/** By heading, the files that stand beneath it; '' is what all begin with. */
const recipes = Object.fromEntries(
  readFileSync(join(root, 'js/docs/recipes.md'), 'utf8')
    .split(/^## /m)
    .map((section, at) => [
      at === 0 ? '' : section.split('\n')[0],
      [...section.matchAll(/^`([\w./]+)`\n\n```\w+ recipe\n([^]*?)^```$/gm)].map(([, name, text]) => [name, text]),
    ]),
)

/**
 * Starts the recipe in a folder of its own, whose model gives these answers, and opens its page. `again`: in the same
 * folder once more.
 */
async function cook(t, name, answers) {
  const page = await browser.page(t)
  const model = await startScriptedServer({ answers, appendOnly: false })
  t.after(() => model.close())
  mkdirSync(join(root, 'build'), { recursive: true })
  const folder = mkdtempSync(join(root, 'build/recipe-')) // in the checkout, where `sluice` is found
  t.after(() => rmSync(folder, { recursive: true }))
  for (const [file, text] of [...recipes[''], ...recipes[name]]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
    if (file.endsWith('.tsx'))
      await build({
        entryPoints: [join(folder, file)],
        bundle: true,
        format: 'esm',
        jsx: 'automatic',
        outfile: join(folder, file.replace('.tsx', '.js')),
        logLevel: 'silent',
      })
  }
  const start = async () => {
    const child = spawn(process.execPath, ['--import', setup, 'app.mjs'], {
      cwd: folder,
      env: { ...process.env, SLUICE_EXAMPLE_SERVER: model.url },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.after(() => child.kill())
    let out = ''
    child.stdout.on('data', (data) => (out += data))
    await page.goto(await until(() => /^http\S+$/m.exec(out)?.[0], 'the address'))
    return child
  }
  return { page, child: await start(), start, model, folder }
}

async function say(page, text) {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
}

test('each recipe is tried below', () => {
  assert.deepEqual(Object.keys(recipes), [
    '',
    'A chat',
    'A pet in 20 lines',
    'Conversations that are kept',
    'Own cards',
    'React',
  ])
  for (const [name, files] of Object.entries(recipes)) assert.ok(files.length > 0, name)
  for (const [name, most] of [
    ['A chat', 5],
    ['A pet in 20 lines', 20],
  ]) {
    const [[, lines]] = recipes[name]
    assert.ok(lines.split('\n').filter((line) => line && !line.startsWith('import')).length <= most, name)
  }
})

test('a chat answers', async (t) => {
  const { page } = await cook(t, 'A chat', [{ text: 'At **four**.' }])
  await say(page, 'When will it rain?')
  await page.locator('sluice-message strong').getByText('four').waitFor()
})

test('a pet shows what goes on, and says what it says', async (t) => {
  let goOn
  const { page } = await cook(t, 'A pet in 20 lines', [
    { parts: [{ wait: new Promise((resolve) => (goOn = resolve)) }, { text: 'At four.' }] },
  ])
  await page.getByPlaceholder('Say something').fill('When?')
  await page.keyboard.press('Enter')
  await page.getByText('🤔').waitFor()
  goOn()
  await page.getByText('At four.').waitFor()
  await page.getByText('😌').waitFor()
})

test('a conversation is there after another start', async (t) => {
  const { page, child, start, folder } = await cook(t, 'Conversations that are kept', () => ({ text: 'I will.' }))
  await say(page, 'Remember the umbrella.')
  await page.locator('sluice-message').getByText('I will.').waitFor()
  await until(
    () =>
      readdirSync(folder, { recursive: true, withFileTypes: true }).some(
        (one) => one.isFile() && readFileSync(join(one.parentPath ?? one.path, one.name), 'utf8').includes('I will.'),
      ),
    'the answer in a file',
  )
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await page.goto('about:blank')
  child.kill()
  await ended
  await start()
  await page.locator('sluice-message').getByText('I will.').waitFor()
  await page.locator('sluice-conversations').getByText('Remember the umbrella.').first().waitFor()
})

test('a card is drawn by the page', async (t) => {
  const { page } = await cook(t, 'Own cards', [
    { calls: [{ name: 'weather_now', arguments: { city: 'Hangzhou' } }] },
    { text: 'Nice.' },
  ])
  await say(page, 'How is the weather?')
  await page.locator('sluice-card').getByText('⛅ 22 °C in Hangzhou').waitFor()
  await page.locator('sluice-card').getByText('Look at the sky').waitFor()
})

test('a chat in React has its client, and tells what was sent', async (t) => {
  const { page } = await cook(t, 'React', [{ text: 'At four.' }])
  await say(page, 'When will it rain?')
  await page.getByRole('heading', { name: '1 asked' }).waitFor()
  await page.locator('sluice-message').getByText('At four.').waitFor()
})
