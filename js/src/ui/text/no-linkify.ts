// Stands for the package `linkify-it` in the bundle: markdown-it makes one, and nothing here uses it.
export class LinkifyIt {}
export default LinkifyIt
