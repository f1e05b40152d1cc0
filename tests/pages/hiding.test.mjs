// What is approved was seen: every way to hide, on every surface of the elements; and what lies over a question, or
// takes it away.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hiding } from '../js/hiding.mjs'
import { until } from '../browser/support.mjs'
import { answers, open } from '../browser/ui/message.mjs'

async function looking(t, options) {
  const page = await open(t, { reducedMotion: 'reduce', times: 20, ...options })
  await page.addScriptTag({ url: 'looking.js', type: 'module' })
  await page.waitForFunction(() => window.tried)
  return page
}

/** What a tool says of itself: where there is little room it is opened on request. */
const folded = /^(Asks nobody|files says|characters in 1|And it wipes)/
const requests = hiding.map(({ arguments: args, ...more }) => ({ ...more, json: JSON.stringify(args) }))

const viewports = [
  { width: 320, height: 256 },
  { width: 360, height: 740 },
  { width: 900, height: 700 },
]

/** A dialog draws what a dock does, in another place. */
const small = ['dialog', 'dialog checklist', 'bubble']

for (const surface of ['inline', 'dock', 'checklist', 'dialog', 'dialog checklist', 'bubble']) {
  for (const viewport of small.includes(surface) ? viewports.slice(0, 1) : viewports) {
    test(`nothing hides ${surface === 'inline' ? 'in a card' : `in the ${surface}`} at ${viewport.width} × ${viewport.height}, and nothing is allowed before all of it was in view`, async (t) => {
      const page = await looking(t, { viewport })
      // What is long takes hundreds of small screens: the dock goes through them.
      for (const request of requests.filter(({ long }) => !long || viewport.height > 300 || surface === 'dock')) {
        const { way, shown } = request
        const {
          drawn,
          early,
          unseen = [],
          stuck,
          apart = [],
          sideways = false,
          answers,
        } = await page.evaluate(([surface, request]) => tried(surface, request), [surface, request])
        for (const part of shown)
          if (!folded.test(part) || ((surface === 'inline' || surface === 'dock') && viewport.height > 480))
            assert.ok(drawn.includes(part), `${way}: ${part} in ${drawn.slice(0, 1500)}`)
        assert.deepEqual(
          { early, unseen, stuck, apart, sideways, answers },
          { early: false, unseen: [], stuck: undefined, apart: [], sideways: false, answers: [] },
          way,
        )
      }
    })
  }
}

// -- what lies over a question, or takes it away ----------------------------------------------------------------------

const short = { json: '{"command":"wipe ~"}' }
const long = { json: JSON.stringify({ command: 'echo ok\n'.repeat(60) }) }

/** Ways in which a question is on the page and cannot be seen: how they are made, and undone. */
const obstacles = {
  'an overlay': () => {
    const over = document.createElement('div')
    over.style.cssText = 'position: fixed; inset: 0; background: white'
    document.body.append(over)
    return () => over.remove()
  },
  'a note over its lines': () => {
    const { left, width, top } = approval().renderRoot.querySelector('.scroll').getBoundingClientRect()
    const over = document.createElement('div')
    over.style.cssText = `position: fixed; left: ${left + width / 4}px; width: ${width / 2}px; top: ${top - 4}px; height: 80px; background: white`
    document.body.append(over)
    return () => over.remove()
  },
  'a dialog': () => {
    const dialog = document.body.appendChild(document.createElement('dialog'))
    dialog.showModal()
    return () => dialog.remove()
  },
  'a style that makes it transparent': () => {
    document.querySelector('#stage').style.opacity = '.2'
    return () => (document.querySelector('#stage').style.opacity = '')
  },
  'a style that makes its lines transparent': () => {
    element.style.opacity = '0'
    return () => (element.style.opacity = '')
  },
  'a style that hides it': () => {
    element.style.visibility = 'hidden'
    return () => (element.style.visibility = '')
  },
  'a place beside the window': () => {
    document.querySelector('#stage').style.transform = 'translateX(-40%)'
    return () => (document.querySelector('#stage').style.transform = '')
  },
  'a place below the window': () => {
    document.querySelector('#stage').style.transform = 'translateY(2000px)'
    return () => (document.querySelector('#stage').style.transform = '')
  },
  'a scroller around it that shows little': () => {
    document.querySelector('#stage').style.cssText = 'display: block; height: 30px; overflow: auto'
    return () => (document.querySelector('#stage').style.cssText = '')
  },
  'a box that clips it': () => {
    document.querySelector('#stage').style.cssText = 'display: block; height: 40px; overflow: hidden'
    return () => (document.querySelector('#stage').style.cssText = '')
  },
  'a window without the focus': () => {
    document.hasFocus = () => false
    dispatchEvent(new Event('blur'))
    return () => {
      delete document.hasFocus
      dispatchEvent(new Event('focus'))
    }
  },
}

