const BRAND = Symbol.for('sluice.tool-error') // the ES module and the CommonJS build have a class each

/**
 * A tool throws it for a failure that it intends: there is no such file. The model reads the message. Any other error
 * is read as well, but Sluice also prints a warning, for it may be a fault of the tool.
 */
export class ToolError extends Error {
  /** @internal */
  readonly [BRAND] = true
  override readonly name = 'ToolError'

  /** Like `instanceof`, also for an error of the package's other build (ES module, CommonJS). */
  static is(error: unknown): error is ToolError {
    return typeof error === 'object' && error !== null && BRAND in error
  }
}
