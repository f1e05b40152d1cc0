// The questions of the elements, in a real page under a strict Content Security Policy: how they are answered, and that
// what is approved was seen.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PNG } from 'pngjs'
import { picture, until } from './support.mjs'
import { answers, armed, message, open, text } from './ui/message.mjs'

// -- approvals --------------------------------------------------------------------------------------------------------

test('a question shows tool, what it may do, description and every argument; the keyboard alone answers it', async (t) => {
  const page = await message(t, () =>
    live.push(
      { type: 'text', block: 0, text: 'May I?' },
      ...asking(
        1,
        'file.write',
        { path: '/tmp/x', text: 'a\nb', n: 5, flag: false, list: [1] },
        {
          ask: {
            policy: 'ask_always',
            annotations: { openWorldHint: true },
            description: 'Writes a file.',
            expiresAt: Date.now() + 90_000,
          },
        },
      ),
    ),
  )
  const question = page.getByRole('group', { name: 'The assistant wants to use file.write.' })
  assert.match(await question.getAttribute('aria-describedby'), /effects/)
  const shown = await question.innerText()
  for (const part of [
    '5 arguments · 22 characters in 8 lines',
    'can change or delete',
    'leaves this computer',
    'asks every time',
    'Writes a file.',
    '/tmp/x',
    'a\nb',
    '5',
    'false',
    '[\n  1\n]',
  ])
    assert.ok(shown.includes(part), `${part} in ${shown}`)
  assert.match(shown, /Expires in 1:(30|2\d)/)
  const deny = page.getByRole('button', { name: 'Not now' })
  await until(() => deny.evaluate((button) => button.getRootNode().activeElement === button), 'the focus on Not now')
  await armed(page, 'Allow')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await until(async () => (await answers(page)).length, 'the answer')
  assert.deepEqual(await answers(page), [['approve', 't2']])
  await until(
    async () => (await page.getByRole('group', { name: 'The assistant wants' }).count()) === 0,
    'the question to go',
  )
  await until(
    () =>
      page
        .getByRole('button', { name: 'file.write' })
        .evaluate((button) => button.getRootNode().activeElement === button),
    'the focus on the card',
  )
})

test('buttons do nothing until they were visible for a moment', async (t) => {
  const page = await message(
    t,
    () => {
      window.askedAt = performance.now()
      live.settles = false
      live.push(...asking(0, 'a.b', {}))
    },
    { properties: { armMs: 3000 } },
  ) // time enough to try them before
  assert.equal(await page.evaluate(() => document.createElement('sluice-message').armMs), 600, 'the default')
  const approve = page.getByRole('button', { name: 'Allow', exact: true })
  assert.equal(await approve.getAttribute('aria-disabled'), 'true')
  await page.evaluate(() => {
    const button = element.renderRoot
      .querySelector('sluice-card')
      .renderRoot.querySelector('sluice-approval')
      .renderRoot.querySelector('.approve')
    window.activeAt = new Promise((resolve) =>
      new MutationObserver(() => resolve(performance.now())).observe(button, { attributeFilter: ['aria-disabled'] }),
    )
    button.click()
  })
  await page.keyboard.press('Enter') // Deny has the focus
  const waited = await page.evaluate(async () => (await activeAt) - askedAt)
  assert.deepEqual(await answers(page), [])
  assert.ok(waited >= 3000, `${waited} ms`)
  await approve.click()
  await until(async () => (await answers(page)).length === 1, 'the answer')
  await approve.click({ force: true })
  assert.deepEqual(await answers(page), [['approve', 't1']], 'not twice')
})

test('a key on a button that takes nothing yet is told so, once, without deciding anything', async (t) => {
  const page = await message(t, () => live.push(...asking(0, 'a.b', { text: 'x' })), { properties: { armMs: 60_000 } })
  for (const [lang, words] of [
    ['en', 'Not yet. The buttons become active in a moment.'],
    ['zh', '现在还不行。 按钮稍后可用。'],
  ]) {
    const told = await page.evaluate(async (lang) => {
      document.documentElement.lang = lang
      live.push(...asking(0, 'a.b', { text: lang }, { ask: { token: lang } }))
      await frames(3)
      const { renderRoot: root, updateComplete } = element.renderRoot
        .querySelector('sluice-card')
        .renderRoot.querySelector('sluice-approval')
      const said = []
      const status = root.querySelector('.hidden-text[role=status]')
      for (const button of ['.deny', '.approve', '.approve']) {
        root.querySelector(button).click()
        await updateComplete
        await frames(1)
        if (said.at(-1) !== status.textContent) said.push(status.textContent)
      }
      return said
    }, lang)
    assert.deepEqual(told, [words])
  }
  assert.deepEqual(await answers(page), [])
})

test('buttons below the fold stay inactive until someone scrolls there, and wait again when the window gets the focus', async (t) => {
  const page = await message(t, () =>
    live.push({ type: 'text', block: 0, text: 'line\n'.repeat(100) + 'end' }, ...asking(1, 'a.b', {}), {
      type: 'text',
      block: 2,
      text: 'x',
    }),
  )
  const approve = page.getByRole('button', { name: 'Allow', exact: true })
  // As long as it would take, by the page's own clock and frames.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 900)))
  assert.equal(await approve.getAttribute('aria-disabled'), 'true')
  const half = await approve.evaluate((button) => {
    const { top, height } = button.getBoundingClientRect()
    scrollBy(0, top + 0.7 * height - innerHeight)
    return new Promise((resolve) => setTimeout(() => resolve(button.getAttribute('aria-disabled')), 900))
  })
  assert.equal(half, 'true', 'the lower edge of the buttons is out of view')
  await approve.scrollIntoViewIfNeeded()
  await armed(page, 'Allow')
  const changes = approve.evaluate((button) => {
    const seen = []
    const changed = new Promise((resolve) =>
      new MutationObserver((_, observer) => {
        if (seen.push(button.getAttribute('aria-disabled')) === 2) observer.disconnect(), resolve(seen)
      }).observe(button, { attributeFilter: ['aria-disabled'] }),
    )
    window.dispatchEvent(new Event('focus'))
    return changed
  })
  assert.deepEqual(await changes, ['true', 'false'])
})

