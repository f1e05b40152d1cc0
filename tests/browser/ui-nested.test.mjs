// Calls that a tool makes of other tools: their cards and questions within the card of the caller, in a real page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from './support.mjs'
import { answers, armed, message } from './ui/message.mjs'

/** Pushes a caller that runs and its nested calls `calls`, each of which waits for a person. */
const push = (page, calls, more = []) =>
  page.evaluate(
    ([calls, more]) => {
      live.push(
        ...more,
        {
          type: 'card',
          block: more.length,
          call: 1,
          name: 'script.run',
          status: 'executing',
          arguments: { code: 'x' },
        },
        ...calls.flatMap((call) => {
          const parent = { call: 1, name: 'script.run' }
          const [card, ask] = asking(
            99,
            `fs.write${call}`,
            { path: `/${call}` },
            { ask: { parent, call, token: `t${call}` } },
          )
          const { block: _, ...fields } = card
          return [{ ...fields, call, parent, source: 'nested' }, ask]
        }),
      )
    },
    [calls, more],
  )

test('the card of a nested call is within its caller, and its question says which tool asks, in both languages', async (t) => {
  for (const [lang, asks, allow] of [
    ['en', 'script.run wants to use fs.write2.', 'Allow'],
    ['zh', 'script.run想使用fs.write2。', '允许'],
  ]) {
    const page = await message(t)
    await page.evaluate((lang) => (document.documentElement.lang = lang), lang)
    await push(page, [2])
    const question = page.getByRole('group', { name: asks })
    await question.waitFor()
    const within = await question.evaluate((node) => {
      const cards = []
      for (let root = node.getRootNode(); root.host; root = root.host.getRootNode())
        if (root.host.localName === 'sluice-card') cards.push(root.host.card.name)
      return cards
    })
    assert.deepEqual(within, ['fs.write2', 'script.run'])
    await armed(page, allow)
    await page.getByRole('button', { name: allow, exact: true }).click()
    await until(async () => (await answers(page)).length, 'the answer')
    assert.deepEqual(await answers(page), [['approve', 't2']])
  }
})

test('a folded line of calls never hides the question of a nested call', async (t) => {
  const page = await message(t, undefined, { properties: { calls: 'folded' } })
  const done = { type: 'card', block: 0, call: 9, name: 'clock', status: 'success', arguments: {}, output: '12' }
  await push(page, [2], [done])
  const shown = (name) => page.getByRole('button', { name }).first().isVisible()
  await page.getByRole('group', { name: 'script.run wants to use fs.write2.' }).waitFor()
  assert.deepEqual([await shown('script.run'), await shown('clock')], [true, false])
})

test('nested questions are approved together with the others, and screen readers hear them', async (t) => {
  const page = await message(t, () => live.push({ type: 'text', block: 0, text: 'Let me look.' }))
  await push(page, [2, 3], [{ type: 'text', block: 0, text: ' So.' }])
  const all = page.getByRole('button', { name: 'Allow all 2' })
  await all.waitFor()
  const status = () => page.evaluate(() => element.renderRoot.querySelector('.status').textContent)
  await until(
    async () => /Approval needed: fs\.write2. Approval needed: fs\.write3/.test(await status()),
    'the words for a screen reader',
  )
  await until(async () => {
    await page.mouse.wheel(0, 200)
    if ((await all.getAttribute('aria-disabled')) === 'true') return false
    await all.click()
    return (await answers(page)).length === 2
  }, 'both answers')
  assert.deepEqual(await answers(page), [
    ['approve', 't2'],
    ['approve', 't3'],
  ])
})
