import {
  ApiError,
  type ActionReply,
  type ActiveAssetData,
  type AssetPosition,
  type Client,
  type L2Book,
  type OrderEntry,
  type OrderParameters,
  type SimulatedAction,
} from '@oddlot/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { compare, magnitude, multiply, onStep, sign } from '../../../lib/decimal.ts';
import { useVenueSecond } from '../../../market/cells.tsx';
import { contexts } from '../../../market/streams.ts';
import { reader, venueNow } from '../../../market/venue.ts';
import { useSession } from '../../../session/session.ts';
import { emptied } from '../../../ui/controls.tsx';
import { useAct, usePositions, useTradedPerp, type Grid } from '../use-account.ts';
import {
  changeDraft,
  clearDraft,
  draftStore,
  isPositive,
  isReducing,
  isTriggerType,
  marketPrice,
  ordersOf,
  useDraft,
  type Draft,
  type Drafted,
  type DraftContext,
} from './draft.ts';

/**
 * A buffer for market moves, in units of 10^-4 of the maximum size: 0.5%, and more for leverage
 * above 25.
 */
const ROOM_MIN = 50;
const ROOM_MAX = 90;
const ROOM_PER_LEVERAGE = 2;

export function askedPrices(
  draft: Draft,
  { tick }: Pick<Grid, 'tick'>,
): [string | null, string | null] {
  const { lastPrice, limitPrice, price, type } = draft;
  if (type === 'market') return [null, null];
  const limits = isTriggerType(type)
    ? [limitPrice]
    : type === 'scale'
      ? [price, lastPrice]
      : [price];
  const prices = limits
    .filter(isPositive)
    .map((each) => onStep(each, tick))
    .filter((each) => sign(each) > 0)
    .toSorted(compare);
  return [prices.at(-1) ?? null, prices[0] ?? null];
}

export function mostOf(
  draft: Draft,
  asset: ActiveAssetData,
  { coin, positions }: { readonly coin: string; readonly positions: readonly AssetPosition[] },
): string {
  if (!isReducing(draft, { isHedge: isHedged(asset) })) {
    return asset.maxTradeSzs[draft.side === 'buy' ? 0 : 1];
  }
  const isShort = draft.side === 'buy';
  const held = positions.find(
    ({ position }) => position.asset === coin && sign(position.szi) < 0 === isShort,
  );
  return held === undefined ? '0' : magnitude(held.position.szi);
}

export function sizeOfShare(
  { share = 0, ...draft }: Draft,
  most: string,
  { asset, lot }: { readonly asset: ActiveAssetData; readonly lot: string },
): string {
  const isReduction = isReducing({ ...draft, share }, { isHedge: isHedged(asset) });
  const { leverage, leverageShort = leverage } = asset;
  const { value } = draft.side === 'buy' ? leverage : leverageShort;
  const room = Math.min(ROOM_MAX, Math.max(ROOM_MIN, ROOM_PER_LEVERAGE * value));
  const usable = isReduction ? '1' : String((10_000 - room) / 10_000);
  return onStep(multiply(multiply(most, usable), String(share / 100)), lot, 'down');
}

export function withShare(
  draft: Draft,
  most: string | undefined,
  { asset, lot }: { readonly asset: ActiveAssetData | undefined; readonly lot: string },
): Draft {
  if (draft.share === undefined || most === undefined || asset === undefined) return draft;
  return { ...draft, size: sizeOfShare(draft, most, { asset, lot }) };
}

export function isHedged({ leverage }: ActiveAssetData): boolean {
  return leverage.mode === 'Hedge';
}

export type Sizing = { readonly asset: ActiveAssetData; readonly bound?: string };

type Questions = {
  readonly ask: (px: [string | null, string | null]) => Promise<ActiveAssetData>;
  readonly askBook: () => Promise<L2Book>;
};

/**
 * Returns the size and limit of an order. Isolated market orders reserve the loss up to their limit
 * (R-isolated), so the limit is kept tight.
 */