test('a question takes the focus, but never from someone who writes', async (t) => {
  const page = await message(t)
  await page.locator('#elsewhere').focus()
  await page.evaluate(() => live.push(...asking(0, 'a.b', {})))
  await armed(page, 'Not now')
  await page.keyboard.type('still here')
  assert.equal(await page.locator('#elsewhere').inputValue(), 'still here')
  assert.deepEqual(await answers(page), [])
})

test('two questions: the focus goes on to the next, its keys are not those of the last', async (t) => {
  const page = await message(t, () => live.push(...asking(0, 'first.tool', {}), ...asking(1, 'second.tool', {})), {
    properties: { armMs: 3000 },
  }) // time enough to be too fast
  const focusedIn = () =>
    page.evaluate(() => {
      let element = document.activeElement
      while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
      return `${element.getRootNode().host?.card?.name} ${element.innerText}`
    })
  await until(async () => (await focusedIn()) === 'first.tool Not now', 'the focus on the first')
  await armed(page, 'Not now')
  await page.keyboard.press('Enter')
  await until(async () => (await focusedIn()) === 'second.tool Not now', 'the focus on the second')
  await page.keyboard.press('Enter') // too fast
  assert.deepEqual(await answers(page), [['deny', 't1']])
})

test('where several wait, all can be approved or denied at once', async (t) => {
  const page = await message(
    t,
    () =>
      live.push(
        ...asking(0, 'a.one', {}),
        ...asking(1, 'a.two', {}),
        ...asking(2, 'a.three', {}, { stage: 'result', ask: { preview: { kind: 'text', text: 'r', isError: false } } }),
      ),
    { reducedMotion: 'reduce' },
  )
  const group = page.getByRole('group', { name: '2 calls wait for approval' })
  assert.match(await group.innerText(), /a\.one · a\.two/)
  assert.equal(await group.getByRole('button', { name: 'Allow all 2' }).getAttribute('aria-disabled'), 'true')
  await group.scrollIntoViewIfNeeded()
  const unseen = group.getByRole('button', { name: /not seen/ })
  await until(async () => {
    if ((await unseen.count()) === 0) return true
    await unseen.click({ timeout: 1000 }).catch(() => {}) // it goes when all was seen
    return false
  }, 'both questions to be seen')
  const approveAll = group.getByRole('button', { name: 'Allow all 2' })
  await until(async () => {
    // the bar moves when its link goes: out of view, or away from a click, which decides nothing then
    await group.scrollIntoViewIfNeeded()
    if ((await approveAll.getAttribute('aria-disabled')) === 'true') return false
    await approveAll.click()
    return (await answers(page)).length > 0
  }, 'a click that counts')
  await until(async () => (await answers(page)).length === 2, 'both answers')
  assert.deepEqual(await answers(page), [
    ['approve', 't1'],
    ['approve', 't2'],
  ])
  await until(async () => (await group.count()) === 0, 'the bar to go')
  assert.equal(
    await page.getByRole('button', { name: 'Let it read', exact: true }).count(),
    1,
    'the result still waits',
  )
})

test('remembering: how long, and for which arguments; never where the tool is to ask always', async (t) => {
  const page = await message(t, () => live.push(...asking(0, 'a.b', { x: 1 })))
  await page.getByLabel('Remember').selectOption('For this session')
  await page.getByLabel('Only with exactly these arguments').check()
  await armed(page, 'Allow')
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await until(async () => (await answers(page)).length, 'the answer')
  assert.deepEqual(await answers(page), [['approve', 't1', { remember: 'session', exact: true }]])
  const always = await message(t, () => live.push(...asking(0, 'a.b', { x: 1 }, { ask: { policy: 'ask_always' } })))
  assert.equal(await always.getByLabel('Remember').count(), 0)
})

test('arguments can be edited as JSON; what is wrong with them is said, and they are not sent', async (t) => {
  const page = await message(t, () => live.push(...asking(0, 'a.b', { path: '/', n: 1 })))
  await page.getByRole('button', { name: 'Edit arguments' }).click()
  const editor = page.getByLabel('Arguments as JSON')
  await until(() => editor.evaluate((area) => area.getRootNode().activeElement === area), 'the focus in the editor')
  assert.equal(await editor.inputValue(), '{\n  "path": "/",\n  "n": 1\n}')
  await page.getByText('Finish the edit to allow it').waitFor()
  for (const [wrong, problem] of [
    ['{"path": ', /This is not JSON/],
    ['[1]', /Expected a JSON object/],
    ['{"n": 12345678901234567890}', /too large to be exact/],
  ]) {
    await editor.fill(wrong)
    await until(async () => problem.test(await page.locator('#problem').innerText()), String(problem))
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Allow with changes' }).click({ force: true })
    assert.equal(await editor.getAttribute('aria-invalid'), 'true')
  }
  assert.deepEqual(await answers(page), [])
  await editor.fill('{"path": "/tmp", "n": 1}')
  await page.getByRole('button', { name: 'Done' }).click()
  assert.match(
    await page.getByRole('group', { name: 'The assistant wants' }).innerText(),
    /Arguments as changed by you[^]*\/tmp/,
  )
  await armed(page, 'Allow with changes')
  await page.getByRole('button', { name: 'Allow with changes' }).click()
  await until(async () => (await answers(page)).length, 'the answer')
  assert.deepEqual(await answers(page), [['approve', 't1', { arguments: { path: '/tmp', n: 1 } }]])
})

