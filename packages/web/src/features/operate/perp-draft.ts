import type { RegisterPerpParameters } from '@oddlot/sdk';
import { isDecimal, multiply } from '../../lib/decimal.ts';

/** A perp as it is typed into the form. */
export type PerpDraft = {
  readonly base: string;
  readonly szDecimals: string;
  readonly priceTick: string;
  readonly maxOrderSize: string;
  readonly takerFee: string;
  readonly makerFee: string;
  readonly impactNotional: string;
  readonly onlyIsolated: boolean;
  readonly tiers: readonly TierDraft[];
};

/** A tier holds sizes from where the one before it ends. */
export type TierDraft = {
  readonly maxSize: string;
  readonly maxLeverage: string;
  readonly mmr: string;
};

export const NEW_TIER: TierDraft = { maxSize: '', maxLeverage: '', mmr: '' };

export const NEW_PERP: PerpDraft = {
  base: '',
  szDecimals: '2',
  priceTick: '0.01',
  maxOrderSize: '10000',
  takerFee: '0.00045',
  makerFee: '0.00015',
  impactNotional: '6000',
  onlyIsolated: false,
  tiers: [{ maxSize: '100000', maxLeverage: '20', mmr: '0.025' }],
};

/** What is sent of it; undefined while something is missing. What does not fit together, the venue says. */
export function perpOf(draft: PerpDraft): RegisterPerpParameters | undefined {
  const base = draft.base.trim().toUpperCase();
  const { impactNotional, makerFee, maxOrderSize, priceTick, takerFee, tiers } = draft;
  const numbers = [
    impactNotional,
    makerFee,
    maxOrderSize,
    priceTick,
    takerFee,
    ...tiers.flatMap(({ maxLeverage, maxSize, mmr }) => [maxLeverage, maxSize, mmr]),
  ];
  const isWhole = /^-?\d$/.test(draft.szDecimals);
  if (base === '' || !isWhole || !numbers.every(isDecimal)) return undefined;
  return {
    name: `${base}-USDC`,
    baseCurrency: base,
    quoteCurrency: 'USDC',
    perpType: 'linear',
    szDecimals: Number(draft.szDecimals),
    priceTick,
    bookTicks: [priceTick, multiply(priceTick, '10'), multiply(priceTick, '100')],
    maxLimitOrderSize: maxOrderSize,
    maxMarketOrderSize: maxOrderSize,
    takerFeeRate: takerFee,
    makerFeeRate: makerFee,
    onlyIsolated: draft.onlyIsolated,
    impactNotional,
    marginTable: {
      tiers: tiers.map(({ maxLeverage, maxSize, mmr }, index) => ({
        tier: index + 1,
        minSize: tiers[index - 1]?.maxSize ?? '0',
        maxSize,
        maxLeverage: Number(maxLeverage),
        mmr,
      })),
    },
  };
}
