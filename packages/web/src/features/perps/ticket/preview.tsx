import { type ReactNode, useEffect, useState } from 'react';
import type { ActiveAssetData, SimulatedAction, SimulatedOrder } from '@oddlot/sdk';
import { divide, isDecimal, multiply, sign, smaller, subtract, sum } from '../../../lib/decimal.ts';
import { money, number, percent } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { contexts } from '../../../market/contexts.ts';
import { classes } from '../../../ui/classes.ts';
import { useTradedPerp } from '../traded-perp.ts';
import { usePositions } from '../use-account.ts';
import { type Draft, isTriggerType, useDraft } from './draft.ts';
import type { Drafted } from './orders-of-draft.ts';
import type { Simulation } from './use-simulation.ts';
import { useQuery } from '@tanstack/react-query';
import { reader } from '../../../market/venue.ts';
import { useSession } from '../../../session/session.ts';

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
  const sentence = useSentence(entries, isTriggerType(type));
  const isNews = useIsNews(result !== undefined);
  // What would be refused has no effects to show; the refusal stands in their place.
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
      <FeeLines entries={entries} drafted={drafted} />
      <MarginLines asset={asset} result={result} />
      <LiquidationLine asset={asset} result={result} />
    </div>
  );
}

const NO_ORDERS: readonly SimulatedOrder[] = [];

/** Longer than it takes until the sentence was taken to be read out, shorter than until the next answer. */
const SAID_AFTER_MS = 1_000;

/**
 * Whether the sentence is to be read out: the first answer to a ticket is. That the book moves under a ticket which
 * stands is no reason to say it all again.
 */
function useIsNews(isAnswered: boolean): boolean {
  const draft = useDraft();
  const [said, setSaid] = useState<Draft>();
  const isNews = isAnswered && said !== draft;
  useEffect(() => {
    if (!isNews) return undefined;
    const timer = setTimeout(() => setSaid(draft), SAID_AFTER_MS);
    return () => clearTimeout(timer);
  }, [draft, isNews]);
  return isNews;
}

function useSentence(entries: readonly SimulatedOrder[], isWaiting: boolean): string {
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
  return sign(resting) > 0 ? t('perps.preview.fillsPart', words) : t('perps.preview.fills', words);
}

type FeeLinesProps = { readonly entries: readonly SimulatedOrder[]; readonly drafted: Drafted };

/**
 * What fills now has its fee from the venue. What rests or waits pays when it fills, by who came first: a maker's
 * fee if it is met in the book, a taker's if it takes.
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
          // What is post-only never takes; what rests takes nothing unless it is amended or fires first.
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

/** How much of the account is margin; of isolated margin, what the position would have and what stays free. */
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

/** The position that the order is about, as it is and as it would be; undefined where there is none. */
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
 * Of the positions in one market the one that an order is about. In hedge mode there may be two: what buys and
 * opens, or sells and closes, is about the long one. One that would be closed has size 0 and no side any more.
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

type FeeRates = { readonly maker: string; readonly taker: string };

const TIER_MS = 60_000;

/** What fills of this account pay here: the lower of its tier's rates and the market's own; undefined for a visitor. */
function useFeeRates(): FeeRates | undefined {
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
