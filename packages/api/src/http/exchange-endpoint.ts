import {
  checkNonceWindow,
  type CommandResult,
  marketView,
  nonceWindow,
  type Reject,
} from '@oddlot/engine';
import {
  type Reply,
  type TextEndpoint,
  type TextRequest,
  tooLarge,
  UnavailableError,
} from '@oddlot/host/http';
import { clientKey } from '@oddlot/host/ports';
import {
  jsonRefusal,
  LIMITS,
  markHyperliquid,
  parseObject,
  PERMISSIONED_TYPES,
  refusal,
  type WireError,
} from '@oddlot/protocol';
import { type Address, type Hash, present } from '@oddlot/units';
import type { Requester } from '@oddlot/history/history';
import {
  hasQueued,
  type Pending,
  type QueuedAction,
  type Receipt,
  type Receipts,
} from '@oddlot/history/receipts';
import { authorityOf, type Executed, type RequestCommand } from '@oddlot/replica/block';
import type { Replica } from '@oddlot/replica/replica';
import {
  actionTypeOf,
  type InstrumentLookup,
  instrumentLookup,
  refuseWithoutChain,
} from '@oddlot/translate/action-to-command';
import type { InfoSettings } from '@oddlot/translate/answer-info';
import { isOutcomeOrder, outcomeToWire } from '@oddlot/translate/outcome-to-wire';
import { rejectToWire, requestTexts } from '@oddlot/translate/reject-to-wire';
import { refusalWithInstrument } from '@oddlot/translate/instruments';
import type { AdmissionGuard } from '../admission-guard.ts';
import type { RecoverPool } from '../recover-pool.ts';
import { commandIn, type ReadCommand, type UnderstoodRequest } from '../recover-messages.ts';
import {
  acknowledgement,
  exchangeRefusal,
  executedReply,
  pendingReply,
  plainReply,
} from './exchange-reply.ts';
import type { ReadJob, RefusedRequest } from '../read-request.ts';

/**
 * Options for POST /exchange. Checks run in this order: schema, nonce window, signature, authority
 * and business rules. A rejected request leaves no trace.
 */

export type ExchangeOptions = {
  readonly replica: Replica;
  readonly receipts: Receipts;
  readonly pool: Pick<RecoverPool, 'learn' | 'read'>;
  readonly now: () => number;
  /** How long a response with `confirm` waits for its block at most, in milliseconds. */
  readonly confirmTimeoutMs?: number;
  /** Rejects actions while the venue is restricted or its state is too old. */
  readonly guard?: AdmissionGuard;
  readonly settings?: Pick<InfoSettings, 'hasChain'>;
  /** Called for each rejected command whose signer is known. */
  readonly onRefused?: (command: RequestCommand, reason: string) => void;
};

const CONFIRM_TIMEOUT_MS = 10_000;

type Envelope = UnderstoodRequest['envelope'];

/** A request, together with the data needed to build the response if admission rejects it. */
type Received = {
  readonly request: string;
  readonly envelope: Envelope;
  readonly requester: Requester;
};

type Context = ExchangeOptions & {
  readonly instruments: InstrumentLookup;
  readonly timeoutMs: number;
  /** Explains why an unknown signer is refused. Set only for requests from Hyperliquid clients. */
  readonly explainSigner?: ExplainSigner | undefined;
};

/** Returns the refusal for a request whose signer is unknown to the venue. */
export type ExplainSigner = (signer: Address, request: string) => Promise<WireError>;

export function exchangeEndpoint(options: ExchangeOptions): TextEndpoint {
  const context = contextOf(options);
  return {
    surface: 'exchange',
    bodyBytesMaxOf,
    refuse: exchangeRefusal,
    handleText: (request) => handle(context, request),
  };
}

/**
 * Creates the endpoint for requests from Hyperliquid clients. They are marked as such and logged as
 * received, and the response waits for execution.
 */
export function hyperliquidEndpoint(
  options: ExchangeOptions,
  explainSigner: ExplainSigner,
): TextEndpoint {
  const context: Context = { ...contextOf(options), explainSigner };
  return {
    surface: 'exchange',
    refuse: exchangeRefusal,
    handleText: (request) => {
      const { text: body } = request;
      if (Buffer.byteLength(body) > LIMITS.bodyBytesMax) return refuseLarge();
      // The body is parsed before the mark is added, so that a client cannot add a second such key.
      const parsed = parseObject(body, true);
      if (!parsed.ok) return exchangeRefusal(parsed.error, true);
      return handle(context, { ...request, text: markHyperliquid(body), bytes: 0 });
    },
  };
}

function contextOf(options: ExchangeOptions): Context {
  return {
    ...options,
    instruments: instrumentLookup(() => options.replica.state),
    timeoutMs: options.confirmTimeoutMs ?? CONFIRM_TIMEOUT_MS,
  };
}

