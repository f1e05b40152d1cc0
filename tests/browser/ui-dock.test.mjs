// <sluice-questions>, above a field or in a dialog: one question whole, several as a checklist; nothing is allowed that
// was not seen, and head and buttons never scroll.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { picture, until } from './support.mjs'
import { answers, armed, message, open, text } from './ui/message.mjs'

const words = { title: { en: 'Add a note', zh: '记笔记' }, sentence: { en: 'add **{text}**', zh: '记下**{text}**' } }

/** A page whose dock asks what `script` asks. */
async function dock(t, script, { properties = {}, lang = 'en', ...options } = {}) {
  const page = await open(t, options)
  await page.evaluate(
    ([given, lang]) => {
      document.documentElement.lang = lang
      window.live = new Live()
      window.element = Object.assign(document.createElement('sluice-questions'), { message: live, ...given })
      document.querySelector('#stage').append(element)
    },
    [properties, lang],
  )
  await page.evaluate(script.run, script.given)
  await page.evaluate(() => frames(2))
  return page
}
const notes = (count, more = {}) => ({
  given: [count, words, more],
  run: ([count, words, more]) => {
    for (let at = 0; at < count; at++)
      live.push(
        ...asking(
          at,
          'notes.add',
          { text: `Note ${at}` },
          { ask: { words, annotations: { destructiveHint: false }, description: 'Writes a note.', ...more } },
        ),
      )
  },
})
const ticks = (page) => page.getByRole('checkbox')
const size = (page, selector) =>
  page.evaluate((selector) => element.renderRoot.querySelector(selector).getBoundingClientRect().height, selector)

test('eight short calls are a checklist of 420 px, under one head; what is ticked is allowed, the rest refused', async (t) => {
  for (const [lang, title, unticked, some, all] of [
    ['en', '8 questions', 'Allow', 'Allow 2 · refuse 6', 'Refuse all'],
    ['zh', '8 个问题', '允许', '允许 2 个 · 拒绝 6 个', '全部拒绝'],
  ]) {
    const page = await dock(t, notes(8), { lang, viewport: { width: 900, height: 900 } })
    assert.ok((await size(page, '.dock')) <= 420, `${await size(page, '.dock')} px`)
    const list = page.getByRole('group', { name: title })
    const shown = await text(page, 'sluice-questions')
    assert.match(await list.innerText(), /(Add a note|记笔记) × 8 · notes\.add · /)
    for (let at = 0; at < 8; at++) assert.ok(shown.includes(`Note ${at}`))
    await armed(page, all)
    assert.equal(
      await page.getByRole('button', { name: unticked, exact: true }).getAttribute('aria-disabled'),
      'true',
      'nothing is ticked by itself that changes something',
    )
    await until(async () => (await ticks(page).nth(4).getAttribute('aria-disabled')) === 'false', 'the rows to be seen')
    await ticks(page).nth(1).click()
    await ticks(page).nth(4).click()
    await picture(page, `dock-eight-${lang}`)
    await armed(page, some)
    await page.getByRole('button', { name: some }).click()
    await until(async () => (await answers(page)).length === 8, 'the answers')
    assert.deepEqual(
      (await answers(page)).map(([how]) => how),
      ['deny', 'approve', 'deny', 'deny', 'approve', 'deny', 'deny', 'deny'],
    )
  }
})

test('what only reads ticks itself once it was seen; what may delete never does', async (t) => {
  const page = await dock(t, {
    run: () => {
      live.push(...asking(0, 'diary.read', { day: 'Monday' }, { ask: { annotations: { readOnlyHint: true } } }))
      live.push(...asking(1, 'file.delete', { path: '/' }))
    },
  })
  await until(() => ticks(page).nth(0).isChecked(), 'the row that reads')
  assert.equal(await ticks(page).nth(1).isChecked(), false)
  await ticks(page).nth(0).click()
  assert.equal(await ticks(page).nth(0).isChecked(), false, 'it can be taken away')
})

