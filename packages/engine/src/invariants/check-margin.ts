import { addUsdc, assert, type MicroUsdc, notional, subUsdc, ZERO_USDC } from '@oddlot/units';
import { exposureOf, initialMargin } from '../perp/margin.ts';
import type { Account, Holding } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { maintenanceMargin } from '../state/tiers.ts';

/** What an account keeps of its margin, for each holding and in sum. */
type Parts = {
  readonly unrealised: MicroUsdc;
  readonly initial: MicroUsdc;
  readonly maintenance: MicroUsdc;
  readonly notional: MicroUsdc;
};

const NO_PARTS: Parts = {
  unrealised: ZERO_USDC,
  initial: ZERO_USDC,
  maintenance: ZERO_USDC,
  notional: ZERO_USDC,
};

/**
 * What an account keeps of its margin is what its holdings and the marks make it. Computed aside: a
 * check that brought the kept sums up to date would hide whoever forgets to. Sums of older marks are
 * computed anew by whoever asks for them, so there is nothing to compare.
 */
export function checkMargin(state: State, account: Account): void {
  if (account.margin.epoch !== state.markEpoch) return;
  let sums = NO_PARTS;
  for (const holding of account.holdings.values()) {
    const parts = partsOf(holding);
    const id = holding.perp.definition.instrumentId;
    assert(isSame(parts, holding), `the margin that ${account.address} keeps of ${id} is right`);
    if (!holding.isIsolated) sums = sumOf(sums, parts);
  }
  const isRight = isSame(sums, account.margin);
  assert(isRight, `the margin sums of ${account.address} are those of its holdings`);
}

function partsOf(holding: Holding): Parts {
  const { cost, leverage, perp, size } = holding;
  const magnitude = Math.abs(size);
  return {
    unrealised: subUsdc(notional(perp.mark, size), cost),
    initial: initialMargin(perp, exposureOf(holding), leverage),
    maintenance: maintenanceMargin(perp.tiers, magnitude, perp.mark),
    notional: notional(perp.mark, magnitude),
  };
}

function sumOf(a: Parts, b: Parts): Parts {
  return {
    unrealised: addUsdc(a.unrealised, b.unrealised),
    initial: addUsdc(a.initial, b.initial),
    maintenance: addUsdc(a.maintenance, b.maintenance),
    notional: addUsdc(a.notional, b.notional),
  };
}

function isSame(a: Parts, b: Parts): boolean {
  return (
    a.unrealised === b.unrealised &&
    a.initial === b.initial &&
    a.maintenance === b.maintenance &&
    a.notional === b.notional
  );
}