test('an edit that the engine refuses can be mended; Escape leaves the editor and decides nothing', async (t) => {
  const page = await message(t, () => {
    live.gives = Object.assign(new Error('expected a string'), { path: '/n', detail: 'expected a string' })
    live.push(...asking(0, 'a.b', { n: 'x' }))
  })
  await armed(page, 'Allow')
  await page.getByRole('button', { name: 'Edit arguments' }).click()
  await page.keyboard.press('Escape')
  assert.equal(await page.getByLabel('Arguments as JSON').count(), 0)
  assert.deepEqual(await answers(page), [])
  await page.getByRole('button', { name: 'Edit arguments' }).click()
  const change = async (to) => {
    await page.getByLabel('Arguments as JSON').fill(to)
    await page.getByRole('button', { name: 'Done' }).click()
    await armed(page, 'Allow with changes')
    await page.getByRole('button', { name: 'Allow with changes' }).click()
  }
  await change('{"n": 5}')
  await until(() => page.getByText('Not accepted: /n: expected a string').count(), 'the refusal')
  await page.evaluate(() => (live.gives = true))
  await page.getByRole('button', { name: 'Edit arguments' }).click()
  await change('{"n": "y"}')
  await until(async () => (await answers(page)).length === 2, 'the second answer')
})

test('denying with a reason, by keyboard', async (t) => {
  const page = await message(t, () => live.push(...asking(0, 'a.b', {})))
  await armed(page, 'Not now')
  await page.getByRole('button', { name: 'Give a reason' }).focus()
  await page.keyboard.press('Enter')
  await until(
    () => page.getByLabel(/Why not/).evaluate((field) => field.getRootNode().activeElement === field),
    'the focus in the field',
  )
  await page.keyboard.type('not on my machine')
  await page.keyboard.press('Enter')
  await until(async () => (await answers(page)).length, 'the answer')
  assert.deepEqual(await answers(page), [['deny', 't1', 'not on my machine']])
})

test('Escape denies, as does nothing else by accident', async (t) => {
  const page = await message(t, () => live.push(...asking(0, 'a.b', {})))
  await page.keyboard.press('Escape') // not yet
  assert.deepEqual(await answers(page), [])
  await armed(page, 'Not now')
  await page.keyboard.press('Escape')
  await until(async () => (await answers(page)).length, 'the answer')
  assert.deepEqual(await answers(page), [['deny', 't1']])
})

test('a result that waits shows what the model will see, and is released or withheld', async (t) => {
  for (const [button, given] of [
    ['Let it read', 'release'],
    ['Keep it here', 'deny'],
  ]) {
    const page = await message(t, () =>
      live.push(
        ...asking(
          0,
          'contacts.find',
          { name: 'Lin' },
          { stage: 'result', ask: { preview: { kind: 'text', text: 'phone: \u200B555', isError: false } } },
        ),
      ),
    )
    const question = page.getByRole('group', {
      name: 'The assistant wanted to use contacts.find, and has the result. May the model see it?',
    })
    assert.match(await question.innerText(), /The model will see[^]*phone: ⟨U\+200B⟩555/)
    await armed(page, button)
    await question.getByRole('button', { name: button }).click()
    await until(async () => (await answers(page)).length, 'the answer')
    assert.deepEqual(await answers(page), [[given, 't1']])
    await until(
      async () => new RegExp(given === 'release' ? 'Done' : 'Result withheld').test(await text(page)),
      'the state',
    )
  }
})

test('a question that somebody else answered cannot be answered any more; whether its time is over, the host says', async (t) => {
  const page = await message(t, () => {
    live.gives = false
    live.push(...asking(0, 'a.b', {}))
  })
  await armed(page, 'Allow')
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await until(() => page.getByText('This was decided elsewhere.').count(), 'the note')
  const expired = await message(t, () =>
    live.push(...asking(0, 'a.b', {}, { ask: { expiresAt: Date.now() + 60_000 } })),
  )
  await armed(expired, 'Allow')
  await expired.evaluate(() => {
    const now = Date.now.bind(Date)
    Date.now = () => now() + 60_000
  })
  await until(async () => /Expires in 0:00/.test(await text(expired)), 'the clock of the page to be ahead')
  await armed(expired, 'Not now')
  await expired.evaluate(() => (live.gives = false))
  await expired.getByRole('button', { name: 'Allow', exact: true, disabled: false }).click()
  await expired.getByText('This was decided elsewhere.').waitFor()
  assert.deepEqual(await answers(expired), [['approve', 't1']])
})

