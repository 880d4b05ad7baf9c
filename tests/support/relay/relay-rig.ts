import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChainClient, localEndpoint } from '@oddlot/custody/chain';
import { Relayer } from '@oddlot/custody/relayer';
import { createLogger } from '@oddlot/host/log';
import { type Hex, keccak256, toHex } from 'viem';
import { type RelayChain, termsOf } from '../../../packages/relay/src/chains/relay-chain.ts';
import { RelayBook } from '../../../packages/relay/src/book/relay-book.ts';
import { RelayService } from '../../../packages/relay/src/port/relay-service.ts';
import { RelayKeys } from '../../../packages/relay/src/relay-keys.ts';
import { Relay, type RelayParts } from '../../../packages/relay/src/transfers/relay.ts';
import { BRIDGE, ModelChain, TOKEN } from './model-chain.ts';
import { FACTS, ModelVenue } from './model-venue.ts';
import { venueBy } from './venue-by.ts';

/**
 * Runs a real relay with model chains and a model venue. The relay can be killed at any of its
 * requests.
 */

const WORDS = 'test test test test test test test test test test test junk';
export const KEYS = new RelayKeys(WORDS);
export const FLOAT = KEYS.address('float');
export const USERS = [1, 2, 3].map((n): Hex => `0x${keccak256(toHex(`user ${n}`)).slice(-40)}`);
const CONFIRMATIONS = 2;
export const FLOAT_USDC = 10_000_000_000n;
export const USER_USDC = 1_000_000_000_000n;
const DAY_MS = 86_400_000;

/**
 * Services that a test can make unreachable. A `slow` venue executes each request later and never
 * responds to it.
 */
export type Place = 'base' | 'arbitrum' | 'venue' | 'slow';

export class RelayRig {
  readonly directory = mkdtempSync(join(tmpdir(), 'oddlot-relay-'));
  readonly chains: Readonly<Record<'base' | 'arbitrum', ModelChain>>;
  readonly venue = new ModelVenue();
  readonly down = new Set<Place>();
  nowMs = 1_800_000_000_000;
  parts!: RelayParts;
  relay!: Relay;
  service!: RelayService;
  book!: RelayBook;
  /**
   * The number of requests that still get a response before the process is killed, and whether the
   * next one takes effect.
   */
  #left = Infinity;
  #isLastDone = false;
  readonly #delayedBodies: string[] = [];
  #life = 0;
  #killed = Promise.withResolvers<void>();

  readonly #openAddressesMax: number;

  constructor({
    floatUsdc = FLOAT_USDC,
    openAddressesMax = 1_000,
  }: { readonly floatUsdc?: bigint; readonly openAddressesMax?: number } = {}) {
    this.#openAddressesMax = openAddressesMax;
    const users = USERS.map((owner) => ({ owner, usdc: USER_USDC }));
    const rich = [{ owner: FLOAT, usdc: floatUsdc }, ...users];
    this.chains = {
      base: new ModelChain(84_532, rich),
      arbitrum: new ModelChain(421_614, rich),
    };
    for (const user of USERS) this.venue.give(user, USER_USDC);
    this.start();
    for (const chain of ['base', 'arbitrum']) this.book.setCursor({ chain, live: 0, late: 0 });
  }

  start(): void {
    this.#life += 1;
    this.#left = Infinity;
    this.#killed = Promise.withResolvers();
    const life = this.#life;
    const now = (): number => this.nowMs;
    const terms = termsOf([], 'testnet');
    const chainOf = (name: 'base' | 'arbitrum'): RelayChain => {
      const model = this.chains[name];
      const endpoint = localEndpoint(name, (method, params) =>
        this.#io(life, name, () => model.rpc(method, params)),
      );
      const { chainId } = model;
      const client = new ChainClient({
        endpoints: [endpoint],
        chainId,
        confirmations: CONFIRMATIONS,
      });
      const file = join(this.directory, `sent-${name}.jsonl`);
      const relayer = new Relayer({ client, account: KEYS.key('float'), file, now });
      const own = terms.find((each) => each.name === name)!;
      return { terms: own, client, relayer, token: TOKEN, fromBlock: 0 };
    };
    const settlement = { ...chainOf('arbitrum'), bridge: BRIDGE };
    const chains = new Map<string, RelayChain>([
      ['arbitrum', settlement],
      ['base', chainOf('base')],
    ]);
    const api = venueBy((path, body) =>
      this.#io(life, 'venue', async () => {
        if (path !== '/exchange' || !this.down.has('slow'))
          return await this.venue.post(path, body);
        this.#delayedBodies.push(body);
        throw new Error('no answer in time');
      }),
    );
    this.book = new RelayBook(join(this.directory, 'relay.jsonl'));
    const log = createLogger({ level: 'silent' });
    const pace = { everyMs: 1_000, lateEveryMs: 1 };
    const parts = { book: this.book, keys: KEYS, api, facts: FACTS, chains, settlement, log, now };
    this.parts = { ...parts, ...pace };
    this.relay = new Relay(this.parts);
    const registerPegs = () => this.#io(life, 'venue', async () => undefined);
    const more = { relay: this.relay, terms, expireMs: DAY_MS };
    const openAddressesMax = this.#openAddressesMax;
    this.service = new RelayService({ ...parts, ...more, openAddressesMax, registerPegs });
  }

  /** Runs a relay step until it completes or the process is killed. */
  async run<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    this.nowMs += 1;
    return await Promise.race([work().catch(() => undefined), this.#killed.promise]).then(
      (result) => result ?? undefined,
    );
  }

  /**
   * Serves this many requests and kills the process on the next one. `isLastDone` states whether
   * that one takes effect.
   */
  killAfter(requests: number, isLastDone: boolean): void {
    this.#left = requests;
    this.#isLastDone = isLastDone;
  }

  /** Mines a block, credits confirmed deposits and executes the delayed requests. */
  async mine(name: 'base' | 'arbitrum'): Promise<void> {
    this.chains[name].mine();
    this.venue.credit(this.chains.arbitrum, CONFIRMATIONS);
    for (const body of this.#delayedBodies.splice(0)) await this.venue.post('/exchange', body);
  }

  /** Clears all faults and runs until no transfer is pending. */
  async settle(): Promise<void> {
    this.down.clear();
    this.#left = Infinity;
    const isQuiet = (): boolean => this.book.open().every(({ state }) => state === 'collecting');
    for (let round = 0, quiet = 0; round < 80 && quiet < 4; round++) {
      await this.run(() => this.relay.step());
      await this.mine('base');
      await this.mine('arbitrum');
      this.nowMs += 31_000;
      quiet = isQuiet() ? quiet + 1 : 0;
    }
  }

  close(): void {
    for (const { relayer } of this.parts.chains.values()) relayer.close();
    this.parts.book.close();
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** Executes a request. A process that was killed never receives the response. */
  async #io<Result>(life: number, place: Place, effect: () => Promise<Result>): Promise<Result> {
    if (life !== this.#life) return await NEVER;
    if (this.#left === 0) {
      if (this.#isLastDone && !this.down.has(place)) await effect().catch(() => undefined);
      this.#life += 1;
      this.#killed.resolve();
      return await NEVER;
    }
    this.#left -= 1;
    if (this.down.has(place)) throw new Error('connection refused');
    return await effect();
  }

  get isKilled(): boolean {
    return this.#left === 0;
  }
}

const NEVER = new Promise<never>(() => undefined);