export async function sizingOf(
  draft: Draft,
  grid: Grid,
  { ask, askBook }: Questions,
): Promise<Sizing> {
  const asset = await ask(askedPrices(draft, grid));
  const { type } = asset.leverage;
  if (draft.type !== 'market' || type !== 'Isolated') return { asset };
  const bound = boundOf(draft.side, asset, await askBook(), grid);
  return bound === undefined ? { asset } : { asset: await ask([bound, bound]), bound };
}

const MARKET_BAND = 0.05;
const BOUND_ROOM = 0.002;

/** Estimates the largest size. The venue computes it exactly. */
function boundOf(
  side: 'buy' | 'sell',
  asset: ActiveAssetData,
  { levels: [bids, asks] }: L2Book,
  { tick }: Grid,
): string | undefined {
  const isBuy = side === 'buy';
  const mark = Number(asset.markPx);
  const { leverage, leverageShort = leverage, maxTradeSzs } = asset;
  const marginShare = 1 / (isBuy ? leverage : leverageShort).value;
  const free = Number(maxTradeSzs[isBuy ? 0 : 1]) * mark * (marginShare + MARKET_BAND);
  let depth = 0;
  let price: number | undefined;
  for (const level of isBuy ? asks : bids) {
    price = Number(level.px);
    depth += Number(level.sz);
    const worse = Math.max(0, isBuy ? price - mark : mark - price);
    if (depth >= free / (mark * marginShare + worse)) break;
  }
  if (price === undefined || !(mark > 0)) return undefined;
  const room = price * BOUND_ROOM * marginShare;
  const limit = onStep((isBuy ? price + room : price - room).toFixed(10), tick);
  const usual = marketPrice(side, asset.markPx, tick);
  return compare(limit, usual) > 0 === isBuy ? usual : limit;
}

export async function freshOrders(
  draft: Draft,
  around: Omit<DraftContext, 'markPx'>,
  {
    coin,
    positions,
    ...questions
  }: Questions & { readonly coin: string; readonly positions: readonly AssetPosition[] },
): Promise<Drafted> {
  const { grid } = around;
  const { asset, bound } = await sizingOf(draft, grid, questions);
  const most = mostOf(draft, asset, { coin, positions });
  const sized = withShare(draft, most, { asset, lot: grid.lot });
  return ordersOf(sized, { ...around, markPx: asset.markPx, bound });
}

const PAUSE_MS = 180;
const AGAIN_MS = 3_000;

export type Simulation = { readonly result: SimulatedAction | undefined; readonly isOld: boolean };

export function useSimulation(
  user: string | undefined,
  parameters: OrderParameters | undefined,
  draft: Draft,
): Simulation {
  const asked = parameters && { type: 'order', grouping: 'na', ...parameters };
  return useSimulatedAction(user, asked, draft);
}

/** Simulates one action at a time and discards results for earlier inputs. */
export function useSimulatedAction(
  user: string | undefined,
  asked: object | undefined,
  draft?: Draft,
): Simulation {
  const action = asked === undefined ? '' : JSON.stringify(asked);
  const settled = useSettled(action);
  const query = useQuery({
    queryKey: ['simulate', user, settled],
    queryFn: ({ signal }) =>
      reader.info.simulate({ user: user!, action: JSON.parse(settled) }, { signal }),
    enabled: user !== undefined && settled !== '',
    placeholderData: keepPreviousData,
    refetchInterval: AGAIN_MS,
    staleTime: 0,
    gcTime: 0,
  });
  const isOld = settled !== action || query.isPlaceholderData;
  const typed = draft ?? action;
  const [answered, setAnswered] = useState<unknown>(typed);
  if (!isOld && answered !== typed) setAnswered(typed);
  const isAnswered = action !== '' && user !== undefined && answered === typed;
  return { result: isAnswered ? query.data : undefined, isOld };
}

function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

type Sent = Readonly<{ label: string; orders: readonly OrderEntry[]; reply: ActionReply }>;

