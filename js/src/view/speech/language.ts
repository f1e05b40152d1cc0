// What differs from language to language: weights, and the few words that a voice says of its own accord.

/** Letters of which one is about a syllable, and the punctuation that goes with them. */
const wide = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u3000-\u303F\uFF00-\uFFEF]/u

/** Is it Chinese, Japanese or Korean, with what stands between? */
export const isWide = (letter: string): boolean => wide.test(letter)

/** Words of one piece and of the next. */
export function joined(one: string, other: string): string {
  if (one === '' || other === '') return one + other
  return isWide(one.at(-1) as string) || isWide(other[0] as string) ? one + other : `${one} ${other}`
}

/** How long a letter takes: 10 for a syllable. */
export const weightOf = (letter: string): number => (isWide(letter) ? 10 : 4)

/** How long a text takes, in tenths of a syllable. */
export function weight(text: string): number {
  let sum = 0
  for (const letter of text) sum += weightOf(letter)
  return sum
}

/** Milliseconds that a voice takes for a text: 4.5 wide letters a second, or 14 others. */
export function durationOf(text: string): number {
  let sum = 0
  for (const letter of text) sum += isWide(letter) ? 1000 / 4.5 : 1000 / 14
  return sum
}

/** Words that stand for what cannot be said. */
export interface SpokenWords {
  /** For code, tables and formulas, once per answer. */
  onScreen: string
  link: string
}

const words: { readonly [lang: string]: SpokenWords } = {
  en: { onScreen: 'It is on the screen.', link: 'a link' },
  zh: { onScreen: '内容在屏幕上。', link: '链接' },
  ja: { onScreen: '画面に表示しました。', link: 'リンク' },
}

/** The words of a language; English where there are none. */
export const wordsOf = (lang: string): SpokenWords =>
  words[lang.toLowerCase().split('-')[0] as string] ?? (words['en'] as SpokenWords)

/** Tells the language of an answer by its letters: kana are Japanese, most letters Han is Chinese. */
export class Letters {
  #han = 0
  #kana = 0
  #others = 0

  add(text: string): void {
    if (this.#han + this.#others > 2000) return
    for (const letter of text) {
      if (/[\p{sc=Hiragana}\p{sc=Katakana}]/u.test(letter)) this.#kana++
      else if (/\p{sc=Han}/u.test(letter)) this.#han++
      else if (/\p{L}/u.test(letter)) this.#others++
    }
  }

  get lang(): string {
    if (this.#kana > 0) return 'ja'
    return this.#han * 3 > this.#others ? 'zh' : 'en'
  }
}
