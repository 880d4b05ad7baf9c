import {
  type EdgeRequest,
  type Endpoint,
  infoRefusal,
  infoReply,
  infoReplyOf,
  rateLimited,
  type RateLimiter,
  type Reply,
  type TextRequest,
} from '@oddlot/host/http';
import { clientKey, measured, type FairQueue, type WorkBudget } from '@oddlot/host/ports';
import { INFO_QUERIES, LIMITS, parseInfo, refusal, traceId } from '@oddlot/protocol';
import type {
  ActionStatus,
  InfoQueryOf,
  Network,
  RateLimit,
  VenueHealth,
  Warning,
  WireError,
} from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import type { QueuedAction, Receipts } from '@oddlot/history/receipts';
import type { MarketData } from '@oddlot/translate/read-models/market-data';
import type { Replica } from '@oddlot/replica/replica';
import type { MoneySide } from '@oddlot/settlement/money-side';
import type { PermitDeposits } from '@oddlot/settlement/permit-deposits';
import { type Requester, type AsOf, type History, historyOf } from '@oddlot/history/history';
import type { ReceiptKey } from '@oddlot/history/receipt';
import type { MultiSigChanges } from '@oddlot/history/shared-models';
import type { CursorSeal } from '@oddlot/translate/cursor-seal';
import { actionTypeOf, NO_CHAIN } from '@oddlot/translate/action-to-command';
import { authorityOf } from '@oddlot/replica/block';
import { refusalWithInstrument } from '@oddlot/translate/instruments';
import {
  agentWarning,
  answerInfo,
  isCommonQuery,
  isStateQuery,
  pastNeedOf,
  type InfoAnswer,
  type InfoContext,
  type InfoSettings,
} from '@oddlot/translate/answer-info';
import type { RecoverPool } from '../recover-pool.ts';
import type { BlockWaits } from '../ws/timing.ts';
import { AnswerCache, jsonInTurns } from './answer-cache.ts';
import { signatureExplainer, type SignatureExplainer } from './signature-explainer.ts';
import type { Faucet } from './faucet.ts';
import { RefusedError } from './exports/export-endpoints.ts';
import { AccountRanking } from './history/account-ranking.ts';
import { historyRefusal } from './history/handler.ts';
import {
  answerHistory,
  type HistoryQuery,
  incompleteWarnings,
  isHistoryQuery,
} from './info-history.ts';
import { withPast } from './load-past-data.ts';
import { reserves, reservesProof, type ReservesSource } from './reserves.ts';

export type InfoOptions = {
  readonly replica: Replica;
  readonly receipts: Receipts;
  readonly markets: MarketData;
  readonly limiter: RateLimiter;
  readonly pool: Pick<RecoverPool, 'explain' | 'recover'>;
  readonly network: Network;
  /** Networks a client may have signed for by mistake. */
  readonly otherNetworks?: readonly Network[];
  readonly settings: InfoSettings;
  readonly now: () => number;
  readonly faucet?: Faucet | undefined;
  /** If absent, history queries are not served. */
  readonly history?: History;
  /** The clients' budgets for time on the main thread. */
  readonly work?: WorkBudget;
  /**
   * Schedules the work of clients. A long list is queued under its query, on behalf of all clients
   * that sent it.
   */
  readonly queue?: FairQueue;
  /** Returns the number of a client's open WebSocket connections. */
  readonly connections?: (ip: string) => OpenConnections;
  readonly connectionsMax?: number;
  /** Sends permits to the bridge; undefined without a settlement chain. */
  readonly permits?: Pick<PermitDeposits, 'deposit'> | undefined;
  /** Compares the liabilities of the venue with the balance of the bridge. */
  readonly reserves?: ReservesSource['reserves'];
  /** Reports the progress of payouts on the settlement chain. */
  readonly payouts?: MoneySide['payouts'] | undefined;
  readonly multiSigChanges?: Pick<MultiSigChanges, 'of'> | undefined;
  /** Seals cursors. If absent, cursors become invalid when the process ends. */
  readonly cursors?: CursorSeal | undefined;
  /**
   * Waits for blocks that a client has seen on another replica. If absent, queries that specify a
   * later block are refused.
   */
  readonly blocks?: Pick<BlockWaits, 'reached'> | undefined;
  readonly health?: (() => VenueHealth) | undefined;
};