/**
 * Returns the larger limit if the start of the body names a permissioned type or does not include a
 * type yet. The action and its signer are checked later.
 */
function bodyBytesMaxOf(start: Buffer): number {
  const isMeant =
    PERMISSIONED_TYPES.some((type) => start.includes(`"${type}"`)) || !start.includes('"type"');
  return isMeant ? LIMITS.permissionedBodyBytesMax : LIMITS.bodyBytesMax;
}

async function handle(context: Context, sentText: TextRequest): Promise<Reply> {
  const { text, bytes = 0 } = sentText;
  const isLarge = bytes > LIMITS.bodyBytesMax;
  const { replica } = context;
  const timeMs = Math.max(replica.head.timeMs, context.now());
  const { minExclusive, maxExclusive } = nonceWindow(replica.state, timeMs);
  const job: ReadJob = {
    isLarge,
    nonceAfter: minExclusive,
    nonceBefore: maxExclusive,
    ...(context.explainSigner === undefined ? {} : { takesHyperliquid: true }),
  };
  const requester = { client: clientKey(sentText.ip), spend: () => undefined };
  const read = await readCommand(context, text, job, requester.client);
  if ('refused' in read) return refuseRead(context, read);
  const { envelope } = read;
  const { nonce } = envelope;
  const window = checkNonceWindow(replica.state, nonce, timeMs);
  if (window !== undefined) return refuseWindow(context, text, { read, requester }, window);
  if (read.fault !== undefined) return refuse(malformed(text, read));
  const txHash = read.txHash as Hash;
  const joined = join(context, envelope, txHash, requester);
  if (joined !== undefined) return joined;

  if (read.unauthorized !== undefined) return refuse(read.unauthorized);
  const { encoded, request = text } = present(read.command, 'the command of a signed request');
  const command = commandIn(encoded);
  const { signer } = authorityOf(command);
  if (isLarge && !isListed(context.replica.state, signer)) return refuseLarge();
  const checked = context.replica.check(command);
  const { explainSigner } = context;
  if (explainSigner !== undefined && isOfUnknownSigner(checked)) {
    return refuse(await explainSigner(signer, request));
  }
  if (checked.reject !== undefined) {
    // A rejection is final, so it must not be based on a state that lacks newer blocks.
    if (context.guard?.isStateOld === true) {
      const isCurrent = await context.guard.whenCurrent();
      return isCurrent ? handle(context, sentText) : refuse(refusal('logSilent', []));
    }
    const { reject, rejectIndex } = checked;
    return refuseChecked(context, { request, envelope, requester }, command, {
      reject,
      rejectIndex,
    });
  }
  if (context.receipts.pending({ by: 'nonce', signer, nonce }) !== undefined) {
    const allowed = { min: nonce + 1 };
    return refuse(refusal('nonceUsed', [], { field: 'nonce', got: nonce, allowed }));
  }
  const restricted = context.guard?.refusalOf(context.replica.state, command, checked.account);
  const stopped = restricted ?? refuseWithoutChain(command, context.settings?.hasChain);
  if (stopped !== undefined) {
    context.onRefused?.(command, stopped.name);
    return refuse(stopped);
  }
  const executed = context.replica.propose(command, request, encoded);
  const user = checked.account ?? null;
  const actionType = actionTypeOf(command);
  const asked = { txHash, signer, user, nonce, actionType, command, executed };
  const pending = context.receipts.track(asked);
  return answerExecuted(context, { pending, requester, request, admitted: checked }, envelope);
}

/** Rejections that a signer without an account can get. */
const OF_UNKNOWN_SIGNERS: ReadonlySet<Reject['reason']> = new Set([
  'agentUnknown',
  'accountUnknown',
  'depositFirst',
]);

function isOfUnknownSigner({ reject }: CommandResult): boolean {
  return reject !== undefined && OF_UNKNOWN_SIGNERS.has(reject.reason);
}

/**
 * Reads the command of a request. If a recovery thread lacks the current scale of an instrument,
 * the scale is sent to it and the request is read again.
 */
async function readCommand(
  { instruments, pool }: Context,
  text: string,
  job: ReadJob,
  client: string,
): Promise<ReadCommand> {
  for (;;) {
    const read = await pool.read(text, job, client);
    const used = 'envelope' in read ? (read.command?.scales ?? []) : [];
    const outdated = used.filter(([id, scale]) => instruments(id)?.szDecimals !== scale);
    if (outdated.length === 0) return read;
    pool.learn(outdated.map(([id]) => [id, instruments(id)?.szDecimals] as const));
  }
}

