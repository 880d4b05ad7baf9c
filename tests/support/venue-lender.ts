import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { amidHourMs, clockOf, heldClock } from './held-clock.ts';
import { removeTemporaryData, Venue } from './venue-process.ts';

/**
 * Starting a venue costs more than most tests, so those that keep to their own accounts and markets get one that
 * others had before, and never two at a time. It lives in the process of the test run, that workers come and go
 * from. Whoever wants to stop it, or looks at all that is in it, starts one.
 */

/** Where workers find the lender. */
export const LENDER = 'ODDLOT_TEST_LENDER';

/** A venue that nobody wants any more still costs a little all the time. */
const IDLE_MS_MAX = 20_000;

/** What a borrower gets. `turn` tells the borrowers of one venue apart. */
export type Loan = {
  readonly id: number;
  readonly turn: number;
  readonly url: string;
  readonly streams: string;
  readonly operations: string;
  /** The file that holds the time, if it stands. */
  readonly clockFile: string | undefined;
};

/** Which venue somebody wants. */
export type Wish = {
  readonly flags: readonly string[];
  /** Whether time stands until a test lets it pass. */
  readonly isHeld: boolean;
};

type Stocked = {
  readonly id: number;
  readonly wish: string;
  readonly clockFile: string | undefined;
  readonly venue: Venue;
  turn: number;
  /** Ends it, while nobody has it. */
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

  /** Every venue must stop in good order and must have logged no fault, whoever had it. */
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

  /** Answers with the faults that were logged; who finds some is the last to have had that venue. */
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

/** Tests may let more time pass than there was, never less. */
function catchUp(clockFile: string): void {
  const heldMs = Number(readFileSync(clockFile, 'utf8'));
  writeFileSync(clockFile, String(Math.max(heldMs, amidHourMs())));
}

/** A venue for the time of a file. */
export async function borrowVenue(wish: Wish): Promise<Loan> {
  return (await ask('/borrow', wish)) as Loan;
}

/** Gives it back, and tells what faults it has logged. */
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
