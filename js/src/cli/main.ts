#!/usr/bin/env node
// The program `sluice`.
import { sluice } from './sluice.js'

process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1)) // `sluice parse | head`

process.exitCode = await sluice(process.argv.slice(2))
