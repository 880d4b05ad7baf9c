import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { setTimeout as sleep } from 'node:timers/promises';
import { BlockStream } from '../packages/cluster/src/block-stream.ts';

const LEADER_EVERY_MS = 500;
/** As that of a replica. */
const PATIENCE_MS = 3_000;

/** Publishes messages of a size to a stream like that of a venue, and does nothing else: the peer of a replica. */
export class BarePublisher {
  readonly #connection: Awaited<ReturnType<typeof connect>>;
  readonly #subject: string;
  readonly #stream: string;
  readonly #client: ReturnType<typeof jetstream>;
  #count = 0;

  private constructor(
    connection: Awaited<ReturnType<typeof connect>>,
    { stream, subject }: { readonly stream: string; readonly subject: string },
  ) {
    this.#connection = connection;
    this.#stream = stream;
    this.#subject = subject;
    this.#client = jetstream(connection);
  }

  static async open(servers: readonly string[], name: string): Promise<BarePublisher> {
    const options = { servers: [...servers], cluster: name, clientName: 'bench', replicas: 3 };
    const stream = await BlockStream.open(options);
    const { subject } = stream;
    await stream.close();
    const place = { stream: `oddlot-${name}-blocks`, subject };
    return new BarePublisher(await connect({ servers: [...servers] }), place);
  }

  /** One message, until it is acknowledged. */
  async publish(bytes: number): Promise<void> {
    this.#count += 1;
    await this.#client.publish(this.#subject, Buffer.alloc(bytes, 7), {
      msgID: `bare:${this.#count}`,
      timeout: PATIENCE_MS,
    });
  }

  /** How long so many take with so many on their way, in ms. */
  async publishMany(
    messages: number,
    { bytes, inFlight }: { readonly bytes: number; readonly inFlight: number },
  ): Promise<number> {
    const startedMs = performance.now();
    let left = messages;
    const lane = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        await this.publish(bytes);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, lane));
    return performance.now() - startedMs;
  }

  /** The server that leads a stream. */
  async leaderOf(stream: string): Promise<string> {
    const manager = await jetstreamManager(this.#connection, { timeout: 10_000 });
    return (await manager.streams.info(stream)).cluster?.leader ?? '';
  }

  /** Has its own stream be led by a server too, so that both lose their leader with it. */
  async beLedBy(server: string): Promise<void> {
    while ((await this.leaderOf(this.#stream)) !== server) {
      await this.#connection.request(`$JS.API.STREAM.LEADER.STEPDOWN.${this.#stream}`);
      await sleep(LEADER_EVERY_MS);
    }
  }

  /** How many messages a stream has, and their bytes. */
  async sizeOf(stream: string): Promise<{ readonly messages: number; readonly bytes: number }> {
    const manager = await jetstreamManager(this.#connection, { timeout: 10_000 });
    const { bytes, messages } = (await manager.streams.info(stream)).state;
    return { bytes, messages };
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
}
