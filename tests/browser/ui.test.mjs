// The elements in a real page under a strict Content Security Policy.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { picture, until } from './support.mjs'
import { answers, armed, browser, message, open, pages, text } from './ui/message.mjs'

// -- message ----------------------------------------------------------------------------------------------------------

test('a message shows text, thoughts, cards and errors in stream order', async (t) => {
  const page = await message(t, () =>
    live.push(
      { type: 'reasoning', block: 0, text: 'hm' },
      { type: 'text', block: 1, text: 'One.\n\n' },
      {
        type: 'card',
        block: 2,
        call: 1,
        name: 'a.b',
        status: 'success',
        arguments: { x: 1 },
        output: 'ok',
        durationMs: 420,
      },
      { type: 'text', block: 3, text: '\n\nTwo\nlines.' },
      { type: 'error', block: 4, code: 'http', detail: '401 no key', hint: 'Set the key.' },
      { type: 'done', outcome: 'failed' },
    ),
  )
  assert.deepEqual((await text(page)).split('\n'), [
    'Thoughts',
    'One.',
    'a.b',
    'x: 1',
    'Done',
    '420 ms',
    'Two',
    'lines.',
    'The server refused the request http',
    '401 no key',
    'Hint: Set the key.',
  ])
  assert.equal(await page.getByText('hm', { exact: true }).isVisible(), false, 'thoughts are closed')
  await page.getByText('Thoughts').click()
  await page.getByText('hm', { exact: true }).waitFor()
})

test('how long the model thought stands on its thoughts, which are typeset when a person opens them', async (t) => {
  for (const [lang, ms, told] of [
    ['en', 8200, 'Thought for 8 s'],
    ['en', 83_000, 'Thought for 1 min 23 s'],
    ['en', 300, 'Thoughts'],
    ['en', undefined, 'Thoughts'],
    ['zh', 8200, '思考了 8 秒'],
  ]) {
    const page = await message(t, () =>
      live.push({ type: 'reasoning', block: 0, text: 'It may **rain**:\n\n- at four' }),
    )
    if (lang === 'zh')
      await page.evaluate(() => {
        document.documentElement.lang = 'zh-CN'
      })
    await until(async () => (await text(page)).includes(lang === 'zh' ? '正在思考…' : 'Thinking…'), 'that it goes on')
    await page.evaluate(async (ms) => {
      if (ms !== undefined) live.push({ type: 'thought', block: 0, ms })
      live.push({ type: 'text', block: 1, text: 'Take the umbrella.' }, { type: 'done', outcome: 'completed' })
      await frames(2)
    }, ms)
    assert.deepEqual((await text(page)).split('\n'), [told, 'Take the umbrella.'])
    assert.equal(await page.locator('sluice-message .thoughts *').count(), 0, 'nothing is drawn that nobody sees')
    await page.locator('sluice-message summary').focus()
    await page.keyboard.press('Enter')
    await page.locator('sluice-message .thoughts strong', { hasText: 'rain' }).waitFor()
    assert.equal(await page.locator('sluice-message .thoughts li').innerText(), 'at four')
  }
})

test('thoughts that are open grow as they come', async (t) => {
  const page = await message(t, () => live.push({ type: 'reasoning', block: 0, text: 'It **may' }))
  await page.getByText('Thinking…').click()
  await page.locator('.thoughts strong', { hasText: 'may' }).waitFor()
  await page.evaluate(async () => {
    live.push({ type: 'reasoning', block: 0, text: ' rain**.\n\nOr not.' })
    await frames(3)
  })
  await until(
    async () => (await page.locator('.thoughts').innerText()).replace(/\s+/g, ' ') === 'It may rain. Or not.',
    'the rest',
  )
})

for (const [lang, words] of Object.entries({
  en: {
    rounds: 'Stopped after 2 rounds of tools.',
    limit: 'Stopped at a limit.',
    stopped: 'Stopped.',
    off: 'The answer broke off.',
    failed: 'The connection failed',
    interrupted: 'This answer was interrupted.',
    pause: 'The model paused before its end.',
    cutOff: 'It goes on when the connection is back.',
  },
  zh: {
    rounds: '用了 2 轮工具后停止。',
    limit: '达到上限，已停止。',
    stopped: '已停止。',
    off: '回答中途断开。',
    failed: '连接失败',
    interrupted: '这个回答中断了。',
    pause: '模型中途停了下来。',
    cutOff: '恢复连接后，会从这里继续。',
  },
})) {
  test(`an answer says in a line how it ended, and in the provider's words what broke it off: ${lang}`, async (t) => {
    const page = await open(t)
    if (lang === 'zh')
      await page.evaluate(() => {
        document.documentElement.lang = 'zh-CN'
      })
    const text0 = { type: 'text', block: 0, text: 'It rains' }
    const call = (call, round, more) => ({
      type: 'card',
      block: call,
      call,
      round,
      name: 'look',
      status: 'success',
      ...more,
    })
    const error = (code, detail, block = 1) => [
      { type: 'error', block, code, detail },
      { type: 'done', outcome: 'failed' },
    ]
    for (const [deltas, told, not] of [
      [[text0, call(1, 1), call(2, 1), call(3, 2), { type: 'done', outcome: 'limit' }], [words.rounds]],
      [
        [
          text0,
          call(1, 1),
          call(2, 2),
          call(3, 3, { status: 'cancelled', reason: 'max_rounds' }),
          ...error('max_rounds', 'the model went on calling tools beyond the limit', 4).slice(0, 1),
          { type: 'done', outcome: 'limit' },
        ],
        [words.rounds],
        'beyond the limit',
      ],
      [
        [
          text0,
          {
            type: 'error',
            block: 1,
            code: 'max_rounds',
            detail: 'two answers in a row held nothing but malformed calls',
          },
          { type: 'done', outcome: 'limit' },
        ],
        [words.limit, 'malformed calls'],
      ],
      [[text0, { type: 'done', outcome: 'cancelled' }], [words.stopped]],
      [[{ type: 'done', outcome: 'cancelled' }], [words.stopped]],
      [
        [text0, ...error('unfinished', 'the stream ended')],
        [words.off, 'the stream ended'],
      ],
      [
        [text0, ...error('network', 'ECONNRESET')],
        [words.off, 'ECONNRESET'],
      ],
      [
        [text0, ...error('idle_timeout', 'nothing for 60 s')],
        [words.off, 'nothing for 60 s'],
      ],
      [
        [text0, ...error('connection', 'the connection to the host was lost')],
        [words.cutOff],
        'the connection to the host',
      ],
      [error('network', 'ECONNREFUSED', 0), [words.failed, 'ECONNREFUSED'], words.off],
      [[text0, { type: 'done', outcome: 'completed', finishReason: 'pause' }], [words.pause]],
    ]) {
      const [shown, said] = await page.evaluate(async (deltas) => {
        const live = new Live()
        const element = show(live)
        live.push({ type: 'text', block: 0, text: '' })
        await frames(2)
        live.push(...deltas)
        await frames(3)
        return [seen(element), element.renderRoot.querySelector('.status').textContent]
      }, deltas)
      for (const one of told) assert.ok(shown.includes(one), `${shown} has no ${one}`)
      assert.ok(not === undefined || !shown.includes(not), `${shown} has ${not}`)
      assert.ok(said.includes(told[0]), `${said} is read out without ${told[0]}`)
    }
    await page.evaluate(async () => {
      document
        .querySelector('#stage, main, body')
        ?.querySelectorAll('sluice-message')
        .forEach((one) => one.remove())
      window.saved = document.createElement('sluice-message')
      window.saved.view = {
        role: 'assistant',
        rounds: 1,
        outcome: 'failed',
        interrupted: true,
        blocks: [{ type: 'text', text: 'Half' }],
      }
      document.body.append(window.saved)
      await frames(2)
    })
    assert.equal(await page.evaluate(() => seen(window.saved)), `Half\n${words.interrupted}`)
  })
}

