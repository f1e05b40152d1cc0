// Questions in words for people: one sentence, labels, and what is remembered.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { picture, until } from './support.mjs'
import { answers, armed, message, open, text } from './ui/message.mjs'

const send = { title: { en: 'Send a message', zh: '发消息' }, sentence: { en: 'send **{text}** to **{to}**', zh: '给**{to}**发**{text}**' }, labels: { '/to': { en: 'Recipient', zh: '收件人' } } }

test('a question is one sentence with the tool, what it may do and labels, in both languages, at every width and in both schemes', async (t) => {
  for (const [lang, sentence, label, buttons] of [
    ['en', 'Lulu wants to send Bring the blue umbrella. to Lin.', 'Recipient', ['Not now', 'Allow']], ['zh', 'Lulu想给Lin发Bring the blue umbrella.。', '收件人', ['先不要', '允许']],
  ]) for (const [width, colorScheme] of [[360, 'light'], [900, 'dark'], [1920, 'light']]) {
    const page = await open(t, { viewport: { width, height: 740 }, colorScheme })
    await page.evaluate(([lang, words]) => {
      document.documentElement.lang = lang
      window.live = new Live()
      window.element = show(live, { name: 'Lulu' })
      live.push(...asking(0, 'message.send', { to: 'Lin', text: 'Bring the blue umbrella.' }, { ask: { words, annotations: { destructiveHint: false, openWorldHint: true } }, card: { words, twice: ['to'] } }))
    }, [lang, send])
    const question = page.getByRole('group', { name: sentence })
    await question.waitFor()
    const shown = await question.innerText()
    for (const part of ['message.send', label, 'to', lang === 'en' ? 'to is given twice, the last counts' : 'to 给了两次，以最后一次为准']) assert.ok(shown.includes(part), `${part} in ${shown}`)
    for (const name of buttons) assert.equal(await page.getByRole('button', { name, exact: true }).count(), 1, name)
    assert.deepEqual(await question.locator('.ask bdi').allInnerTexts(), lang === 'en' ? ['Lulu', 'Bring the blue umbrella.', 'Lin'] : ['Lulu', 'Lin', 'Bring the blue umbrella.'])
    await picture(page, `question-sentence-${lang}-${width}`)
  }
})

test('a result is kept here or let out to the model that is named; what waits for a button is run', async (t) => {
  const result = await message(t, () => live.push(...asking(0, 'diary.read', {}, { stage: 'result', ask: { words: { sentence: 'read **your diary**' }, reader: { model: 'qwen3', host: 'api.example.com' }, preview: { kind: 'text', text: 'Dear diary', isError: false } } })))
  await result.getByRole('group', { name: 'The assistant wanted to read your diary, and has the result. May qwen3 at api.example.com see it?' }).waitFor()
  await armed(result, 'Let it read')
  assert.equal(await result.getByRole('button', { name: 'Keep it here' }).count(), 1)
  const run = await message(t, () => live.push(...asking(0, 'lamp.set', {}, { ask: { words: { sentence: 'switch on the lamp' }, prepared: true } })))
  await run.getByRole('group', { name: 'The assistant prepared: switch on the lamp.' }).waitFor()
  await armed(run, 'Run')
  await run.getByRole('button', { name: 'Run', exact: true }).click()
  await until(async () => (await answers(run)).length, 'the answer')
})

test('remembering says what it covers', async (t) => {
  const page = await message(t, () => live.push(...asking(0, 'message.send', { to: 'Lin' })))
  assert.doesNotMatch(await text(page), /Every message\.send/)
  await page.getByLabel('Remember').selectOption('Always')
  await page.getByText('Every message.send, whatever its arguments are').waitFor()
  await page.getByLabel('Only with exactly these arguments').check()
  await page.getByText('message.send with exactly what stands here').waitFor()
})
