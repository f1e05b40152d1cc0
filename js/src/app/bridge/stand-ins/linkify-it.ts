// Stands for the package `linkify-it`: markdown-it makes one, and nothing here uses it (`bare-links.ts` finds
// addresses).
export class LinkifyIt {}