export type Sending = {
  readonly send: () => Promise<void>;
  readonly clear: () => void;
  readonly isBusy: boolean;
  readonly isAsking: boolean;
  readonly sent: Sent | undefined;
  readonly fault: unknown;
};

type Outcome = { readonly draft: Draft; readonly sent?: Sent; readonly fault?: unknown };

/**
 * Sends the orders a second time, with a new size, if the margin no longer covers the chosen
 * percentage. The first attempt has then executed nothing.
 */
export function useSending(
  orders: (() => Promise<OrderParameters | undefined>) | undefined,
  label: string,
): Sending {
  const draft = useDraft();
  const [outcome, setOutcome] = useState<Outcome>();
  const { act, canAct, isAsking, isBusy } = useAct((fault) =>
    setOutcome({ draft: draftStore.getState(), fault }),
  );
  const send = async (): Promise<void> => {
    if (orders === undefined || !canAct || isBusy) return;
    setOutcome(undefined);
    let entries: readonly OrderEntry[] = [];
    const attempt = async (trader: Client): Promise<ActionReply> => {
      const parameters = await orders();
      if (parameters === undefined) throw new Error('the ticket has no size');
      entries = parameters.orders;
      return trader.exchange.order(parameters, { confirm: 'executed' });
    };
    const reply = await act((trader) =>
      draft.share === undefined ? attempt(trader) : againForMargin(() => attempt(trader)),
    );
    if (reply === undefined) return;
    if (emptied(draft.size)(draftStore.getState().size) === '') changeDraft({ size: '' });
    setOutcome({ draft: draftStore.getState(), sent: { label, orders: entries, reply } });
  };
  const clear = (): void => {
    clearDraft();
    setOutcome(undefined);
  };
  const { fault, sent } = outcome?.draft === draft ? outcome : {};
  return { send, clear, isBusy, isAsking, sent, fault };
}

export function useFreshOrders(
  draft: Draft,
  shown: OrderParameters | undefined,
  isHedge: boolean,
): (() => Promise<OrderParameters | undefined>) | undefined {
  const { coin, grid, perp } = useTradedPerp();
  const user = useSession()?.address;
  const positions = usePositions();
  if (shown === undefined || user === undefined) return undefined;
  return async () => {
    if (draft.share === undefined) return shown;
    const around = { asset: perp.index, grid, hasMark: true, nowMs: venueNow(), isHedge };
    const drafted = await freshOrders(draft, around, {
      coin,
      positions,
      ask: (px) => reader.info.activeAssetData({ user, coin, px }),
      askBook: () => reader.info.l2Book({ coin }),
    });
    return drafted.missing === undefined ? drafted.parameters : undefined;
  };
}

const MARGIN = 'MARGIN';

export async function againForMargin(send: () => Promise<ActionReply>): Promise<ActionReply> {
  try {
    const reply = await send();
    const isShort = reply.status === 'executed' && reply.failure?.name === MARGIN;
    return isShort ? await send() : reply;
  } catch (error) {
    if (!(error instanceof ApiError) || error.name !== MARGIN) throw error;
    return send();
  }
}

export function useDrafted(draft: Draft, isHedge: boolean): Drafted {
  const { coin, grid, perp } = useTradedPerp();
  const hasMark = contexts.use(coin, ({ ctx }) => isPositive(ctx?.markPx ?? ''));
  const followed = draft.type === 'market' ? coin : undefined;
  const markPx = contexts.use(followed, ({ ctx }) => ctx?.markPx);
  const nowMs = useVenueSecond(wholeMinute);
  return useMemo(
    () => ordersOf(draft, { asset: perp.index, grid, hasMark, markPx, nowMs, isHedge }),
    [draft, perp.index, grid, hasMark, markPx, nowMs, isHedge],
  );
}

const MINUTE_MS = 60_000;

function wholeMinute(nowMs: number): number {
  return Math.ceil(nowMs / MINUTE_MS) * MINUTE_MS;
}