const styled = (css) =>
  new Function(`
  const style = new CSSStyleSheet()
  style.replaceSync('sluice-message::part(dialog) { ${css} }')
  document.adoptedStyleSheets.push(style)
  return () => document.adoptedStyleSheets.pop()`)

/** What can lie over a dialog, or take it away: it stands above everything else of the page. */
const overDialogs = {
  'another dialog': obstacles['a dialog'],
  'a style that makes it transparent': styled('opacity: .2'),
  'a style that hides it': styled('visibility: hidden'),
  'a style that moves it out of the window': styled('translate: 0 90vh'),
  'a style that clips it': styled('overflow: hidden; height: 40px'),
  'a window without the focus': obstacles['a window without the focus'],
}

for (const surface of ['inline', 'dock', 'checklist', 'dialog', 'dialog checklist']) {
  test(`what cannot be seen is not allowed: ${surface}`, async (t) => {
    const page = await looking(t)
    for (const [what, make] of Object.entries(surface.startsWith('dialog') ? overDialogs : obstacles)) {
      const found = await page.evaluate(
        async ([surface, request, make]) => {
          const obstacle = new Function(`return ${make}`)()
          const once = make.includes("'.scroll'") // the lines were seen, and head and buttons are
          const wait = async (wanted) => {
            for (const end = Date.now() + 20_000; canBeAllowed() !== wanted && Date.now() < end; ) await frames(1)
            return canBeAllowed()
          }
          await askOn(surface, request)
          const away = obstacle() // before anything of it was seen
          await enough()
          const early = canBeAllowed()
          yes().click()
          away()
          const then = await wait(true)
          if (surface.endsWith('checklist') || once)
            // what was seen stays ticked
            return { early, then, off: true, still: false, again: true, answers: live.answers }
          const back = obstacle() // and once it could be allowed
          yes().click()
          const off = (await wait(false)) === false
          await enough()
          const still = canBeAllowed()
          yes().click()
          back()
          return { early, then, off, still, again: await wait(true), answers: live.answers }
        },
        [surface, short, String(make)],
      )
      assert.deepEqual(found, { early: false, then: true, off: true, still: false, again: true, answers: [] }, what)
    }
  })
}

for (const surface of ['checklist', 'dialog checklist']) {
  test(`in a ${surface} that is covered the bar allows nothing`, async (t) => {
    const page = await looking(t)
    const found = await page.evaluate(
      async ([surface, request]) => {
        await askOn(surface, request)
        const allow = () => approval().getRootNode().querySelector('.allow')
        for (let at = 0; !canBeAllowed() && at < 500; at++) await frames(1)
        yes().click()
        for (let at = 0; allow().ariaDisabled !== 'false' && at < 500; at++) await frames(1)
        document.body.appendChild(document.createElement('dialog')).showModal()
        allow().click()
        await enough()
        return [allow().ariaDisabled, live.answers]
      },
      [surface, short],
    )
    assert.deepEqual(found, ['true', []])
  })
}

test('on a page that is zoomed every line was in view all the same', async (t) => {
  for (const css of [
    'zoom: 2',
    'zoom: .9',
    'transform: scale(1.6); transform-origin: 0 0; width: 300px',
    'height: 260px; overflow: auto; display: block',
  ]) {
    const page = await looking(t, { viewport: { width: 700, height: 600 } })
    const { unseen, stuck } = await page.evaluate(
      async ([css, request]) => {
        document.querySelector('#stage').style.cssText = css
        await askOn('inline', request)
        element.scrollIntoView({ block: 'nearest' })
        return lookThrough(new Observed())
      },
      [css, long],
    )
    assert.deepEqual([unseen, stuck], [[], undefined], css)
    await page.context().close()
  }
})