test('what is read out of a message is its words, not its marks', async (t) => {
  const page = await message(t, () =>
    live.push({
      type: 'text',
      block: 0,
      text: '## Rain\n\nTake **the** [umbrella](https://example.com/a), `now`:\n\n- one\n- two\n\n',
    }),
  )
  await page.evaluate(() =>
    live.push(
      { type: 'text', block: 1, text: '| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nlet x\n```' },
      { type: 'done', outcome: 'completed' },
    ),
  )
  const said = () => page.getByRole('status').first().textContent()
  await until(async () => /let x/.test(await said()), 'the words')
  assert.equal(await said(), 'Answer finished. Rain\nTake the umbrella, now:\none\ntwo\na b\n1 2\nlet x')
})

test('expressions stand in the margin, or nowhere where the app wants none', async (t) => {
  const page = await message(t, () =>
    live.push(
      { type: 'text', block: 0, text: 'Wait. ' },
      {
        type: 'card',
        block: 1,
        call: 1,
        name: 'live2d.expression',
        status: 'success',
        silent: true,
        arguments: { name: 'surprised' },
      },
      { type: 'text', block: 2, text: 'You got it?' },
      { type: 'done', outcome: 'completed' },
    ),
  )
  const cues = () => page.getByRole('img', { name: /surprised/ }).count()
  assert.equal(await cues(), 1)
  await page.evaluate(() => element.setAttribute('cues', 'none'))
  await until(async () => (await cues()) === 0, 'none')
  assert.equal(await text(page), 'Wait. You got it?')
  await page.evaluate(() => {
    element.cues = 'margin'
  })
  await until(async () => (await cues()) === 1, 'the face again')
})

test('a refusal has a label, and a result that the model made up is folded', async (t) => {
  const page = await message(t, () =>
    live.push(
      { type: 'text', block: 0, text: '<made-up> 12:', fabricated: true },
      { type: 'text', block: 0, text: '00', fabricated: true },
      { type: 'text', block: 1, text: 'I can', refusal: true },
      { type: 'text', block: 1, text: 'not.', refusal: true },
      { type: 'done', outcome: 'completed' },
    ),
  )
  assert.deepEqual((await text(page)).split('\n'), ['Result made up by the model', 'The model declined', 'I cannot.'])
  await page.getByText('Result made up by the model').click()
  await page.getByText('<made-up> 12:00', { exact: true }).waitFor()
})

test('an answer that was cut, withheld or empty does not look like a whole one', async (t) => {
  for (const [text0, finishReason, told] of [
    ['I am', 'length', 'The answer was cut at its length limit.'],
    ['I am', 'content_filter', 'The provider withheld the rest.'],
    ['', 'stop', 'No answer came.'],
  ]) {
    const page = await message(t, () => live.push({ type: 'reasoning', block: 0, text: 'hm' }))
    await page.evaluate(
      async ({ text0, finishReason }) => {
        live.push({ type: 'text', block: 1, text: text0 }, { type: 'done', outcome: 'completed', finishReason })
        await frames(2)
      },
      { text0, finishReason },
    )
    assert.match(await text(page), new RegExp(`${told.replaceAll('.', '\\.')}$`))
    assert.ok((await page.getByRole('status').first().textContent()).startsWith(told), 'read out')
  }
})

test('what a person can do about an error is said in words for people', async (t) => {
  const page = await message(t, () =>
    live.push({ type: 'error', block: 0, code: 'tools_unsupported', detail: 'no tools', hint: 'set "mode" to "text"' }),
  )
  assert.match(await text(page), /Hint: Text mode describes tools in the prompt/)
  assert.doesNotMatch(await text(page), /"mode"/)
})

test('text grows in place: what is there is not made anew', async (t) => {
  const page = await message(t, () => live.push({ type: 'text', block: 0, text: 'Hello' }))
  await page.evaluate(async () => {
    window.first = element.renderRoot.querySelector('.text p').firstChild
    for (let at = 0; at < 300; at++)
      live.push({ type: 'text', block: 0, text: ` word ${at}${at % 40 === 39 ? '\n' : ''}` })
    await frames(2)
  })
  const look = () =>
    page.evaluate(() => ({
      same: element.renderRoot.querySelector('.text p').firstChild === first,
      whole:
        element.renderRoot.querySelector('.text p').innerText ===
        live
          .getSnapshot()
          .blocks[0].text.replace(/ *\n */g, '\n')
          .trimEnd(),
    }))
  await until(async () => (await look()).whole, 'all of the text')
  assert.ok((await look()).same)
})

test('a snapshot that says something else replaces the text', async (t) => {
  const page = await message(t, () => live.push({ type: 'text', block: 0, text: 'What was said at first' }))
  await page.evaluate(async () => {
    const saved = {
      role: 'assistant',
      rounds: 1,
      blocks: [{ type: 'text', round: 1, text: 'Something else' }],
      outcome: 'completed',
    }
    element.message = undefined
    element.view = saved
    await element.updateComplete
  })
  assert.equal((await text(page)).trim(), 'Something else')
  assert.equal(await page.evaluate(() => live.listeners), 0, 'the message is not followed any more')
})

test('an element that leaves the page stops following, and catches up when it is back', async (t) => {
  const page = await message(t, () => live.push({ type: 'text', block: 0, text: 'a' }))
  await page.evaluate(() => element.remove())
  assert.equal(await page.evaluate(() => live.listeners), 0)
  await page.evaluate(async () => {
    live.push({ type: 'text', block: 0, text: 'b' })
    document.querySelector('#stage').append(element)
    await frames(2)
  })
  assert.equal((await text(page)).trim(), 'ab')
})