type OpenConnections = {
  readonly ws: number;
  readonly apiWs: number;
  readonly wsRtds: number;
};

const HTTP_FORBIDDEN = 403;
const RETRY_SECONDS = 1;
const PERMIT_WITHOUT_CHAIN: InfoAnswer = {
  ok: false,
  error: refusal('notAllowed', [], { why: NO_CHAIN }, HTTP_FORBIDDEN),
};

type Context = InfoOptions & {
  readonly explain: SignatureExplainer;
  /** Caches complete responses to state queries as text. */
  readonly cache: AnswerCache;
  /** Undefined if the operator has disabled the leaderboard. */
  readonly ranking: AccountRanking | undefined;
};

export function infoEndpoint(options: InfoOptions): Endpoint {
  const cache = new AnswerCache();
  const { history, replica, settings } = options;
  const isTrader = (user: Address): boolean =>
    user !== replica.state.parameters?.insuranceFundAddress;
  const isRanked = history !== undefined && settings.hasLeaderboard !== false;
  const ranking = isRanked ? new AccountRanking(history, isTrader) : undefined;
  const context: Context = { ...options, cache, ranking, explain: signatureExplainer(options) };
  return {
    surface: 'info',
    refuse: infoRefusal,
    workOf,
    handle: (request) => handleOrDefer(context, request),
  };
}

/**
 * A client that has exhausted its budget may still send these queries, to look up its limits and
 * the deposit address.
 */
const FREE_QUERIES: ReadonlySet<string> = new Set(['rateLimit', 'settings']);

/** Returns the query's name in the budget. Queries of unknown types have no name. */
function workOf({ type }: Readonly<Record<string, unknown>>): { what: string; isFree: boolean } {
  const isKnown = typeof type === 'string' && Object.hasOwn(INFO_QUERIES, type);
  return { what: isKnown ? type : '/info', isFree: isKnown && FREE_QUERIES.has(type) };
}

/**
 * Answers a query, or refuses it temporarily if it needs a history that is currently unavailable.
 */
async function handleOrDefer(context: Context, request: EdgeRequest): Promise<Reply> {
  try {
    return await handle(context, request);
  } catch (error) {
    const later = historyRefusal(error);
    if (later === undefined) throw error;
    return later;
  }
}

async function handle(options: Context, request: EdgeRequest): Promise<Reply> {
  const parsed = parseInfo(request.body);
  if (!parsed.ok) return refuse(options, parsed.error);
  const { query, clamped } = parsed;
  if (query.type === 'explainSignature' || query.type === 'simulate') {
    // Recovering dozens of signers and simulating an action cost more than other queries, so they
    // have their own budgets.
    const { allowed, retryAfterSeconds } = options.limiter.take(query.type, request.ip);
    if (!allowed) return { ...infoRefusal(rateLimited('info')), retryAfterSeconds };
  }
  const behind = await behindOf(options, parsed.minHeight);
  if (behind !== undefined) return behind;
  if (isStateQuery(query)) return answerState(options, parsed, request);
  if (isHistoryQuery(query) && options.history !== undefined) {
    return answerPast({ ...options, history: options.history }, query, clamped, request);
  }
  const answer = await answerHere(options, query, request);
  if (!answer.ok) return refuse(options, answer.error);
  const warning = agentWarning(contextOf(options), query);
  const warnings = warning === undefined ? [] : [warning];
  const all = [...(answer.warnings ?? []), ...warnings, ...clampWarnings(clamped)];
  return infoReply(answer.data, all);
}

/**
 * Returns a refusal if the block that a query requires does not arrive in time, or undefined once
 * it has been applied.
 */
async function behindOf(
  { blocks, replica }: Context,
  minHeight: number | undefined,
): Promise<Reply | undefined> {
  if (minHeight === undefined || minHeight <= replica.head.height) return undefined;
  if ((await blocks?.reached(minHeight)) === true) return undefined;
  const { height } = replica.head;
  const details = { field: 'minHeight', got: minHeight, allowed: { max: height } };
  const reply = infoRefusal(refusal('stateBehind', [height], details));
  return { ...reply, retryAfterSeconds: RETRY_SECONDS };
}

type ParsedQuery = Extract<ReturnType<typeof parseInfo>, { ok: true }>;

