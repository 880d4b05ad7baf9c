import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { amidHourMs, clockOf, heldClock } from './held-clock.ts';
import { removeTemporaryData, Venue } from './venue-process.ts';

/**
 * Lends running venues to test files, one file at a time, because starting a venue takes longer
 * than most tests. Borrowers use only their own accounts and markets. Tests that stop a venue or
 * inspect all its data start their own. The test run's main process starts the venues, so they
 * outlive its workers.
 */

export const LENDER = 'ODDLOT_TEST_LENDER';

/** An idle venue is stopped after this time, because it uses CPU time even without requests. */
const IDLE_MS_MAX = 20_000;

/** A borrowed venue. `turn` is different each time a venue is borrowed. */
export type Loan = {
  readonly id: number;
  readonly turn: number;
  readonly url: string;
  readonly streams: string;
  readonly operations: string;
  /** The file that holds the venue's time. Absent unless the clock is held. */
  readonly clockFile: string | undefined;
};

export type Wish = {
  readonly flags: readonly string[];
  /** True if only tests advance the clock. */
  readonly isHeld: boolean;
};

type Stocked = {
  readonly id: number;
  readonly wish: string;
  readonly clockFile: string | undefined;
  readonly venue: Venue;
  turn: number;
  /** The timer that stops the venue if no file is borrowing it. */
  idle: NodeJS.Timeout | undefined;
};

export class VenueLender {
  readonly #stock = new Map<number, Stocked>();
  readonly #troubles: string[] = [];
  readonly #endings = new Set<Promise<void>>();
  readonly #server: Server;
  #count = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request).then(
        (answer) => response.end(JSON.stringify(answer)),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  }

  static async open(): Promise<{ readonly lender: VenueLender; readonly url: string }> {
    const lender = new VenueLender();
    await new Promise<void>((resolve) => lender.#server.listen(0, '127.0.0.1', resolve));
    const { port } = lender.#server.address() as AddressInfo;
    return { lender, url: `http://127.0.0.1:${port}` };
  }

  /** Stops all venues. Throws if a venue logged errors or did not exit cleanly. */
  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    for (const stocked of this.#stock.values()) this.#end(stocked);
    await Promise.all(this.#endings);
    await removeTemporaryData();
    if (this.#troubles.length > 0) throw new Error(this.#troubles.join('\n'));
  }

  async #answer(request: IncomingMessage): Promise<Loan | readonly string[]> {
    const body = JSON.parse(await text(request));
    return request.url === '/borrow' ? this.#lend(body) : this.#takeBack(body);
  }

  async #lend(wanted: Wish): Promise<Loan> {
    const wish = JSON.stringify(wanted);
    const idle = [...this.#stock.values()].find((each) => each.wish === wish && each.idle);
    const stocked = idle ?? (await this.#start(wanted));
    clearTimeout(stocked.idle);
    stocked.idle = undefined;
    stocked.turn += 1;
    if (stocked.clockFile !== undefined) catchUp(stocked.clockFile);
    const { clockFile, id, turn, venue } = stocked;
    const { operations, streams, url } = venue;
    return { id, turn, url, streams, operations, clockFile };
  }

  async #start(wanted: Wish): Promise<Stocked> {
    const id = (this.#count += 1);
    const clockFile = wanted.isHeld ? await heldClock() : undefined;
    const venue = await Venue.start(wanted.flags, undefined, { environment: clockOf(clockFile) });
    const wish = JSON.stringify(wanted);
    const started = { id, wish, clockFile, venue, turn: 0, idle: undefined };
    this.#stock.set(id, started);
    return started;
  }

  /** Returns the errors that the venue logged. A venue with errors is not lent again. */
  #takeBack(id: number): readonly string[] {
    const stocked = this.#stock.get(id);
    if (stocked === undefined) return ['The venue is gone'];
    const faults = stocked.venue.faults();
    if (faults.length > 0) this.#end(stocked);
    else stocked.idle = setTimeout(() => this.#end(stocked), IDLE_MS_MAX);
    return faults;
  }

  #end(stocked: Stocked): void {
    clearTimeout(stocked.idle);
    this.#stock.delete(stocked.id);
    const ending = this.#stop(stocked);
    this.#endings.add(ending);
    void ending.finally(() => this.#endings.delete(ending));
  }

  async #stop({ venue, wish }: Stocked): Promise<void> {
    const ending = await venue.stop();
    const faults = venue.faults();
    await venue.remove();
    if (ending.code !== 0 || faults.length > 0) {
      this.#troubles.push(`A venue ${wish} ended ${JSON.stringify(ending)}: ${faults.join('\n')}`);
    }
  }
}

/** Advances a held clock that is behind the time at which a new one would start. */
function catchUp(clockFile: string): void {
  const heldMs = Number(readFileSync(clockFile, 'utf8'));
  writeFileSync(clockFile, String(Math.max(heldMs, amidHourMs())));
}

export async function borrowVenue(wish: Wish): Promise<Loan> {
  return (await ask('/borrow', wish)) as Loan;
}

export async function giveBackVenue({ id }: Loan): Promise<readonly string[]> {
  return (await ask('/give-back', id)) as readonly string[];
}

async function ask(path: string, body: unknown): Promise<unknown> {
  const response = await fetch(`${process.env[LENDER]}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}
