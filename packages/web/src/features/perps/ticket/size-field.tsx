import { useStore } from 'zustand';
import type { ActiveAssetData, ApiError } from '@oddlot/sdk';
import {
  compare,
  divide,
  isDecimal,
  multiply,
  onStep,
  roundTo,
  sign,
} from '../../../lib/decimal.ts';
import { compact, money, number, percent, usdc } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { NumberField } from '../../../ui/number-field.tsx';
import { preferences } from '../../../ui/preferences.ts';
import { Slider } from '../../../ui/slider.tsx';
import { useTradedPerp } from '../traded-perp.ts';
import { changeDraft, type Draft } from './draft.ts';
import { type Drafted, sizeInBase } from './orders-of-draft.ts';
import { askedPrices, sizeOfShare, type Sizing, sizingOf, withShare } from './share-of-most.ts';
import { reader } from '../../../market/venue.ts';
import { useAnswer } from '../use-account.ts';
import { useMemo } from 'react';
import type { Grid } from '../grid.ts';

/** The size in base or in USDC, and as a share of what the venue allows. */
export function SizeField({
  asset,
  draft,
  drafted,
  most,
}: {
  readonly asset: ActiveAssetData | undefined;
  /** With the size that its share comes to. */
  readonly draft: Draft;
  readonly drafted: Drafted;
  readonly most: string | undefined;
}) {
  const t = useWords();
  const { grid, perp } = useTradedPerp();
  const { size, sizeUnit } = draft;
  const isBase = sizeUnit === 'base';
  const price = drafted.missing === undefined ? drafted.price : asset?.markPx;
  const inBase = isDecimal(price) ? sizeInBase(draft, price, grid) : undefined;
  const inOther = otherUnit({ inBase, price, isBase, base: perp.baseCurrency });
  const take = (share: number): void => {
    if (most === undefined || asset === undefined) return;
    if (share === 0) return changeDraft({ size: '', sizeUnit: 'base' });
    const part = sizeOfShare({ ...draft, share }, most, { asset, lot: grid.lot });
    changeDraft({ size: part, share, sizeUnit: 'base' });
  };
  const switchUnit = (): void => {
    const next = isBase ? 'quote' : 'base';
    const other = isDecimal(price) && isDecimal(size) ? converted(size, price, next, grid.lot) : '';
    changeDraft({ sizeUnit: next, size: other });
  };
  return (
    <div className="flex flex-col gap-1">
      <NumberField
        label={t('perps.ticket.size')}
        value={size}
        step={isBase ? grid.lot : '1'}
        onChange={(value) => changeDraft({ size: value })}
        unit={
          <button
            type="button"
            title={t('perps.ticket.switchUnit')}
            onClick={switchUnit}
            className="rounded px-1 hover:bg-raised hover:text-text"
          >
            {isBase ? perp.baseCurrency : 'USDC'} ⇄
          </button>
        }
      />
      <Slider
        label={t('perps.ticket.share')}
        value={draft.share ?? shareOf(inBase, most)}
        isDisabled={most === undefined || sign(most) <= 0}
        onChange={take}
      />
      <Presets onShare={take} isDisabled={most === undefined || sign(most) <= 0} />
      <div className="flex justify-between gap-2 text-12 text-muted">
        <span>
          {most === undefined
            ? t('perps.ticket.shareUnknown')
            : isBase || !isDecimal(price)
              ? t('perps.ticket.most', {
                  size: number(most, { decimals: grid.sizeDecimals }),
                  unit: perp.baseCurrency,
                })
              : t('perps.ticket.most', { size: money(multiply(most, price)), unit: 'USDC' })}
        </span>
        <span className="whitespace-nowrap">{inOther}</span>
      </div>
    </div>
  );
}

const SHARES = [25, 50, 75, 100] as const;

