import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsServers } from '../../packages/cluster/src/servers/nats-servers.ts';
import {
  type PostgresServer,
  startPostgres,
} from '../../packages/cluster/src/servers/postgres-server.ts';
import { clockEnvironment } from '../fixtures/venue-clock.ts';
import { startMesh, type ServerLines } from '../support/nats-mesh.ts';
import { tail, temporaryData, Venue, VenueRun } from '../support/venue-process.ts';
import { FaultyConnection } from './faulty-connection.ts';

const SERVERS = 3;
const NAME = 'chaos';
/** The replicas' clock offsets, in milliseconds. */
const CLOCKS_MS = [0, 1_200, -900];
const POSTGRES_SOCKET = '.s.PGSQL.5432';
const ANSWER_MS_MAX = 500;
/**
 * Log messages that must never occur, because servers that sync before they acknowledge do not lose
 * blocks.
 */
const ALARM = /lost blocks|blocks are missing|not a copy of th(?:e|is) stream|differ/;

export type TestClusterReplica = {
  readonly name: string;
  /** The running venue. Set while the replica serves requests. */
  venue: Venue | undefined;
};

/**
 * Runs three NATS servers, PostgreSQL and replicas. There is a faulty connection in front of each
 * server, between every two servers, and in front of the database and the settlement chain. Like a
 * supervisor, it restarts each replica that a test ends, and retries failed starts.
 */
export class TestCluster {
  readonly name = NAME;
  readonly servers: NatsServers;
  readonly postgres: PostgresServer;
  readonly replicas: readonly TestClusterReplica[];
  readonly lines: readonly FaultyConnection[];
  readonly #flags: (index: number) => readonly string[];
  readonly #folder: string;
  readonly #serverLines: ServerLines;
  readonly #starting = new Set<Promise<void>>();
  /**
   * Starts that failed because of missing blocks, processes that exited unexpectedly, and false
   * alarms.
   */
  readonly #surprises: string[] = [];
  #guests = 0;
  #isolated: number | undefined;
  /** Servers that were killed and are not running again yet. */
  readonly #away = new Set<string>();
  #isOver = false;

  private constructor(parts: {
    readonly servers: NatsServers;
    readonly postgres: PostgresServer;
    readonly lines: readonly FaultyConnection[];
    readonly serverLines: ServerLines;
    readonly folder: string;
    readonly flags: (index: number) => readonly string[];
  }) {
    this.servers = parts.servers;
    this.postgres = parts.postgres;
    this.lines = parts.lines;
    this.#serverLines = parts.serverLines;
    this.#folder = parts.folder;
    this.#flags = parts.flags;
    this.replicas = CLOCKS_MS.map((_, index) => ({
      name: `replica-${index + 1}`,
      venue: undefined,
    }));
  }

