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
import { jsonRefusal, LIMITS, PERMISSIONED_TYPES, refusal, type WireError } from '@oddlot/protocol';
import type { Address, Hash } from '@oddlot/units';
import type { Asker } from '@oddlot/history/history';
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
  actionToCommand,
  actionTypeOf,
  type InstrumentLookup,
  instrumentLookup,
  type PlainAction,
  refuseWithoutChain,
} from '@oddlot/translate/action-to-command';
import type { InfoSettings } from '@oddlot/translate/answer-info';
import { isOutcomeOrder, outcomeToWire } from '@oddlot/translate/outcome-to-wire';
import { actionTexts, rejectToWire } from '@oddlot/translate/reject-to-wire';
import { refusalWithInstrument } from '@oddlot/translate/instruments';
import type { AdmissionGuard } from '../admission-guard.ts';
import { recovering, type RecoverPool } from '../recover-pool.ts';
import type { Recovered } from '../recoverer.ts';
import {
  acknowledgement,
  exchangeRefusal,
  executedReply,
  pendingReply,
  plainReply,
} from './exchange-reply.ts';
import { authorityFrom } from './authority-from.ts';
import {
  type RefusedRequest,
  type SentEnvelope,
  type SentRequest,
  sentRequest,
} from '../read-request.ts';

/**
 * POST /exchange. The steps stand in the order in which a request may be refused: shapes, nonce
 * window, signature, authority, business rules. Nothing is kept of a request that is refused.
 */

export type ExchangeOptions = {
  readonly replica: Replica;
  readonly receipts: Receipts;
  readonly pool: Pick<RecoverPool, 'read'>;
  readonly now: () => number;
  /** How long an answer with `confirm` waits for its block. */
  readonly confirmTimeoutMs?: number;
  /** What is not taken now, whoever asks. */
  readonly guard?: AdmissionGuard;
  readonly settings?: Pick<InfoSettings, 'hasChain'>;
  /** Told of what is refused although it is known who signed it. */
  readonly onRefused?: (command: RequestCommand, reason: string) => void;
};

const CONFIRM_TIMEOUT_MS = 10_000;

type Context = ExchangeOptions & {
  readonly instruments: InstrumentLookup;
  readonly timeoutMs: number;
};

/** The endpoint of all writes. */
export function exchangeEndpoint(options: ExchangeOptions): TextEndpoint {
  const context: Context = {
    ...options,
    instruments: instrumentLookup(() => options.replica.state),
    timeoutMs: options.confirmTimeoutMs ?? CONFIRM_TIMEOUT_MS,
  };
  return {
    surface: 'exchange',
    bodyBytesMaxOf,
    refuse: exchangeRefusal,
    handleText: (request) => handle(context, request),
  };
}

/**
 * A look at the text is enough to read on: it names such an action, or has not come to a type yet.
 * What it really asks and who signed it are seen later.
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
  const job = { isLarge, nonceAfter: minExclusive, nonceBefore: maxExclusive };
  const asker = { client: clientKey(sentText.ip), spend: () => undefined };
  const { sent, ...recovered } = await recovering(context.pool.read(text, job, asker.client));
  if ('refused' in sent) return refuseRead(context, sent);
  const request = sentRequest(sent);
  const { envelope, action } = request;
  const { nonce } = envelope;
  const window = checkNonceWindow(replica.state, nonce, timeMs);
  if (window !== undefined) {
    return refuseWindow(context, text, { envelope, recovered, asker }, window);
  }
  if (recovered.fault !== undefined) return refuse(malformed(text, recovered));
  const txHash = recovered.txHash as Hash;
  const joined = join(context, envelope, txHash, asker);
  if (joined !== undefined) return joined;

  const authority = authorityFrom(request, recovered, txHash);
  if (!('signer' in authority)) return refuse(authority);
  const { signer } = authority;
  if (isLarge && !isListed(context.replica.state, signer)) return refuseLarge();
  const command = actionToCommand(action, authority, context.instruments);
  const checked = context.replica.check(command);
  if (checked.reject !== undefined) {
    // A refusal is final, and this one may be of a state that lacks what others have executed since.
    if (context.guard?.isStateOld === true) {
      const isCurrent = await context.guard.whenCurrent();
      return isCurrent ? handle(context, sentText) : refuse(refusal('logSilent', []));
    }
    const { reject, rejectIndex } = checked;
    return refuseChecked(context, { ...request, asker }, command, { reject, rejectIndex });
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
  const executed = context.replica.propose(command, withoutSpace(text));
  const user = checked.account ?? null;
  const actionType = actionTypeOf(command);
  const asked = { txHash, signer, user, nonce, actionType, command, executed };
  const pending = context.receipts.track(asked);
  return answerExecuted(context, { pending, asker, action, admitted: checked }, envelope);
}

function refuseRead({ replica }: Context, { refused, isGateway }: RefusedRequest): Reply {
  if (refused === 'tooLarge') return refuseLarge();
  if (isGateway) return exchangeRefusal(refused, true);
  return refuse(refusalWithInstrument(replica.state, refused, 'number'));
}

/** R-requests: only those whom the log lists may send much. */
function isListed({ parameters }: Replica['state'], signer: Address): boolean {
  const { admins = [], deployers = [] } = parameters ?? {};
  return admins.includes(signer) || deployers.includes(signer);
}