test('a page that gets no frames shows the text by timer', async (t) => {
  const page = await open(t)
  await page.evaluate(async () => {
    window.requestAnimationFrame = () => 0
    window.live = new Live()
    window.element = show(live)
    await element.updateComplete
    live.push({ type: 'text', block: 0, text: 'in the dark' })
  })
  await until(async () => (await text(page)).includes('in the dark'), 'the timer')
})

test('changes of state and the finished message are read out, deltas are not', async (t) => {
  const page = await message(t, () => live.push({ type: 'text', block: 0, text: 'Let me see. ' }))
  const said = () => page.getByRole('status').first().textContent()
  await page.evaluate(async () => {
    live.push({ type: 'text', block: 0, text: 'Wait.' })
    await frames(2)
  })
  assert.equal(await said(), '')
  for (const [status, words] of [
    ['executing', 'web.search: Running…'],
    ['success', 'web.search: Done'],
  ]) {
    await page.evaluate((status) => live.push({ type: 'card', block: 1, call: 1, name: 'web.search', status }), status)
    await until(async () => (await said()) === words, words)
  }
  await page.evaluate(() =>
    live.push({ type: 'text', block: 2, text: 'Rain.' }, { type: 'done', outcome: 'completed' }),
  )
  await until(async () => (await said()) === 'Answer finished. Let me see. Wait.\nRain.', 'the whole message')
})

test('an answer that is over at once is read out where this window asked for it, and once', async (t) => {
  const page = await open(t)
  const said = (asked) =>
    page.evaluate(async (asked) => {
      const live = Object.assign(new Live(), { asked })
      live.push({ type: 'error', block: 0, code: 'http', detail: 'HTTP 500' }, { type: 'done', outcome: 'failed' })
      const texts = []
      for (const element of [show(live), show(live)]) {
        await frames(3)
        texts.push(element.renderRoot.querySelector('.status').textContent.trim())
      }
      return texts
    }, asked)
  assert.deepEqual(await said(true), ['Failed. The server refused the request', ''])
  assert.deepEqual(await said(false), ['', ''])
})

test('many cards are read out together, and how many, not every step of each', async (t) => {
  const page = await message(t, () => {
    window.said = []
    live.push({ type: 'text', block: 0, text: 'Let me see. ' })
  })
  await page.evaluate(async () => {
    const region = element.renderRoot.querySelector('.status')
    new MutationObserver(() => said.push(region.textContent)).observe(region, { childList: true })
    for (const status of ['streaming', 'pending', 'executing', 'success']) {
      for (let call = 1; call <= 40; call++)
        live.push({
          type: 'card',
          block: call,
          call,
          name: `tool.${call}`,
          status:
            call === 40 && status === 'success' ? 'error' : call === 39 && status === 'success' ? 'executing' : status,
        })
      await frames(3)
    }
  })
  await until(() => page.evaluate(() => said.length > 0), 'something is said')
  await page.evaluate(async () => {
    for (const call of [1, 2, 3])
      live.push(
        {
          type: 'ask',
          ask: { call, stage: 'execution', token: `t${call}`, digest: '', level: 'moderate', policy: 'ask_once' },
        },
        { type: 'card', block: call, call, status: 'awaiting_approval' },
      )
    await frames(3)
    live.push({ type: 'done', outcome: 'completed' })
    await frames(3)
  })
  // On a busy machine something is said between the steps, too: but never each card, nor each step.
  const said = await page.evaluate(() => window.said)
  const all = said.join('. ')
  assert.ok(said.length <= 5 && said.filter((one) => one.startsWith('Calls: ')).length <= 3, all)
  for (const words of ['38 done, 1 not done', '3 calls wait for approval']) assert.ok(all.includes(words), all)
  assert.equal(said.at(-1), 'Answer finished. Let me see.')
})

// -- cards ------------------------------------------------------------------------------------------------------------

const states = {
  streaming: ['Writing a tool call…', '正在生成工具调用…'],
  pending: ['Waiting', '等待中'],
  awaiting_approval: ['Waiting for approval', '等待批准'],
  executing: ['Running…', '执行中…'],
  awaiting_result_approval: ['Result waits for release', '结果等待放行'],
  success: ['Done', '完成'],
  error: ['Failed', '失败'],
  denied: ['Denied', '已拒绝'],
  result_rejected: ['Result withheld', '结果未放行'],
  not_found: ['No such tool', '没有这个工具'],
  invalid: ['Malformed call', '调用格式错误'],
  timeout: ['Timed out', '超时'],
  expired: ['Approval expired', '批准已过期'],
  cancelled: ['Stopped', '已停止'],
  unknown: ['Outcome unknown', '结果未知'],
}

test('a card says its state in words, in English and in Chinese', async (t) => {
  const page = await open(t)
  const shown = await page.evaluate(async (all) => {
    const card = document.createElement('sluice-card')
    document.querySelector('#stage').append(card)
    const seen = {}
    for (const status of all) {
      card.card = { type: 'tool_use', call: 1, name: 'a.b', status }
      seen[status] = []
      for (const lang of ['en-GB', 'zh-CN']) {
        card.lang = lang
        await card.updateComplete
        seen[status].push(card.renderRoot.querySelector('.state').innerText.trim())
      }
    }
    return seen
  }, Object.keys(states))
  assert.deepEqual(shown, states)
})

test('the language is the nearest `lang`, and follows it', async (t) => {
  const page = await message(t, () => live.push({ type: 'card', block: 0, call: 1, name: 'a.b', status: 'success' }))
  assert.match(await text(page), /Done/)
  await page.evaluate(async () => {
    document.documentElement.lang = 'zh-Hans'
    await frames(2)
  })
  assert.match(await text(page), /完成/)
  await page.evaluate(async () => {
    document.documentElement.removeAttribute('lang')
    await frames(2)
  })
  assert.match(await text(page), /Done/, 'the browser speaks en-US')
})

test('a call that is written shows its code so far and moves; one that runs shimmers and counts', async (t) => {
  const page = await message(t, () =>
    live.push(
      { type: 'card', block: 0, call: 1, status: 'streaming', name: 'note.write' },
      { type: 'args', call: 1, text: '{"body": "Rain' },
    ),
  )
  assert.match(await text(page), /Writing a tool call…[^]*body\s+Rain/)
  await page.evaluate(async () => {
    live.push({ type: 'args', call: 1, text: ' at four' })
    await frames(2)
  })
  assert.match(await text(page), /Rain at four/)
  const animations = () => page.evaluate(() => moving())
  assert.ok((await animations()) >= 2)
  await page.evaluate(async () => {
    live.push(
      {
        type: 'card',
        block: 0,
        call: 1,
        status: 'executing',
        arguments: { body: 'Rain at four' },
        startedAt: Date.now() - 2000,
      },
      { type: 'progress', call: 1, text: 'half of it' },
    )
    await frames(2)
  })
  assert.match(await text(page), /Running…[^]*half of it/)
  assert.ok((await animations()) >= 1)
  const seconds = async () => Number(/(\d+\.\d) s/.exec(await text(page))?.[1])
  const then = await seconds()
  assert.ok(then >= 2)
  await until(async () => (await seconds()) > then, 'the clock')
  await page.evaluate(async () => {
    live.push({ type: 'card', block: 0, call: 1, status: 'success', endedAt: Date.now(), durationMs: 3210 })
    await frames(2)
  })
  assert.match(await text(page), /Done[^]*3\.2 s/)
  await until(async () => (await animations()) === 3, 'only the dots of the message to move')
})

