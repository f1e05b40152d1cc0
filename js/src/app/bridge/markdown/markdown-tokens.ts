// What a reader of Markdown gives.

export type MarkdownNode =
  | 'paragraph'
  | 'heading'
  | 'quote'
  | 'list'
  | 'item'
  | 'fence'
  | 'table'
  | 'row'
  | 'cell'
  | 'strong'
  | 'em'
  | 'strike'
  | 'link'
  | 'sub'
  | 'sup'
  | 'kbd'

/** Where a token stands: UTF-16 offsets in the whole text. They rise from token to token. */
interface At {
  from: number
  to: number
}

/** The place of one is that of the mark that was written there: `# `, `- `, `**`, `](https://…)`, or empty. */
export interface OpenToken extends At {
  type: 'open'
  node: MarkdownNode
  /** Of a heading, 1 to 6. */
  level?: number
  /** Of a list. */
  ordered?: boolean
  /** The number of an ordered list's first item. */
  start?: number
  /** Of a link: its address as a browser reads it. */
  href?: string
  /** Of a fence: what stands behind the marks that open it, as it was written. */
  info?: string
  /** Of a row: it has the names of the columns. */
  head?: boolean
  /** Of a cell. */
  align?: 'left' | 'center' | 'right'
}

export interface CloseToken extends At {
  type: 'close'
  node: MarkdownNode
}

export interface LeafToken extends At {
  /** `fence` is code within a fence. Texts that touch are one text, code of a fence that touches is one code. */
  type: 'text' | 'code' | 'fence' | 'math' | 'image' | 'break' | 'rule'
  /** Without marks. Of an image what stands in its place, of a formula its TeX, or empty where it has no end. */
  text: string
  /** Of a formula: as it was written. */
  info?: string
  /** Of an image. */
  href?: string
  /** Of a formula: it has lines of its own. */
  display?: boolean
  /** Of a break: it was asked for. */
  hard?: boolean
}

export type MarkdownToken = OpenToken | CloseToken | LeafToken

/** How a text is read. */
export interface MarkdownOptions {
  /** Formulas are read as such. Default false: they are text. */
  math?: boolean
  /** `*`, `_` and `~~` mean something. Default true; without it they are text, and nothing waits for what closes. */
  emphasis?: boolean
  /** The first line of a table needs no bar in front. Default false: then such a line would have to wait for its end. */
  anyTable?: boolean
}
