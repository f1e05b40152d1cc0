// A local web server for the pages of one person: files, JSON routes, and the bridge of a host.
export { findFile, packageRoots, type FileStats, type FoundFile, type Roots } from './web-files.js'
export { nodeListener, type NodeListenerOptions, type NodeRequest, type NodeResponse } from './node-listener.js'
export { contentSecurityPolicy } from './policy.js'
export { HttpRefusal } from './http-refusal.js'
export { serve, type Route, type ServeOptions, type WebServer } from './web-server.js'
