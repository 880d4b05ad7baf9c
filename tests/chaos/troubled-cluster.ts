import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '@oddlot/host/testing';
import {
  type NatsServers,
  PORTS_A_SERVER,
  runNatsServers,
} from '../../packages/venue/src/local-cluster/nats-servers.ts';
import {
  type PostgresServer,
  startPostgres,
} from '../../packages/venue/src/local-cluster/postgres-server.ts';
import { clockEnvironment } from '../fixtures/venue-clock.ts';
import { temporaryData, Venue } from '../support/venue-process.ts';
import { FaultyLine } from './faulty-line.ts';

const SERVERS = 3;
const NAME = 'chaos';
/** How far the clocks of the replicas lie from each other. */
const CLOCKS_MS = [0, 1_200, -900];
const POSTGRES_SOCKET = '.s.PGSQL.5432';

/** A replica, as its process comes and goes. */
export type TroubledReplica = {
  readonly name: string;
  /** While it serves. */
  venue: Venue | undefined;
};

/**
 * Three NATS servers, PostgreSQL and replicas, with a line that can fail before each server, between the servers, before the
 * database and before the settlement chain. Whoever ends a replica says so, and it is started again; a start that fails is repeated, as supervisors do.
 */
export class TroubledCluster {
  readonly name = NAME;
  readonly servers: NatsServers;
  readonly postgres: PostgresServer;
  readonly replicas: readonly TroubledReplica[];
  readonly lines: readonly FaultyLine[];
  readonly #flags: (index: number) => readonly string[];
  readonly #folder: string;
  readonly #starting = new Set<Promise<void>>();
  /** Servers that were killed and do not run again yet. */
  readonly #away = new Set<string>();
  #isOver = false;

  private constructor(parts: {
    readonly servers: NatsServers;
    readonly postgres: PostgresServer;
    readonly lines: readonly FaultyLine[];
    readonly folder: string;
    readonly flags: (index: number) => readonly string[];
  }) {
    this.servers = parts.servers;
    this.postgres = parts.postgres;
    this.lines = parts.lines;
    this.#folder = parts.folder;
    this.#flags = parts.flags;
    this.replicas = CLOCKS_MS.map((_, index) => ({
      name: `replica-${index + 1}`,
      venue: undefined,
    }));
  }

  /** `chain` is the port of a settlement chain, and `besides` what replicas are told beyond the log and the database. */
  static async start(
    chain: { readonly port: number },
    besides: (chainUrl: string) => readonly string[],
  ): Promise<TroubledCluster> {
    const folder = await temporaryData();
    const port = await freePorts(PORTS_A_SERVER * SERVERS);
    const numbers = Array.from({ length: SERVERS }, (_, index) => index);
    const routes = await Promise.all(
      numbers.map((index) => FaultyLine.open({ port: port + SERVERS + index })),
    );
    const clients = await Promise.all(
      numbers.map((index) => FaultyLine.open({ port: port + index })),
    );
    const servers = await runNatsServers({
      count: SERVERS,
      folder: join(folder, 'nats'),
      port,
      routesOf: (index) => routes.filter((_, each) => each !== index).map((line) => line.port),
    });
    const postgres = await startPostgres();
    const direct = new URL(
      (await postgres.database()).replace('postgres@/', 'postgres@localhost/'),
    );
    const path = join(direct.searchParams.get('host') ?? '', POSTGRES_SOCKET);
    const database = await FaultyLine.open({ path });
    const settlement = await FaultyLine.open(chain);
    await servers.ready();
    const log = `nats://${clients.map((line) => `127.0.0.1:${line.port}`).join(',')}`;
    const url = `postgres://postgres@127.0.0.1:${database.port}${direct.pathname}`;
    const shared = ['--log', log, '--cluster', NAME, '--database', url];
    const own = besides(`http://127.0.0.1:${settlement.port}`);
    const flags = (index: number): string[] => [
      ...shared,
      ...own,
      '--replica',
      `replica-${index + 1}`,
    ];
    const lines = [...clients, ...routes, database, settlement];
    const cluster = new TroubledCluster({ servers, postgres, lines, folder, flags });
    await Promise.all(cluster.replicas.map((_, index) => cluster.#startReplica(index)));
    return cluster;
  }

  /** Those that serve now. */
  get serving(): readonly Venue[] {
    return this.replicas.flatMap(({ venue }) => venue ?? []);
  }

  /** Ends a replica in this way, and starts it again after a while. */
  endReplica(index: number, { signal, awayMs }: { signal: 'kill' | 'stop'; awayMs: number }): void {
    const replica = this.replicas[index]!;
    const { venue } = replica;
    if (venue === undefined) return;
    replica.venue = undefined;
    const doing = (async () => {
      await venue[signal]();
      await sleep(awayMs);
      await this.#startReplica(index, venue);
    })();
    this.#keep(doing);
  }

  /** Stops a replica if it is there, has something done with its folder, and starts it again. */
  async whileStopped(index: number, deed: (data: string) => Promise<void>): Promise<void> {
    const replica = this.replicas[index]!;
    const { venue } = replica;
    if (venue === undefined) return;
    replica.venue = undefined;
    const doing = (async () => {
      await venue.stop();
      await deed(venue.data);
      await this.#startReplica(index, venue);
    })();
    this.#keep(doing);
    await doing;
  }

  freezeReplica(index: number): () => void {
    const { venue } = this.replicas[index]!;
    if (venue === undefined) return () => undefined;
    const { pid } = venue;
    return signals(pid);
  }

  killServer(index: number, awayMs: number): void {
    this.#killWhatIsThere(`server ${index}`, awayMs, {
      kill: () => this.servers.kill(index),
      start: () => this.servers.start(index),
    });
  }

