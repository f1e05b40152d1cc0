// sluice proxy: `sluice serve` by its other name.
import type { Command } from './command.js'
import { command as serve } from './serve.js'

const [first, second, ...rest] = serve.help.split('\n')

export const command: Command = { ...serve, summary: 'another name of serve', help: [second, first, ...rest].join('\n') }