function refuseLarge(): Reply {
  return exchangeRefusal(tooLarge(LIMITS.bodyBytesMax), true);
}

/**
 * A nonce that is too old may be that of a request that was executed long ago, or by rules that took it, and
 * is sent again.
 */
async function refuseWindow(
  { receipts, instruments }: Context,
  text: string,
  { asker, envelope, recovered }: { asker: Asker; envelope: SentEnvelope; recovered: Recovered },
  reject: Reject,
): Promise<Reply> {
  const { nonce, confirm } = envelope;
  if (reject.reason === 'nonceTooOld' || reject.reason === 'nonceBeforeLog') {
    if (recovered.fault !== undefined) return refuse(malformed(text, recovered));
    const receipt = await receipts.find({ by: 'txHash', txHash: recovered.txHash ?? '' }, asker);
    if (receipt !== undefined) return answerReceipt(receipt, confirm !== undefined);
  }
  return refuse(rejectToWire(reject, { instruments, nonce }));
}

/** Answers a request that is on its way or was executed a moment ago; undefined for a new one. */
function join(
  context: Context,
  envelope: SentEnvelope,
  txHash: Hash,
  asker: Asker,
): Promise<Reply> | Reply | undefined {
  const pending = context.receipts.pending({ by: 'txHash', txHash });
  if (pending !== undefined) return answerExecuted(context, { pending, asker }, envelope);
  const queued = context.receipts.queued({ by: 'txHash', txHash });
  if (queued !== undefined) return answerQueued(context, queued, envelope);
  const receipt = context.receipts.recent({ by: 'txHash', txHash });
  return receipt === undefined ? undefined : answerReceipt(receipt, envelope.confirm !== undefined);
}

/** The refusals that a request which was executed before would meet when it is sent again. */
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
  { action, asker, envelope }: SentRequest & { readonly asker: Asker },
  command: RequestCommand,
  { reject, rejectIndex }: { reject: Reject; rejectIndex: number | undefined },
): Promise<Reply> {
  const { multiSig, nonce, txHash } = authorityOf(command);
  if (MAY_BE_KNOWN.has(reject.reason)) {
    const receipt = await receipts.find({ by: 'txHash', txHash }, asker);
    if (receipt !== undefined) return answerReceipt(receipt, envelope.confirm !== undefined);
  }
  onRefused?.(command, reject.reason);
  const entry = actionTexts(action)(rejectIndex);
  const isWrapped = multiSig !== undefined;
  const found = { instruments, nonce, isWrapped, command: command.type };
  return refuse(rejectToWire(reject, entry === undefined ? found : { ...found, entry }));
}

type Proposed = {
  readonly pending: Pending;
  /** Who sent the request. */
  readonly asker: Asker;
  readonly action?: PlainAction;
  /** What admission said of it; a re-send that joins the first is not judged again. */
  readonly admitted?: CommandResult;
};

async function answerExecuted(
  context: Context,
  proposed: Proposed,
  { confirm }: SentEnvelope,
): Promise<Reply> {
  const { admitted, pending } = proposed;
  const { command } = pending;
  if (confirm !== undefined) {
    const answered = executedAnswer(context, proposed);
    return (await within(answered, patienceOf(context, command))) ?? pendingReply(command);
  }
  // Acceptance means durable, so there is no earlier answer to give.
  const done = await within(pending.executed);
  const first = await firstAnswer(context, proposed, done);
  if (first !== undefined) return first(false);
  const outcome = asAdmitted(done.outcome, admitted);
  const plain = outcome.reject === undefined ? plainReply(command, outcome) : undefined;
  return plain ?? answerOutcome(context, proposed, { ...done, told: outcome }, false);
}