  killPostgres(awayMs: number): void {
    this.#killWhatIsThere('PostgreSQL', awayMs, this.postgres);
  }

  /** Resolves when everything runs that was ended, and nothing is in the way any more. */
  async mended(): Promise<void> {
    for (const line of this.lines) line.mend();
    await Promise.all(this.#starting);
  }

  async remove(): Promise<void> {
    this.#isOver = true;
    await Promise.allSettled(this.#starting);
    await Promise.all(this.serving.map((venue) => venue.kill()));
    await this.servers.stop();
    await this.postgres.stop();
    await Promise.all(this.lines.map((line) => line.close()));
  }

  /** What is away already stays away until it comes: two of one server would share its files, and nobody would end the first. */
  #killWhatIsThere(
    name: string,
    awayMs: number,
    { kill, start }: { kill(): Promise<void>; start(): Promise<void> },
  ): void {
    if (this.#away.has(name)) return;
    this.#away.add(name);
    this.#keep(
      (async () => {
        await kill();
        await sleep(awayMs);
        await start();
        this.#away.delete(name);
      })(),
    );
  }

  #keep(doing: Promise<void>): void {
    this.#starting.add(doing);
    doing.finally(() => this.#starting.delete(doing)).catch(() => undefined);
  }

  /** Until it serves: without a quorum a start waits, and one that has waited for too long is repeated. */
  async #startReplica(index: number, before?: Venue): Promise<void> {
    const replica = this.replicas[index]!;
    while (!this.#isOver) {
      try {
        if (before === undefined) {
          const data = join(this.#folder, replica.name);
          const clock = join(this.#folder, `${replica.name}.clock`);
          await writeFile(clock, String(CLOCKS_MS[index]));
          const environment = clockEnvironment(`off:${clock}`);
          replica.venue = await Venue.start(this.#flags(index), data, { environment });
        } else {
          await before.startAgain();
          replica.venue = before;
        }
        return;
      } catch (error) {
        if (before === undefined) throw error;
      }
    }
  }
}

/** Stops a process where it stands; what is returned lets it go on. */
function signals(pid: number): () => void {
  const send = (signal: NodeJS.Signals): void => {
    try {
      process.kill(pid, signal);
    } catch {
      // It has been killed meanwhile.
    }
  };
  send('SIGSTOP');
  return () => send('SIGCONT');
}
