// A local web server for the pages of one person: files, JSON routes, and the bridge of a host.
export { findPageFile, packagePages, type FoundFile, type PageRoots } from './web-files.js'
export { nodeListener, type NodeListenerOptions, type NodeRequest, type NodeResponse } from './node-listener.js'
export { contentSecurityPolicy } from './policy.js'
export { serve, type WebRoute, type ServeOptions, type WebServer } from './web-server.js'