test('what a stranger says of its own tool ticks nothing', async (t) => {
  const page = await dock(t, {
    run: () => {
      live.push(...asking(0, 'diary.read', { day: 'Monday' }, { ask: { annotations: { readOnlyHint: true } } }))
      live.push(
        ...asking(
          1,
          'files.read',
          { path: '/' },
          { ask: { annotations: { readOnlyHint: true }, words: { from: 'files' } } },
        ),
      )
    },
  })
  await until(() => ticks(page).nth(0).isChecked(), 'the row of the app')
  await until(
    async () => (await ticks(page).nth(1).getAttribute('aria-disabled')) === 'false',
    'the other row to be seen',
  )
  assert.equal(await ticks(page).nth(1).isChecked(), false)
  assert.match(await text(page, 'sluice-questions'), /says that it only reads/)
})

test('the bar waits again when a row ticks itself: a click was meant for what it said before', async (t) => {
  const page = await dock(
    t,
    {
      run: () => {
        live.push(...asking(0, 'notes.add', { text: 'Note' }, { ask: { annotations: { destructiveHint: false } } }))
        live.push(
          ...asking(1, 'diary.read', { day: 'Monday '.repeat(600) }, { ask: { annotations: { readOnlyHint: true } } }),
        )
      },
    },
    { viewport: { width: 600, height: 700 } },
  )
  await until(async () => (await ticks(page).nth(0).getAttribute('aria-disabled')) === 'false', 'the row to be seen')
  await ticks(page).nth(0).click()
  await armed(page, 'Allow 1 · refuse 1')
  const early = await page.evaluate(async () => {
    const allow = element.renderRoot.querySelector('.allow')
    for (const end = Date.now() + 20_000; Date.now() < end && !allow.textContent.includes('2'); await frames(1))
      element.renderRoot.querySelector('.bar .more')?.click()
    allow.click() // as the bar says something else
    return [allow.textContent.trim(), allow.ariaDisabled, live.answers]
  })
  assert.deepEqual(early, ['Allow 2', 'true', []])
  await armed(page, 'Allow 2')
  await page.getByRole('button', { name: 'Allow 2' }).click()
  await until(async () => (await answers(page)).length === 2, 'the answers')
})

test('a row opens to the exact view, and is edited there; another question takes the tick away', async (t) => {
  const page = await dock(t, notes(2))
  await until(async () => (await ticks(page).nth(0).getAttribute('aria-disabled')) === 'false', 'the row to be seen')
  await ticks(page).nth(0).click()
  await page.getByRole('button', { name: 'More: edit, remember, reason' }).first().click()
  await page.getByText('Writes a note.').waitFor()
  await page.getByRole('button', { name: 'Edit arguments' }).click()
  assert.equal(await ticks(page).nth(0).isChecked(), false, 'nothing is ticked while it changes')
  await page.evaluate(
    (words) =>
      live.push(
        ...asking(
          0,
          'notes.add',
          { text: 'Other' },
          { ask: { words, token: 'other', annotations: { destructiveHint: false } } },
        ),
      ),
    words,
  )
  await until(async () => (await text(page, 'sluice-questions')).includes('Other'), 'the other question')
  assert.equal(await ticks(page).nth(0).isChecked(), false)
})

