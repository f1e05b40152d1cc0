const BRAND = Symbol.for('sluice.outcome-unknown') // the ES module and the CommonJS build have a class each

/**
 * A tool throws it where nobody knows whether it did its work: its connection broke while it ran. The card becomes
 * `unknown`, and the model reads that the call may or may not have taken effect; after any other error it reads that it
 * failed.
 */
export class OutcomeUnknown extends Error {
  /** @internal */
  readonly [BRAND] = true
  override readonly name = 'OutcomeUnknown'

  /** Like `instanceof`, also for an error of the package's other build (ES module, CommonJS). */
  static is(error: unknown): error is OutcomeUnknown {
    return typeof error === 'object' && error !== null && BRAND in error
  }
}
