import {
  type Client,
  type ClientOptions,
  createClient,
  NonceSource,
  type Wallet,
} from '@oddlot/sdk';
import { accountView, marketView } from '@oddlot/engine';
import { type Address, parseExact } from '@oddlot/units';
import type { Duration } from './duration.ts';
import { FaultyServer } from './faulty-server.ts';
import { Faults } from './faults.ts';
import { type BookShape, ladderOf, ORDERS_PER_ACTION } from './ladder.ts';
import { LocalConnection } from './local-connection.ts';
import { eventOf, type MarketInput, marketOf, type TestMarket } from './outcome-listing.ts';
import type { PriceScript } from './prices.ts';
import { seededWallet } from './seeded-wallet.ts';
import type { StartVenueOptions } from './start-venue-options.ts';
import type { TestChain } from './test-chain.ts';
import { type Snapshot, ControlledVenue } from './controlled-venue.ts';

const ACCOUNTS = 10;
const USDC = '100000';
const USDC_DECIMALS = 6;
/** The balance of the account that fills books. It exceeds what any test trades. */
const MAKER_USDC = '100000000';

/** The options that connect a client. Their types do not depend on a particular copy of the SDK. */
type Connection = Pick<
  ClientOptions,
  'fetch' | 'network' | 'nonces' | 'openSocket' | 'orderLifeMs' | 'url'
>;

type Internals = {
  /** Keeps the log in memory and creates no history until a query or a snapshot needs them. */
  readonly isDeferred?: boolean;
};

/** A complete venue inside this process. */
export class TestVenue {
  readonly seed: string;
  /** Faults between clients and the venue. */
  readonly faults: Faults;
  /** Funded accounts that exist from the start. */
  readonly accounts: readonly TestAccount[];
  /**
   * The operator's account, which lists, changes and halts markets, and deploys outcome markets.
   */
  readonly admin: TestAccount;
  readonly #venue: ControlledVenue;
  readonly #line: LocalConnection;
  readonly #nonces: NonceSource;
  readonly #named = new Map<string, TestAccount>();
  /** The names of the accounts funded so far, now and at each snapshot. */
  #paid = new Set<string>();
  readonly #paidAt = new WeakMap<Snapshot, ReadonlySet<string>>();
  readonly #clients = new Set<Client>();
  #server: FaultyServer | undefined;
  #markets = 0;

  private constructor(options: StartVenueOptions, { isDeferred = false }: Internals) {
    const { accounts = ACCOUNTS, seed = 'oddlot' } = options;
    if (!Number.isSafeInteger(accounts) || accounts < 0) {
      throw new RangeError(`accounts must be a whole number from zero: ${accounts}`);
    }
    this.seed = seed;
    const operator = seededWallet(seed, 'admin').wallet.address;
    const flags = ['--admins', operator];
    this.#venue = new ControlledVenue(seed, options, { flags, isDeferred });
    this.#line = new LocalConnection(
      () => this.#venue.server,
      () => this.now,
    );
    this.faults = new Faults(this.#line, this.#venue.prices, () => this.#venue.chain);
    this.#nonces = new NonceSource(() => this.now + this.faults.skewMs);
    this.admin = this.#accountOf('admin');
    this.accounts = Array.from({ length: accounts }, (_, index) =>
      this.#accountOf(`account ${index}`),
    );
    // The operator needs no money; the other accounts are funded at the start.
    this.#paid = new Set(this.#named.keys());
  }

  static async start(options: StartVenueOptions, internals: Internals = {}): Promise<TestVenue> {
    const venue = new TestVenue(options, internals);
    try {
      const { usdc = USDC } = options;
      await venue.#venue.begin();
      await venue.#credit(venue.accounts, { perp: usdc, outcome: usdc });
    } catch (error) {
      await venue.stop();
      throw error;
    }
    return venue;
  }

  /**
   * Returns the internal parts, for the testkit's own code.
   *
   * @internal
   */
  static partsOf(venue: TestVenue): ControlledVenue {
    return venue.#venue;
  }

  /** The venue's time, in milliseconds. */
  get now(): number {
    return this.#venue.nowMs;
  }

  get head(): { readonly height: number; readonly timeMs: number; readonly hash: string } {
    const { hash, height, timeMs } = this.#venue.head;
    return { height, timeMs, hash };
  }

  /** The base URL. If the venue has no ports, it is reachable only through `connection`. */
  get url(): string {
    return this.#venue.url;
  }

  /** The base URL for Hyperliquid clients. Throws if the venue was started without it. */
  get hyperliquidUrl(): string {
    return this.#venue.hyperliquidUrl;
  }

