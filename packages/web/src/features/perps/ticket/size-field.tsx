import type { ActiveAssetData } from '@oddlot/sdk';
import {
  compare,
  divide,
  isDecimal,
  multiply,
  onStep,
  roundTo,
  sign,
} from '../../../lib/decimal.ts';
import { money, number } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { NumberField } from '../../../ui/number-field.tsx';
import { Slider } from '../../../ui/slider.tsx';
import { useTradedPerp } from '../traded-perp.ts';
import { isLong, usePositions } from '../use-account.ts';
import { changeDraft, useDraft, type Draft } from './draft.ts';
import { sizeInBase, type Drafted } from './orders-of-draft.ts';

/** The size in base or in USDC, and as a share of what the venue allows. */
export function SizeField({
  asset,
  drafted,
}: {
  readonly asset: ActiveAssetData | undefined;
  readonly drafted: Drafted;
}) {
  const t = useWords();
  const { grid, perp } = useTradedPerp();
  const draft = useDraft();
  const { size, sizeUnit } = draft;
  const isBase = sizeUnit === 'base';
  const most = useLargest(draft, asset);
  const price = drafted.missing === undefined ? drafted.price : asset?.markPx;
  const inBase = isDecimal(price) ? sizeInBase(draft, price, grid) : undefined;
  const take = (share: number): void => {
    if (most === undefined) return;
    const part = onStep(multiply(most, String(share / 100)), grid.lot, 'down');
    changeDraft({ size: share === 0 ? '' : part, sizeUnit: 'base' });
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
        value={shareOf(inBase, most)}
        isDisabled={most === undefined || sign(most) <= 0}
        onChange={take}
      />
      <div className="flex justify-between gap-2 text-12 text-muted">
        <span>
          {most === undefined
            ? t('perps.ticket.shareUnknown')
            : t('perps.ticket.most', { size: number(most), base: perp.baseCurrency })}
        </span>
        <span className="whitespace-nowrap">
          {inBase !== undefined && isDecimal(price) ? `${money(multiply(inBase, price))} USDC` : ''}
        </span>
      </div>
    </div>
  );
}

/** What may be traded at most: by margin, or of the position that is reduced. */
function useLargest(draft: Draft, asset: ActiveAssetData | undefined): string | undefined {
  const { coin } = useTradedPerp();
  const positions = usePositions();
  if (asset === undefined) return undefined;
  const isHedge = asset.leverage.mode === 'Hedge';
  const reduces = isHedge ? draft.isClosing : draft.isReduceOnly;
  if (!reduces) return asset.maxTradeSzs[draft.side === 'buy' ? 0 : 1];
  const held = positions.find(
    (row) => row.position.asset === coin && isLong(row) === (draft.side === 'sell'),
  );
  return held?.position.szi.replace('-', '') ?? '0';
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
