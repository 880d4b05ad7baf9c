import type { ActiveAssetData, SimulatedAction, SimulatedOrder } from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import {
  compare,
  divide,
  isDecimal,
  multiply,
  sign,
  smaller,
  subtract,
  sum,
} from '../../../lib/decimal.ts';
import { money, number, percent } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { books, contexts } from '../../../market/streams.ts';
import { reader } from '../../../market/venue.ts';
import { useSession } from '../../../session/session.ts';
import { classes } from '../../../ui/styles.ts';
import { usePositions, useTradedPerp } from '../use-account.ts';
import { isTriggerType, useDraft, type Draft, type Drafted } from './draft.ts';
import type { Simulation } from './share-of-most.ts';

type PreviewProps = {
  readonly simulation: Simulation;
  readonly drafted: Drafted;
  readonly asset: ActiveAssetData | undefined;
};

export function Preview({ simulation: { isOld, result }, drafted, asset }: PreviewProps) {
  const t = useWords();
  const { type } = useDraft();
  const orders = result?.orders ?? NO_ORDERS;
  const entries = type === 'scale' ? orders : orders.slice(0, 1);
  const sentence = useSentence(entries, drafted, isTriggerType(type));
  const isNews = useIsNews(result !== undefined);
  if (drafted.missing !== undefined || result?.accepted === false) return null;
  return (
    <div aria-busy={isOld} className="flex flex-col gap-1">
      <p
        aria-live={isNews ? 'polite' : 'off'}
        className={classes(
          'mb-1 border-s-2 py-0.5 ps-3 text-12',
          result === undefined ? 'border-line text-muted' : 'border-accent',
        )}
      >
        {result === undefined ? t('perps.preview.asking') : sentence}
      </p>
      {result?.warnings.map(({ code, message }) => (
        <p key={code + message} className="mb-1 border-s-2 border-warning py-0.5 ps-3 text-12">
          {message}
        </p>
      ))}
      <DepthLine entries={entries} />
      <FeeLines entries={entries} drafted={drafted} />
      <MarginLines asset={asset} result={result} />
      <LiquidationLine asset={asset} result={result} />
    </div>
  );
}

const NO_ORDERS: readonly SimulatedOrder[] = [];

/**
 * The delay, in milliseconds, is longer than a screen reader's debounce time and shorter than the
 * time until the next response.
 */
const ANNOUNCED_AFTER_MS = 1_000;

function useIsNews(isAnswered: boolean): boolean {
  const draft = useDraft();
  const [announced, setAnnounced] = useState<Draft>();
  const isNews = isAnswered && announced !== draft;
  useEffect(() => {
    if (!isNews) return undefined;
    const timer = setTimeout(() => setAnnounced(draft), ANNOUNCED_AFTER_MS);
    return () => clearTimeout(timer);
  }, [draft, isNews]);
  return isNews;
}

function useSentence(
  entries: readonly SimulatedOrder[],
  drafted: Drafted,
  isWaiting: boolean,
): string {
  const t = useWords();
  const { coin, grid } = useTradedPerp();
  const markPx = contexts.use(coin, ({ ctx }) => ctx?.markPx);
  if (isWaiting) return t('perps.preview.waits');
  const filled = sum(entries.map(({ filledSz }) => filledSz));
  const resting = sum(entries.map(({ restingSz }) => restingSz));
  if (sign(filled) === 0) {
    return sign(resting) > 0 ? t('perps.preview.rests') : t('perps.preview.nothing');
  }
  const value = sum(entries.map(({ avgPx, filledSz }) => multiply(avgPx ?? '0', filledSz)));
  const average = divide(value, filled) ?? '0';
  const distance = isDecimal(markPx) ? divide(subtract(average, markPx), markPx, 8) : undefined;
  const words = {
    size: number(filled),
    price: number(average, { decimals: grid.priceDecimals }),
    slippage: percent(distance, { decimals: 3, isSigned: true }),
    rest: number(resting),
  };
  const missing = drafted.missing === undefined ? subtract(drafted.size, filled) : '0';
  if (sign(resting) === 0 && sign(missing) > 0) {
    return t('perps.preview.fillsShort', { ...words, rest: number(missing) });
  }
  return sign(resting) > 0 ? t('perps.preview.fillsPart', words) : t('perps.preview.fills', words);
}

const DEEP_SHARE = '0.5';

/**
 * Shows how much of the book an order would consume, because the maximum size ignores the depth.
 */
function DepthLine({ entries }: { readonly entries: readonly SimulatedOrder[] }) {
  const t = useWords();
  const { coin, perp } = useTradedPerp();
  const { side } = useDraft();
  const depth = books.use({ coin }, ({ book }) =>
    sum((book?.levels[side === 'buy' ? 1 : 0] ?? []).map(({ sz }) => sz)),
  );
  const filled = sum(entries.map(({ filledSz }) => filledSz));
  const share = sign(filled) > 0 ? divide(filled, depth, 4) : undefined;
  if (share === undefined) return null;
  return (
    <Line label={t(`perps.preview.depth.${side}`)}>
      <span className={compare(share, DEEP_SHARE) >= 0 ? 'text-warning' : undefined}>
        {t('perps.preview.depth.of', {
          share: percent(share, { decimals: 0 }),
          size: number(depth),
          unit: perp.baseCurrency,
        })}
      </span>
    </Line>
  );
}

type FeeLinesProps = { readonly entries: readonly SimulatedOrder[]; readonly drafted: Drafted };

/**
 * Shows the fees for an order. The venue reports the fee for immediate fills. The remaining size is
 * charged the maker or taker fee.
 */