test('a request that is sent again is told with the seconds until then, and goes when something comes', async (t) => {
  for (const [locale, waits, sends] of [
    ['en-US', /^Trying again in 3 s \(2 of 4\)\n503 ⟨U\+202E⟩busy$/, /^Trying again \(2 of 4\)/],
    ['zh-CN', /^3 秒后重试（第 2 次，共 4 次）/, /^正在重试（第 2 次，共 4 次）/],
  ]) {
    for (const colorScheme of ['light', 'dark']) {
      const page = await message(t, undefined, { colorScheme, times: 20 })
      await page.evaluate(async (locale) => {
        document.documentElement.lang = locale
        live.asked = true // a person who asked hears what happens
        const now = Date.now()
        window.late = 0
        Date.now = () => now + late
        live.push({
          type: 'retry',
          round: 1,
          attempt: 2,
          maxAttempts: 4,
          delayMs: 3000,
          at: Date.now() + 3000,
          detail: '503 \u202ebusy',
        })
        await frames(2)
      }, locale)
      assert.match(await text(page), waits)
      assert.match(
        await page.getByRole('status').first().textContent(),
        locale === 'zh-CN' ? /3 秒后重试/ : /Trying again in 3 s \(2 of 4\)/,
        'read out',
      )
      await page.evaluate(() => {
        late = 3100
      })
      await until(async () => sends.test(await text(page)), 'the time of the next try')
      await picture(page, `retry-${locale}-${colorScheme}`)
      await page.evaluate(async () => {
        live.push({ type: 'text', block: 0, text: 'Here.' })
        await frames(2)
      })
      assert.equal(await text(page), 'Here.')
    }
  }
})

test('a message that ends while its request waits shows its end', async (t) => {
  const page = await message(t, () =>
    live.push({ type: 'retry', round: 1, attempt: 1, delayMs: 60_000, at: Date.now() + 60_000, detail: 'x' }),
  )
  assert.match(await text(page), /^Trying again in \d\d s \(1\)/)
  await page.evaluate(async () => {
    live.push({ type: 'done', outcome: 'cancelled' })
    await frames(2)
  })
  assert.doesNotMatch(await text(page), /Trying/)
})

test('a tool that counts has a bar, one that does not has words', async (t) => {
  for (const locale of ['en-US', 'zh-CN']) {
    const page = await message(
      t,
      () =>
        live.push(
          {
            type: 'card',
            block: 0,
            call: 1,
            status: 'executing',
            name: 'disk.scan',
            arguments: {},
            startedAt: Date.now(),
          },
          { type: 'progress', call: 1, text: 'reading (1 / 4)', done: 1, total: 4 },
        ),
      { colorScheme: locale === 'zh-CN' ? 'dark' : 'light' },
    )
    await page.evaluate((locale) => {
      document.documentElement.lang = locale
    }, locale)
    const bar = page.getByRole('progressbar', { name: locale === 'zh-CN' ? '进度' : 'Progress' })
    const values = () => bar.evaluate((one) => [one.value, one.max, one.getBoundingClientRect().width > 100])
    assert.deepEqual(await values(), [1, 4, true])
    assert.match(await text(page), /reading \(1 \/ 4\)/)
    await picture(page, `progress-${locale}`)
    const report = (delta) =>
      page.evaluate(async (delta) => {
        live.push({ type: 'progress', call: 1, ...delta })
        await frames(2)
      }, delta)
    await report({ text: '9 / 4', done: 9, total: 4 })
    assert.deepEqual(await values(), [4, 4, true])
    for (const delta of [{ text: '3', done: 3 }, { text: '0 / 0', done: 0, total: 0 }, { text: 'nearly' }]) {
      await report(delta)
      assert.equal(await bar.count(), 0)
      assert.ok((await text(page)).includes(delta.text))
    }
  }
})

test('nothing moves where motion is reduced, or when the message is over', async (t) => {
  const script = () =>
    live.push(
      { type: 'card', block: 0, call: 1, status: 'executing', name: 'a.b', startedAt: Date.now() },
      { type: 'card', block: 1, call: 2, status: 'streaming', name: 'c.d' },
      { type: 'args', call: 2, text: '{"x"' },
    )
  const still = await message(t, script, { reducedMotion: 'reduce' })
  assert.equal(await still.evaluate(() => moving()), 0)
  const over = await message(t, script)
  assert.ok((await over.evaluate(() => moving())) > 2)
  await over.evaluate(async () => {
    live.push({ type: 'done', outcome: 'cancelled' })
    await frames(2)
  })
  assert.equal(
    await over.evaluate(
      () =>
        element.renderRoot.querySelectorAll('sluice-card')[0].renderRoot.querySelectorAll('.shimmer, .spinner').length,
    ),
    0,
  )
  assert.match(await text(over), /Stopped\./)
})