test('a question that somebody else answered says who, and what', async (t) => {
  for (const [gives, lang, said, approvals] of [
    [{ decided: false, decision: 'approve', by: 'Ann' }, 'en', 'Ann approved it before you.'],
    [{ decided: false, decision: 'deny', by: 'Ann' }, 'zh', 'Ann已先于你拒绝。'],
    [{ decided: false, decision: 'deny', by: 'A\u202Enn' }, 'en', 'A⟨U+202E⟩nn denied it before you.'],
    [{ decided: false, decision: 'deny' }, 'en', 'Somebody denied it before you.'],
    [{ decided: false, reason: 'over' }, 'en', 'This was decided elsewhere.'],
    [
      false,
      'en',
      'Bea approved it before you.',
      [
        { stage: 'result', decision: 'denied', by: 'user', who: 'Cid' },
        { stage: 'execution', decision: 'approved', by: 'user', who: 'Bea' },
      ],
    ],
  ]) {
    const page = await open(t, { times: 5 })
    await page.evaluate(
      ([gives, lang, approvals]) => {
        document.documentElement.lang = lang
        window.live = new Live()
        live.gives = gives
        live.settles = false
        show(live)
        live.push(...asking(0, 'a.b', {}, { card: { approvals } }))
      },
      [gives, lang, approvals],
    )
    const name = lang === 'zh' ? '允许' : 'Allow'
    await armed(page, name)
    await page.getByRole('button', { name, exact: true }).click()
    await page.getByText(said).waitFor()
  }
})

test('approvals="dialog" asks in a modal dialog, and the next question in the same', async (t) => {
  const page = await message(t, () => live.push(...asking(0, 'a.one', { x: 1 })), {
    properties: { approvals: 'dialog' },
  })
  const dialog = page.getByRole('alertdialog', { name: 'Approval needed: a.one' })
  assert.equal(await dialog.count(), 1)
  assert.equal(await page.evaluate(() => element.renderRoot.querySelector('dialog').matches(':modal')), true)
  assert.equal(
    await page.evaluate(() =>
      element.renderRoot.querySelector('sluice-card').renderRoot.querySelector('sluice-approval'),
    ),
    null,
  )
  await picture(page, 'ui-dialog')
  await armed(page, 'Allow')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await until(async () => (await answers(page)).length === 1, 'the answer')
  await page.evaluate(() => live.push(...asking(1, 'a.two', {}, { ask: { level: 'public' } })))
  await until(() => page.getByRole('alertdialog', { name: 'Approval needed: a.two' }).count(), 'the second question')
  await armed(page, 'Not now')
  await page.keyboard.press('Escape')
  await until(async () => (await page.getByRole('alertdialog').count()) === 0, 'the dialog to close')
  assert.deepEqual(await answers(page), [
    ['approve', 't1'],
    ['deny', 't2'],
  ])
})

test('a dialog that comes while someone writes has no button in the way of the next key', async (t) => {
  const page = await message(t, undefined, { properties: { approvals: 'dialog' } })
  await page.locator('#elsewhere').focus()
  await page.evaluate(() => live.push(...asking(0, 'a.one', {})))
  await armed(page, 'Not now')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Space')
  assert.deepEqual(await answers(page), [])
  assert.equal(await page.getByRole('alertdialog').count(), 1)
})

test('approvals="none" shows nothing and fires events with what it takes to answer', async (t) => {
  const page = await open(t)
  await page.evaluate(() => {
    window.events = []
    for (const type of ['sluice-ask', 'sluice-settled']) {
      document.addEventListener(type, ({ detail }) => {
        events.push([type, detail.message, detail.ask.token, detail.card.name, detail.card.status])
        if (type === 'sluice-ask') void detail.approve({ remember: 'turn' })
      })
    }
    window.live = new Live()
    window.element = show(live, { approvals: 'none' })
    live.push(...asking(0, 'a.one', {}))
  })
  await until(() => page.evaluate(() => events.length === 2), 'both events')
  assert.deepEqual(await page.evaluate(() => events), [
    ['sluice-ask', 'm1', 't1', 'a.one', 'awaiting_approval'],
    ['sluice-settled', 'm1', 't1', 'a.one', 'executing'],
  ])
  assert.deepEqual(await answers(page), [['approve', 't1', { remember: 'turn' }]])
  assert.equal(await page.getByRole('button', { name: 'Allow' }).count(), 0)
})

test('an app may take over a single question', async (t) => {
  const page = await open(t)
  await page.evaluate(async () => {
    document.addEventListener('sluice-ask', (event) => event.detail.card.name === 'mine' && event.preventDefault())
    window.live = new Live()
    window.element = show(live)
    live.push(...asking(0, 'mine', {}), ...asking(1, 'yours', {}))
    await frames(3)
  })
  assert.equal(await page.getByRole('group', { name: 'The assistant wants to use mine.' }).count(), 0)
  assert.equal(await page.getByRole('group', { name: 'The assistant wants to use yours.' }).count(), 1)
})

// -- what is approved was seen ----------------------------------------------------------------------------------------

/** As long as arming would take, by the page's own clock and frames. */
const enough = (page) => page.evaluate(() => new Promise((resolve) => setTimeout(() => frames(5).then(resolve), 1500)))
const approveButton = (page) => page.getByRole('button', { name: /^Allow( with changes)?$/ })
const canApprove = async (page) => (await approveButton(page).getAttribute('aria-disabled')) === 'false'
const missing = (page) => page.getByRole('button', { name: /lines? not seen/ })

test('what was not seen is counted, and the keyboard leads there', async (t) => {
  const page = await message(t, () => live.push(...asking(0, 'shell.run', { command: 'line\n'.repeat(300) })), {
    reducedMotion: 'reduce',
    times: 5,
  })
  const left = async () => Number(/[\d,]+/.exec(await missing(page).innerText())[0].replace(',', ''))
  await missing(page).waitFor()
  const before = await left()
  assert.ok(before > 200 && before < 300, `${before} lines`)
  await missing(page).focus()
  await page.keyboard.press('Enter')
  await until(async () => (await left()) < before, 'more lines to be seen')
  const scroll = page.getByRole('group', { name: 'What is asked' })
  assert.equal(await scroll.getAttribute('tabindex'), '0')
  await scroll.focus()
  const now = await left()
  await page.keyboard.press('End')
  await until(async () => (await left()) < now, 'the end to be seen')
  assert.ok((await left()) > 0, 'what was jumped over was not seen')
  await enough(page)
  assert.equal(await canApprove(page), false)
})

