// markdown-it and its rules for Chinese, Japanese and Korean. The package has no dependencies: js/scripts/typescript.mjs
// puts both into this file.
export { default as MarkdownIt } from 'markdown-it'
export type { Delimiter, MarkdownIt as Markdown, StateInline, Token } from 'markdown-it'
export { default as cjkFriendly } from 'markdown-it-cjk-friendly'
