#!/usr/bin/env node
// The program `sluice`.
import { sluice } from './run-command.js'

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0) // `sluice parse | head`
  console.error(`the output cannot be written: ${error.message}`) // a disk that is full
  process.exit(1)
})

process.exitCode = await sluice(process.argv.slice(2))