/** Shares of the most, and the amounts that this browser's owner has chosen. */
function Presets({
  onShare,
  isDisabled,
}: {
  readonly onShare: (share: number) => void;
  readonly isDisabled: boolean;
}) {
  const t = useWords();
  const amounts = useStore(preferences, ({ sizePresets }) => sizePresets);
  const looks =
    'h-6 flex-1 rounded border border-line px-1 text-11 text-muted hover:text-text disabled:opacity-50 max-tablet:h-8';
  return (
    <div role="group" aria-label={t('perps.ticket.presets')} className="flex flex-wrap gap-1">
      {SHARES.map((share) => (
        <button
          key={share}
          type="button"
          disabled={isDisabled}
          onClick={() => onShare(share)}
          className={looks}
        >
          {percent(String(share / 100), { decimals: 0 })}
        </button>
      ))}
      {amounts.map((amount) => (
        <button
          key={amount}
          type="button"
          onClick={() => changeDraft({ size: amount, sizeUnit: 'quote' })}
          className={looks}
        >
          {`${compact(amount)} USDC`}
        </button>
      ))}
    </div>
  );
}

/** The size in the unit that is not typed. */
function otherUnit({
  inBase,
  price,
  isBase,
  base,
}: {
  readonly inBase: string | undefined;
  readonly price: string | undefined;
  readonly isBase: boolean;
  readonly base: string;
}): string {
  if (inBase === undefined || !isDecimal(price)) return '';
  return isBase ? usdc(multiply(inBase, price)) : `${number(inBase)} ${base}`;
}

function shareOf(size: string | undefined, most: string | undefined): number {
  if (size === undefined || most === undefined || sign(most) <= 0) return 0;
  if (compare(size, most) >= 0) return 100;
  return Number(roundTo(multiply(divide(size, most, 6) ?? '0', '100'), 0));
}

function converted(size: string, price: string, to: Draft['sizeUnit'], lot: string): string {
  if (to === 'quote') return roundTo(multiply(size, price), 2);
  return onStep(divide(size, price) ?? '0', lot, 'down');
}

/** How the venue sizes a ticket; undefined for a visitor. */
export function useSizing(draft: Draft): Sizing | undefined {
  const { coin, grid } = useTradedPerp();
  const key = [draft.type, draft.side, ...askedPrices(draft, grid)];
  return useAnswer(coin, key, (user, signal) =>
    sizingOf(draft, grid, {
      ask: (px) => reader.info.activeAssetData({ user, coin, px }, { signal }),
      askBook: () => reader.info.l2Book({ coin }, { signal }),
    }),
  );
}

/** The draft with the size that its percentage comes to now; the same object as long as nothing changes. */
export function useSized(
  draft: Draft,
  most: string | undefined,
  asset: ActiveAssetData | undefined,
): Draft {
  const { lot } = useTradedPerp().grid;
  return useMemo(() => withShare(draft, most, { asset, lot }), [draft, most, asset, lot]);
}

/**
 * The size that would be taken where the one that is typed is too large: for one order of the market, or for the margin.
 * Undefined where another size does not help.
 */
export function lowerSize(
  refusal: ApiError | undefined,
  {
    draft,
    drafted,
    grid,
    most,
  }: {
    readonly draft: Draft;
    readonly drafted: Drafted;
    readonly grid: Grid;
    /** The largest size that the venue allows at the price of the ticket. */
    readonly most: string | undefined;
  },
): string | undefined {
  if (refusal === undefined || drafted.missing !== undefined) return undefined;
  const size = sizeInBase(draft, drafted.price, grid);
  const isForMargin = refusal.details?.required !== undefined && /margin/i.test(refusal.message);
  const largest = largestOrder(refusal);
  if (size === undefined || (largest === undefined && !isForMargin)) return undefined;
  const [limit] = [largest, most].filter((each) => each !== undefined).toSorted(compare);
  if (limit === undefined) return undefined;
  const lower = onStep(limit, grid.lot, 'down');
  return sign(lower) > 0 && compare(lower, size) < 0 ? lower : undefined;
}

/** The most that one order of the market may have, if that is what was refused. */
export function largestOrder({ details }: ApiError): string | undefined {
  const { allowed, field } = details ?? {};
  if (field?.endsWith('.s') !== true || allowed === undefined || !('max' in allowed))
    return undefined;
  const most = String(allowed.max);
  return isDecimal(most) ? most : undefined;
}
