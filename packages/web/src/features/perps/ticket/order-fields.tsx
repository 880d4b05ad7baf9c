import { largestOrder } from '../../../lib/explain-error.ts';
import type { ActiveAssetData, ApiError } from '@oddlot/sdk';
import { useMemo } from 'react';
import { useStore } from 'zustand';
import {
  add,
  compare,
  divide,
  isDecimal,
  multiply,
  onStep,
  roundTo,
  sign,
  subtract,
} from '../../../lib/decimal.ts';
import { compact, money, number, percent, usdc } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { books } from '../../../market/streams.ts';
import { reader } from '../../../market/venue.ts';
import { Checkbox, NumberField, Segmented, TextField } from '../../../ui/controls.tsx';
import { colourOf } from '../../../ui/figures.tsx';
import { Menu } from '../../../ui/overlays.tsx';
import { preferences } from '../../../ui/preferences.ts';
import { useAnswer, useTradedPerp, type Grid } from '../use-account.ts';
import {
  changeDraft,
  exitPrice,
  hasLife,
  isReducing,
  isTriggerType,
  sizeInBase,
  useDraft,
  type Draft,
  type Drafted,
  type Lifetime,
} from './draft.ts';
import { askedPrices, sizeOfShare, sizingOf, withShare, type Sizing } from './share-of-most.ts';

export function PriceFields() {
  const t = useWords();
  const { grid } = useTradedPerp();
  const { lastPrice, limitPrice, price, steps, triggerPrice, type } = useDraft();
  if (type === 'market') return null;
  const isTrigger = isTriggerType(type);
  return (
    <div className="flex flex-col gap-2">
      {isTrigger && (
        <NumberField
          label={t('perps.ticket.triggerPrice')}
          value={triggerPrice}
          step={grid.tick}
          onChange={(value) => changeDraft({ triggerPrice: value })}
        />
      )}
      <NumberField
        label={t(
          isTrigger
            ? 'perps.ticket.limitPrice'
            : type === 'scale'
              ? 'perps.ticket.firstPrice'
              : 'perps.ticket.price',
        )}
        value={isTrigger ? limitPrice : price}
        step={grid.tick}
        placeholder={isTrigger ? t('perps.ticket.atMarket') : undefined}
        onChange={(value) => changeDraft(isTrigger ? { limitPrice: value } : { price: value })}
      />
      {type === 'limit' && <QuickPrices />}
      {type === 'scale' && (
        <>
          <NumberField
            label={t('perps.ticket.lastPrice')}
            value={lastPrice}
            step={grid.tick}
            onChange={(value) => changeDraft({ lastPrice: value })}
          />
          <NumberField
            label={t('perps.ticket.steps')}
            value={steps}
            step="1"
            min="2"
            onChange={(value) => changeDraft({ steps: value })}
          />
        </>
      )}
    </div>
  );
}

function QuickPrices() {
  const t = useWords();
  const { coin, grid } = useTradedPerp();
  const { ask, bid } = books.use({ coin }, ({ book }) => ({
    bid: book?.levels[0][0]?.px,
    ask: book?.levels[1][0]?.px,
  }));
  const middle =
    bid === undefined || ask === undefined
      ? undefined
      : onStep(divide(add(bid, ask), '2') ?? bid, grid.tick, 'down');
  const quick = [
    ['bid', bid],
    ['mid', middle],
    ['ask', ask],
  ] as const;
  return (
    <div className="flex items-center gap-3 text-12 text-muted">
      {quick.map(([name, value]) => (
        <button
          key={name}
          type="button"
          disabled={value === undefined}
          title={value === undefined ? undefined : number(value)}
          onClick={() => value !== undefined && changeDraft({ price: value })}
          className="rounded hover:text-text disabled:opacity-50 max-tablet:h-9 max-tablet:px-2"
        >
          {t(`perps.ticket.${name}`)}
        </button>
      ))}
      <span className="ms-auto text-11">{t('perps.ticket.tick', { tick: number(grid.tick) })}</span>
    </div>
  );
}

