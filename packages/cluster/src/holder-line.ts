import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { decodeAmounts, encodeAmounts } from '@oddlot/replica/codec/amounts-json';

/** Thrown if no holder responded, or if the holder could not process the request. */
class HolderAwayError extends Error {
  override readonly name = 'HolderAwayError';
}

type Handlers = Readonly<Record<string, (body: unknown) => Promise<unknown>>>;

type HolderRequest = { readonly what: string; readonly body?: unknown };
type Answer = { readonly value?: unknown; readonly failed?: string };

const FRESH_MS = 5_000;

/**
 * The connection between replicas and the holder of a name. Replicas send requests that only the
 * holder can process, and receive its status. Nothing is stored, so the sender resends a lost
 * request.
 */
export class HolderLine {
  readonly #connection: NatsConnection;
  readonly #asked: string;
  readonly #statusSubject: string;
  #last: { readonly value: unknown; readonly atMs: number } | undefined;

  constructor(
    connection: NatsConnection,
    { cluster, name }: { readonly cluster: string; readonly name: string },
  ) {
    this.#connection = connection;
    this.#asked = `oddlot.${cluster}.${name}.asked`;
    this.#statusSubject = `oddlot.${cluster}.${name}.told`;
    const callback = (error: Error | null, message: Msg): void => {
      if (error !== null) return;
      this.#last = { value: decodeAmounts(message.string()), atMs: performance.now() };
    };
    connection.subscribe(this.#statusSubject, { callback });
  }

  /** The status that the holder has sent within the last few seconds, if any. */
  get lastStatus(): unknown {
    const { atMs = -Infinity, value } = this.#last ?? {};
    return performance.now() - atMs < FRESH_MS ? value : undefined;
  }

  publishStatus(value: unknown): void {
    this.#connection.publish(this.#statusSubject, encodeAmounts(value));
  }

  /** Returns the holder's response. Throws a HolderAwayError if there is none. */
  async ask(what: string, body: unknown, timeoutMs: number): Promise<unknown> {
    const request: HolderRequest = { what, body };
    let reply: Msg;
    try {
      reply = await this.#connection.request(this.#asked, encodeAmounts(request), {
        timeout: timeoutMs,
      });
    } catch (cause) {
      throw new HolderAwayError('the replica that runs settlement is not responding', {
        cause,
      });
    }
    const { failed, value } = decodeAmounts(reply.string()) as Answer;
    if (failed !== undefined) throw new HolderAwayError(failed);
    return value;
  }

  /** Responds to requests from other replicas until the returned function is called. */
  answer(handlers: Handlers): () => void {
    const replyTo = async (message: Msg): Promise<void> => {
      const { body, what } = decodeAmounts(message.string()) as HolderRequest;
      const handle = handlers[what];
      // An unknown request from a newer release gets no response, and its sender reports that.
      if (handle === undefined) return;
      let answer: Answer;
      try {
        answer = { value: await handle(body) };
      } catch (error) {
        answer = { failed: error instanceof Error ? error.message : String(error) };
      }
      message.respond(encodeAmounts(answer));
    };
    const subscription = this.#connection.subscribe(this.#asked);
    // Requests are processed concurrently, because granting a permit takes as long as a block.
    const listen = async (): Promise<void> => {
      for await (const message of subscription) replyTo(message).catch(() => undefined);
    };
    listen().catch(() => undefined);
    return () => subscription.unsubscribe();
  }
}