  /** The settlement chain. Throws if the venue was started without one. */
  get chain(): TestChain {
    return this.#venue.chain;
  }

  /** Deposits an account's USDC through the chain, and resolves when it is credited. */
  async deposit(account: TestAccount, usdc: string): Promise<void> {
    const { chain, state } = this.#venue;
    const owner = account.address.toLowerCase() as TestAccount['address'];
    const balance = (): bigint => accountView(state, owner, () => 0)?.perpBalance ?? 0n;
    const before = balance();
    await chain.mint(owner, usdc);
    await chain.transferToBridge(account, usdc);
    await chain.until(() => balance() > before, `${usdc} USDC are credited`);
  }

  /**
   * Opens HTTP and WebSocket on a loopback port for any client, subject to the planned faults, and
   * returns the URL.
   */
  async openPort(port = 0): Promise<string> {
    this.#server ??= await FaultyServer.open({ fetch: this.faults.fetch, line: this.#line, port });
    return this.#server.url;
  }

  /**
   * Options for the SDK's `createClient` that connect it to this venue, with its faults and its
   * clock.
   */
  get connection(): Connection {
    return {
      url: this.url,
      network: 'testnet',
      fetch: this.faults.fetch,
      openSocket: this.#line.openSocket,
      nonces: this.#nonces,
      // Orders do not expire, because time is constant between calls and can jump by days.
      orderLifeMs: Infinity,
    };
  }

  /** Creates an SDK client, which is closed together with the venue. */
  client(wallet?: Wallet, options: Partial<ClientOptions> = {}): Client {
    const client = createClient({ ...this.connection, wallet, ...options });
    this.#clients.add(client);
    return client;
  }

