import type { Logger } from '@oddlot/host/log';
import type { Network } from '@oddlot/protocol';
import { type BotVenue, BotWallet, Trader } from './trader.ts';
import { FairValues, type FairValuesOptions } from './fair-values.ts';
import { Maker, ShareMaker } from './maker.ts';
import { BOT_LABELS } from './simulated-accounts.ts';
import { ShareTaker, Taker } from './taker.ts';

export type SimulatedTradersOptions = Omit<BotVenue, 'onRefused'> & {
  readonly network: Network;
  readonly priceE8: FairValuesOptions['priceE8'];
  readonly paths: FairValuesOptions['paths'];
  /** Returns a uniformly distributed number in [0, 1). */
  readonly random: () => number;
  readonly log: Pick<Logger, 'info' | 'debug' | 'warn'>;
  readonly everyMs?: number;
};

const MAKER_GRANT_MICRO_USDC = 2_000_000 * 1_000_000;
const TAKER_GRANT_MICRO_USDC = 50_000 * 1_000_000;
const MAKER_OUTCOME_GRANT_MICRO_USDC = 200_000 * 1_000_000;
const TAKER_OUTCOME_GRANT_MICRO_USDC = 10_000 * 1_000_000;
const EVERY_MS = 1_000;
/** The fraction of rounds a taker trades in. */
const TRADE_SHARE = 0.5;
/** Outcome markets are quoted only in rounds whose number is a multiple of this. */
const SHARES_EVERY = 3;
const MERGE_EVERY = 30;
const TOP_UP_EVERY = 60;

/** A trader, and the perps balance and outcome balance it is topped up to, in micro-USDC. */
type Grant = { readonly trader: Trader; readonly perp: number; readonly outcome: number };

/**
 * Runs makers and takers on a venue without other traders, so that clients can be tested against
 * deep books and frequent trades. Their accounts are published as simulated. Production venues do
 * not run them.
 */
export class SimulatedTraders {
  readonly #options: SimulatedTradersOptions;
  readonly #makers: readonly Maker[];
  readonly #takers: readonly Taker[];
  readonly #values: FairValues;
  readonly #shareMakers: readonly ShareMaker[];
  readonly #shareTakers: readonly ShareTaker[];
  readonly #accounts: readonly Grant[];
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();
  #rounds = 0;
  #isStopped = false;

  private constructor(
    options: SimulatedTradersOptions,
    makers: readonly Trader[],
    takers: readonly Trader[],
  ) {
    const { paths, priceE8, random, replica } = options;
    const values = new FairValues({ state: () => replica.state, priceE8, paths, random });
    const places = makers.map((trader, maker) => ({ trader, maker, makers: makers.length }));
    this.#options = options;
    this.#values = values;
    this.#makers = places.map(({ trader, ...place }) => new Maker(trader, replica, place));
    this.#takers = takers.map((trader) => new Taker(trader, replica, random));
    this.#shareMakers = places.map(
      ({ trader, ...place }) => new ShareMaker(trader, replica, values, place),
    );
    this.#shareTakers = takers.map((trader) => new ShareTaker(trader, replica, values, random));
    const makerGrant = { perp: MAKER_GRANT_MICRO_USDC, outcome: MAKER_OUTCOME_GRANT_MICRO_USDC };
    const takerGrant = { perp: TAKER_GRANT_MICRO_USDC, outcome: TAKER_OUTCOME_GRANT_MICRO_USDC };
    this.#accounts = [
      ...makers.map((trader) => ({ trader, ...makerGrant })),
      ...takers.map((trader) => ({ trader, ...takerGrant })),
    ];
  }

  static async create(options: SimulatedTradersOptions): Promise<SimulatedTraders> {
    const { log, network } = options;
    const venue: BotVenue = {
      ...options,
      onRefused: (account, message) => log.debug({ account, message }, 'simulated order rejected'),
    };
    const traders = (labels: readonly string[]): Promise<Trader[]> =>
      Promise.all(
        labels.map(async (label) => new Trader(venue, await BotWallet.create(network, label))),
      );
    const makers = await traders(BOT_LABELS.makers);
    return new SimulatedTraders(options, makers, await traders(BOT_LABELS.takers));
  }

  start(): void {
    const accounts = this.#accounts.map(({ trader }) => trader.address);
    this.#options.log.info({ accounts }, 'simulated traders started');
    this.#plan(0);
  }

  /**
   * Stops trading and resolves when no request of the traders is pending. Their orders stay in the
   * books.
   */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#round;
  }

  /**
   * Schedules the next round once the previous one has ended, so that a slow venue is not
   * overloaded.
   */
  #plan(delayMs: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#round = this.#run()
        .catch((error: unknown) => {
          if (!this.#isStopped)
            this.#options.log.warn({ err: error }, 'simulated traders stopped after an error');
        })
        .finally(() => this.#plan(this.#options.everyMs ?? EVERY_MS));
    }, delayMs);
  }

  async #run(): Promise<void> {
    if (this.#rounds % TOP_UP_EVERY === 0) await this.#topUp();
    this.#rounds += 1;
    await Promise.all(this.#makers.map((maker) => maker.withdraw()));
    await Promise.all(this.#makers.map((maker) => maker.take()));
    await Promise.all(this.#makers.map((maker) => maker.quote()));
    await Promise.all(this.#willing(this.#takers).map((taker) => taker.trade()));
    await this.#tradeShares();
  }

  async #topUp(): Promise<void> {
    await Promise.all(
      this.#accounts.flatMap(({ outcome, perp, trader }) => [
        trader.topUp(perp),
        trader.topUpOutcome(outcome),
      ]),
    );
  }

  async #tradeShares(): Promise<void> {
    if (this.#isFirst || this.#rounds % SHARES_EVERY === 0) {
      this.#values.update();
      await Promise.all(this.#shareMakers.map((maker) => maker.withdraw()));
      await Promise.all(this.#shareMakers.map((maker) => maker.take()));
      await Promise.all(this.#shareMakers.map((maker) => maker.quote()));
    }
    if (this.#rounds % MERGE_EVERY === 0) {
      await Promise.all(this.#shareMakers.map((maker) => maker.merge()));
    }
    await Promise.all(this.#willing(this.#shareTakers).map((taker) => taker.trade()));
  }

  /**
   * Returns the traders that act in this round. In the first round all traders act, so that trades
   * appear immediately.
   */
  #willing<Bot>(bots: readonly Bot[]): Bot[] {
    return bots.filter(() => this.#isFirst || this.#options.random() < TRADE_SHARE);
  }

  get #isFirst(): boolean {
    return this.#rounds === 1;
  }
}