const LIFETIMES: readonly Lifetime[] = ['gtc', 'hour', 'day', 'week', 'date', 'ioc'];

export function Options({ isHedge }: { readonly isHedge: boolean }) {
  const t = useWords();
  const draft = useDraft();
  const { hasExits, isPostOnly, isReduceOnly, lifetime, type } = draft;
  const rests = type === 'limit' || type === 'scale';
  const reduces = isReducing(draft, { isHedge });
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-2 max-tablet:gap-x-3">
      {!isHedge && (
        <Checkbox
          label={t('perps.ticket.reduceOnly')}
          isOn={isReduceOnly}
          onChange={(isOn) => changeDraft({ isReduceOnly: isOn })}
        />
      )}
      {rests && (
        <Checkbox
          label={t('perps.ticket.postOnly')}
          isOn={isPostOnly}
          onChange={(isOn) => changeDraft({ isPostOnly: isOn })}
        />
      )}
      {type !== 'scale' && !reduces && (
        <Checkbox
          label={t('perps.ticket.exits')}
          isOn={hasExits}
          onChange={(isOn) => changeDraft({ hasExits: isOn })}
        />
      )}
      {hasLife(draft) && (
        <span className="ms-auto whitespace-nowrap">
          <Menu
            trigger={
              <button
                type="button"
                className="rounded text-12 text-muted hover:text-text max-tablet:h-9 max-tablet:px-2"
              >
                <span className="visually-hidden">{t('perps.ticket.lifetime')} </span>
                {t(`perps.ticket.lifetimes.${lifetime}`)} ▾
              </button>
            }
            items={LIFETIMES.map((value) => ({
              label: t(`perps.ticket.lifetimes.${value}Long`),
              isChosen: value === lifetime,
              onSelect: () => changeDraft({ lifetime: value }),
            }))}
          />
        </span>
      )}
      {hasLife(draft) && lifetime === 'date' && (
        <div className="w-full">
          <TextField
            label={t('perps.ticket.until')}
            type="datetime-local"
            onChange={(typed) => {
              const untilMs = Date.parse(typed);
              changeDraft({ untilMs: Number.isNaN(untilMs) ? undefined : untilMs });
            }}
          />
        </div>
      )}
    </div>
  );
}

export function Exits({ drafted, isHedge }: Readonly<{ drafted: Drafted; isHedge: boolean }>) {
  const t = useWords();
  const { grid } = useTradedPerp();
  const draft = useDraft();
  const { exitBasis, stopLoss, takeProfit } = draft;
  if (!draft.hasExits || isReducing(draft, { isHedge }) || draft.type === 'scale') return null;
  const unit = exitBasis === 'percent' ? '%' : exitBasis === 'pnl' ? 'USDC' : undefined;
  const step = exitBasis === 'price' ? grid.tick : undefined;
  return (
    <div className="flex flex-col gap-2">
      <Segmented
        label={t('perps.ticket.exitsBy')}
        size="small"
        value={exitBasis}
        onChange={(next) => changeDraft({ exitBasis: next, takeProfit: '', stopLoss: '' })}
        segments={(['price', 'percent', 'pnl'] as const).map((value) => ({
          value,
          label: t(`perps.ticket.basis.${value}`),
        }))}
      />
      <div className="grid grid-cols-2 gap-2">
        <NumberField
          label={t('perps.ticket.takeProfit')}
          value={takeProfit}
          step={step}
          unit={unit}
          onChange={(value) => changeDraft({ takeProfit: value })}
        />
        <NumberField
          label={t('perps.ticket.stopLoss')}
          value={stopLoss}
          step={step}
          unit={unit}
          onChange={(value) => changeDraft({ stopLoss: value })}
        />
      </div>
      <Made drafted={drafted} />
    </div>
  );
}

