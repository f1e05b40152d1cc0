// Finds the colours of code. It runs in a worker, since every highlighter made of regular expressions can be stalled:
// the page ends one that takes too long.
import { createLowlight } from 'lowlight'
import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import csharp from 'highlight.js/lib/languages/csharp'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import kotlin from 'highlight.js/lib/languages/kotlin'
import lua from 'highlight.js/lib/languages/lua'
import markdown from 'highlight.js/lib/languages/markdown'
import php from 'highlight.js/lib/languages/php'
import python from 'highlight.js/lib/languages/python'
import ruby from 'highlight.js/lib/languages/ruby'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import swift from 'highlight.js/lib/languages/swift'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { KINDS, type CodeAnswer, type CodeJob, type Kind } from './code-messages.js'

const lowlight = createLowlight({
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  lua,
  markdown,
  php,
  python,
  ruby,
  rust,
  sql,
  swift,
  typescript,
  xml,
  yaml,
})
lowlight.registerAlias({ xml: ['vue', 'svelte'], bash: ['console', 'shell'], json: ['jsonc', 'json5'], ini: ['conf'] })

const kinds: { [name: string]: Kind } = {
  keyword: 'keyword',
  'selector-tag': 'keyword',
  name: 'keyword',
  section: 'keyword',
  string: 'string',
  regexp: 'string',
  symbol: 'string',
  code: 'string',
  bullet: 'string',
  char: 'string',
  number: 'number',
  literal: 'number',
  link: 'number',
  comment: 'comment',
  quote: 'comment',
  meta: 'comment',
  doctag: 'comment',
  title: 'title',
  'selector-id': 'title',
  'selector-class': 'title',
  property: 'title',
  type: 'type',
  built_in: 'type',
  class: 'type',
  template: 'type',
  attr: 'attribute',
  attribute: 'attribute',
  variable: 'attribute',
  'template-variable': 'attribute',
  addition: 'added',
  deletion: 'removed',
}

type Tree = ReturnType<typeof lowlight.highlight>['children'][number]

/** The spans of a tree, each as kind, start and end: that of the innermost part that has one. */
function spans(nodes: readonly Tree[], kind: Kind | undefined, out: number[], from: number): number {
  let at = from
  for (const node of nodes) {
    if (node.type === 'text') {
      if (kind) out.push(KINDS.indexOf(kind), at, at + node.value.length)
      at += node.value.length
    } else if (node.type === 'element') {
      const names = (node.properties.className as string[] | undefined) ?? []
      const inner = names.map((name) => kinds[name.replace(/^hljs-/, '').replace(/_$/, '')]).find(Boolean)
      at = spans(node.children as Tree[], inner ?? (names.includes('hljs-subst') ? undefined : kind), out, at)
    }
  }
  return at
}

const worker = globalThis as unknown as {
  onmessage: (event: { data: CodeJob }) => void
  postMessage(answer: CodeAnswer): void
}

worker.onmessage = ({ data: { id, code, language } }) => {
  const name = language.toLowerCase()
  if (!lowlight.registered(name)) return worker.postMessage({ id, spans: [] })
  worker.postMessage({ id, begun: true })
  const found: number[] = []
  try {
    spans(lowlight.highlight(name, code).children, undefined, found, 0)
  } catch {
    found.length = 0
  }
  worker.postMessage({ id, spans: found })
}
