export { memoryConversations } from './memory-conversations.js'
export { fileConversations } from './file-conversations.js'
export { sqliteConversations } from './sqlite-conversations.js'
export type { SqliteDatabase, SqliteStatement } from './sqlite-access.js'
export type { ConversationStoreOptions } from './encrypted-conversations.js'
export type { Encryption, EncryptionFunctions, EncryptionKey } from '../../engine/core/encryption.js'
export { pathToEntry } from './entry-tree.js'
export { blobAddress, pictureBlob, fileBlob, blobMediaType, blobRef, withoutPictures, withPictures } from './blobs.js'
export type {
  ConversationChange,
  Conversation,
  ConversationInfo,
  Conversations,
  ConversationEntry,
  FoundInStore,
  HeardRecord,
  HeardPosition,
  SavedMessage,
  StoredBlob,
} from './conversation-types.js'
export { messagesForModel, type MessagesOptions } from './for-model.js'
export type { FileForm, FileForModel } from './files-for-model.js'
