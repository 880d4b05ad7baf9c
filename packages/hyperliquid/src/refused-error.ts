/**
 * An error for a request that the port refuses. The message is the sentence that the client
 * receives.
 */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  /** The HTTP status, which is also the `code` in the body. */
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, status = 422, retryAfterSeconds?: number) {
    super(message);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
