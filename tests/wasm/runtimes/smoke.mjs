// The shared scripts, and what runs them: in Bun and Deno.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { backend } from 'sluice'
import { canRestore, runScript, tests } from '../../js/script-runner.mjs'

const vectors = join(tests, 'vectors')
const names = readdirSync(vectors, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.json'))
const failures = names
  .map((name) => [name, runScript(JSON.parse(readFileSync(join(vectors, name), 'utf8')), canRestore())])
  .filter(([, why]) => why !== '')
console.log(JSON.stringify({ backend: backend().name, scripts: names.length, failures }))
