// A worker of addon.test.mjs: ends with an engine and a turn still open.
import { parentPort } from 'node:worker_threads'
import { Engine } from 'sluice'

const turn = new Engine().turn({ wire: 'text' })
turn.feed('from the worker')
parentPort.postMessage([...turn.events()].map((event) => event.text))
