import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../support/seeded.ts';

/** Where a connection leads: a local port or a Unix socket. */
type Target = { readonly port: number } | { readonly path: string };

type Pair = readonly [Socket, Socket];

/** A TCP proxy between two programs that simulates network faults. */
export class FaultyConnection {
  readonly port: number;
  readonly #server: Server;
  readonly #target: Target;
  readonly #pairs = new Set<Pair>();
  #isSilent = false;
  #isHalving = false;
  #delayMs = 0;

  private constructor(server: Server, target: Target) {
    this.#server = server;
    this.#target = target;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (socket) => this.#join(socket));
  }

  static async open(target: Target): Promise<FaultyConnection> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new FaultyConnection(server, target);
  }

  /** Closes some connections at random. New ones can be opened right away. */
  cut(random: SeededRandom): void {
    const share = random.next();
    for (const pair of this.#pairs) if (random.next() <= share) end(pair);
  }

  /** Blocks all traffic but leaves the connections open. */
  silence(): void {
    this.#isSilent = true;
  }

  /** Delays all traffic, keeping its order. */
  delay(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  /** Forwards half of the next message and then closes the connection. */
  halve(): void {
    this.#isHalving = true;
  }

  /** Ends all faults. Blocked messages are lost, and their connections are closed. */
  restore(): void {
    if (this.#isSilent) for (const pair of this.#pairs) end(pair);
    this.#isSilent = false;
    this.#isHalving = false;
    this.#delayMs = 0;
  }

  async close(): Promise<void> {
    for (const pair of this.#pairs) end(pair);
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  #join(near: Socket): void {
    const far = connect(this.#target);
    const pair = [near, far] as const;
    this.#pairs.add(pair);
    for (const [from, to] of [pair, pair.toReversed()] as Pair[]) {
      from.setNoDelay(true);
      const delayed = new DelayedParts(to);
      from.on('data', (part) => this.#pass(part, delayed, pair));
      from.on('error', () => undefined);
      from.on('close', () => {
        to.destroy();
        this.#pairs.delete(pair);
      });
    }
  }

  #pass(part: Buffer, delayed: DelayedParts, pair: Pair): void {
    if (this.#isSilent) return;
    if (this.#isHalving) {
      delayed.to.write(part.subarray(0, part.length / 2), () => end(pair));
      return;
    }
    delayed.pass(part, this.#delayMs);
  }
}

/** Forwards delayed messages in order. */
class DelayedParts {
  readonly to: Socket;
  #arrived: Promise<unknown> = Promise.resolve();
  #underWay = 0;

  constructor(to: Socket) {
    this.to = to;
  }

  pass(part: Buffer, delayMs: number): void {
    if (delayMs === 0 && this.#underWay === 0) {
      this.to.write(part);
      return;
    }
    this.#underWay += 1;
    this.#arrived = this.#arrive(part, delayMs, this.#arrived);
  }

  async #arrive(part: Buffer, delayMs: number, before: Promise<unknown>): Promise<void> {
    await Promise.all([before, sleep(delayMs)]);
    this.#underWay -= 1;
    this.to.write(part);
  }
}

function end(pair: Pair): void {
  for (const socket of pair) socket.destroy();
}
