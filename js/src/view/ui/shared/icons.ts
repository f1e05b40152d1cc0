// Icons, drawn in the colour of the surrounding text. They are never the only sign of anything: words stand beside
// them.
import { svg, html, type SVGTemplateResult, type TemplateResult } from 'lit'

const shapes = {
  tool: svg`<path d="M14.7 6.3a4 4 0 0 1 5-1l-2.6 2.6 2 2L21.7 7.3a4 4 0 0 1-5.2 5.2L8 21a2.1 2.1 0 0 1-3-3l8.5-8.5a4 4 0 0 1 1.2-3.2z"/>`,
  search: svg`<circle cx="11" cy="11" r="6.5"/><path d="m16 16 4.5 4.5"/>`,
  file: svg`<path d="M6 3h8l4 4v14H6z"/><path d="M14 3v4h4M9 12h6M9 16h6"/>`,
  trash: svg`<path d="M4 7h16M9 7V4h6v3M6 7l1 14h10l1-14M10 11v6M14 11v6"/>`,
  terminal: svg`<rect x="3" y="4" width="18" height="16" rx="2"/><path d="m7 9 3 3-3 3M13 15h4"/>`,
  globe: svg`<circle cx="12" cy="12" r="9"/><path d="M3 12h18M12 3c3 2.5 3.5 6 3.5 9s-.5 6.5-3.5 9c-3-2.5-3.5-6-3.5-9s.5-6.5 3.5-9z"/>`,
  face: svg`<circle cx="12" cy="12" r="9"/><path d="M8.5 14.5c2 2.3 5 2.3 7 0M9 9.5v.5M15 9.5v.5"/>`,
  weather: svg`<path d="M7 18a4 4 0 0 1-.5-8A5.5 5.5 0 0 1 17 9.2 4.4 4.4 0 0 1 17 18z"/>`,
  clock: svg`<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3.5 2"/>`,
  mail: svg`<rect x="3" y="5" width="18" height="14" rx="2"/><path d="m4 7 8 6 8-6"/>`,
  data: svg`<ellipse cx="12" cy="6" rx="7.5" ry="3"/><path d="M4.5 6v12c0 1.7 3.4 3 7.5 3s7.5-1.3 7.5-3V6M4.5 12c0 1.7 3.4 3 7.5 3s7.5-1.3 7.5-3"/>`,
  code: svg`<path d="m8 7-5 5 5 5M16 7l5 5-5 5M14 4l-4 16"/>`,
  image: svg`<rect x="3" y="4" width="18" height="16" rx="2"/><circle cx="8.5" cy="9.5" r="1.5"/><path d="m4 18 5-5 3.5 3.5L16 13l4 4"/>`,
  calendar: svg`<rect x="4" y="5" width="16" height="16" rx="2"/><path d="M4 10h16M8 3v4M16 3v4"/>`,
  sum: svg`<rect x="5" y="3" width="14" height="18" rx="2"/><path d="M8.5 7.5h7M9 12h.1M12 12h.1M15 12h.1M9 16h.1M12 16h.1M15 16h.1"/>`,
  sound: svg`<path d="M4 10v4h4l5 4V6l-5 4zM16.5 9a4 4 0 0 1 0 6M19 6.5a8 8 0 0 1 0 11"/>`,
  again: svg`<path d="M4.5 12a7.5 7.5 0 1 1 2.2 5.3M4.5 19v-5h5"/>`,
  attach: svg`<path d="m20 11-8.5 8.5a5 5 0 0 1-7-7L13 4a3.5 3.5 0 0 1 5 5l-8.5 8.5a1.8 1.8 0 0 1-2.5-2.5L14.5 7.5"/>`,
  send: svg`<path d="M12 19V5.5M6 11l6-5.5 6 5.5"/>`,
  before: svg`<path d="m15 6-6 6 6 6"/>`,
  chevron: svg`<path d="m9 6 6 6-6 6"/>`,
  check: svg`<path d="m5 12.5 4.5 4.5L19 7.5"/>`,
  cross: svg`<path d="m6 6 12 12M18 6 6 18"/>`,
  warning: svg`<path d="M12 3.5 22 20H2zM12 10v4.5M12 17.3v.2"/>`,
  question: svg`<circle cx="12" cy="12" r="9"/><path d="M9.5 9.5a2.5 2.5 0 1 1 3.7 2.2c-.8.5-1.2 1-1.2 2M12 16.8v.2"/>`,
  hourglass: svg`<path d="M7 3h10M7 21h10M8 3c0 5 8 5.5 8 9s-8 4-8 9M16 3c0 5-8 5.5-8 9s8 4 8 9"/>`,
  stop: svg`<rect x="6.5" y="6.5" width="11" height="11" rx="2"/>`,
  copy: svg`<rect x="8" y="8" width="12" height="12" rx="2"/><path d="M16 8V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h2"/>`,
  pencil: svg`<path d="m4 20 1-4L16.5 4.5l3 3L8 19zM14 7l3 3"/>`,
  thought: svg`<path d="M12 3a6.5 6.5 0 0 0-4 11.6c.8.7 1.2 1.4 1.2 2.4h5.6c0-1 .4-1.7 1.2-2.4A6.5 6.5 0 0 0 12 3zM9.5 20h5"/>`,
  eye: svg`<path d="M2.5 12C5 7.5 8.3 5.5 12 5.5s7 2 9.5 6.5c-2.5 4.5-5.8 6.5-9.5 6.5s-7-2-9.5-6.5z"/><circle cx="12" cy="12" r="3"/>`,
  shield: svg`<path d="M12 3 4.5 6v5.5c0 4.5 3 7.8 7.5 9.5 4.5-1.7 7.5-5 7.5-9.5V6z"/>`,
} satisfies { [name: string]: SVGTemplateResult }

export type IconName = keyof typeof shapes

export const isIcon = (name: string): name is IconName => Object.hasOwn(shapes, name)

export function icon(name: IconName): TemplateResult {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false" fill="none" stroke="currentColor" stroke-width="1.8"
    stroke-linecap="round" stroke-linejoin="round">${shapes[name]}</svg>`
}

const kinds: [RegExp, IconName][] = [
  [/live2d|expression|emotion|motion|avatar|\bpet\b|表情|动作/i, 'face'],
  [/weather|forecast|天气/i, 'weather'],
  [/delete|remove|erase|trash|wipe|删除/i, 'trash'],
  [/search|find|lookup|query|grep|搜索|查询/i, 'search'],
  [/shell|exec|terminal|command|bash|process|终端/i, 'terminal'],
  [/mail|message|send|notify|邮件/i, 'mail'],
  [/image|photo|picture|draw|paint|screenshot|图/i, 'image'],
  [/calendar|\bdate\b|event|schedule|日历/i, 'calendar'],
  [/clock|time|timer|alarm|时间/i, 'clock'],
  [/sql|database|\bdb\b|table|record|数据/i, 'data'],
  [/calc|math|sum|计算/i, 'sum'],
  [/audio|sound|music|speak|voice|play|音/i, 'sound'],
  [/\bweb|http|url|fetch|browse|网/i, 'globe'],
  [/file|path|read|write|folder|dir|note|文件/i, 'file'],
  [/code|script|eval|\brun\b|代码/i, 'code'],
]

/** The first word of the name that fits decides, then the first tag. */
export function iconFor(name: string, tags: readonly string[] = []): IconName {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').split(/[\s._/:-]+/)
  for (const word of [...words, ...tags]) {
    for (const [pattern, kind] of kinds) if (pattern.test(word)) return kind
  }
  return 'tool'
}