test('refusing does not wait until everything was seen', async (t) => {
  const page = await message(t, () => live.push(...asking(0, 'shell.run', { command: 'line\n'.repeat(300) })))
  await armed(page, 'Not now')
  await page.getByRole('button', { name: 'Not now' }).click()
  await until(async () => (await answers(page)).length, 'the answer')
  assert.deepEqual(await answers(page), [['deny', 't1']])
})

test('a question that moves, changes or is edited is armed anew, and what came is to be seen', async (t) => {
  const page = await message(t, () =>
    live.push({ type: 'text', block: 0, text: 'a' }, ...asking(1, 'a.b', { x: 'short' })),
  )
  await armed(page, 'Allow')
  const off = await page.evaluate(async () => {
    const button = element.renderRoot
      .querySelector('sluice-card')
      .renderRoot.querySelector('sluice-approval')
      .renderRoot.querySelector('.approve')
    live.push({ type: 'text', block: 0, text: '\n\n\nmore' })
    await frames(2)
    button.click() // meant for what stood there
    await frames(1)
    return button.getAttribute('aria-disabled')
  })
  assert.equal(off, 'true')
  assert.deepEqual(await answers(page), [])
  await armed(page, 'Allow')
  await page.evaluate(async () => {
    live.push({ type: 'card', block: 1, call: 2, name: 'x.y', arguments: { x: 'no' } })
    await frames(2)
  })
  assert.match(
    await page.getByRole('group', { name: 'The assistant wants to use a.b.' }).innerText(),
    /short/,
    'the question says what is approved, not the card',
  )
  await page.evaluate(async () => {
    live.push(asking(1, 'a.b', { x: 'line\n'.repeat(300) })[1])
    await frames(2)
  })
  await enough(page)
  assert.equal(await canApprove(page), false, 'other arguments')
})

test('a window that is not looked at sees nothing', async (t) => {
  const page = await open(t, { times: 5 })
  await page.evaluate(async () => {
    window.looks = false
    document.hasFocus = () => window.looks
    window.live = new Live()
    window.element = show(live)
    live.push(...asking(0, 'a.b', { x: 1 }))
  })
  await enough(page)
  assert.equal(await canApprove(page), false)
  assert.equal(await page.getByRole('button', { name: 'Not now' }).getAttribute('aria-disabled'), 'true')
  await page.evaluate(() => {
    window.looks = true
    window.dispatchEvent(new Event('focus'))
  })
  await armed(page, 'Allow')
})

test('what nobody can read is held to be approved, not clicked', async (t) => {
  const page = await message(t, () => live.push(...asking(0, 'a.b', { text: 'x'.repeat(1_200_000) })), {
    reducedMotion: 'reduce',
    times: 5,
  })
  const approve = page.getByRole('button', { name: 'Allow with 1.2 M characters unseen' })
  await until(async () => {
    if (await missing(page).count())
      await missing(page)
        .click({ timeout: 1000 })
        .catch(() => {})
    return (await approve.getAttribute('aria-disabled')) === 'false'
  }, 'beginning and end to be seen')
  assert.equal(await page.getByRole('button', { name: /^Show all/ }).count(), 0)
  await page.getByText('Hold the button for 2 s').waitFor()
  await approve.click()
  await approve.focus()
  await page.keyboard.press('Enter')
  assert.deepEqual(await answers(page), [])
  await page.keyboard.down('Space')
  await until(async () => (await answers(page)).length, 'the answer')
  await page.keyboard.up('Space')
  assert.deepEqual(await answers(page), [['approve', 't1']])
})

/** A question without a message around it: `window.one`. */
async function question(page, properties) {
  await page.evaluate(async (properties) => {
    document.querySelector('#stage').replaceChildren()
    window.live = Object.assign(new Live(), { settles: false })
    window.ask = (more) => ({
      call: 1,
      stage: 'execution',
      level: 'sensitive',
      policy: 'ask_always',
      digest: `d ${more.name} ${JSON.stringify(more.arguments)}`,
      token: 't1',
      ...more,
    })
    window.one = Object.assign(document.createElement('sluice-approval'), {
      message: live,
      ...properties,
      ask: ask(properties.ask),
    })
    document.querySelector('#stage').append(one)
    await frames(2)
  }, properties)
}

test('a question without a card shows what it says itself; one that says nothing cannot be approved', async (t) => {
  const page = await open(t, { times: 5 })
  await question(page, { ask: { name: 'shell.run', description: 'Runs.', arguments: { command: 'wipe ~' } } })
  assert.match(
    await text(page, 'sluice-approval'),
    /shell\.run[^]*1 argument · 6 characters in 1 line[^]*Runs\.[^]*command[^]*wipe ~/,
  )
  await armed(page, 'Allow')
  for (const properties of [
    { ask: { arguments: {} } },
    { ask: { name: 'shell.run' } },
    { ask: { name: 'shell.run', stage: 'result' } },
    { ask: {}, card: { type: 'tool_use', call: 1, name: 'a.b' } },
  ]) {
    await question(page, properties)
    await armed(page, properties.ask.stage === 'result' ? 'Keep it here' : 'Not now')
    await enough(page)
    assert.equal(await page.locator('.approve').getAttribute('aria-disabled'), 'true', JSON.stringify(properties))
    assert.match(await text(page, 'sluice-approval'), /it can only be refused/)
    if (!properties.ask.arguments) assert.doesNotMatch(await text(page, 'sluice-approval'), /No arguments/)
  }
})

