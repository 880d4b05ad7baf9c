import type { OutcomeLeg, PerpDefinition, State } from '@oddlot/engine';
import type { Leg } from '@oddlot/protocol';
import { present } from '@oddlot/units';
import { instrumentLookup } from '../../translate/actions/instrument-lookup.ts';
import { formatRatio, type Scale } from '../../translate/format.ts';
import { findPerp } from '../../translate/info/handler.ts';
import type { AccountType } from './block-rows.ts';

/** How rows name an instrument, and what its counts mean. */
export type NamedInstrument = {
  readonly instrumentId: number;
  readonly coin: string;
  readonly symbol: string;
  readonly scale: Scale;
  readonly accountType: AccountType;
  readonly wireType: 'perps' | 'outcome';
};

/** The instrument of a row; a market that was settled in the same block is known still. */
export function namedInstrument(state: State, instrumentId: number): NamedInstrument {
  const perp = findPerp(state, instrumentId);
  if (perp !== undefined) return namedPerp(perp);
  const market = present(instrumentLookup(() => state)(instrumentId), 'the market of a row');
  const names = { coin: market.name, symbol: market.name };
  return { instrumentId, ...names, scale: market, accountType: 'outcome', wireType: 'outcome' };
}

/** By definition, which is another object when anything of it changes: every row asks for its perp. */
const namedPerps = new WeakMap<PerpDefinition, NamedInstrument>();

function namedPerp(perp: PerpDefinition): NamedInstrument {
  let named = namedPerps.get(perp);
  if (named === undefined) {
    const { baseCurrency: coin, instrumentId, name: symbol } = perp;
    named = { instrumentId, coin, symbol, scale: perp, accountType: 'perp', wireType: 'perps' };
    namedPerps.set(perp, named);
  }
  return named;
}

/** An order may name an instrument that there is none of; nothing can be shown of it but its refusal. */
export function isNamed(state: State, instrumentId: number): boolean {
  return instrumentLookup(() => state)(instrumentId) !== undefined;
}

export const LEG_TEXT: Readonly<Record<OutcomeLeg, Leg>> = { yes: 'Yes', no: 'No' };

/** R-rounding: what a close made of the margin that it had, in percent, six decimals, half up. */
export function roePercent(
  { cost, realised }: { readonly cost: bigint; readonly realised: bigint },
  leverage: number,
): string {
  const paid = cost < 0n ? -cost : cost;
  return paid === 0n ? '0' : formatRatio(realised * BigInt(leverage) * 100n, paid);
}
