// What the pet is, wherever its host runs: what it is told, and what its page shows.
import { scenarios, unasked } from './scenarios.mjs'

const system = `You are Lulu, a friendly desktop companion with a Live2D body. You answer briefly, in the language of the user, and you show what
you feel by your expressions and motions. {{tools}}`

/** Options of the host. */
export const lulu = {
  system,
  proactive: { perDay: 12 }, // off until a person wants it, see words.js; no page may more often
  cues: /** @type {const} */ ('spoken'), // where Lulu speaks, her face changes with her words
}

/**
 * What the page gets beside the bridge. `first`: nobody chose yet who answers.
 * @param {{ first: boolean, scripted: boolean, live2d: boolean }} state
 */
export const demoOf = (state) => ({
  ...state,
  unasked,
  scenarios: scenarios.map(({ id, group, title, question }) => ({ id, group, title, question })),
})
