// One tool, by hand.
import { postJson } from '/sluice/renderer/web-bridge.js'
import { duration, field, foreign, h, pretty, replace, scroller, select } from './dom.js'
import { argumentForm } from '/sluice/ui/index.js'

export function runTab(app) {
  const state = { tool: '', raw: false, values: {}, json: '', timeout: '' }
  let running // { abort, since, timer }
  let shown // { reply } or { fault } or { aborted }
  let form
  let parts

  const tool = () => app.tools?.tools.find(({ name }) => name === state.tool)

  function choose(name) {
    if (state.tool === name) return
    Object.assign(state, { tool: name, values: {}, json: '', raw: false })
    shown = undefined
    update()
  }

  /** What is in the form now, as far as it can be read. */
  function keep() {
    try {
      if (form && !state.raw) state.values = form.read()
      else if (state.raw) state.values = readJson()
    } catch {} // stays as it was
  }

  function readJson() {
    let value
    try {
      value = JSON.parse(parts.json.value.trim() === '' ? '{}' : parts.json.value)
    } catch (error) {
      throw app.text.badJson(app.text.arguments, error.message)
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw app.text.notObject
    return value
  }

  function setRaw(raw) {
    keep()
    state.raw = raw
    if (raw) state.json = JSON.stringify(state.values, null, 2)
    drawArguments()
    parts.editor.querySelector('[aria-pressed=true]')?.focus()
  }

  async function run() {
    let request
    try {
      const args = state.raw || !form ? readJson() : form.read()
      request = { name: state.tool, arguments: args, ...(state.timeout === '' ? {} : { timeout: state.timeout }) }
    } catch (error) {
      shown = { fault: { detail: typeof error === 'string' ? error : error.message } }
      return drawResult()
    }
    const abort = new AbortController()
    const mine = (running = { abort, since: performance.now(), timer: setInterval(() => tick(), 100) })
    shown = undefined
    drawResult()
    parts.abort.focus()
    try {
      shown = { reply: await postJson('/api/run', request, abort.signal) }
    } catch (error) {
      const fault = error.path === 'timeout' ? { detail: app.text.badTimeout } : error
      shown = abort.signal.aborted ? { aborted: performance.now() - mine.since } : { fault }
    }
    clearInterval(mine.timer)
    running = undefined
    drawResult()
    if (document.activeElement === document.body) parts.run.focus()
  }

  function tick() {
    if (running) parts.clock.textContent = duration(performance.now() - running.since)
  }

  function update() {
    if (!parts) return
    const tools = app.tools?.tools ?? []
    const runnable = new Set(app.tools?.runnable)
    state.tool ||= tools.find(({ name }) => runnable.has(name))?.name ?? ''
    if (parts.tool.options.length - 1 !== tools.length) {
      parts.tool.append(...tools.map(({ name }) => h('option', { value: name, disabled: !runnable.has(name) }, name)))
    }
    parts.tool.value = state.tool
    const one = tool()
    replace(
      parts.about,
      one && [
        h('p', {}, foreign(one.description)),
        h('p', { class: 'about' }, runnable.has(one.name) ? app.text.byHand : app.text.notRunnable),
      ],
    )
    parts.rest.hidden = !one || !runnable.has(one.name)
    drawArguments()
    drawResult()
  }

  function drawArguments() {
    const { text } = app
    const one = tool()
    if (!one) return
    form = argumentForm(one.parameters, state.values, text)
    const none = !form && takesNothing(one.parameters)
    const button = (raw, label) =>
      h('button', { type: 'button', 'aria-pressed': String(state.raw === raw), onclick: () => setRaw(raw) }, label)
    replace(parts.editor, form && [button(false, text.form), button(true, text.raw)])
    parts.json.value = state.json
    replace(
      parts.fields,
      form && !state.raw
        ? form.element
        : [
            !form && h('p', { class: 'about' }, none ? text.noArguments : text.noForm),
            !none && h('div', { class: 'field' }, h('label', { for: 'json' }, text.arguments), parts.json),
          ],
    )
  }

  function drawResult() {
    const { text } = app
    parts.run.disabled = Boolean(running)
    parts.abort.hidden = !running
    parts.clock.textContent = running ? duration(performance.now() - running.since) : ''
    if (running)
      return replace(
        parts.result,
        h('p', { class: 'running' }, h('span', { class: 'spinner', 'aria-hidden': 'true' }), ' ', text.runningNow),
      )
    if (!shown) return replace(parts.result, h('p', { class: 'empty' }, text.nothingRun))
    if (shown.aborted !== undefined) return replace(parts.result, badge('cancelled', text.aborted, shown.aborted))
    if (shown.fault) {
      const { path, detail, message } = shown.fault
      return replace(parts.result, h('p', { class: 'fault' }, `${path ? `${path}: ` : ''}${detail ?? message}`))
    }
    const { reply } = shown
    const { status, output, modelOutput, error, durationMs, progress, ipc } = reply
    replace(
      parts.result,
      badge(status, text.status[status] ?? status, durationMs),
      error !== undefined && [
        h('h2', {}, text.errorIs),
        scroller(text.errorIs, { class: 'fault', id: 'error' }, foreign(error)),
      ],
      output !== undefined
        ? [
            h('h2', {}, text.resultIs),
            scroller(text.resultIs, { id: 'output' }, output === '' ? text.noOutput : foreign(pretty(output))),
          ]
        : undefined,
      progress.length > 0 && [h('h2', {}, text.progress), list('progress', progress)],
      ipc.length > 0 && [
        h('h2', {}, text.ipc),
        list(
          'ipc',
          ipc.map(({ channel, payload }) => `${channel} ${JSON.stringify(payload)}`),
        ),
      ],
      reply.arguments && more(text.calledWith, JSON.stringify(reply.arguments, null, 2)),
      modelOutput !== undefined && more(text.modelOutput, modelOutput),
    )
  }

  function badge(status, label, ms) {
    return h(
      'p',
      { class: `badge ${status}`, id: 'status' },
      h('b', {}, label),
      ms !== undefined && h('span', { class: 'duration' }, duration(ms)),
    )
  }

  const list = (id, lines) =>
    h(
      'ul',
      { class: 'progress', id },
      lines.map((line) => h('li', {}, foreign(line))),
    )

  const more = (label, content) => h('details', {}, h('summary', {}, label), scroller(label, {}, foreign(content)))

  function draw() {
    const { text } = app
    if (parts) {
      keep()
      app.onTools.delete(update)
    }
    const picker = select([['', text.pick]], '', (name) => {
      choose(name)
      history.replaceState(null, '', name ? `#run/${encodeURIComponent(name)}` : '#run')
    })
    const timeout = h('input', {
      autocomplete: 'off',
      value: state.timeout,
      placeholder: text.timeoutHint,
      oninput: (event) => (state.timeout = event.target.value.trim()),
    })
    const abort = h(
      'button',
      {
        type: 'button',
        class: 'danger',
        hidden: true,
        onclick: () => running?.abort.abort(new Error('aborted by hand')),
      },
      text.abort,
    )
    parts = {
      tool: picker,
      abort,
      about: h('div', {}),
      editor: h('div', { class: 'segments', role: 'group', 'aria-label': text.editor }),
      json: h('textarea', {
        id: 'json',
        rows: '8',
        spellcheck: 'false',
        oninput: (event) => (state.json = event.target.value),
      }),
      fields: h('div', {}),
      run: h('button', { type: 'submit', class: 'primary' }, text.run),
      clock: h('span', { class: 'duration', 'aria-hidden': 'true' }),
      result: h('div', { class: 'result', 'aria-live': 'polite', id: 'result' }),
    }
    parts.rest = h(
      'form',
      {
        onsubmit: (event) => {
          event.preventDefault()
          void run()
        },
      },
      parts.editor,
      parts.fields,
      field(text.timeout, timeout),
      h('div', { class: 'line' }, parts.run, abort, parts.clock),
    )
    app.onTools.add(update)
    queueMicrotask(update)
    return h(
      'div',
      { class: 'two' },
      h('section', {}, field(text.tool, picker), parts.about, parts.rest),
      h('section', { class: 'sticky' }, parts.result),
    )
  }

  return { draw, choose }
}

function takesNothing(schema) {
  if (!schema) return true
  return (
    schema.type === 'object' &&
    Object.keys(schema.properties ?? {}).length === 0 &&
    schema.additionalProperties !== true
  )
}