test('an open card shows arguments, result, error, raw text and who decided; long text in full on request', async (t) => {
  const page = await open(t)
  await page.evaluate(async () => {
    const card = document.createElement('sluice-card')
    card.card = {
      type: 'tool_use',
      call: 1,
      name: 'file.read',
      askedName: 'read_file',
      source: 'vcp',
      round: 2,
      status: 'error',
      arguments: { path: '/tmp/x', deep: { a: [1, 2] }, none: null, empty: '' },
      protocolFields: { maid: 'Nova' },
      raw: '<<<[TOOL_REQUEST]>>>',
      output: 'line\n'.repeat(2000),
      error: 'EACCES',
      modelOutput: 'Error: EACCES (try another path)',
      reason: 'max_calls',
      notice: 'the pet said no',
      approvals: [
        { stage: 'execution', decision: 'approved', by: 'user', remember: 'session', at: 0 },
        { stage: 'result', decision: 'denied', by: 'rule', reason: 'private' },
      ],
    }
    document.querySelector('#stage').append(card)
    await card.updateComplete
  })
  const card = page.locator('sluice-card')
  const header = card.getByRole('button', { name: 'file.read' })
  assert.equal(await header.getAttribute('aria-expanded'), 'false')
  assert.equal(await page.getByRole('heading', { name: 'Result' }).count(), 0)
  assert.match(await text(page, 'sluice-card'), /the pet said no/)
  await header.focus()
  await page.keyboard.press('Enter')
  assert.equal(await header.getAttribute('aria-expanded'), 'true')
  assert.deepEqual(await card.getByRole('heading').allInnerTexts(), [
    'Arguments',
    'Other fields',
    'Error',
    'Result',
    'What the model reads',
    'As the model wrote it',
    'Decisions',
  ])
  const shown = await text(page, 'sluice-card')
  for (const part of [
    '/tmp/x',
    '"a": [',
    'Nova',
    'EACCES',
    'Approved by you · for this session',
    'Result withheld by a remembered rule — private',
    'no more tool calls are allowed',
    'read_file',
    'vcp',
    'Round 2',
  ])
    assert.ok(shown.includes(part), `${part} in ${shown}`)
  const result = card.getByRole('group', { name: 'Result' }).or(card.locator('[part~=section-result]'))
  const before = (await result.innerText()).length
  await card.getByRole('button', { name: 'Show all (10,000 characters)' }).click()
  assert.ok(before < 6000 && (await result.locator('.value').textContent()).length === 10_000)
})

test('an open card names who decided, in both languages, with what hides in the name spelled out', async (t) => {
  const page = await open(t)
  for (const [lang, said] of [
    ['en', ['Approved (ann⟨U+202E⟩b)', 'Denied by policy — late']],
    ['zh', ['已批准 (ann⟨U+202E⟩b)', '已拒绝 按策略 — late']],
  ]) {
    await page.evaluate(async (lang) => {
      const card = Object.assign(document.createElement('sluice-card'), {
        lang,
        open: true,
        card: {
          type: 'tool_use',
          call: 1,
          name: 'bill.pay',
          status: 'denied',
          approvals: [
            { stage: 'execution', decision: 'approved', by: 'user', who: 'ann\u202eb' },
            { stage: 'execution', decision: 'denied', by: 'policy', reason: 'late' },
          ],
        },
      })
      document.querySelector('#stage').replaceChildren(card)
      await card.updateComplete
    }, lang)
    assert.deepEqual(await page.locator('sluice-card .decisions li').allInnerTexts(), said)
  }
})

test('a card shows what the tool gave, and unfolds what the model was told in its place, in both languages and by keyboard', async (t) => {
  const page = await open(t)
  const card = (fields, lang) =>
    page.evaluate(
      async ([fields, lang]) => {
        const card = Object.assign(document.createElement('sluice-card'), {
          lang,
          open: true,
          card: {
            type: 'tool_use',
            call: 1,
            name: 'mail.read',
            status: 'success',
            arguments: { to: '$ME' },
            ...fields,
          },
        })
        document.querySelector('#stage').replaceChildren(card)
        await card.updateComplete
      },
      [fields, lang],
    )
  const both = {
    output: 'pin 1234',
    hostOutput: { text: 'pin ****' },
    modelOutput: 'pin ****',
    hostArguments: { to: 'ann@example.org' },
  }
  await card(both, 'en')
  const line = page.locator('sluice-card summary')
  assert.equal(await line.innerText(), 'The model was told something else')
  assert.deepEqual(await page.locator('sluice-card').getByRole('heading').allInnerTexts(), [
    'Arguments',
    'Arguments that the app put in',
    'Result',
  ])
  assert.match(await text(page, 'sluice-card'), /ann@example\.org/)
  assert.equal(await page.getByText('pin ****').isVisible(), false)
  await line.focus()
  await page.keyboard.press('Enter')
  await page.getByText('pin ****').waitFor()
  assert.equal(await page.getByText('pin 1234').isVisible(), true)
  await card({ ...both, hostOutput: { text: '' }, modelOutput: 'Nothing came out.' }, 'zh')
  assert.equal(await line.innerText(), '告诉模型的内容与此不同')
  assert.deepEqual(await page.locator('sluice-card').getByRole('heading').allInnerTexts(), [
    '参数',
    '应用代入的参数',
    '结果',
    '模型读到的内容',
  ])
  await card({ output: 'x', modelOutput: 'x' }, 'en')
  assert.equal(await line.count(), 0)
})

test('a result of flat rows is a table, other JSON a tree that opens as one asks, all of it text', async (t) => {
  const page = await open(t)
  const card = (output) =>
    page.evaluate(
      async (output) => {
        document.querySelector('#stage').replaceChildren(
          Object.assign(document.createElement('sluice-card'), {
            open: true,
            card: { type: 'tool_use', call: 1, name: 'x', status: 'success', output },
          }),
        )
        await frames(1)
      },
      typeof output === 'string' ? output : JSON.stringify(output),
    )
  await card([
    { day: 'Mon', high: 21 },
    { day: 'Tue', low: null },
  ])
  await page.locator('.json').waitFor()
  assert.deepEqual(await page.getByRole('columnheader').allInnerTexts(), ['day', 'high', 'low'])
  assert.deepEqual(await page.getByRole('cell').allInnerTexts(), ['Mon', '21', '', 'Tue', '', 'null'])
  await card({
    a: 1,
    deep: { deeper: { deepest: '<b>x</b>' } },
    many: Array.from({ length: 120 }, (_, at) => ({ at: [at] })),
  })
  assert.equal(await page.getByText('deepest').count(), 0)
  await page.getByText('deeper').click()
  await page.getByText('deepest').waitFor() // it is made when the browser tells that it was opened
  assert.match(await text(page, 'sluice-card'), /deepest: <b>x<\/b>/)
  await page.getByText('120 items').click()
  await page.getByRole('button', { name: 'Show 70 more' }).click()
  assert.equal(await page.locator('.json li').count(), 5 + 120)
  await card('{"not": json')
  assert.equal(await page.locator('.json').count(), 0)
  assert.match(await text(page, 'sluice-card'), /\{"not": json/)
})

const dist = new URL('../../js/dist/ui/', import.meta.url)
const drawsJson = readdirSync(dist).find(
  (name) => name.endsWith('.js') && /\bas jsonView\b/.test(readFileSync(new URL(name, dist), 'utf8')),
)
const jsonCard = (page, open) =>
  page.evaluate((open) => {
    window.card = Object.assign(document.createElement('sluice-card'), {
      open,
      card: { type: 'tool_use', call: 1, name: 'x', status: 'success', output: '{"a": 1}' },
    })
    window.shown = []
    const note = () => {
      const section = card.renderRoot.querySelector('[part~=section-result]')
      if (section) shown.push(section.querySelector('.json') ? 'tree' : section.querySelector('.value') ? 'text' : '')
      requestAnimationFrame(note)
    }
    document.querySelector('#stage').replaceChildren(card)
    note()
  }, open)
const shown = (page) => page.evaluate(() => [...new Set(shown)])

test('what draws JSON is loaded before a card is opened, and a card that is opened at once shows no text in between', async (t) => {
  const page = await open(t)
  const asked = page.waitForResponse(`**/${drawsJson}`)
  await jsonCard(page, false)
  await (await asked).finished()
  await page.evaluate(() => frames(2))
  await page.evaluate(() => (card.open = true))
  await until(async () => (await shown(page)).length > 0, 'the result')
  assert.deepEqual(await shown(page), ['tree'])

  const other = await open(t)
  let go
  const held = new Promise((resolve) => (go = resolve))
  await other.route(`**/${drawsJson}`, async (route) => (await held, await route.continue()))
  await jsonCard(other, true)
  await other.evaluate(() => frames(5))
  await other.evaluate(() => card.focusHeader())
  assert.deepEqual(await shown(other), [''])
  go()
  await other.locator('.json').waitFor()
  await other.evaluate(() => frames(2))
  assert.deepEqual(await shown(other), ['', 'tree'])
  assert.equal(await other.evaluate(() => card.renderRoot.activeElement.className), 'toggle')
})

test('where the file that draws JSON cannot be loaded, JSON is shown as text', async (t) => {
  const page = await open(t, { expected: [/Failed to load resource/, /a file beside sluice\/ui could not be loaded/] })
  await page.route(`**/${drawsJson}`, (route) => route.fulfill({ status: 404 }))
  await jsonCard(page, true)
  await until(async () => (await text(page, 'sluice-card')).includes('{"a": 1}'), 'the text')
})

test('copying gives the text as it was', async (t) => {
  const page = await message(
    t,
    () =>
      live.push({
        type: 'card',
        block: 0,
        call: 1,
        name: 'a.b',
        status: 'success',
        arguments: { p: 'a\u202Eb' },
        output: 'the result',
      }),
    { permissions: ['clipboard-read', 'clipboard-write'] },
  )
  await page.getByRole('button', { name: 'a.b' }).click()
  await page.getByRole('button', { name: 'Copy: Result' }).click()
  await until(() => page.getByText('Copied').count(), 'the confirmation')
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'the result')
  await page.getByRole('button', { name: 'Copy: Arguments' }).click()
  await until(
    async () => (await page.evaluate(() => navigator.clipboard.readText())) === '{\n  "p": "a\u202Eb"\n}',
    'the arguments',
  )
})

