// @ts-check
// Runs a turn in a real Electron: `node js/demo/electron/smoke.mjs`. Where there is no binary ($ELECTRON, or that of
// the `electron` package) it says so and is content. Electron itself runs this file too, as its main script.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const timeoutMs = 60_000

if (process.versions.electron) await insideElectron()
else launch()

function launch() {
  const binary = findBinary()
  if (!binary) {
    console.log(
      'skipped: there is no Electron binary; set ELECTRON to one, or install the electron package with its download',
    )
    return
  }
  const child = spawn(binary, [fileURLToPath(import.meta.url)], {
    stdio: 'inherit',
    env: { ...process.env, ELECTRON_ENABLE_LOGGING: '1' },
    timeout: timeoutMs,
  })
  child.on('error', (error) => {
    console.error(`${binary}: ${error.message}`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    if (signal) console.error(`Electron was ended by ${signal} after ${timeoutMs} ms at most`)
    process.exitCode = code ?? 1
  })
}

/** Where the `electron` package has its binary; asked for in the regular way it would download a missing one. */
function findBinary() {
  if (process.env.ELECTRON) return process.env.ELECTRON
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('electron/package.json'))
    const binary = join(folder, 'dist', readFileSync(join(folder, 'path.txt'), 'utf8').trim())
    return existsSync(binary) ? binary : undefined
  } catch {
    return undefined
  }
}

async function insideElectron() {
  const { app } = await import('electron')
  try {
    const { start } = await import('./windows.mjs')
    app.setPath('userData', mkdtempSync(join(tmpdir(), 'sluice-pet-')))
    const {
      chat,
      pet: { window },
    } = await start({ delayMs: 1, live2d: false })
    const pet = /** @type {import('electron').BrowserWindow} */ (/** @type {unknown} */ (window))
    const script = (/** @type {import('electron').BrowserWindow} */ window, /** @type {string} */ code) =>
      window.webContents.executeJavaScript(code)
    const until = async (/** @type {() => Promise<unknown>} */ condition, /** @type {string} */ what) => {
      for (const end = Date.now() + 20_000; !(await condition()); ) {
        if (Date.now() > end) throw new Error(`waited too long until ${what}`)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
    const ready = "'ready' in document.documentElement.dataset"
    await until(() => script(chat, ready), 'the chat is ready')
    await until(() => script(pet, ready), 'the pet is ready')
    for (const window of [chat, pet]) {
      const leaked = await script(window, '[typeof require, typeof process, typeof window.sluice?.ipcRenderer].join()')
      if (leaked !== 'undefined,undefined,undefined') throw new Error(`a page sees what is not for pages: ${leaked}`)
    }
    await script(chat, "document.querySelector('#without')?.click()") // a first start asks who answers
    await script(chat, "document.querySelector('.scene[data-scene=face]').click()")
    await until(
      () => script(pet, "document.querySelector('#pet [data-expression]')?.dataset.expression === 'happy'"),
      'the pet smiles',
    )
    await until(
      () =>
        script(
          chat,
          "document.querySelector('#chat').dataset.state === 'idle' && document.querySelectorAll('sluice-message').length === 1",
        ),
      'the answer ends',
    )
    console.log(`ok: a turn in Electron ${process.versions.electron}, the pet moved in mid-answer`)
    app.exit(0)
  } catch (error) {
    console.error(error)
    app.exit(1)
  }
}
