import type { Exchange, PredictionExchange } from 'ccxt';
import { Oddlot } from './oddlot.ts';
import { OddlotPrediction } from './prediction.ts';

/** The configuration of an exchange, in addition to the options common to all ccxt exchanges. */
export type OddlotConfig = {
  /** The address of the venue; by default, a venue on this machine. */
  readonly url?: string;
  /**
   * The network to which signatures are bound: the venue's network name, or `'testnet'` for a venue
   * with test funds. It is required unless the venue runs on this machine.
   */
  readonly network?: string;
  /** The account's address, which differs from the key's address if the key is an agent's. */
  readonly walletAddress?: string;
  /** The account's key, or the key of an agent that may trade for it. */
  readonly privateKey?: string;
  readonly [option: string]: unknown;
};

/** The exchange class for the perps of an Oddlot venue. */
export const oddlot: new (config?: OddlotConfig) => Exchange = Oddlot;
export type oddlot = Exchange;

/** Methods for outcome markets that ccxt does not have. */
export type OutcomeShares = {
  /** Converts USDC to pairs of YES and NO shares. */
  splitShares(outcome: string, amount: number, params?: object): Promise<object>;
  /** Converts pairs of YES and NO shares to USDC. */
  mergeShares(outcome: string, amount: number, params?: object): Promise<object>;
};

/** The exchange class for the outcome markets of an Oddlot venue. */
export const oddlotPrediction: new (config?: OddlotConfig) => PredictionExchange & OutcomeShares =
  OddlotPrediction;
export type oddlotPrediction = PredictionExchange & OutcomeShares;