test('a call that runs can be stopped; one of a saved message cannot', async (t) => {
  const page = await message(t, () =>
    live.push({ type: 'card', block: 0, call: 7, name: 'a.b', status: 'executing', startedAt: 0 }),
  )
  await page.getByRole('button', { name: 'Stop this call' }).click()
  assert.deepEqual(await answers(page), [['cancel', 7]])
  await page.evaluate(async () => {
    element.remove()
    const saved = Object.assign(document.createElement('sluice-message'), { view: structuredClone(live.getSnapshot()) })
    document.querySelector('#stage').append(saved)
    await frames(2)
  })
  assert.match(await text(page), /Running…/)
  assert.equal(await page.getByRole('button', { name: 'Stop this call' }).count(), 0)
  assert.equal(await page.evaluate(() => moving()), 0)
})

test('pictures of a result are shown where they are plainly pictures, others are named and not loaded', async (t) => {
  const page = await open(t)
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const asked = []
  page.on('request', (request) => request.url().startsWith('data:') || asked.push(request.url()))
  await page.evaluate(async (png) => {
    const parts = [
      { type: 'image', mediaType: 'image/png', data: png },
      { type: 'image', mediaType: 'image/svg+xml', data: btoa('<svg onload="alert(1)"/>') },
      { type: 'image', mediaType: 'text/html', data: 'PGI+' },
      { type: 'image', url: 'http://127.0.0.1:9/track.png' },
    ]
    const card = Object.assign(document.createElement('sluice-card'), {
      open: true,
      card: { type: 'tool_use', call: 1, name: 'x', status: 'success', output: '', parts },
    })
    document.querySelector('#stage').append(card)
    await frames(2)
  }, png)
  assert.equal(await page.getByRole('img', { name: 'Image of the result' }).count(), 1)
  assert.equal(
    await page
      .getByRole('img', { name: 'Image of the result' })
      .evaluate((image) => image.decode().then(() => image.naturalWidth)),
    1,
  )
  assert.match(await text(page, 'sluice-card'), /Image at:\s+http:\/\/127\.0\.0\.1:9\/track\.png/)
  assert.deepEqual(asked, [])
})

// -- what a model may write -------------------------------------------------------------------------------------------

test('bidi, zero-width and other characters without a glyph are shown by their code points', async (t) => {
  const page = await message(t, () =>
    live.push(
      ...asking(0, 'a.b', {
        bidi: 'evil\u202Egnp.exe',
        zero: 'a\u200Bb\u2060c\uFEFFd',
        tag: 'x\u{E0041}y',
        soft: 'a\u00ADb',
        nul: 'a\u0000b\rc',
        blank: 'a\u3164b\u2800c\u00A0d',
        lone: 'a\uD800b',
        private: '\uE000',
        emoji: '👩‍💻 ❤️ 👍🏽',
        plain: 'Grüße, 你好 שלום\ttab\nline',
        'ke\u200By': 'v',
      }),
    ),
  )
  const shown = await page.getByRole('group', { name: 'The assistant wants' }).innerText()
  for (const part of [
    'evil⟨U+202E⟩gnp.exe',
    'a⟨U+200B⟩b⟨U+2060⟩c⟨U+FEFF⟩d',
    'x⟨U+E0041⟩y',
    'a⟨U+00AD⟩b',
    'a⟨U+0000⟩b⟨U+000D⟩c',
    'a⟨U+3164⟩b⟨U+2800⟩c⟨U+00A0⟩d',
    'a⟨U+D800⟩b',
    '⟨U+E000⟩',
    '👩‍💻 ❤️ 👍🏽',
    'Grüße, 你好 שלום\ttab\nline',
    'ke⟨U+200B⟩y',
  ]) {
    assert.ok(shown.includes(part), `${JSON.stringify(part)} in ${JSON.stringify(shown)}`)
  }
})

