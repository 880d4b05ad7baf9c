import { Agent } from 'node:http';
import { readConfig } from '../../packages/venue/src/config.ts';
import {
  type Held,
  type Lease,
  LocalLease,
  type Start,
  type Stop,
} from '../../packages/replica/src/lease.ts';
import { createLogger } from '../../packages/host/src/operate/log.ts';
import { ManualTime } from '../support/host/manual-time.ts';
import { directAction, signed, testKey, type TestKey } from '../support/venue/http/client.ts';
import { sender, type TestReply } from '../support/venue/http/test-edge.ts';
import { startVenue, type Venue } from '../../packages/venue/src/venue.ts';

/**
 * A whole venue in this process, with its edge, its log and its history, and a controlled clock.
 * Only requests create blocks. The operator pushes prices, and time advances with them.
 */

const OPERATOR_BYTE = 0x71;

/** These leases would create blocks according to the machine's clock. */
const BY_THE_CLOCK = new Set(['ticker', 'oracle']);

class LeaseWithoutClock implements Lease {
  readonly #lease = new LocalLease();

  hold(name: string, start: Start, stop: Stop): Promise<Held> {
    if (!BY_THE_CLOCK.has(name)) return this.#lease.hold(name, start, stop);
    return Promise.resolve({ release: () => Promise.resolve() });
  }
}

// Requests and responses of any shape.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

export class ControlledVenue {
  readonly folder: string;
  readonly operator = testKey(OPERATOR_BYTE);
  readonly #time = new ManualTime();
  readonly #nonces = new Map<string, number>();
  #agent = new Agent({ keepAlive: true });
  #venue: Venue | undefined;
  #send: ReturnType<typeof sender> = () => Promise.reject(new Error('the venue is not started'));

  constructor(folder: string) {
    this.folder = folder;
  }

  get nowMs(): number {
    return this.#time.wallMs();
  }

  /** Sets the time of the next block, which cannot go back. */
  passTo(timeMs: number): void {
    this.#time.pass(timeMs - this.nowMs);
  }

  /** Resolves once the venue serves requests. */
  async start(): Promise<void> {
    const flags = ['--oracle', 'still', '--no-bots', '--no-exhibition', '--no-limits'];
    const people = ['--admins', this.operator.address, '--faucet-usdc', '100000'];
    // One thread is enough for a few traders.
    const small = ['--recover-workers', '1', '--chain', 'none', '--no-web'];
    const fixed = ['--port', '0', '--ops-port', '0', '--data', this.folder];
    this.#venue = await startVenue(readConfig([...flags, ...people, ...small, ...fixed], {}), {
      log: createLogger({ level: 'error' }),
      onFatal: (error) => {
        // The error is thrown outside any promise, which could otherwise swallow it.
        setImmediate(() => {
          throw error;
        });
      },
      lease: new LeaseWithoutClock(),
      time: this.#time,
    });
    this.#agent = new Agent({ keepAlive: true });
    this.#send = sender(Number(new URL(this.#venue.url).port), this.#agent);
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    await this.#venue?.stop();
    this.#venue = undefined;
  }

  /**
   * Signs and sends an action and waits for its block. None of the action's entries may be
   * rejected.
   */
  async act(key: TestKey, action: Record<string, unknown>): Promise<Json> {
    const nonce = this.#nonce(key);
    return this.#confirmed(signed(action, { key, nonce, confirm: 'executed' }));
  }

  /** Sends an action signed by the account's own key. */
  async actDirectly(key: TestKey, type: string, fields: Record<string, unknown>): Promise<Json> {
    const nonce = this.#nonce(key);
    const action = directAction(type, nonce, fields);
    return this.#confirmed(signed(action, { key, nonce, confirm: 'executed' }));
  }

  async fund(user: string, accountType: 'perp' | 'outcome'): Promise<void> {
    const reply = await this.#send('/request-fund', { user, accountType });
    if (reply.status !== 200) throw new Error(`not funded: ${reply.text}`);
  }

  async ask(query: object): Promise<Json> {
    const reply = await this.#send('/info', query);
    if (reply.status !== 200) throw new Error(`${JSON.stringify(query)}: ${reply.text}`);
    return reply.json.data;
  }

  async #confirmed(body: string): Promise<Json> {
    const reply = await this.#send('/exchange', body);
    const refused = refusedIn(reply);
    if (refused !== undefined) throw new Error(`${body}: ${refused}`);
    return reply.json;
  }

  #nonce({ address }: TestKey): number {
    // The clock stays constant between two blocks, and the first block has the same time as the
    // clock (R-nonce).
    const nonce = Math.max((this.#nonces.get(address) ?? 0) + 1, this.nowMs + 1);
    this.#nonces.set(address, nonce);
    return nonce;
  }
}

function refusedIn({ json, status, text }: TestReply): string | undefined {
  if (status !== 200 || json.status !== 'ok') return text;
  const { orders = [], statuses = [] } = json.data.data;
  const isRefused =
    statuses.some((each: Json) => each !== 'success') ||
    orders.some(({ error }: Json) => error !== null);
  return isRefused ? text : undefined;
}
