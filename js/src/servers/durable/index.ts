// Turns that outlive processes: saved before each step outside, woken by a queue, carried on by whichever worker is there.
export { durable, type DurableOptions } from './durable.js'
export { fileBlobs, files } from './file-turns.js'
export { sqlite } from './sqlite-turns.js'
export { local, type LocalOptions } from './local.js'
export { sealedLog } from '../leg/sealed-log.js'
export { memoryLog, type LoggedChunks, type MemoryLogOptions, type StreamLog } from '../leg/stream-log.js'
export type { SqliteDatabase, SqliteStatement } from '../../app/conversations/sqlite-access.js'
export type {
  BlobStore, Decision, DecisionRecord, Durable, InboxEntry, ListedRow, Phase, Question, QueueWorker, ResetEvent, Row, RowFilter, RowPatch, StartOptions, TurnEnd, TurnEvent, TurnInfo, TurnRun,
  TurnStatus, TurnStore, TurnWorker, WaitingEvent, WakeQueue,
} from './durable-types.js'
export { postgres, type PostgresOptions, type PostgresPool } from './postgres.js'
export { postgresLog, type PostgresConnection, type PostgresLogOptions, type PostgresLogPool } from './postgres-log.js'
export { redis, type RedisOptions } from './redis.js'
export { redisLog, type RedisLogOptions } from './redis-log.js'
export type { RedisClient } from './redis-client.js'
export { bullmq, type BullOptions, type BullQueue, type BullWorker } from './bullmq.js'
