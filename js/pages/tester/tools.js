// What a model would see of the tools, and why not the others.
import { postJson } from '/sluice/renderer/web-bridge.js'
import { copyButton, debounced, field, foreign, h, replace, scroller, select } from './dom.js'

export function toolsTab(app) {
  let query = ''
  let reply
  let fault
  let asked = 0
  let parts

  async function load() {
    const mine = ++asked
    try {
      const answer = await postJson('/api/tools', {
        settings: app.settings,
        ...(app.model ? { model: app.model } : {}),
      })
      if (mine !== asked) return
      reply = app.tools = answer
      fault = undefined
      for (const listener of app.onTools) listener(answer)
    } catch (error) {
      if (mine !== asked) return
      fault = error
    }
    update()
  }

  const loadSoon = debounced(load, 250)

  function set(name, value) {
    const { [name]: _, ...rest } = app.settings
    app.settings = value === '' ? rest : { ...rest, [name]: value }
    void load()
  }

  function toggle(tool, on) {
    app.settings = { ...app.settings, toolToggles: { ...app.settings.toolToggles, [tool.name]: on } }
    void load()
  }

  function update() {
    const { text } = app
    replace(
      parts.fault,
      fault &&
        h(
          'div',
          { class: 'fault' },
          h(
            'p',
            {},
            h('b', {}, reply ? '' : text.failed),
            ` ${fault.path ? `${fault.path}: ` : ''}${fault.detail ?? fault.message}`,
          ),
          h('button', { onclick: load }, text.retry),
        ),
    )
    if (!reply) return void replace(parts.lists, fault ? undefined : h('p', { class: 'empty' }, text.loading))
    if (parts.protocol.options.length <= 2) {
      const ids = reply.protocols.filter((id) => id !== 'auto')
      parts.protocol.append(...ids.map((id) => h('option', { value: id }, id)))
      parts.protocol.value = app.settings.protocol ?? ''
    }
    drawLists()
    const asText = reply.settings.mode === 'text'
    replace(
      parts.tokens,
      h('b', {}, text.tokens(reply.estimatedTokens)),
      ' ',
      h('span', { class: 'about' }, text.estimate),
    )
    parts.native.hidden = asText
    replace(parts.native, text.nativePrompt(reply.tokens.text))
    replace(parts.heading, asText ? text.prompt : text.wouldRead)
    replace(parts.prompt, reply.prompt === '' ? text.noPrompt : foreign(reply.prompt))
  }

  function drawLists() {
    const { text } = app
    const focused = document.activeElement?.dataset?.key
    const words = query.toLowerCase().split(/\s+/)
    const found = reply.tools.filter(({ name, description, tags }) => {
      const all = [name, description, ...tags].join('\n').toLowerCase()
      return words.every((word) => all.includes(word))
    })
    const visible = found.filter(({ exposed }) => exposed)
    const hidden = found.filter(({ exposed }) => !exposed)
    if (reply.tools.length === 0) replace(parts.lists, h('p', { class: 'empty' }, text.noTools))
    else if (found.length === 0) replace(parts.lists, h('p', { class: 'empty' }, text.noMatch))
    else {
      replace(
        parts.lists,
        h('h2', {}, text.visible(visible.length)),
        visible.length === 0
          ? h('p', { class: 'empty' }, text.noneVisible)
          : h('ul', { class: 'tool-list', id: 'visible' }, visible.map(row)),
        hidden.length > 0 && [
          h('h2', {}, text.hidden(hidden.length)),
          h('ul', { class: 'tool-list', id: 'hidden' }, hidden.map(row)),
        ],
      )
    }
    if (focused) parts.lists.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus()
  }

  function row(tool) {
    const { text } = app
    const closed = tool.reason === 'not_callable'
    const why = tool.reason && (text.reasons[tool.reason] ?? tool.reason)
    return h(
      'li',
      { 'data-tool': tool.name },
      h('input', {
        type: 'checkbox',
        role: 'switch',
        class: 'switch',
        checked: tool.exposed,
        disabled: closed,
        'aria-label': text.toggle(tool.name),
        'data-key': `toggle ${tool.name}`,
        onchange: (event) => toggle(tool, event.target.checked),
      }),
      h(
        'div',
        { class: 'about-tool' },
        h(
          'p',
          { class: 'name' },
          h('b', {}, foreign(tool.name)),
          h('span', { class: `level ${tool.permission}` }, text.levels[tool.permission]),
          tool.tags.map((tag) => h('span', { class: 'tag' }, foreign(tag))),
        ),
        tool.description && h('p', {}, foreign(tool.description)),
        why && h('p', { class: 'why' }, why),
        (reply.forms[tool.name] ?? []).map(({ wires, sent, changes }) =>
          h('p', { class: 'why sent' }, `${text.sent[sent](wires.join(', '))} `, foreign(changes.join('; '))),
        ),
      ),
      h('span', { class: 'about cost' }, tool.estimatedTokens === undefined ? '' : text.tokens(tool.estimatedTokens)),
      !reply.runnable.includes(tool.name)
        ? h('span', { class: 'not-runnable' })
        : h(
            'button',
            {
              class: 'quiet',
              'aria-label': text.runTool(tool.name),
              'data-key': `run ${tool.name}`,
              onclick: () => app.go('run', tool.name),
            },
            text.runIt,
          ),
    )
  }

  function draw() {
    const { text } = app
    const protocol = select(
      [
        ['', text.standardProtocol],
        ['auto', text.autoProtocol],
      ],
      app.settings.protocol ?? '',
      (id) => {
        set('protocol', id)
      },
    )
    const mode = select([['', text.standardProtocol], ...Object.entries(text.modes)], app.settings.mode ?? '', (id) =>
      set('mode', id),
    )
    const model = h('input', {
      value: app.model,
      placeholder: text.modelHint,
      autocomplete: 'off',
      spellcheck: 'false',
      oninput: (event) => {
        app.model = event.target.value.trim()
        loadSoon()
      },
    })
    const search = h('input', {
      type: 'search',
      value: query,
      'aria-label': text.search,
      placeholder: text.search,
      oninput: (event) => {
        query = event.target.value
        if (reply) drawLists()
      },
    })
    const prompt = scroller(text.prompt, { id: 'prompt' })
    parts = {
      protocol,
      prompt,
      fault: h('div', { role: 'alert' }),
      lists: h('div', { class: 'lists' }),
      tokens: h('p', { id: 'tokens', 'aria-live': 'polite' }),
      heading: h('h2', {}, text.prompt),
      native: h('p', { class: 'note', hidden: true }),
    }
    const copy = copyButton(app, text.copy, () => reply?.prompt ?? '')
    if (reply || fault) update()
    else void load()
    return [
      h('div', { class: 'bar' }, field(text.mode, mode), field(text.protocol, protocol), field(text.model, model)),
      parts.fault,
      h(
        'div',
        { class: 'two' },
        h('section', {}, search, parts.lists),
        h(
          'section',
          { class: 'sticky' },
          parts.heading,
          h('div', { class: 'line' }, parts.tokens, copy),
          parts.native,
          prompt,
        ),
      ),
    ]
  }

  return { draw }
}
