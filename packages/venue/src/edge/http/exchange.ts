import { checkNonceWindow, type Reject } from '@oddlot/engine';
import {
  checkBinding,
  checkExpiryAllowed,
  checkVaultAllowed,
  parseAction,
  parseEnvelope,
  refusal,
  type Envelope,
  type Network,
  type WireError,
} from '@oddlot/protocol';
import type { Address, Hash, TimeMs } from '@oddlot/units';
import type { Receipt, Receipts } from '../../replica/receipts.ts';
import type { Executed, Replica } from '../../replica/replica.ts';
import {
  actionToCommand,
  isSupported,
  perpLookup,
  refuseUnsupported,
  type PerpLookup,
  type SupportedAction,
} from '../../translate/action-to-command.ts';
import { actionTypeOf, outcomeToWire } from '../../translate/outcome-to-wire.ts';
import { rejectToWire } from '../../translate/reject-to-wire.ts';
import { authorityOf, type RequestCommand } from '../../translate/request-command.ts';
import { actionTexts } from '../../translate/request-texts.ts';
import { RecoverUnavailableError, type RecoverPool } from '../recover-pool.ts';
import type { Recovered } from '../recover-worker.ts';
import { executedReply, pendingReply, plainReply } from './exchange-reply.ts';
import { exchangeRefusal, UnavailableError } from './reply.ts';
import type { EdgeRequest, Endpoint, Reply } from './reply.ts';

/**
 * POST /exchange. The steps stand in the order in which a request may be refused: shapes, nonce
 * window, signature, authority, business rules. Nothing is kept of a request that is refused.
 */

export type ExchangeOptions = {
  readonly replica: Replica;
  readonly receipts: Receipts;
  readonly pool: Pick<RecoverPool, 'recover' | 'hash'>;
  readonly network: Network;
  readonly now: () => number;
  /** How long an answer with `confirm` waits for its block. */
  readonly confirmTimeoutMs?: number;
};

const CONFIRM_TIMEOUT_MS = 10_000;

type Context = ExchangeOptions & { readonly perps: PerpLookup; readonly timeoutMs: number };

/** A request whose shape is right. */
type Understood = { readonly envelope: Envelope; readonly action: SupportedAction };

/** The endpoint of all writes. */
export function exchangeEndpoint(options: ExchangeOptions): Endpoint {
  const context: Context = {
    ...options,
    perps: perpLookup(() => options.replica.state),
    timeoutMs: options.confirmTimeoutMs ?? CONFIRM_TIMEOUT_MS,
  };
  return {
    surface: 'exchange',
    refuse: exchangeRefusal,
    handle: (request) => handle(context, request),
  };
}

async function handle(context: Context, { text, body }: EdgeRequest): Promise<Reply> {
  const understood = understand(context, body);
  if (!('action' in understood)) return refuse(understood);
  const { envelope, action } = understood;
  const timeMs = Math.max(context.replica.head.timeMs, context.now());
  const window = checkNonceWindow(envelope.nonce, timeMs);
  if (window !== undefined) return refuseWindow(context, text, envelope, window);

  const recovered = await recovering(context.pool.recover(text));
  const { signer, txHash, fault } = recovered;
  if (fault !== undefined) return refuse(malformed(recovered));
  if (signer === undefined) return refuse(refusal('invalidSignature', []));
  const hash = txHash as Hash;
  const joined = join(context, envelope, hash);
  if (joined !== undefined) return joined;

  const vault = envelope.vaultAddress;
  if (vault !== undefined && vault !== null) {
    return refuse(refusal('vaultUnknown', [vault], { field: 'vaultAddress', got: vault }));
  }
  const { nonce, expiresAfter } = envelope;
  const authority = {
    signer: signer as Address,
    nonce,
    txHash: hash,
    ...(typeof expiresAfter === 'number' ? { expiresAfterMs: expiresAfter as TimeMs } : {}),
  };
  const command = actionToCommand(action, authority, context.perps);
  const checked = context.replica.check(command);
  if (checked.reject !== undefined) {
    const { reject, rejectIndex } = checked;
    return refuseChecked(context, understood, command, { reject, rejectIndex });
  }
  if (context.receipts.pending({ by: 'nonce', signer, nonce }) !== undefined) {
    return refuse(refusal('nonceUsed', [], { field: 'nonce', got: nonce }));
  }
  const executed = context.replica.propose(command, text);
  const user = checked.account ?? null;
  const actionType = actionTypeOf(command);
  const who = { txHash: hash, signer: authority.signer, user, nonce, actionType };
  context.receipts.track({ ...who, command, executed });
  return answerExecuted(context, { command, executed, action }, envelope);
}

