import type { Network } from '@oddlot/protocol';
import type { Logger } from '../operate/log.ts';
import { BotWallet } from './bot-wallet.ts';
import { Maker } from './maker.ts';
import { Taker } from './taker.ts';
import { Trader, type BotVenue } from './trader.ts';

export type SimulatedTradersOptions = Omit<BotVenue, 'onRefused'> & {
  readonly network: Network;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Pick<Logger, 'info' | 'debug' | 'warn'>;
  readonly everyMs?: number;
};

const MAKERS = 2;
const TAKERS = 2;
const MAKER_GRANT_MICRO_USDC = 2_000_000 * 1_000_000;
const TAKER_GRANT_MICRO_USDC = 50_000 * 1_000_000;
const EVERY_MS = 1_000;
/** In how many of the rounds a taker trades. */
const TRADE_SHARE = 0.5;
/** Accounts are looked at for money this often, in rounds. */
const TOP_UP_EVERY = 60;

/**
 * Makers and takers for a venue that nobody else trades on: deep books and a moving tape, so that a
 * client has something to work against. They are simulated and say so; a real venue has none.
 */
export class SimulatedTraders {
  readonly #options: SimulatedTradersOptions;
  readonly #makers: readonly Maker[];
  readonly #takers: readonly Taker[];
  readonly #accounts: readonly { readonly trader: Trader; readonly grant: number }[];
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();
  #rounds = 0;
  #isStopped = false;

  private constructor(
    options: SimulatedTradersOptions,
    makers: readonly Trader[],
    takers: readonly Trader[],
  ) {
    const { random, replica } = options;
    this.#options = options;
    this.#makers = makers.map(
      (trader, maker) => new Maker(trader, replica, { maker, makers: makers.length }),
    );
    this.#takers = takers.map((trader) => new Taker(trader, replica, random));
    this.#accounts = [
      ...makers.map((trader) => ({ trader, grant: MAKER_GRANT_MICRO_USDC })),
      ...takers.map((trader) => ({ trader, grant: TAKER_GRANT_MICRO_USDC })),
    ];
  }

  static async create(options: SimulatedTradersOptions): Promise<SimulatedTraders> {
    const { log, network } = options;
    const venue: BotVenue = {
      ...options,
      onRefused: (account, message) => log.debug({ account, message }, 'simulated order refused'),
    };
    const traders = (kind: string, count: number): Promise<Trader[]> =>
      Promise.all(
        Array.from({ length: count }, async (_, index) => {
          const wallet = await BotWallet.create(network, `${kind} ${index + 1}`);
          return new Trader(venue, wallet);
        }),
      );
    const makers = await traders('maker', MAKERS);
    return new SimulatedTraders(options, makers, await traders('taker', TAKERS));
  }

  /** Starts trading; it goes on until the stop. */
  start(): void {
    const accounts = this.#accounts.map(({ trader }) => trader.address);
    this.#options.log.info({ accounts }, 'simulated makers and takers trade on this venue');
    this.#plan(0);
  }

  /** Resolves when nothing of theirs is under way any more. Their orders stay in the books. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#round;
  }

  /** One round after the other: a venue that is slow is not asked for more. */
  #plan(delayMs: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#round = this.#run()
        .catch((error: unknown) => {
          if (!this.#isStopped) this.#options.log.warn({ err: error }, 'simulated traders failed');
        })
        .finally(() => this.#plan(this.#options.everyMs ?? EVERY_MS));
    }, delayMs);
  }

  async #run(): Promise<void> {
    if (this.#rounds % TOP_UP_EVERY === 0) {
      await Promise.all(this.#accounts.map(({ trader, grant }) => trader.topUp(grant)));
    }
    this.#rounds += 1;
    await Promise.all(this.#makers.map((maker) => maker.withdraw()));
    await Promise.all(this.#makers.map((maker) => maker.quote()));
    // In the first round all of them trade, so that the tape moves at once.
    const isFirst = this.#rounds === 1;
    const willing = this.#takers.filter(() => isFirst || this.#options.random() < TRADE_SHARE);
    await Promise.all(willing.map((taker) => taker.trade()));
  }
}
