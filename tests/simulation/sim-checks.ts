import type { EngineEvent, State } from '@oddlot/engine';
import { isAtRisk, type MarginLeg, scopeNumbers } from './reference-margin.ts';

/** What holds after every block of a simulation, counted here and not by the engine. */

/** R-conservation, and longs equal shorts. */
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
 * R-adl: whoever was deleveraged and did not trade afterwards has a smaller position on the same
 * side or none, so what it lost is not more than what it had. Told by sizes: the size of the notice
 * comes out of a position that was at least as large, which the ledger model checks; here, that the
 * owner is neither the fund nor at a loss.
 */
export function checkFlips(state: State, events: readonly EngineEvent[]): void {
  for (const event of events) {
    if (event.type !== 'deleveraged') continue;
    demand(event.account !== state.parameters?.insuranceFundAddress, 'the fund is deleveraged');
    demand(event.size > 0 && event.price > 0, 'a deleveraging closes something');
  }
}

/**
 * Every scope at a ratio of 1 or less is under liquidation when a block ends, and nobody else is at
 * risk. Liquidations come before the orders of class 3 and the marks hold for the whole block, so
 * this also says that no order, amend, transfer of margin or change of leverage that passed its check
 * left its scope at risk at these marks: it would be at risk and not under liquidation. Whom the
 * block has deleveraged is left out: a close at another's bankruptcy price may cost what the ratio
 * lived on, and is looked at in the next block.
 */
export function checkRisk(state: State, events: readonly EngineEvent[]): void {
  const { parameters } = state;
  if (parameters === undefined) return;
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
      demand(isIn || !isRisky, `an isolated position of ${account.address} is left at risk`);
    }
    const isIn = state.liquidations.has({ account, holding: undefined });
    const isRisky = isAtRisk(scopeNumbers(account.perpBalance, cross, fee));
    demand(isIn || !isRisky, `${account.address} is left at risk`);
  }
}

export function demand(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}
