// Turns that outlive processes: saved before each step outside, woken by a queue, carried on by whichever worker is
// there.
export { durable, type DurableOptions } from './durable.js'
export { fileBlobs, fileTurns } from './file-turns.js'
export { sqliteTurns } from './sqlite-turns.js'
export { localQueue, type LocalOptions } from './local.js'
export { encryptedLog } from '../leg/encrypted-log.js'
export type { Encryption, EncryptionFunctions, EncryptionKey } from '../../engine/core/encryption.js'
export { memoryLog, type LoggedChunks, type MemoryLogOptions, type StreamLog } from '../leg/stream-log.js'
export type { SqliteDatabase, SqliteStatement } from '../../app/conversations/sqlite-access.js'
export type {
  BlobStore,
  TurnDecision,
  TurnDecisionRecord,
  Durable,
  TurnInboxEntry,
  ListedTurnRow,
  TurnPhase,
  TurnQuestion,
  QueueWorker,
  ResetEvent,
  TurnRow,
  TurnRowFilter,
  TurnRowPatch,
  StartOptions,
  TurnEnd,
  TurnEvent,
  TurnInfo,
  TurnRun,
  TurnStatus,
  TurnStore,
  TurnWorker,
  WaitingEvent,
  WakeQueue,
} from './durable-types.js'
export { postgresTurns, type PostgresOptions, type PostgresPool } from './postgres.js'
export { postgresLog, type PostgresConnection, type PostgresLogOptions, type PostgresLogPool } from './postgres-log.js'
export { redisTurns, type RedisOptions } from './redis.js'
export { redisLog, type RedisLogOptions } from './redis-log.js'
export type { RedisClient } from './redis-client.js'
export { bullmqQueue, type BullmqOptions, type BullmqQueue, type BullmqWorker } from './bullmq.js'
