// Keys and conversations, sealed by the system: the keychain of macOS, DPAPI of Windows, the secret service of Linux.
// Without one keys are kept in memory alone, and conversations as they are.

/**
 * Electron's `safeStorage`, as far as it is used.
 * @typedef {{
 *   isEncryptionAvailable(): boolean, getSelectedStorageBackend?(): string,
 *   encryptString(text: string): Buffer, decryptString(sealed: Buffer): string,
 * }} SafeStorageLike
 */

/** @param {SafeStorageLike} storage @returns {import('../kept.mjs').Seal | undefined} */
export function sealBy(storage) {
  // Without a keyring Linux has only `basic_text`, whose password everybody knows.
  if (!storage.isEncryptionAvailable() || storage.getSelectedStorageBackend?.() === 'basic_text') return undefined
  return {
    seal: (text) => storage.encryptString(text).toString('base64'),
    open: (sealed) => storage.decryptString(Buffer.from(sealed, 'base64')),
  }
}
