// Who writes in a question, its arguments or a reason, decides nothing by it: the field stays while other questions
// come and go, and where it goes no button gets the next key.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from './support.mjs'
import { answers, armed, open } from './ui/message.mjs'

/**
 * A page that asks in a dock, or in the cards of a message. `ask(1)` asks about the first call, `settle(1)` says that
 * somebody else decided it.
 */
async function questions(t, where = 'dock', options = {}) {
  const page = await open(t, options)
  await page.evaluate((where) => {
    window.live = new Live()
    window.element = Object.assign(document.createElement(where === 'dock' ? 'sluice-questions' : 'sluice-message'), {
      message: live,
    })
    document.querySelector('#stage').append(element)
    const properties = { to: { type: 'string' }, text: { type: 'string' } }
    window.ask = (call, more = {}) =>
      live.push(
        ...asking(
          call - 1,
          'mail.send',
          { to: `person-${call}`, text: 'short' },
          { ask: { digest: `d${call}`, parameters: { type: 'object', properties }, ...more } },
        ),
      )
    window.settle = (call) => live.push({ type: 'card', block: call - 1, call, status: 'denied' })
    window.focusedElement = () => {
      let element = document.activeElement
      while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
      return element
    }
    window.focusedIn = () => {
      const element = focusedElement()
      return `${element.localName}.${element.className.split(' ')[0]} of ${element.getRootNode().host?.ask?.call ?? 'none'}`
    }
  }, where)
  return page
}
const run = (page, act) =>
  page.evaluate(async (act) => {
    for (const [name, call, more] of act) window[name](call, more)
    await frames(4)
  }, act)
const focusedIn = (page) => page.evaluate(() => focusedIn())
const letter = 'Dear Ann, thank you for the letter of last week. '

/** Opens a field of the first question, with the focus in it, and says how to read it. */
const fields = {
  async arguments(page) {
    await page.getByRole('button', { name: 'Edit arguments' }).first().click()
    const field = page.locator('.form input').nth(1)
    await field.fill('')
    return field
  },
  async reason(page) {
    await page.getByRole('button', { name: 'Give a reason' }).first().click()
    const field = page.getByRole('textbox', { name: /Why not/ })
    await until(() => field.evaluate((one) => one === focusedElement()), 'the focus in the field')
    return field
  },
}

for (const [what, openField] of Object.entries(fields)) {
  test(`${what}: a question more, and one less, leaves the field, what stands in it and the focus`, async (t) => {
    const page = await questions(t)
    await run(page, [['ask', 1]])
    const field = await openField(page)
    await page.keyboard.type('Dear ')
    await run(page, [['ask', 2]])
    await armed(page, 'Refuse all')
    await page.keyboard.type('Ann, ')
    assert.equal(await field.inputValue(), 'Dear Ann, ')
    await run(page, [['settle', 2]])
    await until(
      () =>
        page
          .getByRole('checkbox')
          .count()
          .then((count) => count === 0),
      'one question again',
    )
    await armed(page, 'Not now')
    await page.keyboard.type('thank you')
    assert.equal(await field.inputValue(), 'Dear Ann, thank you')
    assert.deepEqual(await answers(page), [])
  })

  test(`${what}: where the question goes, the next key is no answer to another`, async (t) => {
    const page = await questions(t)
    await run(page, [['ask', 1]])
    await openField(page)
    await run(page, [
      ['ask', 2],
      ['settle', 1],
    ])
    await armed(page, 'Not now')
    assert.equal(await focusedIn(page), 'div.question of 2')
    await page.keyboard.type(letter)
    await run(page, [
      ['ask', 3],
      ['settle', 2],
      ['ask', 4],
    ])
    await armed(page, 'Refuse all')
    await page.keyboard.type(letter)
    assert.deepEqual(await answers(page), [])
    await run(page, [
      ['settle', 3],
      ['settle', 4],
    ])
    await run(page, [['ask', 5]])
    await armed(page, 'Not now')
    await page.keyboard.type(letter)
    assert.deepEqual(await answers(page), [])
    await page.keyboard.press('Tab') // they looked: from here on a question has its safe answer at hand
    await page.getByRole('button', { name: 'Not now' }).focus()
    await run(page, [['settle', 5]])
    await run(page, [['ask', 6]])
    await until(async () => (await focusedIn(page)) === 'button.button of 6', 'the focus on Not now')
  })

  test(`${what}: where one of a checklist goes, the list has the focus`, async (t) => {
    const page = await questions(t)
    await run(page, [
      ['ask', 1],
      ['ask', 2],
      ['ask', 3],
    ])
    await page.getByRole('button', { name: 'More: edit, remember, reason' }).first().click()
    await openField(page)
    await run(page, [['settle', 1]])
    await armed(page, 'Refuse all')
    assert.equal(await focusedIn(page), 'div.list of none')
    await page.keyboard.type(letter)
    assert.deepEqual(await answers(page), [])
  })

  test(`${what}: the same in the cards of a message`, async (t) => {
    const page = await questions(t, 'cards', { viewport: { width: 900, height: 1000 } })
    await run(page, [
      ['ask', 1],
      ['ask', 2],
    ])
    await openField(page)
    await run(page, [['settle', 1]])
    await armed(page, 'Not now')
    assert.equal(await focusedIn(page), 'div.question of 2')
    await page.keyboard.type(letter)
    await run(page, [['settle', 2]])
    await run(page, [['ask', 3]])
    const field = await openField(page)
    await run(page, [['settle', 3]])
    assert.equal(await field.count(), 0)
    await run(page, [['ask', 4]])
    await armed(page, 'Not now')
    assert.equal(await focusedIn(page), 'div.question of 4')
    await page.keyboard.type(letter)
    assert.deepEqual(await answers(page), [])
  })
}

