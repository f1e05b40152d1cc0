// The menu of a pet, in its tray and on its body.
import type { PetMenuItem } from './pet-types.js'

const words = {
  en: {
    asks: '{} has a question',
    show: 'Show',
    hide: 'Hide',
    quiet: 'Quiet for an hour',
    loud: 'No longer quiet',
    chat: 'Open the chat',
    size: 'Size',
    start: 'Start with the system',
    quit: 'Quit',
    sizes: ['Small', 'Usual', 'Large', 'Very large'],
  },
  zh: {
    asks: '{}有事问你',
    show: '显示',
    hide: '隐藏',
    quiet: '安静一小时',
    loud: '取消安静',
    chat: '打开聊天',
    size: '大小',
    start: '开机时启动',
    quit: '退出',
    sizes: ['小', '标准', '大', '特大'],
  },
}
export const scales = [0.7, 1, 1.35, 1.8] as const

/** What the menu shows, and what its lines do. */
export interface MenuState {
  locale: string
  name: string
  /** How many questions wait. */
  asks: number
  shown: boolean
  quiet: boolean
  scale: number
  /** Absent: it cannot be asked for. */
  starts?: boolean
  show(on: boolean): void
  silence(on: boolean): void
  chat(): void
  size(scale: number): void
  start(on: boolean): void
  quit(): void
}

const wordsIn = (locale: string): typeof words.en => words[locale.startsWith('zh') ? 'zh' : 'en']

/** What a pointer over the sign of the tray is told. */
export const trayWords = ({ locale, name, asks }: MenuState): string =>
  asks > 0 ? wordsIn(locale).asks.replace('{}', () => name) : name

export function menuItems(state: MenuState): PetMenuItem[] {
  const text = wordsIn(state.locale)
  const { starts } = state
  return [
    ...(state.asks > 0
      ? [
          { label: text.asks.replace('{}', () => state.name), click: () => state.chat() },
          { type: 'separator' as const },
        ]
      : []),
    { label: state.shown ? text.hide : text.show, click: () => state.show(!state.shown) },
    { label: state.quiet ? text.loud : text.quiet, click: () => state.silence(!state.quiet) },
    { label: text.chat, click: () => state.chat() },
    { type: 'separator' },
    {
      label: text.size,
      submenu: scales.map((scale, index) => ({
        label: text.sizes[index] as string,
        type: 'radio' as const,
        checked: Math.abs(scale - state.scale) < 0.01,
        click: () => state.size(scale),
      })),
    },
    ...(starts === undefined
      ? []
      : [{ label: text.start, type: 'checkbox' as const, checked: starts, click: () => state.start(!starts) }]),
    { type: 'separator' },
    { label: text.quit, click: () => state.quit() },
  ]
}
