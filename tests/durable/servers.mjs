// A Redis and a Postgres for these tests, from the packages of the system, on ports of their own and with what they
// keep in a folder that goes.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

const postgresFolder = '/usr/lib/postgresql'
const versions = existsSync(postgresFolder)
  ? readdirSync(postgresFolder).filter((name) => existsSync(join(postgresFolder, name, 'bin/initdb')))
  : []
export const postgresVersion = versions.sort((a, b) => Number(b) - Number(a))[0]
const redisProgram = ['/usr/bin/redis-server', '/usr/local/bin/redis-server', '/usr/bin/valkey-server'].find((path) =>
  existsSync(path),
)

/** A program of this Postgres. */
export const postgresProgram = (name) => join(postgresFolder, postgresVersion, 'bin', name)

/** False, or why it is skipped. */
export const noRedis = redisProgram ? false : 'there is no redis-server: apt-get install redis-server'
export const noPostgres = postgresVersion ? false : 'there is no Postgres: apt-get install postgresql'

async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

const answers = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })

async function up(child, ready, what) {
  process.on('exit', () => child.kill('SIGKILL')) // of a test that did not come to its end
  let out = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (out += data))
  for (let tries = 0; tries < 600; tries++) {
    if (child.exitCode !== null) break
    if (await ready()) return
    await delay(50)
  }
  throw new Error(`${what} does not start: ${out}`)
}

async function down(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.on('exit', resolve))
  child.kill(signal)
  await gone
}

/** A server that can be ended and begun again with what it kept: `{ pause, goOn, stop }`. */
async function served(start, folder, signal) {
  let child = await start()
  const pause = () => down(child, signal)
  return {
    pause,
    goOn: async () => void (child = await start()),
    stop: async () => {
      await pause()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Resolves to its port, and what ends it. */
export async function startRedis() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-redis-'))
  const port = await freePort()
  const start = async () => {
    const child = spawn(redisProgram, [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--dir',
      folder,
      '--save',
      '',
      '--appendonly',
      'yes',
      '--appendfsync',
      'always',
      '--maxmemory-policy',
      'noeviction',
    ])
    await up(child, () => answers(port), 'Redis')
    return child
  }
  return { port, ...(await served(start, folder, 'SIGTERM')) }
}

/**
 * Resolves to what a pool is made of, and what ends it. Postgres does not run as root: then the user `postgres` has it.
 */
export async function startPostgres({ fsync = 'off' } = {}) {
  const bin = join(postgresFolder, postgresVersion, 'bin')
  const folder = mkdtempSync(join(tmpdir(), 'sluice-postgres-'))
  const isRoot = userInfo().uid === 0
  if (isRoot) execFileSync('chown', ['postgres', folder])
  const as = isRoot ? ['setpriv', ['--reuid=postgres', '--regid=postgres', '--init-groups']] : ['env', []]
  execFileSync(
    as[0],
    [
      ...as[1],
      join(bin, 'initdb'),
      '-D',
      join(folder, 'data'),
      '-U',
      'sluice',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--no-sync',
    ],
    { stdio: 'ignore', cwd: folder },
  )
  const port = await freePort()
  const config = { host: '127.0.0.1', port, user: 'sluice', database: 'postgres' }
  const ready = () => {
    try {
      execFileSync(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  }
  const start = async () => {
    const child = spawn(
      as[0],
      [
        ...as[1],
        join(bin, 'postgres'),
        '-D',
        join(folder, 'data'),
        '-p',
        String(port),
        '-k',
        folder,
        '-c',
        'listen_addresses=127.0.0.1',
        '-c',
        'max_connections=60',
        '-c',
        `fsync=${fsync}`,
      ],
      { cwd: folder },
    )
    await up(child, ready, 'Postgres')
    return child
  }
  return { config, ...(await served(start, folder, 'SIGINT')) }
}

/**
 * Both, as far as they are here, while the tests of a file run: `redis` and `postgres` of what is given back are there
 * from their begin.
 */
export function withServers(servers = {}) {
  before(async () => {
    ;[servers.redis, servers.postgres] = await Promise.all([
      noRedis ? undefined : startRedis(),
      noPostgres ? undefined : startPostgres(),
    ])
  })
  after(async () => {
    await servers.redis?.stop()
    await servers.postgres?.stop()
  })
  return servers
}