function Made({ drafted }: { readonly drafted: Drafted }) {
  const t = useWords();
  const { grid } = useTradedPerp();
  const draft = useDraft();
  if (drafted.missing !== undefined) return null;
  const { price: entry, size } = drafted;
  return (['takeProfit', 'stopLoss'] as const).map((exit) => {
    const price = exitPrice(draft, exit, { price: entry, size, tick: grid.tick });
    if (!isDecimal(price)) return null;
    const move = draft.side === 'buy' ? subtract(price, entry) : subtract(entry, price);
    const amount = multiply(size, move);
    return (
      <p key={exit} className={`text-12 ${colourOf(amount)}`}>
        {t('perps.exits.makes', {
          price: number(price, { decimals: grid.priceDecimals }),
          amount: money(amount, { isSigned: true }),
          share: percent(divide(move, entry, 6), { isSigned: true }),
        })}
      </p>
    );
  });
}

type SizeFieldProps = {
  readonly asset: ActiveAssetData | undefined;
  readonly draft: Draft;
  readonly drafted: Drafted;
  readonly most: string | undefined;
};

export function SizeField({ asset, draft, drafted, most }: SizeFieldProps) {
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

type PresetsProps = { readonly onShare: (share: number) => void; readonly isDisabled: boolean };

function Presets({ onShare, isDisabled }: PresetsProps) {
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

export function useSized(
  draft: Draft,
  most: string | undefined,
  asset: ActiveAssetData | undefined,
): Draft {
  const { lot } = useTradedPerp().grid;
  return useMemo(() => withShare(draft, most, { asset, lot }), [draft, most, asset, lot]);
}

export function lowerSize(
  refusal: ApiError | undefined,
  {
    draft,
    drafted,
    grid,
    most,
  }: Readonly<{ draft: Draft; drafted: Drafted; grid: Grid; most: string | undefined }>,
): string | undefined {
  if (refusal === undefined || drafted.missing !== undefined) return undefined;
  const size = sizeInBase(draft, drafted.price, grid);
  const isForMargin = refusal.details?.required !== undefined && /margin/i.test(refusal.message);
  const largest = largestOrder(refusal.details);
  if (size === undefined || (largest === undefined && !isForMargin)) return undefined;
  const [limit] = [largest, most].filter((each) => each !== undefined).toSorted(compare);
  if (limit === undefined) return undefined;
  const lower = onStep(limit, grid.lot, 'down');
  return sign(lower) > 0 && compare(lower, size) < 0 ? lower : undefined;
}

const MARKS = [0, 25, 50, 75, 100];
const THUMB_PX = 14;

type SliderProps = {
  readonly label: string;
  readonly value: number;
  readonly onChange: (value: number) => void;
  readonly isDisabled?: boolean;
};

function Slider({ label, value, onChange, isDisabled = false }: SliderProps) {
  const reached = `calc(${THUMB_PX / 2}px + (100% - ${THUMB_PX}px) * ${value / 100})`;
  return (
    <span className="relative flex h-6 w-full items-center select-none has-disabled:opacity-50">
      <span aria-hidden="true" className="relative h-0.5 w-full rounded bg-line">
        <span style={{ width: reached }} className="absolute h-full rounded bg-accent" />
        {MARKS.map((mark) => (
          <span
            key={mark}
            style={{ insetInlineStart: `${mark}%` }}
            className="absolute top-1/2 size-1.5 -translate-x-1/2 -translate-y-1/2 rounded-full rtl:translate-x-1/2 bg-line"
          />
        ))}
      </span>
      <input
        type="range"
        aria-label={label}
        aria-valuetext={percent(String(value / 100), { decimals: 0 })}
        min={0}
        max={100}
        step={1}
        value={value}
        disabled={isDisabled}
        onChange={({ target }) => onChange(target.valueAsNumber)}
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        className="slider absolute inset-0"
      />
    </span>
  );
}