  /**
   * Starts the cluster. `chain` is the port of a settlement chain, and `besides` returns additional
   * flags for the replicas.
   */
  static async start(
    chain: { readonly port: number },
    besides: (chainUrl: string) => readonly string[],
  ): Promise<TestCluster> {
    const folder = await temporaryData();
    const { lines: serverLines, servers } = await startMesh(SERVERS, join(folder, 'nats'));
    const clients = await Promise.all(
      servers.urls.map((url) => FaultyConnection.open({ port: Number(new URL(url).port) })),
    );
    const postgres = await startPostgres();
    const direct = new URL(
      (await postgres.database()).replace('postgres@/', 'postgres@localhost/'),
    );
    const path = join(direct.searchParams.get('host') ?? '', POSTGRES_SOCKET);
    const database = await FaultyConnection.open({ path });
    const settlement = await FaultyConnection.open(chain);
    await servers.ready();
    const log = `nats://${clients.map((line) => `127.0.0.1:${line.port}`).join(',')}`;
    const url = `postgres://postgres@127.0.0.1:${database.port}${direct.pathname}`;
    const shared = ['--log', log, '--cluster', NAME, '--database', url];
    shared.push('--nats-monitors', servers.monitors.join(','));
    const own = besides(`http://127.0.0.1:${settlement.port}`);
    const flags = (index: number): string[] => [
      ...shared,
      ...own,
      '--replica',
      `replica-${index + 1}`,
    ];
    const lines = [...clients, ...serverLines.all, database, settlement];
    const parts = { servers, postgres, lines, serverLines, folder, flags };
    const cluster = new TestCluster(parts);
    await Promise.all(cluster.replicas.map((_, index) => cluster.#startReplica(index)));
    return cluster;
  }

  get serving(): readonly Venue[] {
    return this.replicas.flatMap(({ venue }) => venue ?? []);
  }

  /** All unexpected events, with the replicas' logs. */
  get surprises(): readonly string[] {
    const alarms = this.replicas.flatMap(({ name, venue }) =>
      alarmsIn(venue?.stderr ?? '').map((line) => `${name}: ${line}`),
    );
    return [...this.#surprises, ...alarms];
  }

  /**
   * Isolates one server from the others. Clients and monitoring can still reach it. Only one server
   * can be isolated at a time.
   */
  isolateServer(index: number): () => void {
    if (this.#isolated !== undefined) return () => undefined;
    this.#isolated = index;
    this.#serverLines.isolate(index);
    return () => {
      this.#isolated = undefined;
      this.#serverLines.heal(index);
    };
  }

  /**
   * Returns the replica that holds a lease, or undefined if no replica reports holding it in time.
   */
  async holderOf(lease: string): Promise<number | undefined> {
    const held = await Promise.all(
      this.replicas.map(async ({ venue }) => {
        if (venue === undefined) return false;
        try {
          const signal = AbortSignal.timeout(ANSWER_MS_MAX);
          const asked = await fetch(`${venue.operations}/cluster`, { signal });
          const { leases } = (await asked.json()) as { leases: readonly string[] };
          return leases.includes(lease);
        } catch {
          return false;
        }
      }),
    );
    const index = held.indexOf(true);
    return index < 0 ? undefined : index;
  }

  /** Adds a replica with an empty folder, which leaves again after a while. */
  addGuest(forMs: number): void {
    this.#keep(this.#visit(`guest-${(this.#guests += 1)}`, forMs));
  }

  async #visit(name: string, forMs: number): Promise<void> {
    const flags = [...this.#flags(0).slice(0, -1), name];
    const data = join(this.#folder, name);
    const environment = clockEnvironment(`off:${join(this.#folder, 'replica-1.clock')}`);
    const run = new VenueRun(data, flags, { environment });
    try {
      await run.serving();
      await sleep(forMs);
    } catch (error) {
      this.#refused(name, error);
    }
    await run.end('SIGTERM');
    this.#surprises.push(...alarmsIn(run.stderr).map((line) => `${name}: ${line}`));
    await rm(data, { recursive: true, force: true });
  }

  /**
   * Records failed starts only if they report an error in the log, because a start without a
   * database or a quorum is allowed to fail.
   */
  #refused(name: string, error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    if (ALARM.test(why)) this.#surprises.push(`${name} did not start: ${tail(why)}`);
  }

  /** Sends a signal to a replica, and after a while restarts or resumes it. */
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

  /** Resolves once all processes are running again and all faults have ended. */
  async mended(): Promise<void> {
    for (const line of this.lines) line.restore();
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

  /** Skips a server that is not running, because two restarted processes would share its files. */
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

  /** Restarts and records a replica that exits without having been asked to. */
  #watch(index: number, venue: Venue): void {
    const replica = this.replicas[index]!;
    const ended = async (): Promise<void> => {
      const how = JSON.stringify(await venue.ended);
      if (replica.venue !== venue || this.#isOver) return;
      this.#surprises.push(`${replica.name} ended with ${how}: ${tail(venue.stderr)}`);
      replica.venue = undefined;
      this.#keep(this.#startReplica(index, venue));
    };
    void ended();
  }

  #keep(doing: Promise<void>): void {
    this.#starting.add(doing);
    doing.finally(() => this.#starting.delete(doing)).catch(() => undefined);
  }

  /**
   * Retries the start until the replica serves requests, because a start without a quorum waits
   * until it times out.
   */
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
        this.#watch(index, replica.venue);
        return;
      } catch (error) {
        if (before === undefined) throw error;
        this.#refused(replica.name, error);
      }
    }
  }
}

/** Returns the log lines of the highest level that are about lost blocks. */
function alarmsIn(stderr: string): readonly string[] {
  return stderr
    .split('\n')
    .filter((line) => /"level":\s*(?:60|"fatal")/.test(line) && ALARM.test(line));
}

/** Freezes a process, and returns a function that resumes it. */
function signals(pid: number): () => void {
  const send = (signal: NodeJS.Signals): void => {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has been killed in the meantime.
    }
  };
  send('SIGSTOP');
  return () => send('SIGCONT');
}
