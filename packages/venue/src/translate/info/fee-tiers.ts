import { feeTierView, type FeeTier, type FeeTierView } from '@oddlot/engine';
import type { FeeTierRates, FeeTierRow } from '@oddlot/protocol';
import { formatMoney, ZERO_USDC } from '@oddlot/units';
import { formatRate } from '../format.ts';
import { answer, type InfoHandler } from './handler.ts';

/** The channel of outcome markets, whose rates are each market's own. */
const OUTCOME_EXCHANGE_ID = 1;
/** What an outcome market charges takers unless it says otherwise, 10^-8. */
const OUTCOME_TAKER_FEE_E8 = 7_000_000;
const NO_FEES: FeeTier = { level: 0, minVolumeMicroUsdc: 0, makerFeeE8: 0, takerFeeE8: 0 };
const NO_TIER: FeeTierView = { tier: NO_FEES, volume14d: ZERO_USDC, next: undefined };

export const feeTierInfo: InfoHandler<'feeTierInfo', { tiers: FeeTierRow[] }> = (
  { state },
  { exchangeId },
) => {
  const ladder = state.parameters?.feeTiers ?? [];
  const tiers = exchangeId === OUTCOME_EXCHANGE_ID ? [NO_FEES] : ladder;
  return answer({ tiers: tiers.map(tierRow) });
};

export const feeTierRates: InfoHandler<'feeTierRates', FeeTierRates> = ({ state }, { user }) => {
  // Before its first block a venue has no ladder, and nobody has traded.
  const { tier, volume14d, next } =
    state.parameters === undefined ? NO_TIER : feeTierView(state, user);
  const { perpMakerFeeRate, perpTakerFeeRate } = tierRow(tier);
  return answer({
    user,
    level: tier.level,
    volume14d: formatMoney(volume14d),
    perpMakerFeeRate,
    perpTakerFeeRate,
    outcomeTakerFeeRate: formatRate(OUTCOME_TAKER_FEE_E8),
    nextLevel: next?.level ?? null,
    nextMin14dTradingVolume: next === undefined ? null : formatMoney(next.minVolumeMicroUsdc),
  });
};

function tierRow({ level, minVolumeMicroUsdc, makerFeeE8, takerFeeE8 }: FeeTier): FeeTierRow {
  return {
    level,
    min14dTradingVolume: formatMoney(minVolumeMicroUsdc),
    perpMakerFeeRate: formatRate(makerFeeE8),
    perpTakerFeeRate: formatRate(takerFeeE8),
  };
}