test('a question shows what the tool calls itself', async (t) => {
  const page = await open(t)
  await question(page, {
    ask: { name: 'mail.send', title: 'Send a \u202Email', description: 'Sends it.', arguments: {} },
  })
  assert.match(await text(page, 'sluice-approval'), /mail\.send[^]*Send a ⟨U\+202E⟩mail[^]*Sends it\./)
})

test('the next question in the same element is to be seen anew', async (t) => {
  const page = await open(t)
  await question(page, { ask: { name: 'a.b', arguments: {} } })
  await armed(page, 'Allow')
  const off = await page.evaluate(async () => {
    one.ask = ask({ name: 'x.y', arguments: {}, token: 't2' })
    await one.updateComplete
    return one.ready
  })
  assert.equal(off, false)
  await armed(page, 'Allow')
})

test('pictures of a result are to be seen before it is released; one that cannot be drawn is said', async (t) => {
  const picture = (height) => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 400, height })
    canvas.getContext('2d').fillRect(0, 0, 400, height)
    return { type: 'image', mediaType: 'image/png', data: canvas.toDataURL('image/png').split(',')[1] }
  }
  const ask = (page, parts) =>
    page.evaluate(
      async ([picture, parts]) => {
        const make = new Function(`return ${picture}`)()
        document.querySelector('#stage').replaceChildren()
        window.live = new Live()
        window.element = show(live)
        const shown = parts.map((part) => (typeof part === 'number' ? make(part) : part))
        live.push(
          ...asking(
            0,
            'camera.photo',
            {},
            { stage: 'result', ask: { preview: { kind: 'parts', text: 'two photos', isError: false, parts: shown } } },
          ),
        )
        await frames(3)
        element.scrollIntoView()
      },
      [String(picture), parts],
    )
  const page = await open(t, { viewport: { width: 900, height: 420 }, reducedMotion: 'reduce', times: 5 })
  const release = page.locator('.approve')
  await ask(page, [600, 500])
  await enough(page)
  assert.equal(await release.getAttribute('aria-disabled'), 'true', 'two pictures, and room for one')
  await until(async () => {
    if (await missing(page).count())
      await missing(page)
        .click({ timeout: 1000 })
        .catch(() => {})
    return (await release.getAttribute('aria-disabled')) === 'false'
  }, 'both pictures to be seen')
  for (const [part, told] of [
    [
      { type: 'image', mediaType: 'image/svg+xml', data: 'PHN2Zz4='.repeat(10) },
      /An image that cannot be shown here, 80 characters of image\/svg\+xml[^]*Allow with 80 characters unseen/,
    ],
    [
      { type: 'image', mediaType: 'image/png', data: 'AAAA' },
      /An image that cannot be shown here, 4 characters of image\/png[^]*Allow with 4 characters unseen/,
    ],
  ]) {
    await ask(page, [part])
    await until(async () => told.test(await text(page)), String(told))
    await enough(page)
    await release.evaluate((button) => button.click())
    assert.deepEqual(await answers(page), [], 'not by a click')
  }
})

test('what stands on a transparent picture of a result is seen in any colour', async (t) => {
  const page = await open(t, { reducedMotion: 'reduce' })
  for (const ink of ['#fff', '#000', '#777', '#bbb']) {
    await page.evaluate(async (ink) => {
      document.querySelector('#stage').replaceChildren()
      window.live = new Live()
      window.element = show(live)
      const canvas = Object.assign(document.createElement('canvas'), { width: 96, height: 96 })
      const context = canvas.getContext('2d')
      context.fillStyle = ink
      context.fillRect(0, 32, 96, 32)
      live.push(
        ...asking(
          0,
          'camera.photo',
          {},
          {
            stage: 'result',
            ask: {
              preview: {
                kind: 'parts',
                text: '',
                isError: false,
                parts: [{ type: 'image', mediaType: 'image/png', data: canvas.toDataURL('image/png').split(',')[1] }],
              },
            },
          },
        ),
      )
      await frames(3)
    }, ink)
    const { data, width } = PNG.sync.read(await page.locator('.picture-result').screenshot())
    const grey = (x, y) => data[4 * (y * width + x)]
    // Some of what is beside the ink differs from it, in every column.
    for (let x = 8; x < 88; x++)
      assert.ok(
        Math.abs(grey(x, 48) - grey(x, 12)) > 30 || Math.abs(grey(x, 48) - grey(x, 20)) > 30,
        `${ink} at ${x}: ${grey(x, 48)} on ${grey(x, 12)} and ${grey(x, 20)}`,
      )
  }
})