  /**
   * Returns the account with this name. Its key is derived from the name, and the first call funds
   * it.
   */
  async account(name: string, money: Money = { perp: USDC, outcome: USDC }): Promise<TestAccount> {
    const account = this.#named.get(name) ?? this.#accountOf(name);
    if (this.#paid.has(name)) return account;
    this.#paid.add(name);
    await this.#credit([account], money);
    return account;
  }

  /** Adds test funds on each call. */
  async fund(address: string, money: Money): Promise<void> {
    await this.#credit([{ address }], money);
  }

  /** Returns the oracle price of a symbol, as decimal text. */
  price(symbol: string): string | undefined {
    return this.#venue.prices.get(symbol);
  }

  /** Sets the oracle price, starting with a block at the current time. */
  async setPrice(symbol: string, price: string): Promise<void> {
    await this.setPrices({ [symbol]: price });
  }

  async setPrices(prices: Readonly<Record<string, string>>): Promise<void> {
    this.#venue.prices.set(prices);
    await this.#venue.beat();
  }

  /** Calls the script at every time step; `undefined` keeps the prices constant. */
  followPrices(script: PriceScript | undefined): void {
    this.#venue.prices.follow(script);
  }

  /**
   * Advances time in blocks of 5 s, or of one minute if prices are constant, no premium has to be
   * sampled and no series is listed; `step` overrides this. Work that becomes due (series, phases,
   * delays) gets a block at exactly that time, and the oracle reports prices at every step. A
   * longer step is faster but takes fewer samples (R-funding-gaps).
   */
  async advance(duration: Duration, options: { readonly step?: Duration } = {}): Promise<void> {
    await this.#venue.advance(duration, options.step);
  }

  /** Advances to a future time. */
  async advanceTo(time: number | string | Date, options: { readonly step?: Duration } = {}) {
    const ms = new Date(time).getTime() - this.now;
    if (!(ms >= 0)) throw new RangeError(`"${String(time)}" is not after the time of the venue`);
    await this.#venue.advance(ms, options.step);
  }

  /** Resolves when the history includes all blocks. */
  settled(): Promise<void> {
    return this.#venue.settled();
  }

  /** Stores the current state, history, time and prices. */
  async snapshot(): Promise<Snapshot> {
    const snapshot = await this.#venue.snapshot();
    this.#paidAt.set(snapshot, new Set(this.#paid));
    return snapshot;
  }

  /**
   * Reverts to a snapshot; this is possible any number of times. Streams are cut as in a restart.
   */
  async revert(snapshot: Snapshot): Promise<void> {
    this.#line.cutAll();
    await this.#venue.revert(snapshot);
    this.#paid = new Set(this.#paidAt.get(snapshot));
  }

  /**
   * Stops and restarts the venue on the same data. With `isKilled`, it restarts on the data that
   * would be left if the venue were killed.
   */
  async restart({ isKilled = false }: { readonly isKilled?: boolean } = {}): Promise<void> {
    if (isKilled) this.#line.cutAll();
    await this.#venue.restart({ isKilled });
    this.#line.reconnect();
    await this.#venue.beat();
  }

  /**
   * Fills the book of a perp around its oracle price, or of an outcome market around a probability.
   */
  async fillBook(instrument: string | TestMarket, shape: BookShape = {}): Promise<TestAccount> {
    const priceOf = (symbol: string): string | undefined => this.price(symbol);
    const orders = await ladderOf(this.admin.client, instrument, { ...shape, priceOf });
    const maker = await this.account('maker', { perp: MAKER_USDC, outcome: MAKER_USDC });
    for (let from = 0; from < orders.length; from += ORDERS_PER_ACTION) {
      const some = orders.slice(from, from + ORDERS_PER_ACTION);
      const reply = await maker.client.exchange.order({ orders: some }, { confirm: 'executed' });
      if (reply.status !== 'executed') throw new Error(`filling the book failed: ${reply.status}`);
      const refused = reply.orders.find(({ error }) => error !== null);
      if (refused !== undefined) throw new Error(`filling the book failed: ${refused.error}`);
    }
    return maker;
  }

  /** Lists an outcome market in its own event, open for a day and without an order delay. */
  async createMarket(input: MarketInput = {}): Promise<TestMarket> {
    this.#markets += 1;
    const { outcomeDeploy } = this.admin.client.exchange;
    const event = eventOf(input, { nowMs: this.now, number: this.#markets });
    await outcomeDeploy.registerEvent(event, { confirm: 'executed' });
    const market = marketOf(input, event, this.now);
    const reply = await outcomeDeploy.registerMarket(market, { confirm: 'executed' });
    const id = reply.status === 'executed' ? reply.created?.instrumentId : undefined;
    if (id === undefined) throw new Error(`listing the market failed: ${JSON.stringify(reply)}`);
    return { id, slug: market.slug, eventSlug: event.slug };
  }

  /** Closes a market and sets the payout of a YES share, from 0 to 1. */
  async resolveMarket({ id }: TestMarket, settlementFraction: string): Promise<void> {
    const { outcomeDeploy } = this.admin.client.exchange;
    // The market closes automatically at its end time.
    if (marketView(this.#venue.state, id)?.phase !== 'closed') {
      const closed = { instrumentIds: [id], state: 'close' as const };
      await outcomeDeploy.setTrading(closed, { confirm: 'executed' });
    }
    await outcomeDeploy.resolve({ instrumentId: id, settlementFraction }, { confirm: 'executed' });
    await this.#venue.advance(0);
  }

  /** Stops the venue and deletes its data. */
  async stop(): Promise<void> {
    for (const client of this.#clients) client.close();
    this.#clients.clear();
    this.#line.cutAll();
    await this.#server?.close();
    await this.#venue.remove();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #accountOf(name: string): TestAccount {
    const { privateKey, wallet } = seededWallet(this.seed, name);
    const { address } = wallet;
    const account = { name, address, privateKey, wallet, client: this.client(wallet) };
    this.#named.set(name, account);
    return account;
  }

  async #credit(recipients: readonly { readonly address: string }[], money: Money): Promise<void> {
    const commands = recipients.flatMap(({ address }) =>
      (['perp', 'outcome'] as const).flatMap((subAccount) => {
        const amountMicroUsdc = microUsdcOf(money[subAccount] ?? '0');
        if (amountMicroUsdc === 0) return [];
        const account = address.toLowerCase() as TestAccount['address'];
        return [{ type: 'creditFaucet' as const, account, subAccount, amountMicroUsdc }];
      }),
    );
    if (commands.length > 0) await this.#venue.execute(commands);
  }
}

function microUsdcOf(text: string): number {
  const amount = parseExact(text, USDC_DECIMALS);
  if (amount !== undefined && amount >= 0n && amount <= Number.MAX_SAFE_INTEGER) {
    return Number(amount);
  }
  throw new RangeError(`Invalid amount of USDC: "${text}". Use a decimal text such as "1000.5"`);
}

/** A named account with a key and, by default, test funds. */
export type TestAccount = {
  readonly name: string;
  readonly address: Address;
  readonly privateKey: `0x${string}`;
  readonly wallet: Wallet;
  /** A client that signs with the account's own key. */
  readonly client: Client;
};

/** Amounts to fund, in USDC as decimal text. */
export type Money = {
  readonly perp?: string | undefined;
  readonly outcome?: string | undefined;
};
