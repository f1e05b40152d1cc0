// Questions in words for people: one sentence, labels, and what is remembered.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { picture, until } from './support.mjs'
import { answers, armed, message, open, text } from './ui/message.mjs'

const send = {
  title: { en: 'Send a message', zh: '发消息' },
  sentence: { en: 'send **{text}** to **{to}**', zh: '给**{to}**发**{text}**' },
  labels: { '/to': { en: 'Recipient', zh: '收件人' } },
}

test('a question is one sentence with the tool, what it may do and labels, in both languages, at every width and in both schemes', async (t) => {
  for (const [lang, sentence, label, buttons] of [
    ['en', 'Lulu wants to send Bring the blue umbrella. to Lin.', 'Recipient', ['Not now', 'Allow']],
    ['zh', 'Lulu想给Lin发Bring the blue umbrella.。', '收件人', ['先不要', '允许']],
  ])
    for (const [width, colorScheme] of [
      [360, 'light'],
      [900, 'dark'],
      [1920, 'light'],
    ]) {
      const page = await open(t, { viewport: { width, height: 740 }, colorScheme })
      await page.evaluate(
        ([lang, words]) => {
          document.documentElement.lang = lang
          window.live = new Live()
          window.element = show(live, { name: 'Lulu' })
          live.push(
            ...asking(
              0,
              'message.send',
              { to: 'Lin', text: 'Bring the blue umbrella.' },
              {
                ask: { words, annotations: { destructiveHint: false, openWorldHint: true } },
                card: { words, twice: ['to'] },
              },
            ),
          )
        },
        [lang, send],
      )
      const question = page.getByRole('group', { name: sentence })
      await question.waitFor()
      const shown = await question.innerText()
      for (const part of [
        'message.send',
        label,
        'to',
        lang === 'en' ? 'to is given twice, the last counts' : 'to 给了两次，以最后一次为准',
      ])
        assert.ok(shown.includes(part), `${part} in ${shown}`)
      for (const name of buttons) assert.equal(await page.getByRole('button', { name, exact: true }).count(), 1, name)
      assert.deepEqual(
        await question.locator('.ask bdi').allInnerTexts(),
        lang === 'en' ? ['Lulu', 'Bring the blue umbrella.', 'Lin'] : ['Lulu', 'Lin', 'Bring the blue umbrella.'],
      )
      await picture(page, `question-sentence-${lang}-${width}`)
    }
})

