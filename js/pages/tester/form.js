// A form from a JSON Schema, for what people type: flat fields; what is deeper is written as JSON.
import { foreign, h } from './dom.js'

/**
 * `{ element, read() }`; `read` gives the arguments or throws a text for people. `undefined` where the schema has no fields.
 * `values`: what stands in the fields at first.
 */
export function schemaForm(schema, values, text) {
  const fields = schema?.properties
  if (typeof fields !== 'object' || fields === null || Object.keys(fields).length === 0) return undefined
  const required = new Set(schema.required ?? [])
  const all = Object.entries(fields).map(([name, one]) => {
    const value = Object.hasOwn(values, name) ? values[name] : one?.default
    return { name, ...makeField(name, one ?? {}, value, required.has(name), text) }
  })
  return {
    element: h('div', { class: 'form' }, all.map(({ element }) => element)),
    read() {
      const entries = all.map(({ name, read }) => [name, read()]).filter(([, value]) => value !== undefined)
      return Object.fromEntries(entries)
    },
  }
}

let count = 0

function makeField(name, schema, value, required, text) {
  const id = `argument-${++count}`
  const { control, read } = makeControl(schema, value, required, text, name)
  control.id = id
  control.dataset.argument = name
  if (required) control.setAttribute('aria-required', 'true')
  const about = schema.description
  if (about) control.setAttribute('aria-describedby', `${id}-about`)
  const kind = kindOf(schema) === 'json' ? text.jsonField : schema.type
  const note = [kind, required && text.required].flat().filter(Boolean).join(', ')
  return {
    read,
    element: h('div', { class: 'field' },
      h('label', { for: id }, h('b', {}, foreign(name)), ' ', h('span', { class: 'about' }, note)),
      control,
      about && h('p', { class: 'about', id: `${id}-about` }, foreign(about))),
  }
}

function makeControl(schema, value, required, text, name) {
  switch (kindOf(schema)) {
    case 'choice': {
      const choices = schema.enum ?? [schema.const]
      const at = choices.findIndex((choice) => choice === value)
      const control = h('select', {},
        !required && h('option', { value: '' }, text.unset),
        choices.map((choice, i) => h('option', { value: String(i), selected: i === at }, typeof choice === 'string' ? choice : JSON.stringify(choice))))
      return { control, read: () => (control.value === '' ? undefined : choices[Number(control.value)]) }
    }
    case 'boolean': {
      const control = h('select', { value: value === undefined ? (required ? 'false' : '') : String(value) },
        !required && h('option', { value: '' }, text.unset), h('option', { value: 'true' }, 'true'), h('option', { value: 'false' }, 'false'))
      return { control, read: () => (control.value === '' ? undefined : control.value === 'true') }
    }
    case 'number': {
      const control = h('input', { inputmode: 'decimal', autocomplete: 'off', value: value === undefined ? '' : String(value) })
      // What is no number goes as it is: the engine says what it expected.
      return { control, read: () => {
        const text = control.value.trim()
        return text === '' ? undefined : /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : text
      } }
    }
    case 'text': {
      const control = h('textarea', { rows: '1', class: 'text', spellcheck: 'false', value: value === undefined ? '' : String(value) })
      return { control, read: () => (control.value === '' && !required ? undefined : control.value) }
    }
    default: {
      const control = h('textarea', { rows: '3', spellcheck: 'false', value: value === undefined ? '' : JSON.stringify(value, null, 2) })
      return { control, read: () => {
        if (control.value.trim() === '') return undefined
        try {
          return JSON.parse(control.value)
        } catch (error) {
          throw text.badJson(name, error.message)
        }
      } }
    }
  }
}

function kindOf({ type, enum: choices, const: constant }) {
  if (Array.isArray(choices) || constant !== undefined) return 'choice'
  const one = Array.isArray(type) ? (type.filter((each) => each !== 'null').length === 1 ? type.find((each) => each !== 'null') : '') : type
  return { string: 'text', integer: 'number', number: 'number', boolean: 'boolean' }[one] ?? 'json'
}
