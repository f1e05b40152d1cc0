// What an app may give to text.

/** Opens an address outside of the page. It is called after the person agreed. */
export interface OpenLink {
  (url: string): unknown
  /**
   * Opens it where a person agreed to its host before, and resolves to false where nobody did. It is called before the
   * person is asked. Default: the page remembers.
   */
  known?(url: string): Promise<boolean>
}

/** Loads a picture of a text. It is called when the person asks for the picture. */
export type LoadImage = (url: string) => Promise<Blob>

/** What `renderText` is told beside the text. */
export interface RenderTextContext {
  open: boolean
  /** The language of the element, such as `zh-CN`. */
  lang: string
  /** Index of the block in the message; 0 in `<sluice-text>`. */
  block: number
  /**
   * An empty element to draw into; what was drawn before stays until you change it. It stands outside of the shadow
   * root, so your styles apply.
   */
  element: HTMLElement
}

/**
 * Draws a text instead of the typesetting: into `context.element`, or by giving a node. Where it throws, the
 * typesetting stands in.
 */
export type RenderText = (text: string, context: RenderTextContext) => void | Node

/**
 * The detail of `sluice-link`: a person follows a link. `preventDefault()` takes it over, and nothing is asked or
 * opened.
 */
export interface LinkDetail {
  /** The address, such as `https://example.com/`. */
  url: string
  /** The text of the link. */
  text: string
}

/** The detail of `sluice-copy`: a person copied code or a table. */
export interface CopyDetail {
  text: string
  /** A table is copied as CSV. */
  what: 'code' | 'table'
}