function FeeLines({ entries, drafted }: FeeLinesProps) {
  const t = useWords();
  const { isPostOnly, limitPrice, type } = useDraft();
  const rates = useFeeRates();
  if (entries.length === 0 || drafted.missing !== undefined) {
    return <Line label={t('perps.preview.fee')}>–</Line>;
  }
  const isWaiting = isTriggerType(type);
  const filled = sum(entries.map(({ filledSz }) => filledSz));
  const later = isWaiting ? drafted.size : sum(entries.map(({ restingSz }) => restingSz));
  const value = multiply(later, drafted.price);
  const fee = (rate: string): string => money(multiply(value, rate));
  const ways =
    rates === undefined
      ? []
      : [
          ...(isWaiting && limitPrice === ''
            ? []
            : [t('perps.preview.asMaker', { fee: fee(rates.maker) })]),
          // Post-only orders never take liquidity, and resting orders take it only after an amend
          // or a trigger.
          ...(isPostOnly && !isWaiting
            ? []
            : [t('perps.preview.asTaker', { fee: fee(rates.taker) })]),
        ];
  return (
    <>
      {(sign(filled) > 0 || sign(later) === 0) && (
        <Line label={t(sign(later) > 0 ? 'perps.preview.feeNow' : 'perps.preview.fee')}>
          {money(sum(entries.map((entry) => entry.fee)))}
        </Line>
      )}
      {sign(later) > 0 && (
        <Line label={t('perps.preview.feeLater')}>{ways.join(' · ') || '–'}</Line>
      )}
    </>
  );
}

function MarginLines({ asset, result }: AccountLineProps) {
  const t = useWords();
  const { after, before } = useLegs(asset, result);
  const margin = result?.margin;
  if (margin === null || margin === undefined) {
    return <Line label={t('perps.preview.margin')}>–</Line>;
  }
  if (asset?.leverage.type !== 'Isolated') {
    const words = { used: money(margin.initialMargin), value: money(margin.accountValue) };
    return <Line label={t('perps.preview.margin')}>{t('perps.preview.marginOf', words)}</Line>;
  }
  return (
    <>
      {after !== undefined && (
        <Line label={t('perps.preview.positionMargin')}>
          {changed(money(before?.marginUsed ?? '0'), money(after.marginUsed))}
        </Line>
      )}
      <Line label={t('perps.preview.free')}>{money(margin.withdrawable)}</Line>
    </>
  );
}

function LiquidationLine({ asset, result }: AccountLineProps) {
  const t = useWords();
  const { grid } = useTradedPerp();
  const { after, before } = useLegs(asset, result);
  const shown = (text: string | undefined): string =>
    isDecimal(text) && sign(text) > 0
      ? number(text, { decimals: grid.priceDecimals })
      : t('perps.preview.none');
  const now = shown(before?.liquidationPx);
  return (
    <Line label={t('perps.preview.liquidation')}>
      {after === undefined ? now : changed(now, shown(after.liquidationPx))}
    </Line>
  );
}

type AccountLineProps = {
  readonly asset: ActiveAssetData | undefined;
  readonly result: SimulatedAction | undefined;
};

function useLegs(asset: ActiveAssetData | undefined, result: SimulatedAction | undefined) {
  const { coin, perp } = useTradedPerp();
  const draft = useDraft();
  const held = usePositions().filter(({ position }) => position.asset === coin);
  const isHedge = asset?.leverage.mode === 'Hedge';
  const would = result?.positions.filter(({ instrumentId }) => instrumentId === perp.index);
  return {
    before: legOf(
      held.map(({ position }) => position),
      isHedge,
      draft,
    ),
    after: legOf(would ?? [], isHedge, draft),
  };
}

function changed(before: string, after: string): string {
  return before === after ? after : `${before} → ${after}`;
}

function Line({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <p className="flex justify-between gap-2 text-12">
      <span className="text-muted">{label}</span>
      <span className="tabular-nums">{children}</span>
    </p>
  );
}

/**
 * Returns the position that an order affects. In hedge mode, buys that open and sells that close
 * affect the long position.
 */
export function legOf<Row extends { readonly szi: string }>(
  rows: readonly Row[],
  isHedge: boolean,
  { isClosing, side }: Pick<Draft, 'isClosing' | 'side'>,
): Row | undefined {
  if (!isHedge) return rows[0];
  const way = (side === 'buy') === isClosing ? -1 : 1;
  return rows.find(({ szi }) => sign(szi) === way) ?? rows.find(({ szi }) => sign(szi) === 0);
}

const TIER_MS = 60_000;

/** Returns the lower of two rates: that of the user's tier and that of the market. */
function useFeeRates(): { readonly maker: string; readonly taker: string } | undefined {
  const user = useSession()?.address;
  const { perp } = useTradedPerp();
  const { data: tier } = useQuery({
    queryKey: ['feeTierRates', user],
    queryFn: ({ signal }) => reader.info.feeTierRates({ user: user! }, { signal }),
    enabled: user !== undefined,
    staleTime: TIER_MS,
  });
  const { data: detail } = useQuery({
    queryKey: ['perpMetaDetail', perp.baseCurrency],
    queryFn: ({ signal }) =>
      reader.info.perpMetaDetail({ assetName: perp.baseCurrency }, { signal }),
    enabled: user !== undefined,
  });
  const own = detail?.instruments.find(({ perp: { instrumentId } }) => instrumentId === perp.index);
  if (tier === undefined || own === undefined) return undefined;
  return {
    maker: smaller(tier.perpMakerFeeRate, own.perp.makerFeeRate),
    taker: smaller(tier.perpTakerFeeRate, own.perp.takerFeeRate),
  };
}