test('the dock follows a conversation, fires its events, and an app may take a question over', async (t) => {
  const page = await open(t)
  await page.evaluate(() => {
    window.live = new Live('a1')
    const view = {
      id: 'main',
      forgotten: 0,
      entries: [
        { id: 'q', role: 'user', at: 1, text: 'x' },
        { id: 'e', role: 'assistant', at: 2, message: 'a1' },
      ],
    }
    const connection = { state: 'connected', subscribe: () => () => {}, retry() {} }
    const client = {
      connection,
      open: () => ({ id: 'main', subscribe: () => () => {}, getSnapshot: () => view }),
      message: () => live,
    }
    window.heard = []
    window.element = Object.assign(document.createElement('sluice-questions'), { client, name: 'Lulu' })
    for (const type of ['sluice-ask', 'sluice-settled'])
      element.addEventListener(type, (event) => {
        heard.push([type, event.detail.ask.token])
        if (event.detail.ask.name === 'mine') event.preventDefault()
      })
    document.querySelector('#stage').append(element)
    live.push(...asking(0, 'yours', {}), ...asking(1, 'mine', {}))
  })
  await page.getByRole('group', { name: 'Lulu wants to use yours.' }).waitFor()
  assert.equal(await page.getByRole('checkbox').count(), 0, 'one is left, and drawn whole')
  await armed(page, 'Allow')
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await until(async () => (await page.evaluate(() => heard.length)) === 3, 'the events')
  assert.deepEqual(await page.evaluate(() => heard), [
    ['sluice-ask', 't1'],
    ['sluice-ask', 't2'],
    ['sluice-settled', 't1'],
  ])
  assert.equal(await page.getByRole('button').count(), 0, 'nothing is left to show')
})

test('a card says that it asks below', async (t) => {
  for (const [lang, said] of [
    ['en', 'Asks below'],
    ['zh', '在下方询问'],
  ]) {
    const page = await open(t)
    await page.evaluate((lang) => {
      document.documentElement.lang = lang
      window.live = new Live()
      window.element = show(live, { approvals: 'dock' })
      live.push(...asking(0, 'a.b', {}))
    }, lang)
    await page.getByText(said).waitFor()
    assert.equal(await page.locator('sluice-approval').count(), 0)
  }
})

// -- the same in a dialog ---------------------------------------------------------------------------------------------

/** A message that asks in a dialog. */
const dialog = (t, run, options) => message(t, run, { properties: { approvals: 'dialog' }, ...options })

test('several questions in a dialog are the checklist of a dock: what is ticked is allowed, the rest refused', async (t) => {
  const page = await dialog(t, () => {
    window.heard = []
    for (const type of ['sluice-ask', 'sluice-settled'])
      element.addEventListener(type, (event) => heard.push(`${type} ${event.detail.ask.token}`))
    for (let at = 0; at < 3; at++)
      live.push(
        ...asking(at, 'notes.add', { text: `Note ${at}` }, { ask: { annotations: { destructiveHint: false } } }),
      )
    live.push(
      ...asking(
        3,
        'diary.read',
        {},
        { stage: 'result', ask: { preview: { kind: 'text', text: 'Dear diary', isError: false } } },
      ),
    )
  })
  const box = page.getByRole('alertdialog', { name: '4 questions' })
  assert.equal(await box.count(), 1)
  assert.match(await text(page, 'sluice-message'), /notes\.add × 3[^]*Note 0[^]*Note 2[^]*Dear diary/)
  await armed(page, 'Refuse all')
  assert.equal(
    await page.getByRole('button', { name: 'Allow', exact: true }).getAttribute('aria-disabled'),
    'true',
    'nothing is ticked by itself that changes something',
  )
  for (const at of [0, 2, 3]) {
    await until(async () => (await ticks(page).nth(at).getAttribute('aria-disabled')) === 'false', 'the row to be seen')
    await ticks(page).nth(at).click()
  }
  await picture(page, 'dialog-several')
  await armed(page, 'Allow 3 · refuse 1')
  await page.keyboard.press('Escape')
  assert.equal(await box.count(), 1, 'the bar decides')
  await page.getByRole('button', { name: 'Allow 3 · refuse 1' }).click()
  await until(async () => (await page.getByRole('alertdialog').count()) === 0, 'the dialog to close')
  assert.deepEqual(await answers(page), [
    ['approve', 't1'],
    ['deny', 't2'],
    ['approve', 't3'],
    ['release', 't4'],
  ])
  const tokens = ['t1', 't2', 't3', 't4']
  await until(() => page.evaluate(() => heard.length === 8), 'the events')
  assert.deepEqual(await page.evaluate(() => heard), [
    ...tokens.map((one) => `sluice-ask ${one}`),
    ...tokens.map((one) => `sluice-settled ${one}`),
  ])
})

