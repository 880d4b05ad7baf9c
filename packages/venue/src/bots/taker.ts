import { accountView, perpDefinitions, perpView } from '@oddlot/engine';
import { MONEY_DECIMALS } from '@oddlot/units';
import type { Replica } from '../replica/replica.ts';
import type { Trader } from './trader.ts';

/** What one order is worth. */
const USDC_MIN = 50;
const USDC_MAX = 1_500;
/** How far from the oracle it may trade. */
const SLIPPAGE = 0.003;
/** A position of this value is only ever made smaller. */
const POSITION_USDC = 20_000;

/** Trades small amounts with whoever quotes, and never goes far in one direction. */
export class Taker {
  readonly #trader: Trader;
  readonly #replica: Replica;
  readonly #random: () => number;

  constructor(trader: Trader, replica: Replica, random: () => number) {
    this.#trader = trader;
    this.#replica = replica;
    this.#random = random;
  }

  async trade(): Promise<void> {
    const { state } = this.#replica;
    const perps = perpDefinitions(state);
    const perp = perps[Math.floor(this.#random() * perps.length)];
    const view = perp === undefined ? undefined : perpView(state, perp.instrumentId);
    if (perp === undefined || view?.oracle === undefined || view.halted || view.delisted) return;
    const { oracle } = view;
    const isBuy = this.#random() < this.#buyShare(perp.instrumentId);
    const limit = (oracle * (isBuy ? 1 + SLIPPAGE : 1 - SLIPPAGE)) / perp.priceTick;
    const price = (isBuy ? Math.ceil(limit) : Math.floor(limit)) * perp.priceTick;
    const usdc = USDC_MIN + this.#random() * (USDC_MAX - USDC_MIN);
    const lots = Math.max(1, Math.round((usdc * 10 ** MONEY_DECIMALS) / oracle));
    const size = Math.min(lots, perp.maxMarketOrderSize);
    await this.#trader.place([{ perp, isBuy, price, size, tif: 'Ioc' }]);
  }

  /** Half and half without a position; a large one is traded back. */
  #buyShare(instrumentId: number): number {
    const positions = accountView(this.#replica.state, this.#trader.address)?.positions ?? [];
    const own = positions.find((position) => position.instrumentId === instrumentId);
    if (own === undefined) return 0.5;
    const usdc = Number(own.notional) / 10 ** MONEY_DECIMALS;
    const pull = Math.min(1, usdc / POSITION_USDC) / 2;
    return own.size > 0 ? 0.5 - pull : 0.5 + pull;
  }
}