function refuseRead({ replica }: Context, { refused, isGateway }: RefusedRequest): Reply {
  if (refused === 'tooLarge') return refuseLarge();
  if (isGateway) return exchangeRefusal(refused, true);
  return refuse(refusalWithInstrument(replica.state, refused, 'number'));
}

/**
 * Returns true for signers listed as operators in the log. Only they may send large bodies
 * (R-requests).
 */
function isListed({ parameters }: Replica['state'], signer: Address): boolean {
  const { admins = [], deployers = [] } = parameters ?? {};
  return admins.includes(signer) || deployers.includes(signer);
}

function refuseLarge(): Reply {
  return exchangeRefusal(tooLarge(LIMITS.bodyBytesMax), true);
}

/**
 * Rejects a nonce outside the window. A request whose nonce is too old may have been executed long
 * ago or under earlier rules, so its receipt is looked up first.
 */
async function refuseWindow(
  { receipts, instruments }: Context,
  text: string,
  { requester, read }: { readonly requester: Requester; readonly read: UnderstoodRequest },
  reject: Reject,
): Promise<Reply> {
  const { nonce, confirm } = read.envelope;
  if (reject.reason === 'nonceTooOld' || reject.reason === 'nonceBeforeLog') {
    if (read.fault !== undefined) return refuse(malformed(text, read));
    const receipt = await receipts.find({ by: 'txHash', txHash: read.txHash ?? '' }, requester);
    if (receipt !== undefined) return answerReceipt(receipt, confirm !== undefined);
  }
  return refuse(rejectToWire(reject, { instruments, nonce }));
}

/**
 * Returns the response to a request that is in flight or was executed recently, or undefined for a
 * new request.
 */
function join(
  context: Context,
  envelope: Envelope,
  txHash: Hash,
  requester: Requester,
): Promise<Reply> | Reply | undefined {
  const pending = context.receipts.pending({ by: 'txHash', txHash });
  if (pending !== undefined) return answerExecuted(context, { pending, requester }, envelope);
  const queued = context.receipts.queued({ by: 'txHash', txHash });
  if (queued !== undefined) return answerQueued(context, queued, envelope);
  const receipt = context.receipts.recent({ by: 'txHash', txHash });
  return receipt === undefined ? undefined : answerReceipt(receipt, envelope.confirm !== undefined);
}

/** Rejections that a request can get even though it was executed earlier. */
const MAY_BE_KNOWN = new Set<Reject['reason']>([
  'agentUnknown',
  'multiSigUnknown',
  'signerNotInSet',
  'signaturesMissing',
  'multiSigRequired',
  'vaultLeaderDiffers',
  'gated',
  'actionExpired',
  'nonceTooOld',
  'nonceBeforeLog',
  'nonceUsed',
  'nonceTooLow',
]);

async function refuseChecked(
  { instruments, onRefused, receipts }: Context,
  { requester, envelope, request }: Received,
  command: RequestCommand,
  { reject, rejectIndex }: { reject: Reject; rejectIndex: number | undefined },
): Promise<Reply> {
  const { multiSig, nonce, txHash } = authorityOf(command);
  if (MAY_BE_KNOWN.has(reject.reason)) {
    const receipt = await receipts.find({ by: 'txHash', txHash }, requester);
    if (receipt !== undefined) return answerReceipt(receipt, envelope.confirm !== undefined);
  }
  onRefused?.(command, reject.reason);
  const entry = requestTexts(request)(rejectIndex);
  const isWrapped = multiSig !== undefined;
  const found = { instruments, nonce, isWrapped, command: command.type };
  return refuse(rejectToWire(reject, entry === undefined ? found : { ...found, entry }));
}

type Proposed = {
  readonly pending: Pending;
  readonly requester: Requester;
  /**
   * The request quoted in the response; undefined if the same action was first received in another
   * request.
   */
  readonly request?: string;
  /** The result of admission; undefined for a resent request, because it is not checked again. */
  readonly admitted?: CommandResult;
};

async function answerExecuted(
  context: Context,
  proposed: Proposed,
  { confirm }: Envelope,
): Promise<Reply> {
  const { admitted, pending } = proposed;
  const { command } = pending;
  if (confirm !== undefined) {
    const answered = executedAnswer(context, proposed);
    return (await within(answered, waitLimitOf(context, command))) ?? pendingReply(command);
  }
  // A request may be acknowledged only once it is durable, so no response is sent before that.
  const done = await within(pending.executed);
  const outcome = asAdmitted(done.outcome, admitted);
  if (outcome.reject === undefined) {
    const plain = plainReply(command, outcome);
    if (plain !== undefined) return plain;
  } else {
    const first = await firstAnswer(context, proposed, done);
    if (first !== undefined) return first(false);
  }
  return answerOutcome(context, proposed, { ...done, reported: outcome }, false);
}