/** Answers a state query once per block, because the state changes only with blocks. */
async function answerState(
  options: Context,
  { query, clamped }: ParsedQuery,
  request: EdgeRequest,
): Promise<Reply> {
  if (!isStateQuery(query)) throw new TypeError('not a query on the state');
  const { cache, queue, replica } = options;
  const requester = requesterOf(request);
  const { client, spend } = requester;
  const history = options.history && historyOf(options.history, requester);
  const question = clamped === undefined ? JSON.stringify(query) : JSON.stringify([query, clamped]);
  const textOf = (context: InfoContext, asOf?: AsOf): string | Promise<string> => {
    const answer = answerInfo(context, query);
    // A refusal is not cached, but all clients waiting for this response get it.
    if (!answer.ok) throw new RefusedError(answer.error);
    const incomplete = asOf === undefined ? [] : incompleteWarnings(asOf, query);
    const warnings = [...(answer.warnings ?? []), ...clampWarnings(clamped), ...incomplete];
    const beside = {
      ...(asOf === undefined ? {} : { asOf: { height: asOf.height, time: asOf.timeMs } }),
      ...(answer.nextCursor === undefined ? {} : { nextCursor: answer.nextCursor }),
    };
    const json = jsonInTurns(answer.data, spend, (run) => {
      if (queue === undefined) run();
      else queue.take(question, run, { tokens: 0 });
    });
    return typeof json === 'string'
      ? infoReplyOf(json, warnings, beside).body
      : json.then((text) => infoReplyOf(text, warnings, beside).body);
  };
  let needsPast = false;
  // A query that needs the history is shared only by requests of the same client, because its time
  // is charged to that client.
  const group = (): string => {
    needsPast = history !== undefined && pastNeedOf(contextOf(options), query) !== undefined;
    return needsPast ? client : '';
  };
  const make = (): string | Promise<string> => {
    if (history === undefined || !needsPast) return textOf(contextOf(options));
    return withPast({ history, spend, contextOf: () => contextOf(options) }, query).then(
      ({ asOf, context: whole }) => measured(() => textOf(whole, asOf), spend),
    );
  };
  try {
    const asked = { text: question, isCommon: isCommonQuery(query), group };
    const answered = await cache.answer(() => replica.head.height, asked, make);
    if (typeof answered === 'string') return { status: 200, body: answered };
    return { status: 200, body: '', bytes: answered };
  } catch (error) {
    if (error instanceof RefusedError) return refuse(options, error.refusal);
    throw error;
  }
}

function requesterOf({ ip, spend = () => undefined }: TextRequest): Requester {
  return { client: clientKey(ip), spend };
}

/** Answers a history query. The response is not cached, because each block can add rows. */
async function answerPast(
  options: Context & { readonly history: History },
  query: HistoryQuery,
  clamped: ParsedQuery['clamped'],
  request: EdgeRequest,
): Promise<Reply> {
  const requester = requesterOf(request);
  const { receipts } = options;
  const asked = {
    ...options,
    history: historyOf(options.history, requester),
    pool: { recover: (sent: string) => options.pool.recover(sent, requester.client) },
    receipts: {
      find: (key: ReceiptKey) => receipts.find(key, requester),
      queued: (key: ReceiptKey) => receipts.queued(key),
    },
  };
  const agent = agentWarning(contextOf(options), query);
  const warnings = [...(agent === undefined ? [] : [agent]), ...clampWarnings(clamped)];
  const reply = await answerHistory(asked, query, { spend: requester.spend, warnings });
  return 'ok' in reply ? refuse(options, reply.error) : reply;
}

function contextOf(context: Context): InfoContext {
  const { cursors, markets, network, receipts, replica, settings } = context;
  const { ended } = receipts;
  return { state: replica.state, network, settings, markets, ended, cursors };
}

function clampWarnings(clamped: ParsedQuery['clamped']): Warning[] {
  if (clamped === undefined) return [];
  return [{ code: 'LIMIT_CLAMPED', message: 'The limit was lowered', details: clamped }];
}

/**
 * Answers the queries that only the API server can answer. Types that are not served are refused as
 * if they were unknown.
 */