/** Changes the text of a question that is open for more, and takes the change. */
async function change(page, to) {
  await page.getByRole('button', { name: 'Edit arguments' }).first().click()
  await page.locator('.form input').nth(1).fill(to)
  await page.getByRole('button', { name: 'Done' }).click()
}
/** The host refuses what was edited. */
const refuseEdits = () => {
  const approve = live.approve.bind(live)
  live.approve = async (ask, options) => {
    if (options?.arguments) throw Object.assign(new Error('too short'), { path: '/text', detail: 'too short' })
    return approve(ask, options)
  }
}

for (const at of [0, 2]) {
  test(`an answer of a checklist that is refused, the ${at ? 'last' : 'first'}: the others count, and its question says why, with what was changed in it`, async (t) => {
    const page = await questions(t, 'dock', { viewport: { width: 900, height: 1000 } })
    await page.evaluate(refuseEdits)
    await run(page, [
      ['ask', 1],
      ['ask', 2],
      ['ask', 3],
    ])
    await page.getByRole('button', { name: 'More: edit, remember, reason' }).nth(at).click()
    await change(page, 'x')
    for (const row of [0, 1, 2]) {
      await until(
        async () => (await page.getByRole('checkbox').nth(row).getAttribute('aria-disabled')) === 'false',
        'the row to be seen',
      )
      await page.getByRole('checkbox').nth(row).click()
    }
    await armed(page, 'Allow 3')
    await page.getByRole('button', { name: 'Allow 3' }).click()
    await until(() => page.getByText('Not accepted: /text: too short').isVisible(), 'the reason')
    await until(async () => (await page.getByRole('checkbox').count()) === 0, 'one question')
    assert.equal((await answers(page)).length, 2)
    const left = page.getByRole('group', { name: 'The assistant wants' })
    assert.match(await left.innerText(), /Arguments as changed by you[^]*x[^]*Not accepted: \/text: too short/)
    await change(page, 'long enough')
    await page.evaluate(() => delete live.approve)
    await armed(page, 'Allow with changes')
    await page.getByRole('button', { name: 'Allow with changes' }).click()
    await until(async () => (await answers(page)).length === 3, 'the answer')
    assert.deepEqual((await answers(page)).at(-1), [
      'approve',
      `t${at + 1}`,
      { arguments: { to: `person-${at + 1}`, text: 'long enough' } },
    ])
  })
}

test('"allow all" of a message: the question that is refused says why, and keeps what was changed', async (t) => {
  const page = await questions(t, 'cards', { viewport: { width: 900, height: 1400 } })
  await page.evaluate(refuseEdits)
  await run(page, [
    ['ask', 1],
    ['ask', 2],
  ])
  await change(page, 'x')
  // What was changed is decided one by one.
  await armed(page, 'Allow with changes')
  await until(async () => {
    // as below: a click on a button that moved decides nothing
    await page
      .getByRole('button', { name: 'Allow with changes', disabled: false })
      .click({ timeout: 1000 })
      .catch(() => {})
    return (await page.getByText('Not accepted: /text: too short').count()) > 0
  }, 'the refusal of what was changed')
  await page.evaluate(() => {
    const deny = live.deny.bind(live)
    live.deny = async (ask) => {
      if (ask.call === 2) throw Object.assign(new Error('not now'), { detail: 'the host is busy' })
      return deny(ask)
    }
  })
  await until(async () => {
    // the bar moves as the reason comes, and a click on what moved decides nothing
    await page
      .getByRole('button', { name: 'Refuse all', disabled: false })
      .click({ timeout: 1000 })
      .catch(() => {})
    return (await answers(page)).length > 0
  }, 'a click that counts')
  await until(() => page.getByText('Not accepted: the host is busy').count(), 'the reason')
  assert.deepEqual(await answers(page), [['deny', 't1']])
})

