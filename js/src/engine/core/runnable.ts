// Whether something can carry out a tool's calls. Engines that only read texts accept any tool; whoever runs turns
// refuses one whose calls nothing answers.
import { wrong } from './options.js'

interface Runnable {
  run?: unknown
  runsIn?: unknown
  external?: unknown
  declaration: { readonly [member: string]: unknown }
}

/**
 * Throws SluiceError `option` for the first of these tools that has no `execute` and names nothing else that answers
 * its calls.
 */
export function checkRunnable(tools: readonly Runnable[]): void {
  for (const [
    index,
    {
      run,
      runsIn,
      external,
      declaration: { ipc, provider },
    },
  ] of tools.entries()) {
    if (!run && !runsIn && !external && !ipc && provider !== 'mcp')
      // the provider runs what is approved here
      throw wrong(`tools[${index}].execute`, undefined, 'a function, or external, ipc, runsIn')
  }
}
