/** A request that the port cannot grant; the message is the sentence for the client. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  /** The HTTP status, which is also the `code` of the body. */
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, status = 422, retryAfterSeconds?: number) {
    super(message);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