async function answerHere(
  options: Context,
  query: ParsedQuery['query'],
  request: EdgeRequest,
): Promise<InfoAnswer> {
  const { ip, text } = request;
  if (query.type === 'rateLimit') return { ok: true, data: rateLimit(options, ip) };
  if (query.type === 'actionStatus') {
    return { ok: true, data: await actionStatus(options.receipts, query, requesterOf(request)) };
  }
  if (query.type === 'explainSignature') return options.explain(query, text, clientKey(ip));
  if (query.type === 'depositWithPermit') {
    return options.permits === undefined
      ? PERMIT_WITHOUT_CHAIN
      : await options.permits.deposit(query);
  }
  if (query.type === 'venueHealth' && options.health !== undefined) {
    return { ok: true, data: options.health() };
  }
  if (query.type === 'multiSigChanges') {
    return { ok: true, data: options.multiSigChanges?.of(query.user) ?? [] };
  }
  if (query.type === 'reserves') return reserves(options);
  if (query.type === 'reservesProof') return await reservesProof(options, query.user);
  const details = { field: 'type', got: query.type, why: 'this version does not support it yet' };
  return { ok: false, error: refusal('notAllowed', [], details, HTTP_FORBIDDEN) };
}

function refuse({ replica }: Context, error: WireError): Reply {
  return infoRefusal(refusalWithInstrument(replica.state, error, 'text'));
}

function rateLimit({ limiter, now, faucet, ...options }: InfoOptions, ip: string): RateLimit {
  const work = options.work?.left(ip);
  const open = options.connections?.(ip) ?? { ws: 0, apiWs: 0, wsRtds: 0 };
  const limit = options.connectionsMax ?? LIMITS.connectionsMax;
  return {
    ip,
    time: now(),
    info: limiter.peek('info', ip),
    exchange: limiter.peek('exchange', ip),
    explainSignature: limiter.peek('explainSignature', ip),
    simulate: limiter.peek('simulate', ip),
    ...(work === undefined
      ? {}
      : {
          work: {
            limit_ms_per_second: work.msPerSecond,
            remaining_ms: Math.floor(work.remainingMs),
          },
        }),
    ws: { limit, open: open.ws },
    apiWs: { limit, open: open.apiWs },
    wsRtds: { limit, open: open.wsRtds },
    faucetNextTime: faucet?.nextTimeOfClient(ip) ?? null,
  };
}

const UNKNOWN = {
  status: 'unknown',
  txHash: null,
  traceId: null,
  signer: null,
  user: null,
  nonce: null,
  actionType: null,
  block: null,
  result: null,
  error: null,
} as const satisfies ActionStatus;

/** Field values for an action that has not been executed yet. */
const UNDECIDED = { result: null, error: null } as const;

async function actionStatus(
  receipts: Receipts,
  query: InfoQueryOf<'actionStatus'>,
  requester: Requester,
): Promise<ActionStatus> {
  const receipt = receipts.recent(query);
  const queued = receipts.queued(query);
  if (queued !== undefined) return queuedStatus(queued);
  const pending = receipt === undefined ? receipts.pending(query) : undefined;
  if (pending !== undefined) {
    const { txHash, signer, user, nonce, actionType } = pending;
    const trace = traceId(txHash);
    const names = { txHash, traceId: trace, signer, user, nonce, actionType };
    return { status: 'pending', ...names, block: null, ...UNDECIDED };
  }
  // "unknown" must be certain, because clients resend the action in that case.
  const found = receipt ?? (await receipts.findForSure(query, requester));
  if (found === undefined) return UNKNOWN;
  const { txHash, signer, user, nonce, actionType, block, outcome } = found;
  const names = { txHash, traceId: traceId(txHash), signer, user, nonce, actionType };
  const { error, result } = outcome;
  return error === null
    ? { status: 'executed', ...names, block, result, error }
    : { status: 'failed', ...names, block, result, error };
}

/**
 * Returns the status of an action with at least one queued order, which has no result yet
 * (R-delay).
 */
function queuedStatus({ block, command, user }: QueuedAction): ActionStatus {
  const { nonce, signer, txHash } = authorityOf(command);
  return {
    status: 'queued',
    txHash,
    traceId: traceId(txHash),
    signer,
    user,
    nonce,
    actionType: actionTypeOf(command),
    block: { height: block.height, time: block.timeMs, hash: block.hash },
    ...UNDECIDED,
  };
}