test('a result is kept here or let out to the model that is named; what waits for a button is run', async (t) => {
  const result = await message(t, () =>
    live.push(
      ...asking(
        0,
        'diary.read',
        {},
        {
          stage: 'result',
          ask: {
            words: { sentence: 'read **your diary**' },
            reader: { model: 'qwen3', host: 'api.example.com' },
            preview: { kind: 'text', text: 'Dear diary', isError: false },
          },
        },
      ),
    ),
  )
  await result
    .getByRole('group', {
      name: 'The assistant wanted to read your diary, and has the result. May qwen3 at api.example.com see it?',
    })
    .waitFor()
  await armed(result, 'Let it read')
  assert.equal(await result.getByRole('button', { name: 'Keep it here' }).count(), 1)
  const run = await message(t, () =>
    live.push(...asking(0, 'lamp.set', {}, { ask: { words: { sentence: 'switch on the lamp' }, prepared: true } })),
  )
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

test('arguments are edited in fields of their own, in both languages; what is wrong is said at the field, and all of it can be JSON', async (t) => {
  const parameters = {
    type: 'object',
    required: ['to'],
    properties: {
      to: { type: 'string', description: 'Who gets it' },
      text: { type: 'string' },
      urgent: { type: 'boolean' },
      times: { type: 'integer' },
      tone: { enum: ['kind', 'short'] },
      more: { type: 'object' },
      odd: { type: 'string' },
    },
  }
  for (const [lang, edit, changed, all, inexact] of [
    ['en', 'Edit arguments', 'Allow with changes', 'All as JSON', /too large to be exact/],
    ['zh', '修改参数', '按修改允许', '全部用 JSON 编辑', /过大/],
  ]) {
    const page = await open(t, { viewport: { width: 700, height: 1200 } })
    await page.evaluate(
      ([lang, words, parameters]) => {
        document.documentElement.lang = lang
        window.live = new Live()
        window.element = show(live)
        live.push(
          ...asking(
            0,
            'message.send',
            {
              extra: 1,
              to: 'Lin',
              text: 'a\nb',
              urgent: false,
              times: 2,
              tone: 'kind',
              more: { a: 1 },
              odd: 'a\u200Bb',
            },
            { ask: { words, parameters } },
          ),
        )
      },
      [lang, send, parameters],
    )
    await page.getByRole('button', { name: edit }).click()
    const field = (name) => page.locator(`[data-argument=${name}]`)
    await until(
      () => field('to').evaluate((input) => input.getRootNode().activeElement === input),
      'the focus in the first field',
    )
    assert.deepEqual(
      await page.evaluate(() =>
        [
          ...element.renderRoot
            .querySelector('sluice-card')
            .renderRoot.querySelector('sluice-approval')
            .renderRoot.querySelectorAll('[data-argument]'),
        ].map((one) => one.localName),
      ),
      ['input', 'textarea', 'select', 'input', 'select', 'textarea', 'textarea'],
    )
    assert.match(await page.getByLabel(lang === 'en' ? /Recipient/ : /收件人/).inputValue(), /Lin/)
    assert.equal(await field('odd').inputValue(), '"a\\u200bb"', 'what has no glyph is an escape')
    await field('more').fill('{"a": ')
    await page.locator('.edit').click()
    await until(
      () =>
        field('more').evaluate(
          (area) => area.getAttribute('aria-invalid') === 'true' && area.getRootNode().activeElement === area,
        ),
      'the field with the fault',
    )
    await field('more').fill('{"a": 2}')
    await field('times').fill('12345678901234567890')
    await page.locator('.edit').click()
    await page.getByText(inexact).first().waitFor()
    await field('times').fill('3')
    await field('to').fill('Mia')
    await field('urgent').selectOption('true')
    await field('tone').selectOption('short')
    await picture(page, `question-form-${lang}`)
    await page.getByRole('button', { name: all }).click()
    const json = page.locator('#editor')
    assert.deepEqual(
      JSON.parse(await json.inputValue()),
      { extra: 1, to: 'Mia', text: 'a\nb', urgent: true, times: 3, tone: 'short', more: { a: 2 }, odd: 'a\u200Bb' },
      'nothing is lost',
    )
    await page.locator('.edit').click()
    await armed(page, changed)
    await page.getByRole('button', { name: changed }).click()
    await until(async () => (await answers(page)).length, 'the answer')
    assert.deepEqual((await answers(page))[0][2].arguments, {
      extra: 1,
      to: 'Mia',
      text: 'a\nb',
      urgent: true,
      times: 3,
      tone: 'short',
      more: { a: 2 },
      odd: 'a\u200Bb',
    })
  }
})

test('fields that are open follow the language, with what stands in them and the focus', async (t) => {
  const page = await open(t)
  await page.evaluate((words) => {
    window.live = new Live()
    window.element = show(live)
    const parameters = {
      type: 'object',
      required: ['to'],
      properties: { to: { type: 'string' }, tone: { enum: ['kind', 'short'] }, more: { type: 'object' } },
    }
    live.push(...asking(0, 'message.send', { to: 'Lin', tone: 'kind' }, { ask: { words, parameters } }))
  }, send)
  await page.locator('.edit').click()
  const field = (name) => page.locator(`[data-argument=${name}]`)
  await field('tone').selectOption('short')
  await field('more').fill('{"a": ')
  await field('to').fill('Mia')
  await page.evaluate(() => (document.documentElement.lang = 'zh'))
  await page.getByLabel(/收件人/).waitFor()
  assert.deepEqual(await Promise.all(['to', 'tone', 'more'].map((name) => field(name).inputValue())), [
    'Mia',
    await field('tone').inputValue(),
    '{"a": ',
  ])
  assert.equal(await field('tone').locator('option:checked').innerText(), 'short')
  await until(
    () => field('to').evaluate((input) => input.getRootNode().activeElement === input),
    'the focus where it was',
  )
})
