// The shared scripts, and what runs them: in Bun and Deno.
import { backend } from 'sluice'
import { scriptFiles } from '../../js/script-files.mjs'
import { canRestore, runScript } from '../../js/script-runner.mjs'

const scripts = scriptFiles()
const failures = scripts
  .map(({ name, script }) => [name, runScript(script, canRestore())])
  .filter(([, why]) => why !== '')
console.log(JSON.stringify({ backend: backend().name, scripts: scripts.length, failures }))
