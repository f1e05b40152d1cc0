// A window of an app that is asked about a deletion, and how its page is seen and used.
import assert from 'node:assert/strict'
import { until } from '../support.mjs'
import { openApp } from './app.mjs'

export const call = (name, args = {}) => ({ name, arguments: args })
export const remove = (text) => ({ text: 'I will. ', calls: [call('file_delete', { text })] })

export const shows = async (window, text) => {
  let seen
  const look = async () => (seen = await window.evaluate(() => document.body.innerText)).includes(text)
  await until(look).catch(() =>
    assert.fail(`expected ${JSON.stringify(text)} on the page, found ${JSON.stringify(seen)}`),
  )
}
export const say = (window, text) => window.evaluate(async (text) => (await window.client.send(text)).id, text)
export const rawCall = (window, method, input) =>
  window.evaluate(([method, input]) => window.sluice.call(method, input), [method, input])
/** The question that the window is shown, and the message that it belongs to. */
export const question = async (window) => {
  await shows(window, 'awaiting_approval')
  return await window.evaluate(() => {
    const asks = [...window.shown.values()].flatMap((message) =>
      message.getSnapshot().questions.map(({ token }) => ({ message: message.id, token })),
    )
    return asks[0]
  })
}
export const ranOf = async (app) => (await app.ask('ran')).map(({ name, args }) => [name, args])

/** A window that is asked about a deletion, and one that has nothing to do with it. */
export async function asked(t, browser, options) {
  const app = await openApp(t, browser, {
    answers: [remove('a.txt'), { text: 'Gone.' }, remove('b.txt'), { text: 'Gone too.' }],
    ...options,
  })
  const [victim, attacker] = [await app.window(t), await app.window(t)]
  await say(victim, 'delete a.txt')
  return { app, victim, attacker, ask: await question(victim), own: await question(attacker) }
}
