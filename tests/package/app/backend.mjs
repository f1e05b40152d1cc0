// Which build of the engine a user's program runs.
import { backend } from 'sluice'

console.log(JSON.stringify(backend()))
