// What the examples talk to: a call, then text. Tells its base URL; the first answer stops behind its first words until
// a line comes in, and where the input ends it tells the requests that came.
import { createInterface } from 'node:readline'
import { startScriptedServer } from 'sluice/testing'

const input = createInterface({ input: process.stdin })
const goOn = new Promise((resolve) => input.once('line', resolve))
const call = { name: 'note_add', arguments: { text: 'umbrella' } }
const server = await startScriptedServer({
  answers: [{ parts: [{ text: 'Noted: ' }, { wait: goOn }, { calls: [call] }] }, { text: 'you will not forget it.' }],
})
input.once('close', async () => {
  console.log(JSON.stringify(server.requests.map(({ path, body }) => ({ path, body }))))
  await server.close()
})
console.log(server.baseURL)
