import { setTimeout as sleep } from 'node:timers/promises';
import {
  infoRefusal,
  rateLimited,
  type Reply,
  type StreamedReply,
  type StreamEndpoint,
  type StreamRequest,
} from '@oddlot/host/http';
import { measured, WorkBudget, type WorkLimits } from '@oddlot/host/ports';
import {
  EXPORT_COLUMNS,
  type ExportName,
  type ExportRequestOf,
  EXPORTS,
  LIMITS,
  parseExport,
  refusal,
  type WireError,
} from '@oddlot/protocol';
import { type History, historyOf, type Page, type UserPage } from '@oddlot/history/history';
import type { MarketData } from '@oddlot/translate/read-models/market-data';
import type { Replica } from '@oddlot/replica/replica';
import { refusalWithInstrument } from '@oddlot/translate/instruments';
import { historyRefusal, storedThrough } from '../history/handler.ts';
import type { RowPosition } from '@oddlot/history/rows/block-rows';
import { startAfter, startOf } from '@oddlot/translate/read-models/candle-interval';
import { type CandleContext, candlesBetween } from '../load-past-data.ts';

export type ExportOptions = {
  readonly history: History;
  readonly replica: Replica;
  readonly markets: MarketData;
  readonly gate?: ExportGate;
  /**
   * The main-thread time available to one client's exports. An export that has used it up waits.
   */
  readonly work?: WorkLimits;
};

/**
 * The budget is separate from the query budget, so an export does not block its client's /info
 * requests.
 */
export const EXPORT_WORK: WorkLimits = { msPerSecond: 50, msBurst: 300 };

const RETRY_SECONDS = 5;
/** The longest single wait in milliseconds, below the maximum of Node's timers. */
const WAIT_MS_MAX = 60_000;

type Context = ExportOptions & { readonly gate: ExportGate; readonly budget: WorkBudget };

export function exportEndpoints(options: ExportOptions): Record<string, StreamEndpoint> {
  const { gate = new ExportGate() } = options;
  const budget = new WorkBudget(options.work ?? EXPORT_WORK);
  const context = { ...options, gate, budget };
  const endpointOf = (name: ExportName): StreamEndpoint => ({
    surface: 'info',
    refuse: infoRefusal,
    stream: (request) => open(context, name, request),
  });
  const names = Object.keys(EXPORTS) as ExportName[];
  return Object.fromEntries(names.map((name) => [`/export/${name}`, endpointOf(name)]));
}

/**
 * Opens an export. Its first page is read before the response starts, because an error can no
 * longer be reported after that.
 */
async function open(
  context: Context,
  name: ExportName,
  { client, parameters }: StreamRequest,
): Promise<Reply | StreamedReply> {
  const { gate, history, markets, replica } = context;
  const parsed = parseExport(name, parameters);
  if (!parsed.ok) return infoRefusal(refusalWithInstrument(replica.state, parsed.error, 'text'));
  const { request } = parsed;
  const spend = (ms: number): void => context.budget.spend(client, ms);
  const asked = historyOf(history, { client, spend });
  const leave = gate.enter(client);
  if (typeof leave === 'string') {
    const error = leave === 'client' ? rateLimited('info') : refusal('unavailable', []);
    return { ...infoRefusal(error), retryAfterSeconds: RETRY_SECONDS };
  }
  const { state } = replica;
  const pages = exportPages({ state, markets, history: asked }, name, request);
  try {
    const first = await pages.next();
    const { format } = request;
    return {
      headers: [
        'content-type',
        CONTENT_TYPES[format],
        'content-disposition',
        `attachment; filename="${fileName(name, request)}"`,
      ],
      parts: parts(context, { name, client, format, first, pages }),
      leave,
    };
  } catch (error) {
    leave();
    // While the history is being rebuilt, it does not contain all rows.
    const later = historyRefusal(error);
    if (later !== undefined) return { ...later, retryAfterSeconds: RETRY_SECONDS };
    if (!(error instanceof RefusedError)) throw error;
    return infoRefusal(refusalWithInstrument(state, error.refusal, 'text'));
  }
}

type Under = {
  readonly name: ExportName;
  readonly client: string;
  readonly format: ExportRequestOf<ExportName>['format'];
  readonly first: IteratorResult<readonly object[], void>;
  readonly pages: AsyncGenerator<readonly object[], void>;
};

async function* parts(
  { budget }: Context,
  { client, first, format, name, pages }: Under,
): AsyncGenerator<string, void> {
  yield headOf(name, format);
  for (let page = first; page.done !== true; page = await pages.next()) {
    const rows = page.value;
    const spend = (ms: number): void => budget.spend(client, ms);
    yield measured(() => textOf(name, format, rows), spend);
    const waitMs = Math.min(budget.waitMs(client), WAIT_MS_MAX);
    // The timer must not keep the process alive.
    if (waitMs > 0) await sleep(waitMs, undefined, { ref: false });
  }
}

