import { LIMITS, type ExportName, type ExportRequestOf } from '@oddlot/protocol';
import type { Page, UserPage } from '../../../history/history.ts';
import type { RowPosition } from '../../../history/rows/block-rows.ts';
import { startAfter, startOf } from '../../../read-models/candle-interval.ts';
import { storedThrough } from '../history/handler.ts';
import { candlesBetween, type CandleContext } from '../candles-between.ts';
import { RefusedError } from './refused-error.ts';

/**
 * The rows of an export, oldest first, a page at a time: the next is read when somebody asks for it, so
 * that an export of any length holds one page.
 */

/** About a third of a megabyte of fills. */
const PAGE_ROWS = 500;

type UserExport = Exclude<ExportName, 'candles'>;

type AnyRequest = { readonly [Name in ExportName]: ExportRequestOf<Name> };

export function exportPages<Name extends ExportName>(
  context: CandleContext,
  name: Name,
  request: ExportRequestOf<Name>,
): AsyncGenerator<readonly object[], void> {
  return name === 'candles'
    ? candlePages(context, request as AnyRequest['candles'])
    : userPages(context, name as UserExport, request as AnyRequest[UserExport]);
}

async function* userPages(
  context: CandleContext,
  name: UserExport,
  { accountType: accountTypes, from, to, user }: AnyRequest[UserExport],
): AsyncGenerator<readonly object[], void> {
  // Only perps have funding.
  if (name === 'fundings' && !accountTypes.includes('perp')) return;
  const { history } = context;
  // Orders and withdrawals change after the time that they are listed under.
  const minHeight = name === 'fills' ? neededHeight(context, to) : context.state.height;
  let cursor: RowPosition | undefined;
  for (;;) {
    const asked: UserPage & { readonly accountTypes: typeof accountTypes } = {
      user,
      accountTypes,
      order: 'oldestFirst',
      limit: PAGE_ROWS,
      ...(cursor === undefined ? {} : { cursor }),
      ...(from === undefined ? {} : { startTime: from }),
      ...(to === undefined ? {} : { endTime: to }),
    };
    const { answer } = await history.ask(name, asked, { minHeight });
    const { next, rows } = answer as Page<object>;
    yield rows;
    if (next === null) return;
    // What the first page knew the others must know: a history that was lost meanwhile begins anew.
    cursor = next;
  }
}

/** A file without the rows of a history that is being computed again would look like a whole one. */
function neededHeight({ history, state }: CandleContext, toMs: number | undefined): number {
  return storedThrough(history, toMs) ?? state.height;
}

/** The coarsest step of stored bars: the first of them tells where the trades begin. */
const COARSEST_MS = 4 * 60 * 60 * 1000;

async function* candlePages(
  context: CandleContext,
  { coin, from = 0, interval, to = Infinity }: AnyRequest['candles'],
): AsyncGenerator<readonly object[], void> {
  const { history, state } = context;
  const endMs = Math.min(to, state.timeMs);
  const bars = { instrumentId: Number(coin), stepMs: COARSEST_MS, startMs: 0, endMs, limit: 1 };
  const { answer } = await history.ask('bars', bars, { minHeight: neededHeight(context, to) });
  const latestMs = startAfter(interval, startOf(interval, endMs), 1 - LIMITS.candlesMax);
  // Without a stored bar everything that there is is young enough for one page.
  const firstMs = answer[0]?.startMs ?? latestMs;
  let startTime = Math.max(from, startOf(interval, firstMs));
  do {
    const nextMs = startAfter(interval, startOf(interval, startTime), PAGE_ROWS);
    const span = { coin, interval, startTime, endTime: Math.min(endMs, nextMs - 1) };
    const candles = await candlesBetween(context, span);
    if (!candles.ok) throw new RefusedError(candles.error);
    yield candles.data;
    startTime = nextMs;
  } while (startTime <= endMs);
}