test('what a model writes is never markup, and cannot leave its box', async (t) => {
  const page = await open(t)
  await page.evaluate(async () => {
    window.hacked = 0
    const evil =
      '</bdi></dd><img src=x onerror="hacked++"><script>hacked++</script><style>*{display:none}</style>${hacked++}<!--lit$-->'
    window.live = new Live()
    window.element = show(live)
    live.push(
      { type: 'text', block: 0, text: evil },
      { type: 'reasoning', block: 1, text: evil },
      {
        type: 'card',
        block: 2,
        call: 1,
        name: evil,
        askedName: evil + 2,
        status: 'error',
        arguments: { [evil]: evil },
        protocolFields: { [evil]: evil },
        raw: evil,
        output: JSON.stringify({ [evil]: [evil] }),
        error: evil,
        modelOutput: evil,
        notice: evil,
        reason: evil,
        source: evil,
        approvals: [{ stage: 'execution', decision: 'denied', by: 'user', reason: evil }],
      },
      { type: 'error', block: 3, code: evil, detail: evil, hint: evil },
      ...asking(
        4,
        evil,
        { [evil]: evil, ['__proto__']: evil, constructor: 'c' },
        { ask: { description: evil, level: 'constructor', policy: evil } },
      ),
    )
    await frames(2)
    element.renderRoot.querySelector('sluice-card').open = true
    await frames(3)
  })
  const found = await page.evaluate(() => {
    const roots = [element.renderRoot]
    for (const root of roots)
      for (const one of root.querySelectorAll('*')) if (one.shadowRoot) roots.push(one.shadowRoot)
    return {
      hacked,
      injected: roots.flatMap((root) => [...root.querySelectorAll('img, script, style, [onerror]')]).length,
      roots: roots.length,
    }
  })
  assert.deepEqual(found, { hacked: 0, injected: 0, roots: 4 })
  const question = page.getByRole('group', { name: /^The assistant wants/ })
  assert.match(await question.innerText(), /can change or delete/, 'what is not said of a tool counts as the worst')
})

test('long and hostile arguments keep their place: the labels and buttons of the question stay its own', async (t) => {
  const page = await message(t, () =>
    live.push(
      ...asking(0, 'a.b', {
        long: 'x'.repeat(100_000),
        lines: 'Level: Public\n'.repeat(500),
        ['k'.repeat(5000)]: 1,
        zalgo: 'a' + '\u0301'.repeat(3000),
        rtl: 'ע'.repeat(300),
      }),
      { type: 'text', block: 1, text: 'after' },
    ),
  )
  const { width, height, overlapping } = await page.evaluate(() => {
    const root = element.renderRoot.querySelector('sluice-card').renderRoot.querySelector('sluice-approval').renderRoot
    const question = root.querySelector('.question').getBoundingClientRect()
    const actions = root.querySelector('.actions').getBoundingClientRect()
    const scroll = root.querySelector('.scroll').getBoundingClientRect()
    const wide = [...root.querySelectorAll('.argument')].filter(
      (one) => one.getBoundingClientRect().right > question.right,
    )
    return {
      width: document.documentElement.scrollWidth,
      height: question.height,
      overlapping: wide.length + (scroll.bottom > actions.top ? 1 : 0),
    }
  })
  assert.ok(width <= 900, `the page is ${width} wide`)
  assert.ok(height < 650, `the question is ${height} high in a window of 700`)
  assert.equal(overlapping, 0)
  assert.match(await text(page), /91,000 characters in 1 line are not shown here/)
})

// -- accessibility and looks ------------------------------------------------------------------------------------------

test('the accessibility tree says what one sees', async (t) => {
  const page = await message(t, () =>
    live.push(
      { type: 'text', block: 0, text: 'Hello.' },
      {
        type: 'card',
        block: 1,
        call: 1,
        name: 'weather.now',
        status: 'success',
        arguments: { city: 'Hangzhou' },
        output: '1',
        durationMs: 420,
      },
      ...asking(2, 'file.write', { path: '/tmp/x' }, { ask: { level: 'moderate', policy: 'ask_once' } }),
    ),
  )
  await armed(page, 'Allow')
  assert.equal(
    await page.locator('#stage').ariaSnapshot(),
    `
- main:
  - article "Answer":
    - paragraph: Hello.
    - article "Tool call weather.now":
      - 'button "weather.now city: Hangzhou Done 420 ms"'
    - article "Tool call file.write":
      - button "file.write Waiting for approval"
      - group "The assistant wants to use file.write.":
        - paragraph: The assistant wants to use file.write.
        - text: 1 argument · 6 characters in 1 line can change or delete
        - group "What is asked":
          - term: path
          - definition: /tmp/x
          - text: Remember
          - combobox "Remember":
            - option "This call only" [selected]
            - option "For this answer"
            - option "For this session"
            - option "Always"
        - button "Edit arguments"
        - button "Give a reason"
        - button "Not now"
        - button "Allow"
        - status: You can decide now.
  - status
`.trim(),
  )
})

test('light and dark follow the system, `theme`, `color-scheme` and a property of the page', async (t) => {
  const dark = (page) =>
    page.evaluate(async () => {
      await frames(2)
      const card = element.renderRoot.querySelector('sluice-card')
      const [red] = getComputedStyle(card.renderRoot.querySelector('.card'))
        .backgroundColor.match(/[\d.]+/g)
        .map(Number)
      return { scheme: getComputedStyle(card).colorScheme, background: red < (red > 1 ? 128 : 0.5) ? 'dark' : 'light' }
    })
  const script = () => live.push({ type: 'card', block: 0, call: 1, name: 'a', status: 'success' })
  for (const colorScheme of ['light', 'dark']) {
    const page = await message(t, script, { colorScheme })
    assert.equal((await dark(page)).background, colorScheme)
    const other = colorScheme === 'light' ? 'dark' : 'light'
    await page.evaluate((other) => element.setAttribute('theme', other), other)
    assert.equal((await dark(page)).background, other)
    await page.evaluate((other) => {
      element.removeAttribute('theme')
      element.style.setProperty('color-scheme', other)
    }, other)
    assert.equal((await dark(page)).background, other)
    await page.evaluate((other) => {
      element.style.removeProperty('color-scheme')
      document.documentElement.style.setProperty('--sluice-color-scheme', other)
    }, other)
    assert.equal((await dark(page)).background, other)
  }
})

