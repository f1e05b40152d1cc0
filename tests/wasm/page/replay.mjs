// The shared scripts in a page or a worker: bundled by page.test.mjs, which puts /scripts.json beside it.
import './native-of-page.mjs'
import { canRestore, runScript } from '../../js/script-runner.mjs'

/** What was wrong, and how many scripts held. */
export async function replay() {
  const scripts = await (await fetch('/scripts.json')).json()
  const restorable = canRestore()
  const failures = []
  for (const [name, script] of Object.entries(scripts)) {
    const why = runScript(script, restorable)
    if (why !== '') failures.push(`${name}: ${why}`)
  }
  return { restorable, held: Object.keys(scripts).length - failures.length, failures }
}

if (typeof document === 'undefined') postMessage(await replay())
else globalThis.replay = replay