// -- a connection that breaks -----------------------------------------------------------------------------------------

/**
 * What a new connection makes of the message: the same questions under other tokens, at once or behind a while without
 * any.
 */
const reconnect = (page, { gap, ...more } = {}) =>
  page.evaluate(
    async ([gap, more]) => {
      const asks = live.getSnapshot().questions
      if (gap) {
        // a view without questions
        for (const { call } of asks) live.push({ type: 'card', block: call - 1, call, status: 'executing' })
        await frames(4)
        for (const { call } of asks) live.push({ type: 'card', block: call - 1, call, status: 'awaiting_approval' })
      }
      for (const ask of asks) live.push({ type: 'ask', ask: { ...ask, token: `${ask.token}-again`, ...more } })
      await frames(4)
    },
    [gap, more],
  )

for (const where of ['dock', 'cards']) {
  for (const gap of [false, true]) {
    test(`a new connection${gap ? ' behind a while without one' : ''} keeps edit, reason and for how long, and the buttons wait again: ${where}`, async (t) => {
      const page = await questions(t, where)
      await run(page, [['ask', 1]])
      await fields.arguments(page)
      const field = page.locator('.form input').nth(1)
      await page.keyboard.type('a long letter')
      await reconnect(page, { gap })
      assert.equal(await field.inputValue(), 'a long letter')
      if (!gap) {
        await page.keyboard.type(' that took ten minutes')
        assert.equal(await field.inputValue(), 'a long letter that took ten minutes')
      }
      await field.fill('a longer letter')
      await page.getByRole('button', { name: 'Done' }).click()
      await fields.reason(page)
      await page.keyboard.type('because')
      await page.getByRole('combobox', { name: 'Remember' }).selectOption('For this session')
      await armed(page, 'Allow with changes')
      await reconnect(page, { gap })
      assert.equal(await page.getByRole('textbox', { name: /Why not/ }).inputValue(), 'because')
      assert.equal(await page.getByRole('combobox', { name: 'Remember' }).inputValue(), 'session')
      await armed(page, 'Allow with changes')
      await page.getByRole('button', { name: 'Allow with changes' }).click()
      await until(async () => (await answers(page)).length, 'the answer')
      assert.deepEqual(await answers(page), [
        ['approve', 't1-again-again', { remember: 'session', arguments: { to: 'person-1', text: 'a longer letter' } }],
      ])
    })

    test(`another question about the same call keeps nothing of it${gap ? ' behind a while without one' : ''}: ${where}`, async (t) => {
      const page = await questions(t, where)
      await run(page, [['ask', 1]])
      await fields.arguments(page)
      await reconnect(page, { gap, digest: 'other' })
      assert.equal(await page.locator('.form').count(), 0)
      await page.getByRole('button', { name: 'Edit arguments' }).waitFor()
    })
  }
}

test('a button pressed as the connection breaks is not pressed for the next one: it waits, and can be pressed again', async (t) => {
  const page = await questions(t)
  await run(page, [['ask', 1]])
  await page.evaluate(() => (live.approve = (ask) => new Promise(() => live.answers.push(['asked', ask.token]))))
  await armed(page, 'Allow')
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  const off = await page.evaluate(async () => {
    live.push({ type: 'ask', ask: { ...live.getSnapshot().questions[0], token: 'again' } })
    await frames(2)
    const button = element.renderRoot.querySelector('sluice-approval').renderRoot.querySelector('.approve')
    button.click()
    return button.ariaDisabled
  })
  assert.equal(off, 'true')
  await armed(page, 'Allow')
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await until(async () => (await answers(page)).length === 2, 'the second answer')
  assert.deepEqual(await answers(page), [
    ['asked', 't1'],
    ['asked', 'again'],
  ])
})

// -- one becomes many, and many one -----------------------------------------------------------------------------------

test('a question that becomes one of many hides nothing of what was chosen in it', async (t) => {
  const page = await questions(t)
  await run(page, [['ask', 1]])
  await page.getByRole('combobox', { name: 'Remember' }).selectOption('For this session')
  await run(page, [['ask', 2]])
  assert.equal(await page.getByRole('combobox', { name: 'Remember' }).inputValue(), 'session')
  await run(page, [['settle', 2]])
  assert.equal(await page.getByRole('combobox', { name: 'Remember' }).inputValue(), 'session')
})

test('who was at a button of a checklist is at the safe answer of the question that is left', async (t) => {
  const page = await questions(t)
  await run(page, [
    ['ask', 1],
    ['ask', 2],
  ])
  await until(async () => (await focusedIn(page)) === 'button.button of none', 'the focus on Refuse all')
  await run(page, [['settle', 2]])
  await until(async () => (await focusedIn(page)) === 'button.button of 1', 'the focus on Not now')
  assert.equal(await page.evaluate(() => focusedElement().textContent), 'Not now')
})
