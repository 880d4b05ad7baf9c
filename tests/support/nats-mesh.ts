import { freePorts } from '@oddlot/testing/host';
import {
  type NatsServers,
  PORTS_PER_SERVER,
  runNatsServers,
} from '../../packages/cluster/src/servers/nats-servers.ts';
import { FaultyConnection } from '../chaos/faulty-connection.ts';

/**
 * The connections between the servers. Each pair has one connection in each direction, so that any
 * server can be isolated.
 */
export class ServerLines {
  readonly #lines: readonly (readonly (FaultyConnection | undefined)[])[];

  private constructor(lines: readonly (readonly (FaultyConnection | undefined)[])[]) {
    this.#lines = lines;
  }

  static async open(count: number, portOf: (index: number) => number): Promise<ServerLines> {
    const numbers = Array.from({ length: count }, (_, index) => index);
    const lines = numbers.map((from) =>
      Promise.all(
        numbers.map((to) =>
          from === to ? undefined : FaultyConnection.open({ port: portOf(to) }),
        ),
      ),
    );
    return new ServerLines(await Promise.all(lines));
  }

  get all(): readonly FaultyConnection[] {
    return this.#lines.flat().filter((line) => line !== undefined);
  }

  /** Returns the local ports through which a server reaches the others. */
  routesFrom(index: number): readonly number[] {
    return this.#lines[index]!.flatMap((line) => line?.port ?? []);
  }

  isolate(index: number): void {
    for (const line of this.#linesOf(index)) line.silence();
  }

  heal(index?: number): void {
    for (const line of index === undefined ? this.all : this.#linesOf(index)) line.restore();
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((line) => line.close()));
  }

  #linesOf(index: number): readonly FaultyConnection[] {
    return this.#lines.flatMap((to, from) =>
      to.flatMap((line, at) =>
        line !== undefined && (from === index || at === index) ? line : [],
      ),
    );
  }
}

/** Starts a NATS cluster whose connections between servers can be cut. */
export async function startMesh(
  count: number,
  folder?: string,
): Promise<{ readonly servers: NatsServers; readonly lines: ServerLines }> {
  const port = await freePorts(PORTS_PER_SERVER * count);
  const lines = await ServerLines.open(count, (index) => port + count + index);
  const servers = await runNatsServers({
    count,
    port,
    name: `mesh-${port}`,
    ...(folder !== undefined && { folder }),
    routesOf: (index) => lines.routesFrom(index),
  });
  return { servers, lines };
}

export async function withMesh(
  count: number,
  run: (mesh: Awaited<ReturnType<typeof startMesh>>) => Promise<void>,
): Promise<void> {
  const mesh = await startMesh(count);
  try {
    await mesh.servers.ready();
    await run(mesh);
  } finally {
    await mesh.servers.stop();
    await mesh.lines.close();
  }
}