/** What the text alone decides. */
function understand(
  { network }: Context,
  body: Readonly<Record<string, unknown>>,
): Understood | WireError {
  const enveloped = parseEnvelope(body);
  if (!enveloped.ok) return enveloped.error;
  const { envelope } = enveloped;
  const parsed = parseAction(envelope.action);
  if (!parsed.ok) return parsed.error;
  const { action } = parsed;
  if (!isSupported(action)) {
    return refusal('notAllowed', [], { field: 'type', got: action.type });
  }
  const refused =
    checkBinding(action, envelope, network) ??
    checkVaultAllowed(action, envelope) ??
    checkExpiryAllowed(action, envelope) ??
    refuseUnsupported(action);
  return refused ?? { envelope, action };
}

/** A nonce that is too old may be that of a request that was executed long ago and is sent again. */
async function refuseWindow(
  { pool, receipts, perps }: Context,
  text: string,
  { nonce, confirm }: Envelope,
  reject: Reject,
): Promise<Reply> {
  if (reject.reason === 'nonceTooOld') {
    const hashed = await recovering(pool.hash(text));
    if (hashed.fault !== undefined) return refuse(malformed(hashed));
    const receipt = await receipts.find({ by: 'txHash', txHash: hashed.txHash ?? '' });
    if (receipt !== undefined) return answerReceipt(receipt, confirm !== undefined);
  }
  return refuse(rejectToWire(reject, { perps, nonce }));
}

/** Answers a request that is on its way or was executed a moment ago; undefined for a new one. */
function join(
  context: Context,
  envelope: Envelope,
  txHash: Hash,
): Promise<Reply> | Reply | undefined {
  const pending = context.receipts.pending({ by: 'txHash', txHash });
  if (pending !== undefined) return answerExecuted(context, pending, envelope);
  const receipt = context.receipts.recent({ by: 'txHash', txHash });
  return receipt === undefined ? undefined : answerReceipt(receipt, envelope.confirm !== undefined);
}

/** The refusals that a request which was executed before would meet when it is sent again. */
const MAY_BE_KNOWN = new Set<Reject['reason']>([
  'agentUnknown',
  'actionExpired',
  'nonceTooOld',
  'nonceUsed',
  'nonceTooLow',
]);

async function refuseChecked(
  { receipts, perps }: Context,
  { envelope, action }: Understood,
  command: RequestCommand,
  { reject, rejectIndex }: { reject: Reject; rejectIndex: number | undefined },
): Promise<Reply> {
  const { nonce, txHash } = authorityOf(command);
  if (MAY_BE_KNOWN.has(reject.reason)) {
    const receipt = await receipts.find({ by: 'txHash', txHash });
    if (receipt !== undefined) return answerReceipt(receipt, envelope.confirm !== undefined);
  }
  const entry = actionTexts(action)(rejectIndex);
  const found = entry === undefined ? { perps, nonce } : { perps, nonce, entry };
  return refuse(rejectToWire(reject, found));
}

async function answerExecuted(
  { perps, timeoutMs }: Context,
  proposed: { command: RequestCommand; executed: Promise<Executed>; action?: SupportedAction },
  { confirm }: Envelope,
): Promise<Reply> {
  const { command, action } = proposed;
  const { txHash } = authorityOf(command);
  // Acceptance means durable, so without `confirm` there is no earlier answer to give.
  const done = await within(proposed.executed, confirm === undefined ? undefined : timeoutMs);
  if (done === undefined) return pendingReply(txHash);
  const { outcome, block } = done;
  if (confirm === undefined && outcome.reject === undefined) {
    const plain = plainReply(command, outcome);
    if (plain !== undefined) return plain;
  }
  const texts = action === undefined ? undefined : actionTexts(action);
  const { events } = block.result;
  const wire = outcomeToWire(command, outcome, { perps, texts, events });
  return executedReply({ txHash, height: block.height, outcome: wire }, confirm !== undefined);
}

function answerReceipt({ txHash, block, outcome }: Receipt, isConfirmed: boolean): Reply {
  return executedReply({ txHash, height: block.height, outcome }, isConfirmed);
}

/** The value, or undefined when it takes too long. A failure means that the log takes no more. */
async function within<Value>(
  promise: Promise<Value>,
  ms: number | undefined,
): Promise<Value | undefined> {
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

async function recovering(answer: Promise<Recovered>): Promise<Recovered> {
  try {
    return await answer;
  } catch (cause) {
    if (cause instanceof RecoverUnavailableError) {
      throw new UnavailableError('signatures cannot be recovered now', { cause });
    }
    throw cause;
  }
}

function malformed({ fault = '', at = 0 }: Recovered): WireError {
  return refusal('malformedJson', [fault, at]);
}

function refuse(error: WireError): Reply {
  return exchangeRefusal(error, false);
}
