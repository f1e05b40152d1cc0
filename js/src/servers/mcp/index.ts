// The Model Context Protocol: tools of a server as tools of an engine, whichever of the official clients speaks to it.
export type { McpClientLike } from './mcp-client.js'
export type { McpTool } from './definition.js'
export type { McpAnswer, McpQuestion } from './elicit.js'
export type { McpListed } from './listed.js'
export { mcpTools, type McpTools } from './mcp-tools.js'
export type { McpChange, McpToolsOptions } from './mcp-options.js'
export { filePins, memoryPins, type McpPin, type McpPinStore } from './pins.js'
