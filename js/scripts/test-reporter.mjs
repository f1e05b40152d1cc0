// A reporter of Node's test runner beside `spec`, which does not say how the process of a file ended: one line for each
// that was killed, or ended early.
import { writeSync } from 'node:fs'

export default async function* (events) {
  for await (const { type, data } of events) {
    const { signal, exitCode } = (type === 'test:fail' && data.details?.error) || {}
    if (signal || exitCode > 1)
      writeSync(2, `ℹ ${data.name}: its process ${signal ? `was killed by ${signal}` : `ended with ${exitCode}`}\n`)
  }
  yield ''
}