test('a hold ends with its question, and is of the first button only', async (t) => {
  const asked = (n) => ({ name: `a.b${n}`, arguments: { text: `x${'\n'.repeat(12_000)}x` }, token: `t${n}` })
  const page = await open(t, { times: 4 })
  await question(page, { ask: asked(1) })
  const approve = page.getByRole('button', { name: 'Allow with 3 k characters unseen' })
  await armed(page, /^Allow with/)
  const { x, y, width, height } = await approve.boundingBox()
  await page.mouse.move(x + width / 2, y + height / 2)
  await page.mouse.down({ button: 'right' })
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 2300)))
  await page.mouse.up({ button: 'right' })
  assert.deepEqual(await answers(page), [], 'another button')
  // the timers of the page keep their order however busy the machine is: the question changes before the hold is over
  await page.evaluate((next) => {
    const change = () =>
      setTimeout(() => {
        one.ask = ask(next)
        setTimeout(() => (window.held = true), 2500)
      }, 500)
    addEventListener('pointerdown', change, { capture: true, once: true })
  }, asked(2))
  await page.mouse.down()
  await until(() => page.evaluate(() => window.held), 'the time of a hold to pass')
  await until(async () => (await approve.getAttribute('aria-disabled')) === 'false', 'the other question to be active')
  await page.mouse.up()
  assert.deepEqual(await answers(page), [], 'another question')
  await page.mouse.down()
  await until(async () => (await answers(page)).length, 'the answer')
  await page.mouse.up()
  assert.deepEqual(await answers(page), [['approve', 't2']])
})

test('long names and descriptions say that they are cut, and are seen whole before they are approved', async (t) => {
  const page = await message(
    t,
    () =>
      live.push(
        ...asking(
          0,
          `mcp.${'a'.repeat(90)}.delete_everything`,
          { x: 1 },
          {
            card: { askedName: `${'z'.repeat(300)}_end` },
            ask: { description: `${'d'.repeat(3000)} and then it SENDS your diary` },
          },
        ),
      ),
    { viewport: { width: 900, height: 1200 }, reducedMotion: 'reduce', times: 5 },
  )
  const shown = () => text(page)
  await enough(page)
  assert.equal(await canApprove(page), false)
  assert.match(
    await shown(),
    /mcp\.a+… \(112\)[^]*characters in 1 line are not shown here[^]*The whole name[^]*\.delete_everything[^]*The model wrote the name z+… \(304\)[^]*z_end/,
  )
  await page.getByRole('button', { name: /^Show all/ }).click()
  assert.ok((await shown()).includes('d'.repeat(3000)))
  assert.match(await shown(), /and then it SENDS your diary/)
  await until(async () => {
    if (await canApprove(page)) return true
    if (await missing(page).count())
      await missing(page)
        .click({ timeout: 1000 })
        .catch(() => {})
    return false
  }, 'the question to be seen')
})

test('what a row chose is kept when all are approved', async (t) => {
  const page = await message(t, () => live.push(...asking(0, 'a.one', { x: 1 }), ...asking(1, 'a.two', { x: 2 })), {
    viewport: { width: 900, height: 900 },
  })
  await page.getByLabel('Remember').first().selectOption('For this session')
  await armed(page, 'Allow all 2')
  await page.getByRole('button', { name: 'Allow all 2' }).click()
  await until(async () => (await answers(page)).length === 2, 'both answers')
  assert.deepEqual(await answers(page), [
    ['approve', 't1', { remember: 'session' }],
    ['approve', 't2'],
  ])
})

test('arm-ms of a message is that of its questions', async (t) => {
  const page = await message(t, () => live.push(...asking(0, 'a.b', { x: 1 })), { properties: { armMs: 60_000 } })
  await enough(page)
  assert.equal(await canApprove(page), false)
  assert.equal(await page.getByRole('button', { name: 'Not now' }).getAttribute('aria-disabled'), 'true')
})

test('an arm-ms longer than a timer waits arms nothing', async (t) => {
  const page = await message(t, () => live.push(...asking(0, 'a.b', { x: 1 })), { properties: { armMs: 2 ** 31 } })
  await enough(page)
  assert.equal(await canApprove(page), false)
})

test('a question of many arguments is laid out once', async (t) => {
  const page = await message(t, () =>
    live.push(...asking(0, 'a.b', Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`a${at}`, 'v'])))),
  )
  await armed(page, 'Not now')
  const took = await page.evaluate(async () => {
    const approval = element.renderRoot.querySelector('sluice-card').renderRoot.querySelector('sluice-approval')
    let built = 0
    const { stringify } = JSON
    JSON.stringify = (...given) => (built++, stringify(...given))
    approval.requestUpdate()
    await approval.updateComplete
    JSON.stringify = stringify
    return built
  })
  assert.equal(took, 0)
})

test('all can be approved when every question was in view, and none of them was changed', async (t) => {
  const page = await message(
    t,
    () => {
      live.push(...asking(0, 'shell.run', { command: 'wipe ~' }))
      for (let at = 1; at < 8; at++)
        live.push(...asking(2 * at - 1, 'notes.add', { text: 'Note\n'.repeat(9) + at }, { call: at + 1 }), {
          type: 'text',
          block: 2 * at,
          text: 'and\n\n\n\n\nso',
        })
      scrollTo(0, document.body.scrollHeight)
    },
    { reducedMotion: 'reduce', times: 5 },
  )
  const all = page.getByRole('button', { name: 'Allow all 8' })
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
  await enough(page)
  assert.equal(await all.getAttribute('aria-disabled'), 'true')
  await page.getByRole('button', { name: /questions? not seen/ }).waitFor()
  await all.evaluate((button) => button.click())
  assert.deepEqual(await answers(page), [])
  const unseen = page.getByRole('button', { name: /questions? not seen/ })
  const look = async () => {
    await until(async () => {
      if (await unseen.count()) await unseen.click({ timeout: 1000 }).catch(() => {})
      return (await unseen.count()) === 0
    }, 'all to be seen')
    await all.scrollIntoViewIfNeeded()
    await armed(page, 'Allow all 8')
  }
  await look()
  await page.evaluate(() =>
    element.renderRoot
      .querySelector('sluice-card')
      .renderRoot.querySelector('sluice-approval')
      .renderRoot.querySelector('.unfold')
      .click(),
  )
  await page.getByRole('button', { name: 'Edit arguments' }).first().click()
  await until(
    async () => (await all.getAttribute('aria-disabled')) === 'true',
    'the edit to keep all from being approved',
  )
  await page.keyboard.press('Escape')
  await look()
  await until(async () => {
    if ((await answers(page)).length === 0) {
      await look() // a busy page may have moved since
      await all.evaluate((button) => button.click())
    }
    return (await answers(page)).length === 8
  }, 'the answers')
})