/** The answer to whoever waits until all is done, orders in the delay queue included. */
async function executedAnswer(context: Context, proposed: Proposed): Promise<Reply> {
  const { executed, txHash } = proposed.pending;
  const done = await executed;
  const { outcome: told } = done;
  if (hasQueued(told)) return answerReceipt(await context.receipts.completed(txHash), true);
  const first = await firstAnswer(context, proposed, done);
  return first?.(true) ?? answerOutcome(context, proposed, { ...done, told }, true);
}

/**
 * What was answered to the same request in an earlier block. Two replicas can have taken it at the same moment: it is
 * executed once, and whoever asked is told how, not that its nonce is used.
 */
async function firstAnswer(
  { receipts }: Context,
  { asker, pending: { txHash } }: Proposed,
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
  const first = await receipts.find(key, asker);
  if (first === undefined || first.block.height >= block.height) return undefined;
  return (isConfirmed) => answerReceipt(first, isConfirmed);
}

/** A re-send of an action of which an order waits in the delay queue. */
async function answerQueued(
  context: Context,
  { command, warnings }: QueuedAction,
  { confirm }: SentEnvelope,
): Promise<Reply> {
  const { txHash } = authorityOf(command);
  if (confirm === undefined) return acknowledgement(txHash, warnings);
  const completed = context.receipts.completed(txHash).then((each) => answerReceipt(each, true));
  return (await within(completed, patienceOf(context, command))) ?? pendingReply(command);
}

/** How long an answer with `confirm` waits: the delay of the action's markets comes on top. */
function patienceOf({ replica, timeoutMs }: Context, command: RequestCommand): number {
  if (command.type !== 'placeOrders' || !isOutcomeOrder(command)) return timeoutMs;
  const delays = command.orders.map(
    ({ instrumentId }) => marketView(replica.state, instrumentId)?.definition.orderDelayMs ?? 0,
  );
  return timeoutMs + Math.max(...delays);
}

/** What its receipt tells is told in the same words; what differs from it is put into words here. */
function answerOutcome(
  { instruments, receipts }: Context,
  { pending, action }: Proposed,
  { block, outcome, told }: Executed & { readonly told: CommandResult },
  isConfirmed: boolean,
): Reply {
  const { command, txHash } = pending;
  const texts = action === undefined ? undefined : actionTexts(action);
  const { events } = block.result;
  const { ended } = receipts;
  const wire =
    told === outcome && pending.told?.height === block.height
      ? pending.told.outcome()
      : outcomeToWire(command, told, { instruments, texts, events, ended });
  return executedReply({ txHash, height: block.height, outcome: wire }, isConfirmed);
}

/** Whoever does not wait for the execution is told why a builder is not paid as admission saw it. */
function asAdmitted(executed: CommandResult, admitted: CommandResult | undefined): CommandResult {
  if (admitted === undefined || executed.builderDrop === admitted.builderDrop) return executed;
  const { builderDrop: _, ...outcome } = executed;
  const { builderDrop } = admitted;
  return builderDrop === undefined ? outcome : { ...outcome, builderDrop };
}

function answerReceipt({ txHash, block, outcome }: Receipt, isConfirmed: boolean): Reply {
  return executedReply({ txHash, height: block.height, outcome }, isConfirmed);
}

/** The value, or undefined when it takes too long. A failure means that the log takes no more. */
async function within<Value>(promise: Promise<Value>): Promise<Value>;
async function within<Value>(promise: Promise<Value>, ms: number): Promise<Value | undefined>;
async function within<Value>(promise: Promise<Value>, ms?: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  try {
    if (ms === undefined) return await promise;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, ms, undefined);
    });
    return await Promise.race([promise, late]);
  } catch (cause) {
    throw new UnavailableError('the action could not be logged', { cause });
  } finally {
    clearTimeout(timer);
  }
}

function malformed(text: string, { fault: message = '', at = 0 }: Recovered): WireError {
  return jsonRefusal(text, { message, at }, 'action');
}

function refuse(error: WireError): Reply {
  return exchangeRefusal(error, false);
}

/**
 * JSON text without the space between its parts, for the log: it means and is signed as the same, and
 * a client that pads its requests does not fill the disk.
 */
export function withoutSpace(text: string): string {
  if (!SPACE.test(text)) return text;
  return text.replaceAll(STRING_OR_SPACE, (part) => (part.startsWith('"') ? part : ''));
}

const SPACE = /[ \t\r\n]/;
const STRING_OR_SPACE = /"[^"\\]*(?:\\.[^"\\]*)*"|[ \t\r\n]+/g;
