// `import type {} from 'sluice/ui/react'`: the elements in JSX, with their properties and events. Types only: React 19
// sets the properties of custom elements and listens to their events by itself.
import type { ClassAttributes, HTMLAttributes } from 'react'
import type {} from './elements.js'

/** True for properties that can be set. */
type Writable<E, K extends keyof E> =
  (<T>() => T extends { [P in K]: E[P] } ? 1 : 2) extends <T>() => T extends { -readonly [P in K]: E[P] } ? 1 : 2
    ? true
    : false

/** What an element has of its own and a page may set: no methods, and nothing that is only read. */
type Properties<E> = {
  [K in keyof E as K extends keyof HTMLElement
    ? never
    : E[K] extends (...given: never[]) => unknown
      ? never
      : Writable<E, K> extends true
        ? K
        : never]?: E[K] | undefined
}

/** `onsluice-send` for the event `sluice-send`. */
type Listeners = {
  [K in keyof HTMLElementEventMap as K extends `sluice-${string}` ? `on${K}` : never]?:
    | ((event: HTMLElementEventMap[K]) => void)
    | undefined
}

/** The attributes of an element of `sluice/ui` in JSX: its properties, its events, and those of every element. */
export type SluiceAttributes<E extends HTMLElement> = Properties<E> &
  Listeners &
  ClassAttributes<E> &
  Omit<HTMLAttributes<E>, keyof Properties<E>> & {
    /** Part names, for styles. */
    part?: string | undefined
  }

/** All elements of `sluice/ui`, by tag. */
export type SluiceElements = {
  [T in keyof HTMLElementTagNameMap as T extends `sluice-${string}` ? T : never]: SluiceAttributes<
    HTMLElementTagNameMap[T]
  >
}

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements extends SluiceElements {}
  }
}
