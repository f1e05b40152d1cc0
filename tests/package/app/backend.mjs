// Which build of the engine a user's program runs, by itself, by the engine and by an error.
import { backend, Engine } from 'sluice'

const described = new Engine().describe().backend
let ofErrors
try {
  new Engine({ tools: 7 })
} catch (error) {
  ofErrors = error.backend
}
console.log(JSON.stringify({ ...backend(), described, ofErrors }))