test('colours have contrast enough in both schemes', async (t) => {
  for (const colorScheme of ['light', 'dark']) {
    const page = await browser.page(t, { colorScheme, reducedMotion: 'reduce' })
    await page.goto(`${pages.url}/gallery.html`)
    await page.waitForFunction(() => window.done)
    const poor = await page.evaluate(() => {
      const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
      const rgba = (color) => {
        canvas.clearRect(0, 0, 1, 1)
        canvas.fillStyle = color
        canvas.fillRect(0, 0, 1, 1)
        return [...canvas.getImageData(0, 0, 1, 1).data]
      }
      const light = ([r, g, b]) =>
        [r, g, b]
          .map((v) => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
          .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0)
      const behind = (element) => {
        const layers = []
        for (let node = element; node; node = node.assignedSlot ?? node.parentElement ?? node.getRootNode().host)
          layers.push(rgba(getComputedStyle(node).backgroundColor))
        layers.push(rgba('Canvas'))
        return layers
          .reverse()
          .reduce(
            (under, [r, g, b, a]) => under.map((v, at) => v * (1 - a / 255) + [r, g, b][at] * (a / 255)),
            [255, 255, 255],
          )
      }
      const roots = [document]
      for (const root of roots)
        for (const one of root.querySelectorAll('*')) if (one.shadowRoot) roots.push(one.shadowRoot)
      const poor = []
      for (const root of roots) {
        for (const one of root.querySelectorAll('*')) {
          const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim())
          if (!own || !one.checkVisibility() || one.closest('[aria-disabled=true], .hidden-text, option')) continue
          const [a, b] = [light(rgba(getComputedStyle(one).color)), light(behind(one))].sort((x, y) => y - x)
          const contrast = (a + 0.05) / (b + 0.05)
          if (contrast < 4.5)
            poor.push(`${one.className || one.localName} "${one.textContent.slice(0, 20)}" ${contrast.toFixed(2)}`)
        }
      }
      return [...new Set(poor)]
    })
    assert.deepEqual(poor, [], colorScheme)
  }
})

test('the gallery, in both schemes and languages, wide and narrow', async (t) => {
  for (const [name, query, options] of [
    ['ui-light-900', 'lang=en', { colorScheme: 'light' }],
    ['ui-dark-900', 'lang=en', { colorScheme: 'dark' }],
    ['ui-zh-dark-900', 'lang=zh', { colorScheme: 'dark' }],
    ['ui-light-360', 'lang=en', { viewport: { width: 360, height: 700 } }],
    ['ui-zh-light-360', 'lang=zh', { viewport: { width: 360, height: 700 } }],
  ]) {
    const page = await browser.page(t, options)
    await page.goto(`${pages.url}/gallery.html?${query}`)
    await page.waitForFunction(() => window.done)
    assert.ok(
      await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
      `${name} does not scroll sideways`,
    )
    await picture(page, name, { fullPage: true })
  }
})

// -- speed ------------------------------------------------------------------------------------------------------------

test('a delta costs the same under 20 large cards as in an empty message', async (t) => {
  const page = await browser.page(t)
  // A frame for every delta, as fast as they come: 10,000 real frames would take minutes.
  await page.addInitScript(() => {
    const channel = new MessageChannel()
    let queue = new Map()
    let id = 0
    channel.port1.onmessage = () => {
      const runs = queue
      queue = new Map()
      for (const run of runs.values()) run(performance.now())
    }
    window.requestAnimationFrame = (run) => {
      queue.set(++id, run)
      channel.port2.postMessage(0)
      return id
    }
    window.cancelAnimationFrame = (id) => queue.delete(id)
  })
  await page.goto(`${pages.url}/page.html`)
  await page.waitForFunction(() => window.ready)
  const session = await page.context().newCDPSession(page)
  // time of the processor: the machine has other work
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const spent = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics
      .filter(({ name }) => ['ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'].includes(name))
      .reduce((sum, { value }) => sum + value, 0)
  }
  const run = async (cards, deltas) => {
    await page.evaluate(async (cards) => {
      document.querySelector('#stage').replaceChildren()
      window.live = new Live()
      window.element = show(live)
      for (let at = 0; at < cards; at++) {
        live.push(
          { type: 'text', block: 2 * at, text: `Part ${at}. ` },
          {
            type: 'card',
            block: 2 * at + 1,
            call: at + 1,
            name: `tool.${at}`,
            status: 'success',
            arguments: { text: 'x'.repeat(20_000), list: Array.from({ length: 200 }, (_, n) => ({ n })) },
            output: JSON.stringify(
              Array.from({ length: 500 }, (_, n) => ({ n, name: `row ${n}`, more: 'y'.repeat(40) })),
            ),
            durationMs: 5,
          },
        )
      }
      await frames(3)
      for (const card of element.renderRoot.querySelectorAll('sluice-card')) card.open = true
      await frames(3)
      document.body.offsetHeight
    }, cards)
    const before = await spent()
    await page.evaluate(
      async ({ block, deltas }) => {
        for (let at = 0; at < deltas; at++) {
          live.push({ type: 'text', block, text: at % 60 === 59 ? ' and so on.\n\n' : ' word' })
          await frames(1)
          element.getBoundingClientRect() // layout, as a frame would
        }
      },
      { block: 2 * cards, deltas },
    )
    const cost = (await spent()) - before
    await until(
      () =>
        page.evaluate(
          (block) =>
            [...[...element.renderRoot.querySelectorAll('.text')].at(-1).querySelectorAll('p')]
              .map((one) => one.textContent)
              .join('') ===
            live
              .getSnapshot()
              .blocks[block].text.replace(/ *\n+ */g, '')
              .trim(),
          2 * cards,
        ),
      'all of the text',
    )
    return cost
  }
  await run(0, 1000) // compiled, warm
  const spentOn = { empty: 0, full: 0 } // together: a measurement on a busy machine is off by half
  for (let time = 0; time < 3; time++) {
    const empty = await run(0, 2000)
    const full = await run(20, 2000)
    spentOn.empty += empty
    spentOn.full += full
    t.diagnostic(
      `${(empty * 500).toFixed(1)} µs per delta in an empty message, ${(full * 500).toFixed(1)} µs under 20 cards`,
    )
  }
  const ratio = spentOn.full / spentOn.empty
  assert.ok(ratio < 1.5, `ratio ${ratio.toFixed(2)}`)
})

// -- files of their own -----------------------------------------------------------------------------------------------

test('the configuration is a file that is loaded when its element stands in a page; where it does not come, that is said', async (t) => {
  const page = await open(t, { expected: [/Failed to load resource/] })
  const asked = []
  let broken = true
  await page.route('**/configuration.js', (route) => {
    asked.push(route.request().url())
    return broken ? route.abort() : route.continue()
  })
  await page.evaluate(async () => {
    const { SluiceConfiguration } = await import('/sluice/ui/index.js')
    const element = (window.element = new SluiceConfiguration())
    element.client = {
      configuration: () => Promise.reject(new Error('the host is away')),
      configure: () => Promise.reject(new Error('no')),
    }
    window.refreshed = element.refresh()
    await frames(2)
  })
  assert.deepEqual(asked, [])
  await page.evaluate(() => document.querySelector('#stage').append(element))
  assert.match(await page.getByRole('alert').textContent(), /could not be loaded/)
  assert.equal(asked.length, 1)
  broken = false
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('alert').filter({ hasText: 'the host is away' }).waitFor()
  await page.evaluate(() => window.refreshed)
  await page.evaluate(() => document.querySelector('#stage').append(document.createElement('sluice-configuration')))
  assert.equal(asked.length, 2, 'once for all of them')
})
