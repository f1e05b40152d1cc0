import type { LocalizedText } from './tool-words.js'

/** The text in a language: for `zh-TW` that of `zh-TW`, else of `zh`, of `en`, or the first. */
export function inLanguage(text: LocalizedText, lang: string): string {
  if (typeof text === 'string') return text
  const wanted = lang.toLowerCase()
  const all = Object.entries(text)
  const of = (tag: string): string | undefined => all.find(([one]) => one.toLowerCase() === tag)?.[1]
  return of(wanted) ?? of(wanted.split('-')[0] as string) ?? of('en') ?? all[0]?.[1] ?? ''
}