function fileName(name: ExportName, request: ExportRequestOf<ExportName>): string {
  const subject = 'user' in request ? [request.user] : [request.coin, request.interval];
  const span = [request.from, request.to].filter((ms) => ms !== undefined);
  return `${[name, ...subject, ...span].join('-')}.${request.format}`;
}

/** The number of rows per page. A page of fills is about a third of a megabyte. */
const PAGE_ROWS = 500;

type UserExport = Exclude<ExportName, 'candles'>;

type AnyRequest = { readonly [Name in ExportName]: ExportRequestOf<Name> };

function exportPages<Name extends ExportName>(
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
  // Only perps accounts have funding payments.
  if (name === 'fundings' && !accountTypes.includes('perp')) return;
  const { history } = context;
  // Orders and ledger rows can change after the time they are listed under, so the newest block is
  // needed.
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
    // Each later page needs at least the block that the first page had.
    cursor = next;
  }
}

/**
 * Returns the block that the history must have reached. While the history is being rebuilt, an
 * export with missing rows would look complete.
 */
function neededHeight({ history, state }: CandleContext, toMs: number | undefined): number {
  return storedThrough(history, toMs) ?? state.height;
}

/**
 * The longest interval of the stored bars, in milliseconds. The first such bar shows when trading
 * started.
 */
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
  // If no bar is stored, all trades are recent enough to fit on one page.
  const firstMs = answer[0]?.startMs ?? latestMs;
  let startTime = Math.max(from, startOf(interval, firstMs));
  do {
    const nextMs = startAfter(interval, startOf(interval, startTime), PAGE_ROWS);
    const endTime = Math.min(endMs, nextMs - 1);
    const span = { coin, interval, price: 'trade', startTime, endTime } as const;
    const candles = await candlesBetween(context, span);
    if (!candles.ok) throw new RefusedError(candles.error);
    yield candles.data;
    startTime = nextMs;
  } while (startTime <= endMs);
}

/** An export format: CSV (RFC 4180), or one JSON object per line. */

type ExportFormat = 'csv' | 'ndjson';

const CONTENT_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson',
};

/** Returns the text that precedes the first row. */
function headOf(name: ExportName, format: ExportFormat): string {
  return format === 'csv' ? `${EXPORT_COLUMNS[name].join(',')}\r\n` : '';
}

export function textOf(name: ExportName, format: ExportFormat, rows: readonly object[]): string {
  if (format === 'ndjson') return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const columns = EXPORT_COLUMNS[name];
  return rows
    .map((row) => `${columns.map((key) => cellOf(row[key as keyof typeof row])).join(',')}\r\n`)
    .join('');
}

/**
 * Formats a cell. Absent and null values become empty cells, and nested values are written as JSON.
 */
function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = spared(typeof value === 'object' ? JSON.stringify(value) : String(value));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Adds a prefix to cells that a spreadsheet would execute as formulas, because the text of a cell
 * can come from users. Numbers stay unchanged.
 */
function spared(text: string): string {
  const isFormula = /^[=+\-@\t\r]/.test(text) && !/^-\d+(\.\d+)?$/.test(text);
  return isFormula ? `'${text}` : text;
}

/**
 * Limits the number of concurrent exports, because an export takes as long as its client needs to
 * read it.
 */

type ExportLimits = {
  readonly perClientMax: number;
  /** The maximum number of concurrent exports across all clients. */
  readonly totalMax: number;
};

export const EXPORT_LIMITS: ExportLimits = { perClientMax: 1, totalMax: 32 };

export class ExportGate {
  readonly #limits: ExportLimits;
  readonly #running = new Map<string, number>();
  #total = 0;

  constructor(limits: ExportLimits = EXPORT_LIMITS) {
    this.#limits = limits;
  }

  get total(): number {
    return this.#total;
  }

  /**
   * Admits a client and returns the function that releases its slot, or returns which limit has
   * been reached.
   */
  enter(client: string): (() => void) | 'client' | 'all' {
    const own = this.#running.get(client) ?? 0;
    if (own >= this.#limits.perClientMax) return 'client';
    if (this.#total >= this.#limits.totalMax) return 'all';
    this.#running.set(client, own + 1);
    this.#total += 1;
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#total -= 1;
      const left = (this.#running.get(client) ?? 1) - 1;
      if (left === 0) this.#running.delete(client);
      else this.#running.set(client, left);
    };
  }
}

/** Thrown if the rows of a query are unavailable. It carries the refusal for the client. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly refusal: WireError;

  constructor(error: WireError) {
    super(error.message);
    this.refusal = error;
  }
}
