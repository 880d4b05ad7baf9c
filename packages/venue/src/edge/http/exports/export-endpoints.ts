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
import { EXPORTS, parseExport, refusal } from '@oddlot/protocol';
import type { ExportName, ExportRequestOf } from '@oddlot/protocol';
import { type History, historyOf } from '../../../history/history.ts';
import type { MarketData } from '../../../read-models/market-data.ts';
import type { Replica } from '../../../replica/replica.ts';
import { refusalWithInstrument } from '../../../translate/instruments.ts';
import { historyRefusal } from '../history/history-refusal.ts';
import { ExportGate } from './export-gate.ts';
import { exportPages } from './export-pages.ts';
import { CONTENT_TYPES, headOf, textOf } from './export-text.ts';
import { RefusedError } from './refused-error.ts';

/** GET /export/<name>: rows of any span, oldest first, as fast as they are read. */

export type ExportOptions = {
  readonly history: History;
  readonly replica: Replica;
  readonly markets: MarketData;
  readonly gate?: ExportGate;
  /** What the exports of one client may take of this thread; they wait when it is used up. */
  readonly work?: WorkLimits;
};

/** Apart from that of queries, so that an export doesn't lock its client out of /info. */
export const EXPORT_WORK: WorkLimits = { msPerSecond: 50, msBurst: 300 };

const RETRY_SECONDS = 5;
/** A timer of Node takes no more than some weeks; nobody is in such debt. */
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

/** The first page is read before anything is answered: until then a refusal can be told. */
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
    // While the history is computed again there is no whole file.
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
    // The process need not stay for it.
    if (waitMs > 0) await sleep(waitMs, undefined, { ref: false });
  }
}

function fileName(name: ExportName, request: ExportRequestOf<ExportName>): string {
  const subject = 'user' in request ? [request.user] : [request.coin, request.interval];
  const span = [request.from, request.to].filter((ms) => ms !== undefined);
  return `${[name, ...subject, ...span].join('-')}.${request.format}`;
}
