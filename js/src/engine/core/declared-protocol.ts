// A protocol that an app declares: a built-in one with other words and texts, as data. The engine reads and tries it;
// here is its shape.

/** One word, or several of which each counts; what Sluice writes itself has the first. */
export type OneOrMore = string | readonly string[]

/** A pair of texts around something. */
export interface TextPair {
  /** The text that begins it. */
  open?: string
  /** The text that ends it. */
  close?: string
}

/** The names of the members of a call that is JSON. */
export interface MemberNames {
  /** The tool's name; of a protocol like `vcp`, the field that holds it. */
  name?: OneOrMore
  /** Names of the member with the arguments. */
  arguments?: OneOrMore
  /** Names of the member with the call's id. */
  id?: OneOrMore
}

/** The names of elements and attributes. */
export interface TagNames {
  /** The element of a call. */
  call?: string
  /** The element of a parameter. */
  parameter?: string
  /** The attribute with the tool's name. */
  callName?: string
  /** The attribute with the parameter's name. */
  parameterName?: string
  /** The element with a parameter's name, where name and value are elements of their own. */
  key?: string
  /** The element with its value. */
  value?: string
}

/** The results of a round, which go to the model in one message. */
export interface DeclaredResults extends TextPair {
  /** Between two results, where `result` says how each is written. Default: a line end behind each. */
  separator?: string
  /**
   * Who says them. Default: as the setting `resultRole`. `tool`: on servers that take such a message without a native
   * call in front of it (`openai-chat`, `ollama`); elsewhere `user`. `system`: `user` where a server takes instructions
   * at the beginning alone.
   */
  role?: 'user' | 'tool' | 'system'
}

/**
 * A way to write calls as text, made from a built-in one: the same grammar with other words and texts. What is left out
 * is as in `like`. The engine writes an example and reads it back when it is made, and refuses what would not be read
 * as it was written. js/docs/protocols.md has examples.
 */
export interface DeclaredProtocol {
  /** Its name in `protocol`, `alsoParse` and `profiles`: 1 to 64 characters of a-z, 0-9, `_`, `-` and `.`. */
  id: string
  /** The id of a built-in protocol whose grammar it has. */
  like: string
  /** What begins a call. */
  openers?: OneOrMore
  /** What ends a call. */
  closers?: OneOrMore
  /** What stands once in front of the calls of an answer. */
  sections?: OneOrMore
  /** What stands behind them. */
  sectionEnds?: OneOrMore
  /** Tokens that end a turn; they are never shown. */
  turnEnds?: OneOrMore
  /** What begins reasoning, besides `<think>`. */
  think?: OneOrMore
  /** The texts that end a thought. */
  thinkEnds?: OneOrMore
  /** Tokens that are never shown. */
  dropped?: OneOrMore
  /** Between a name and the arguments. */
  separators?: OneOrMore
  /** Fields that are no arguments, of a protocol like `vcp`. */
  reserved?: OneOrMore
  /** The names of the members of a call that is JSON. */
  members?: MemberNames
  /**
   * Around the value of a field, of a protocol like `vcp`: one pair, or several, of which each closes what it opened
   * and the first is written.
   */
  values?: TextPair | readonly Required<TextPair>[]
  /**
   * Around a value that holds these words itself. Default: those of `values` with `ESCAPE` before their last character.
   */
  escapes?: TextPair
  /** The names of elements and attributes, of a protocol whose calls are elements. */
  tags?: TagNames
  /** Around the list of tools in definitions. */
  tools?: TextPair
  /** Around the results of a round, and what is sent of them. */
  results?: DeclaredResults
  /**
   * What the model reads about calling tools: `{tools}` stands for all definitions (left out: they follow), `{example}`
   * for an example call.
   */
  introduction?: string
  /** How a tool is described: `{name}`, `{description}`, `{parameters}`, `{example}`. */
  definition?: string
  /** How `{parameters}` shows them: their JSON Schema, a line each, or a JSON array of fields. Default `schema`. */
  parameters?: 'schema' | 'lines' | 'fields'
  /** How a call is written back to the model: `{name}`, `{id}`, `{arguments}` as JSON. */
  call?: string
  /**
   * Options of the protocol, as beside its id in `protocol`: defaults of every use, and of the trial when it is
   * declared. Default none. A use with others is tried with these.
   */
  options?: { readonly [option: string]: unknown }
  /** How a result is written: `{name}`, `{id}`, `{status}`, `{content}` as text, `{json}` as JSON. */
  result?: string
}