/** Builds the response with `confirm`, which also waits for orders in the delay queue. */
async function executedAnswer(context: Context, proposed: Proposed): Promise<Reply> {
  const { executed, txHash } = proposed.pending;
  const done = await executed;
  const { outcome } = done;
  if (hasQueued(outcome)) return answerReceipt(await context.receipts.completed(txHash), true);
  const first = await firstAnswer(context, proposed, done);
  return first?.(true) ?? answerOutcome(context, proposed, { ...done, reported: outcome }, true);
}

/**
 * Returns the response for the same request from an earlier block. If two replicas accept a request
 * at the same time, it is executed once, and both clients get its result instead of `nonceUsed`.
 */
async function firstAnswer(
  { receipts }: Context,
  { requester, pending: { txHash } }: Proposed,
  { block, outcome }: Executed,
): Promise<((isConfirmed: boolean) => Promise<Reply> | Reply) | undefined> {
  if (outcome.reject === undefined) return undefined;
  const key = { by: 'txHash', txHash } as const;
  const queued = receipts.queued(key);
  if (queued !== undefined) {
    return async (isConfirmed) =>
      isConfirmed
        ? answerReceipt(await receipts.completed(txHash), true)
        : acknowledgement(txHash, queued.warnings);
  }
  const first = await receipts.find(key, requester);
  if (first === undefined || first.block.height >= block.height) return undefined;
  return (isConfirmed) => answerReceipt(first, isConfirmed);
}

/** Builds the response to a resent request whose action has an order in the delay queue. */
async function answerQueued(
  context: Context,
  { command, warnings }: QueuedAction,
  { confirm }: Envelope,
): Promise<Reply> {
  const { txHash } = authorityOf(command);
  if (confirm === undefined) return acknowledgement(txHash, warnings);
  const completed = context.receipts.completed(txHash).then((each) => answerReceipt(each, true));
  return (await within(completed, waitLimitOf(context, command))) ?? pendingReply(command);
}

/**
 * Returns how long a response with `confirm` waits, in milliseconds: its limit plus the longest
 * order delay of any market.
 */
function waitLimitOf({ replica, timeoutMs }: Context, command: RequestCommand): number {
  if (command.type !== 'placeOrders' || !isOutcomeOrder(command)) return timeoutMs;
  const delays = command.orders.map(
    ({ instrumentId }) => marketView(replica.state, instrumentId)?.definition.orderDelayMs ?? 0,
  );
  return timeoutMs + Math.max(...delays);
}

/** Builds the response. The text of the receipt is reused if its outcome has not changed. */
function answerOutcome(
  { instruments, receipts }: Context,
  { pending, request }: Proposed,
  { block, outcome, reported }: Executed & { readonly reported: CommandResult },
  isConfirmed: boolean,
): Reply {
  const { command, txHash } = pending;
  const texts = request === undefined ? undefined : requestTexts(request);
  const { events } = block.result;
  const { ended } = receipts;
  const wire =
    reported === outcome && pending.firstOutcome?.height === block.height
      ? pending.firstOutcome.outcome()
      : outcomeToWire(command, reported, { instruments, texts, events, ended });
  return executedReply({ txHash, height: block.height, outcome: wire }, isConfirmed);
}

/**
 * Replaces the warning about an unpaid builder with the one from admission, because a response
 * without `confirm` reports the result of admission.
 */
function asAdmitted(executed: CommandResult, admitted: CommandResult | undefined): CommandResult {
  if (admitted === undefined || executed.builderDrop === admitted.builderDrop) return executed;
  const { builderDrop: _, ...outcome } = executed;
  const { builderDrop } = admitted;
  return builderDrop === undefined ? outcome : { ...outcome, builderDrop };
}

function answerReceipt({ txHash, block, outcome }: Receipt, isConfirmed: boolean): Reply {
  return executedReply({ txHash, height: block.height, outcome }, isConfirmed);
}

/**
 * Returns the value, or undefined after the timeout. If the promise rejects, the log accepts no
 * more commands.
 */
async function within<Value>(promise: Promise<Value>): Promise<Value>;
async function within<Value>(promise: Promise<Value>, ms: number): Promise<Value | undefined>;
async function within<Value>(promise: Promise<Value>, ms?: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  try {
    if (ms === undefined) return await promise;
    const timeout = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, ms, undefined);
    });
    return await Promise.race([promise, timeout]);
  } catch (cause) {
    throw new UnavailableError('the action could not be logged', { cause });
  } finally {
    clearTimeout(timer);
  }
}

function malformed(text: string, { fault: message = '', at = 0 }: UnderstoodRequest): WireError {
  return jsonRefusal(text, { message, at }, 'action');
}

function refuse(error: WireError): Reply {
  return exchangeRefusal(error, false);
}
