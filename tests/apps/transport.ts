// A transport of the app's own (here: node:http, as a proxy agent wants it), and a token that is fetched for every
// request.
import { request } from 'node:http'
import { Readable } from 'node:stream'
import type { RunHooks } from 'sluice'

export const ownTransport = (token: () => Promise<string>): RunHooks => ({
  beforeRequest: async () => ({ headers: { authorization: `Bearer ${await token()}` } }),
  transport: ({ url, body, ...options }, signal) =>
    new Promise((resolve, reject) => {
      request(url, { ...options, signal }, (response) => {
        resolve(
          new Response(Readable.toWeb(response) as ReadableStream, {
            status: response.statusCode ?? 500,
            headers: response.headers as HeadersInit,
          }),
        )
      })
        .on('error', reject)
        .end(body)
    }),
})
