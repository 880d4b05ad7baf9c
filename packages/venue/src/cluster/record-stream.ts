import {
  type JetStreamClient,
  jetstream,
  type JetStreamManager,
  jetstreamManager,
  JetStreamApiError,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Term } from '../lease/lease.ts';
import { WeakStreamError } from './stream-error.ts';
import { patiently } from './patiently.ts';
import { SharedRecords } from './shared-records.ts';
import { streamFaults, wantedConfig } from './stream-config.ts';

type RecordStreamOptions = {
  readonly cluster: string;
  readonly replica: string;
  readonly replicas: number;
  /** An operator takes a stream that could lose something for what it is, and is told what. */
  readonly onWeak?: ((faults: readonly string[]) => void) | undefined;
};

/** What a term of a lease takes over: who has it can write, and nobody else. */
type Taking = {
  readonly term: Pick<Term, 'isOver' | 'number'>;
  /** Nothing more can be written: somebody else has taken it over. */
  readonly onLost: (error: unknown) => void;
};

const API_TIMEOUT_MS = 3_000;

/** The stream of the records that replicas of a cluster share; each name is a subject of its own. */
export class RecordStream {
  readonly #client: JetStreamClient;
  readonly #manager: JetStreamManager;
  readonly #options: RecordStreamOptions;

  private constructor(
    client: JetStreamClient,
    manager: JetStreamManager,
    options: RecordStreamOptions,
  ) {
    this.#client = client;
    this.#manager = manager;
    this.#options = options;
  }

  /** Makes the stream where there is none. Throws where its settings could lose something. */
  static async open(
    connection: NatsConnection,
    options: RecordStreamOptions,
  ): Promise<RecordStream> {
    const manager = await patiently(() =>
      jetstreamManager(connection, { timeout: API_TIMEOUT_MS }),
    );
    const client = jetstream(connection, { timeout: API_TIMEOUT_MS });
    const stream = new RecordStream(client, manager, options);
    await stream.#ensure();
    return stream;
  }

  take(name: string, { onLost, term }: Taking): Promise<SharedRecords> {
    const { cluster, replica } = this.#options;
    return SharedRecords.take({
      client: this.#client,
      manager: this.#manager,
      stream: nameOf(cluster),
      subject: `${subjectsOf(cluster)}.${name}`,
      holder: `${replica}, term ${term.number}`,
      isOver: () => term.isOver(),
      onLost,
    });
  }

  async #ensure(): Promise<void> {
    const { cluster, onWeak, replicas } = this.#options;
    const name = nameOf(cluster);
    const subject = `${subjectsOf(cluster)}.*`;
    const wanted = {
      ...wantedConfig({ name, subject, replicas }),
      // What was written anew takes the place of what was there.
      deny_purge: false,
    };
    const config = await patiently(async () => {
      try {
        return (await this.#manager.streams.info(name)).config;
      } catch (error) {
        if (!(error instanceof JetStreamApiError) || error.status !== 404) throw error;
        return (await this.#manager.streams.add(wanted)).config;
      }
    });
    const faults = streamFaults(config, wanted);
    if (faults.length === 0) return;
    if (onWeak === undefined) throw new WeakStreamError(cluster, faults);
    onWeak(faults);
  }
}

function nameOf(cluster: string): string {
  return `oddlot-${cluster}-records`;
}

function subjectsOf(cluster: string): string {
  return `oddlot.${cluster}.records`;
}