test('a dialog allows no row that was not in view', async (t) => {
  const page = await dialog(
    t,
    () =>
      live.push(
        ...asking(0, 'notes.add', { text: 'Note' }),
        ...asking(1, 'shell.run', { command: 'echo ok\n'.repeat(80) + 'wipe ~' }),
      ),
    { viewport: { width: 360, height: 740 }, times: 5 },
  )
  await until(
    async () => (await ticks(page).nth(0).getAttribute('aria-disabled')) === 'false',
    'the short row to be seen',
  )
  await ticks(page).nth(0).click()
  await armed(page, 'Allow 1 · refuse 1')
  await page.getByRole('button', { name: '1 question not seen' }).waitFor()
  await ticks(page)
    .nth(1)
    .evaluate((tick) => tick.click())
  assert.equal(await ticks(page).nth(1).isChecked(), false)
  assert.equal(await page.getByRole('button', { name: 'Allow 1 · refuse 1' }).count(), 1)
})

test('a question more makes a checklist of a dialog, and its bar waits; one that the app shows itself is not in it', async (t) => {
  const page = await dialog(t, () => {
    element.addEventListener('sluice-ask', (event) => event.detail.ask.name === 'mine' && event.preventDefault())
    live.push(...asking(0, 'a.one', {}))
  })
  await armed(page, 'Allow')
  const early = await page.evaluate(async () => {
    live.push(...asking(1, 'mine', {}), ...asking(2, 'a.two', {}))
    await frames(2)
    const bar = element.renderRoot.querySelector('sluice-questions').renderRoot
    bar.querySelector('.refuse').click()
    return bar.querySelector('.refuse').ariaDisabled
  })
  assert.equal(early, 'true')
  assert.equal(await ticks(page).count(), 2)
  await armed(page, 'Refuse all')
  await page.getByRole('button', { name: 'Refuse all' }).click()
  await until(async () => (await page.getByRole('alertdialog').count()) === 0, 'the dialog to close')
  assert.deepEqual(await answers(page), [
    ['deny', 't1'],
    ['deny', 't3'],
  ])
})

test('a checklist in a dialog that comes while someone writes takes no key', async (t) => {
  const page = await dialog(t)
  await page.locator('#elsewhere').focus()
  await page.evaluate(() => live.push(...asking(0, 'a.one', {}), ...asking(1, 'a.two', {})))
  await armed(page, 'Refuse all')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Space')
  assert.deepEqual(await answers(page), [])
  assert.equal(await page.getByRole('alertdialog').count(), 1)
})

test('a dialog stands over its message at the lower edge of the window: what is beside or above the message stays in view', async (t) => {
  for (const [width, height, several] of [
    [1280, 720, false],
    [1280, 720, true],
    [360, 740, false],
    [360, 740, true],
  ]) {
    const page = await dialog(t, undefined, { viewport: { width, height } })
    const box = await page.evaluate(async (several) => {
      if (innerWidth > 900)
        document.querySelector('#stage').style.cssText = 'display: block; width: 480px; margin: 0 0 0 auto'
      live.push(...asking(0, 'shell.run', { command: 'echo ok\n'.repeat(80) }))
      if (several) live.push(...asking(1, 'shell.run', { command: 'echo no\n'.repeat(80) }))
      await frames(3)
      return element.renderRoot.querySelector('dialog').getBoundingClientRect().toJSON()
    }, several)
    assert.ok(box.bottom <= height && box.top >= 0.35 * height, `${box.top} to ${box.bottom} of ${height}`)
    assert.ok(
      box.left >= (width > 900 ? width - 572 : 12) && box.right <= width - 12,
      `${box.left} to ${box.right} of ${width}`,
    )
    await page.context().close()
  }
})