test('eight short questions are rows, and the bar says what they would do', async (t) => {
  const page = await message(t, () => {
    for (let at = 0; at < 8; at++)
      live.push(
        ...asking(
          at,
          'notes.add',
          { text: `Note ${at}` },
          { ask: { annotations: { destructiveHint: false }, description: 'Writes a note.' } },
        ),
      )
  })
  await page.setViewportSize({ width: 900, height: 900 })
  const height = await page.evaluate(() => element.renderRoot.querySelector('.blocks').getBoundingClientRect().height)
  assert.ok(height <= 520, `${height} px`)
  const bar = page.getByRole('group', { name: '8 calls wait for approval' })
  assert.match(await bar.innerText(), /notes\.add × 8: Note 0 \| Note 1 \|/)
  await armed(page, 'Allow all 8')
  await picture(page, 'ui-eight')
})

test('the bar that decides all has the colours of the theme: what its questions have', async (t) => {
  const page = await message(t, () =>
    live.push(...asking(0, 'notes.add', { text: 'x' }), ...asking(1, 'notes.add', { text: 'y' })),
  )
  for (const theme of [
    {},
    { background: 'rgb(240, 245, 255)', surface: 'rgb(255, 255, 255)' },
    { background: 'rgb(36, 45, 80)', surface: 'rgb(31, 40, 71)' },
  ]) {
    const [bar, question] = await page.evaluate((theme) => {
      element.style.cssText = Object.entries(theme)
        .map(([name, colour]) => `--sluice-${name}: ${colour}`)
        .join('; ')
      const of = (one) => getComputedStyle(one).backgroundColor
      return [
        of(element.renderRoot.querySelector('.all')),
        of(element.renderRoot.querySelector('sluice-card').renderRoot.querySelector('.card')),
      ]
    }, theme)
    assert.equal(bar, theme.surface ?? question)
    assert.equal(bar, question)
  }
})

test('arguments under way are shown as the complete ones are', async (t) => {
  const page = await message(t, () =>
    live.push(
      { type: 'card', block: 0, call: 1, status: 'streaming', name: 'shell.run' },
      { type: 'args', call: 1, text: '{"command":"open \u202Egpj.exe\u200B' },
    ),
  )
  assert.match(await text(page), /open ⟨U\+202E⟩gpj\.exe⟨U\+200B⟩/)
})

test('arguments under way stand by label, with the value that grows; what is no JSON as it comes', async (t) => {
  const page = await message(t, () =>
    live.push({
      type: 'card',
      block: 0,
      call: 1,
      status: 'streaming',
      name: 'message.send',
      words: { labels: { '/text': { en: 'Message', zh: '内容' } } },
    }),
  )
  const written = () =>
    page.evaluate(() =>
      frames(2).then(() =>
        element.renderRoot
          .querySelector('sluice-card')
          .renderRoot.querySelector('.writing')
          ?.innerText.replace(/\s*\n\s*/g, '\n')
          .trim(),
      ),
    )
  const seen = []
  for (const text of [
    '{',
    '"to": "L',
    'in", "te',
    'xt":',
    ' "It\\u2',
    '019s la',
    'te.\\',
    'n',
    'Sorry", "n": [1, {"a": "}"',
    '}]}',
  ]) {
    await page.evaluate((text) => live.push({ type: 'args', call: 1, text }), text)
    seen.push(await written())
  }
  assert.deepEqual(seen, [
    '{',
    'to\nL',
    'to\nLin\nte',
    'to\nLin\nMessage text',
    'to\nLin\nMessage text\nIt',
    'to\nLin\nMessage text\nIt’s la',
    'to\nLin\nMessage text\nIt’s late.',
    'to\nLin\nMessage text\nIt’s late.',
    'to\nLin\nMessage text\nIt’s late.\nSorry\nn\n[1, {"a": "}"',
    'to\nLin\nMessage text\nIt’s late.\nSorry\nn\n[1, {"a": "}"}]',
  ])
  await page.evaluate(() =>
    live.push(
      { type: 'card', block: 1, call: 2, status: 'streaming', name: 'a.b' },
      { type: 'args', call: 2, text: '<to>Lin</to><text>It is' },
    ),
  )
  await until(async () => (await text(page)).includes('<to>Lin</to><text>It is'), 'the other syntax')
})

test('an editor shows what has no glyph as an escape', async (t) => {
  const page = await message(t, () => live.push(...asking(0, 'a.b', { path: 'a\u202Eb\u{E0041}👩‍💻' })))
  await page.getByRole('button', { name: 'Edit arguments' }).click()
  assert.equal(await page.getByLabel('Arguments as JSON').inputValue(), '{\n  "path": "a\\u202eb\\udb40\\udc41👩‍💻"\n}')
  await page.getByRole('button', { name: 'Done' }).click()
  assert.equal(await page.getByText('Arguments as changed by you').count(), 0)
})
