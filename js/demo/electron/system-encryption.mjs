// Encrypts keys and conversations by the system: the keychain of macOS, DPAPI of Windows, the secret service of Linux.
// Without one, the demo keeps keys in memory only, and conversations in plain text.

/**
 * Electron's `safeStorage`, as far as it is used.
 * @typedef {{
 *   isEncryptionAvailable(): boolean, getSelectedStorageBackend?(): string,
 *   encryptString(text: string): Buffer, decryptString(encrypted: Buffer): string,
 * }} SafeStorageLike
 */

/** @param {SafeStorageLike} storage @returns {import('../kept.mjs').SystemEncryption | undefined} */
export function encryptionBy(storage) {
  // Without a keyring Linux has only `basic_text`, whose password everybody knows.
  if (!storage.isEncryptionAvailable() || storage.getSelectedStorageBackend?.() === 'basic_text') return undefined
  return {
    encrypt: (text) => storage.encryptString(text).toString('base64'),
    decrypt: (text) => storage.decryptString(Buffer.from(text, 'base64')),
  }
}
