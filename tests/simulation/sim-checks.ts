import { type EngineEvent, liabilities, owedMicroUsdc, type State } from '@oddlot/engine';
import { isAtRisk, type MarginLeg, scopeNumbers } from './reference-margin.ts';

/** Checks R-conservation, and that long positions equal short positions. */
export function checkConservation(state: State): void {
  let money: bigint = state.treasury;
  const net = new Map<number, number>();
  for (const account of state.accounts) {
    money += account.perpBalance + account.outcomeBalance;
    for (const { cost, isolatedMargin, perp, reserved, size } of account.holdings.values()) {
      money += isolatedMargin + reserved - cost;
      const { instrumentId } = perp.definition;
      net.set(instrumentId, (net.get(instrumentId) ?? 0) + size);
    }
  }
  const owed = state.deposited - state.withdrawn;
  demand(money === owed, `R-conservation: ${money} on the books, ${owed} paid in`);
  for (const [id, size] of net) demand(size === 0, `longs and shorts of ${id} differ by ${size}`);
}

/**
 * R-conservation: checks that the claims of all accounts equal deposits minus withdrawals. Returns
 * the deficit of bankrupt accounts.
 */
export function checkLiabilities(state: State): bigint {
  let owed = 0n;
  let lacking = 0n;
  for (const { outcome, perp, rewards, shortfall, withdrawHold } of liabilities(state)) {
    owed += perp + outcome + withdrawHold + rewards;
    lacking += shortfall;
  }
  const due = owedMicroUsdc(state);
  demand(
    owed - lacking === due,
    `R-conservation: ${owed} less ${lacking} by address, ${due} paid in`,
  );
  return lacking;
}

/** R-deficit: checks that the fund's account value is below zero only if the treasury is empty. */
export function checkDeficit(state: State): void {
  const address = state.parameters?.insuranceFundAddress;
  const fund = state.accounts.find((account) => account.address === address);
  if (fund === undefined) return;
  let value: bigint = fund.perpBalance;
  for (const { cost, perp, size } of fund.holdings.values()) {
    value += BigInt(size) * BigInt(perp.mark) - cost;
  }
  const isCovered = value >= 0n || state.treasury === 0n;
  demand(isCovered, `the fund has ${value} and the treasury ${state.treasury}`);
}

export type Sizes = ReadonlyMap<object, number>;

export function sizesOf(state: State): Sizes {
  const sizes = new Map<object, number>();
  for (const { holdings } of state.accounts) {
    for (const holding of holdings.values()) {
      if (holding.size !== 0) sizes.set(holding, holding.size);
    }
  }
  return sizes;
}

/**
 * R-adl: checks deleveraged accounts that did not otherwise trade in the block. Each must have a
 * smaller position on the same side, or none, and the fund is never deleveraged. Returns the number
 * of positions checked.
 */
export function checkFlips(state: State, before: Sizes, events: readonly EngineEvent[]): number {
  const deleveraged = new Set<string>();
  for (const event of events) if (event.type === 'deleveraged') deleveraged.add(event.account);
  if (deleveraged.size === 0) return 0;
  const fund = state.parameters?.insuranceFundAddress ?? '';
  demand(!deleveraged.has(fund), 'the fund was deleveraged');
  for (const event of events) {
    if (event.type === 'liquidationStep') deleveraged.delete(event.account);
    if (event.type !== 'tradeExecuted') continue;
    deleveraged.delete(event.taker.account);
    deleveraged.delete(event.maker.account);
  }
  let judged = 0;
  for (const { address, holdings } of state.accounts) {
    if (!deleveraged.has(address)) continue;
    for (const holding of holdings.values()) {
      const size = before.get(holding) ?? 0;
      if (size !== holding.size) judged += 1;
      const isLess = Math.abs(holding.size) <= Math.abs(size);
      const isFlipped = holding.size !== 0 && Math.sign(holding.size) !== Math.sign(size);
      demand(
        isLess && !isFlipped,
        `${address} went from ${size} to ${holding.size} by deleveraging`,
      );
    }
  }
  return judged;
}

/**
 * Checks that exactly the margin accounts with a ratio of 1 or less are under liquidation at the
 * end of a block. Liquidations precede the orders of class 3, and marks are constant within a
 * block. The check therefore also shows that no accepted order, amend, margin transfer or leverage
 * change left its account at risk, because such an account would not be under liquidation. Accounts
 * deleveraged in the block are excluded: a close at another account's bankruptcy price can lower
 * their ratio, which the next block checks. Returns the number of accounts at risk.
 */
export function checkRisk(state: State, events: readonly EngineEvent[]): number {
  const { parameters } = state;
  if (parameters === undefined) return 0;
  let risky = 0;
  const spared = new Set<string>([parameters.insuranceFundAddress]);
  for (const event of events) if (event.type === 'deleveraged') spared.add(event.account);
  const markets = new Map<number, MarginLeg['market']>();
  for (const [id, { definition, mark }] of state.perps) {
    const tiers = definition.tiers.map(({ maxLeverage, maxSize, mmrE8 }) => ({
      maxSize: BigInt(maxSize),
      maxLeverage: BigInt(maxLeverage),
      mmrE8: BigInt(mmrE8),
    }));
    markets.set(id, { mark: BigInt(mark), tiers });
  }
  const fee = BigInt(parameters.liquidationFeeE8);
  for (const account of state.accounts) {
    if (spared.has(account.address)) continue;
    const cross: MarginLeg[] = [];
    for (const holding of account.holdings.values()) {
      const { cost, isIsolated, isolatedMargin, size } = holding;
      if (size === 0) continue;
      const market = markets.get(holding.perp.definition.instrumentId);
      if (market === undefined) throw new Error('a position in no market');
      const leg = {
        market,
        size: BigInt(size),
        cost,
        isIsolated,
        leverage: BigInt(holding.leverage),
        margin: isolatedMargin,
        buys: 0n,
        sells: 0n,
      };
      if (!isIsolated) {
        cross.push(leg);
        continue;
      }
      const isIn = state.liquidations.has({ account, holding });
      const isRisky = isAtRisk(scopeNumbers(isolatedMargin, [leg], fee));
      if (isRisky) risky += 1;
      demand(isIn || !isRisky, `an isolated position of ${account.address} is left at risk`);
    }
    const isIn = state.liquidations.has({ account, holding: undefined });
    const isRisky = isAtRisk(scopeNumbers(account.perpBalance, cross, fee));
    if (isRisky) risky += 1;
    demand(isIn || !isRisky, `${account.address} is left at risk`);
  }
  return risky;
}

export function demand(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}
