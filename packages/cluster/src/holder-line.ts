import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { decodeAmounts, encodeAmounts } from '@oddlot/replica/codec/amounts-json';

/** Nobody answered, or who did could not do it. */
class HolderAwayError extends Error {
  override readonly name = 'HolderAwayError';
}

type Handlers = Readonly<Record<string, (body: unknown) => Promise<unknown>>>;

type Question = { readonly what: string; readonly body?: unknown };
type Answer = { readonly value?: unknown; readonly failed?: string };

/** What was told longer ago than this says nothing about now. */
const HEARD_MS = 5_000;

/**
 * Between replicas and the one of them that holds a name: they ask what only the holder can do, and hear what it tells of
 * itself. Nothing of it is kept: a question that gets lost is asked again by who asked it.
 */
export class HolderLine {
  readonly #connection: NatsConnection;
  readonly #asked: string;
  readonly #told: string;
  #heard: { readonly value: unknown; readonly atMs: number } | undefined;

  constructor(
    connection: NatsConnection,
    { cluster, name }: { readonly cluster: string; readonly name: string },
  ) {
    this.#connection = connection;
    this.#asked = `oddlot.${cluster}.${name}.asked`;
    this.#told = `oddlot.${cluster}.${name}.told`;
    const callback = (error: Error | null, message: Msg): void => {
      if (error !== null) return;
      this.#heard = { value: decodeAmounts(message.string()), atMs: performance.now() };
    };
    connection.subscribe(this.#told, { callback });
  }

  /** What the holder has told lately; undefined when nothing. */
  get heard(): unknown {
    const { atMs = -Infinity, value } = this.#heard ?? {};
    return performance.now() - atMs < HEARD_MS ? value : undefined;
  }

  /** To all of them, this one included. */
  tell(value: unknown): void {
    this.#connection.publish(this.#told, encodeAmounts(value));
  }

  /** What the holder answers; throws a HolderAwayError. */
  async ask(what: string, body: unknown, timeoutMs: number): Promise<unknown> {
    const question: Question = { what, body };
    let reply: Msg;
    try {
      reply = await this.#connection.request(this.#asked, encodeAmounts(question), {
        timeout: timeoutMs,
      });
    } catch (cause) {
      throw new HolderAwayError('the replica that runs settlement does not answer', {
        cause,
      });
    }
    const { failed, value } = decodeAmounts(reply.string()) as Answer;
    if (failed !== undefined) throw new HolderAwayError(failed);
    return value;
  }

  /** Answers the others until it is told to stop. */
  answer(handlers: Handlers): () => void {
    const replyTo = async (message: Msg): Promise<void> => {
      const { body, what } = decodeAmounts(message.string()) as Question;
      const handle = handlers[what];
      // Of a newer release: who asked it hears nothing, and says so.
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
    // One does not wait for another: a permit takes as long as a block.
    const listen = async (): Promise<void> => {
      for await (const message of subscription) replyTo(message).catch(() => undefined);
    };
    listen().catch(() => undefined);
    return () => subscription.unsubscribe();
  }
}
