const BRAND = Symbol.for('sluice.user-error') // the ES module and the CommonJS build have a class each

/**
 * The app throws it in `run` or `system` of a host, with a sentence that the person reads in place of the answer:
 * `throw new UserError('Choose a model first.')`. Of any other error they read only that the answer could not be
 * prepared.
 */
export class UserError extends Error {
  /** @internal */
  readonly [BRAND] = true
  override readonly name = 'UserError'

  /** Like `instanceof`, also for an error of the package's other build (ES module, CommonJS). */
  static is(error: unknown): error is UserError {
    return typeof error === 'object' && error !== null && BRAND in error
  }
}
