// The page of the folder in electron.md, word for word and without a bundler, in a window behind the built preload.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { appFolder } from '../examples.mjs'
import { openApp } from './electron/app.mjs'
import { useBrowser } from './support.mjs'

const browser = useBrowser()

test('a person chats in the page of the folder, and answers its question', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-page-'))
  t.after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'page'))
  for (const [file, code] of appFolder()) writeFileSync(join(folder, file), code)
  const answers = [{ text: 'Let me. ', calls: [{ name: 'file.delete', arguments: { text: 'a' } }] }, { text: 'Done.' }]
  const app = await openApp(t, browser, { answers, pages: join(folder, 'page') })
  const { page } = await app.window(t)
  await page.getByRole('textbox', { name: 'Message' }).fill('Tidy up')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Allow', exact: true }).first().click()
  await page.locator('sluice-message').getByText('Done.').first().waitFor()
})
