import { type Address, instrumentId, microUsdc, timeMs } from '@oddlot/units';
import { postToBalance, postToTreasury } from '../../../packages/engine/src/ledger/post.ts';
import type { BlockResult } from '../../../packages/engine/src/messages/block.ts';
import type { PositionTraded } from '../../../packages/engine/src/messages/event.ts';
import type { PerpDefinition } from '../../../packages/engine/src/messages/command.ts';
import { insuranceFund } from '../../../packages/engine/src/perp/insurance-fund.ts';
import { totalValue } from '../../../packages/engine/src/perp/margin.ts';
import { actor, PARAMETERS, PERP, Scenario } from './scenario.ts';

/**
 * Two markets at 100 USDC without fees, so that all amounts are whole numbers after a price gap.
 * One coin is 100 lots, and prices are in USDC.
 */
export const X = instrumentId(1);
export const Z = instrumentId(2);
export const FUND = PARAMETERS.insuranceFundAddress;

const FREE: PerpDefinition = { ...PERP, takerFeeE8: 0, makerFeeE8: 0 };
/** The account that funds the insurance fund and the treasury. */
const SPONSOR = actor(0x59045);

export const px = (usdc: number): number => Math.round(usdc * 10_000);
export const money = (usdc: number): bigint => BigInt(Math.round(usdc * 1_000_000));

/**
 * Opens both markets. There are no accounts yet, and the insurance fund and the treasury are empty.
 */
export function openGap(): Scenario {
  const venue = Scenario.open({ accounts: [SPONSOR], funds: 1e15, perp: FREE });
  venue.block({ type: 'registerPerp', perp: { ...FREE, instrumentId: Z, name: 'Z-USDC' } });
  venue.oracle(px(100), Z);
  return venue;
}

/** Trades a number of coins between two accounts at the mark price. */
export function deal(
  venue: Scenario,
  [buyer, seller]: readonly [Address, Address],
  id = X,
  coins = 100,
): void {
  const mark = venue.state.perps.get(id)?.mark ?? 0;
  const shape = { instrumentId: id, price: mark, size: coins * 100 };
  venue.one(seller, { ...shape, isBuy: false });
  const { state } = venue.one(buyer, { ...shape, timeInForce: 'ioc' });
  if (state !== 'filled') throw new Error(`a deal is ${state}`);
}

export function setReserves(venue: Scenario, fund: number, treasury = 0): void {
  const toFund = money(fund) - venue.balance(FUND);
  const toTreasury = money(treasury) - venue.state.treasury;
  postToBalance(venue.state, insuranceFund(venue.state), microUsdc(toFund));
  postToTreasury(venue.state, microUsdc(toTreasury));
  postToBalance(venue.state, venue.account(SPONSOR), microUsdc(-toFund - toTreasury));
}

/** Advances one second and sets both oracle prices. */
export function jumpPrices(venue: Scenario, x: number, z: number): BlockResult {
  const observedMs = timeMs(venue.wait(1_000).nowMs);
  const prices = [
    { instrumentId: X, oracle: px(x) },
    { instrumentId: Z, oracle: px(z) },
  ];
  return venue.block({ type: 'pushOracle', prices, observedMs });
}

/** Returns the total value of an account at mark prices, in micro-USDC. */
export const worth = (venue: Scenario, address: Address): bigint =>
  totalValue(venue.state, venue.account(address));

/**
 * Returns the size in lots and the price of each of an account's positions that a block closed
 * outside the book.
 */
export function closesOf({ events }: BlockResult, address: Address): [number, number][] {
  return events
    .filter((event): event is PositionTraded => event.type === 'positionTraded')
    .filter(({ account }) => account === address)
    .map(({ price, size }) => [size, price]);
}