test('zoomed with two fingers, what is beside the glass is not seen', async (t) => {
  const page = await looking(t, { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true })
  const cdp = await page.context().newCDPSession(page)
  await page.evaluate((request) => askOn('inline', request), short)
  await cdp.send('Emulation.setPageScaleFactor', { pageScaleFactor: 4 })
  await page.evaluate((request) => askOn('inline', request), short)
  const early = await page.evaluate(async () => {
    await enough()
    return [visualViewport.scale > 3, canBeAllowed()]
  })
  assert.deepEqual(early, [true, false])
  await cdp.send('Emulation.setPageScaleFactor', { pageScaleFactor: 1 })
  await until(() => page.evaluate(() => canBeAllowed()), 'the question to be seen')
})

test('a line was in view for 300 ms, and head and buttons for 600, by the clock', async (t) => {
  const page = await looking(t, { times: 1 })
  const [first, off, last] = await page.evaluate(async (request) => {
    const allowed = async () => {
      for (const end = Date.now() + 20_000; !canBeAllowed() && Date.now() < end; ) await frames(1)
    }
    const begun = performance.now()
    await askOn('inline', request)
    await allowed()
    const first = performance.now() - begun
    approval().armMs = 0
    const changed = performance.now()
    live.push(asking(0, 'shell.run', { command: 'another' })[1]) // its line is new
    for (let at = 0; !approval().renderRoot.textContent.includes('another') && at < 500; at++) await frames(1)
    await frames(1)
    const off = !canBeAllowed()
    await allowed()
    return [first, off, performance.now() - changed]
  }, short)
  assert.ok(first >= 600, `${first} ms`)
  assert.ok(off && last >= 300, `${off} ${last} ms`)
})

// -- hands ------------------------------------------------------------------------------------------------------------

test('a double click, a held key and a click after the window changed decide one question, not the next', async (t) => {
  const page = await looking(t, { times: 1 })
  await page.evaluate(async () => {
    window.live = new Live()
    window.element = Object.assign(document.createElement('sluice-questions'), { message: live })
    document.querySelector('#stage').append(element)
    live.push(...asking(0, 'a.one', {}))
    const { approve } = live
    // As the next one comes: at once, in the place of the first.
    live.approve = (ask, options) =>
      approve.call(live, ask, options).then((given) => {
        if (ask.token === 't1')
          live.push({ type: 'card', block: 0, call: 1, status: 'executing' }, ...asking(1, 'a.two', {}))
        return given
      })
    await frames(2)
  })
  await until(() => page.evaluate(() => canBeAllowed()), 'the first')
  await page.locator('sluice-approval .approve').dblclick()
  await page.waitForFunction(() => approval()?.ask?.token === 't2')
  assert.deepEqual(await answers(page), [['approve', 't1']])
  // A key that is down goes on repeating on what has the focus then.
  for (const key of ['Enter', ' ']) {
    await until(() => page.evaluate(() => canBeAllowed()), 'the second')
    await page.evaluate((key) => {
      for (const button of approval().renderRoot.querySelectorAll('.deny, .approve')) {
        const down = new KeyboardEvent('keydown', {
          key,
          repeat: true,
          bubbles: true,
          cancelable: true,
          composed: true,
        })
        button.focus()
        if (button.dispatchEvent(down)) button.click() // what the browser does with a key
      }
    }, key)
    assert.deepEqual(await answers(page), [['approve', 't1']], `${key} held`)
  }
  // The window changes its size under the pointer.
  await page.setViewportSize({ width: 880, height: 690 })
  await page.evaluate(() => {
    dispatchEvent(new Event('focus'))
    approval().renderRoot.querySelector('.approve').click()
  })
  assert.deepEqual(await answers(page), [['approve', 't1']])
})
