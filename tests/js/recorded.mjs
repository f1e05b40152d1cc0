// The recorded answers of the conformance data.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sharedFolder } from './script-runner.mjs'

/** The content type of a recording by the end of its name. */
export const types = { '.sse': 'text/event-stream', '.ndjson': 'application/x-ndjson', '.json': 'application/json' }

/** Every answer of a wire: its name, what it contains, its bytes and their type. */
export function recordedAnswers(wire) {
  const folder = join(sharedFolder() ?? '', 'streams')
  return readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith('.expected.json'))
    .sort()
    .flatMap((name) => {
      const expected = JSON.parse(readFileSync(join(folder, name), 'utf8'))
      if (expected.wire !== wire) return []
      const stem = join(folder, name.slice(0, -'.expected.json'.length))
      const end = Object.keys(types).find((one) => existsSync(stem + one))
      return { name, expected, bytes: readFileSync(stem + end), type: types[end] }
    })
}
