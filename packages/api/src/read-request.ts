import {
  checkBinding,
  checkExpiryAllowed,
  checkUnknownFields,
  checkVaultAllowed,
  type Envelope,
  ENVELOPE_NAMED,
  type ExplainContext,
  isPermissionedType,
  LIMITS,
  type MultiSigAction,
  type Network,
  parseAction,
  parseEnvelope,
  plainOrderAction,
  type PlainOrders,
  type PlainRequest,
  scanField,
  type WireError,
} from '@oddlot/protocol';
import { type PlainAction, refuseUnsupported } from '@oddlot/translate/action-to-command';
import { insideWrapper } from '@oddlot/translate/wrapped-field';

/** What a recover thread reads of a request, and hands over once and for all. */

/** A request whose shape is right. */
export type SentRequest = {
  readonly envelope: SentEnvelope;
  /** What is asked for; when it came in a multiSig wrapper, what that carried. */
  readonly action: PlainAction;
  readonly wrapper?: SentWrapper;
};

/** What is left of an envelope when its action and its signature are read. */
export type SentEnvelope = Pick<Envelope, 'confirm' | 'expiresAfter' | 'nonce' | 'vaultAddress'>;

/** Whom a multiSig wrapper is for, and who says to have sent it. */
type SentWrapper = Pick<MultiSigAction['payload'], 'multiSigUser' | 'outerSigner'>;

/** The same of limit orders without extras, which cross threads as few values. */
export type SentOrders = { readonly envelope: SentEnvelope; readonly orders: PlainOrders };

/** What its text alone makes wrong. `isGateway`: refused before the request was understood. */
export type RefusedRequest = {
  readonly refused: WireError | 'tooLarge';
  readonly isGateway: boolean;
};

/** With what eyes a request is read. */
export type ReadJob = {
  /** Its body has more bytes than most may send. */
  readonly isLarge: boolean;
  /** Nonces that could be taken lie between. */
  readonly nonceAfter: number;
  readonly nonceBefore: number;
};

/** A UTF-16 code unit takes at most three bytes in UTF-8. */
const BYTES_PER_CHAR_MAX = 3;

/**
 * Reads a request, or says what its text alone makes wrong, in the order in which refusals are promised. `chars` is the
 * length of the text: a short one cannot hold much that nothing names.
 */
export function readRequest(
  network: Network,
  { body, chars }: { readonly body: Readonly<Record<string, unknown>>; readonly chars: number },
  { isLarge }: Pick<ReadJob, 'isLarge'>,
): SentRequest | RefusedRequest {
  if (isLarge && !isPermissionedType(typeOf(body))) {
    return { refused: 'tooLarge', isGateway: true };
  }
  const read = readBody(network, body, chars);
  return 'action' in read ? read : { refused: read, isGateway: false };
}

export function sentOrders(request: PlainRequest): SentOrders {
  const { expiresAfter, isConfirmed, nonce, orders } = request;
  const envelope: SentEnvelope = isConfirmed ? { nonce, confirm: 'executed' } : { nonce };
  if (expiresAfter === undefined) return { envelope, orders };
  return { envelope: { ...envelope, expiresAfter }, orders };
}

/**
 * JSON text without the spaces between its parts. It means the same and has the same signature, so a
 * client that pads its requests does not fill the log.
 */
export function withoutSpace(text: string): string {
  if (!SPACE.test(text)) return text;
  return text.replaceAll(STRING_OR_SPACE, (part) => (part.startsWith('"') ? part : ''));
}

const SPACE = /[ \t\r\n]/;
const STRING_OR_SPACE = /"[^"\\]*(?:\\.[^"\\]*)*"|[ \t\r\n]+/g;

/** A request as if it had been read by the schemas. */
export function sentRequest(sent: SentRequest | SentOrders): SentRequest {
  if ('action' in sent) return sent;
  return { envelope: sent.envelope, action: plainOrderAction(sent.orders) };
}

/** What a body says that it asks for, whether or not the rest of it can be read. */
function typeOf({ action }: Readonly<Record<string, unknown>>): unknown {
  const { payload, type } = Object(action) as Readonly<Record<string, unknown>>;
  // What a wrapper carries is what is asked for.
  return type === 'multiSig' ? typeOf(Object(payload)) : type;
}

function readBody(
  network: Network,
  body: Readonly<Record<string, unknown>>,
  chars: number,
): SentRequest | WireError {
  const enveloped = parseEnvelope(body);
  if (!enveloped.ok) return enveloped.error;
  const { confirm, expiresAfter, nonce, vaultAddress } = enveloped.envelope;
  const envelope = { confirm, expiresAfter, nonce, vaultAddress };
  const parsed = parseAction(enveloped.envelope.action);
  if (!parsed.ok) return parsed.error;
  if (chars > LIMITS.unknownBytesMax / BYTES_PER_CHAR_MAX) {
    const unknown = checkUnknownFields(ENVELOPE_NAMED, body);
    if (unknown !== undefined) return unknown;
  }
  const sent = parsed.action;
  const refused =
    checkBinding(sent, envelope, network) ??
    checkVaultAllowed(sent, envelope) ??
    checkExpiryAllowed(sent, envelope);
  if (refused !== undefined) return refused;
  const action = sent.type === 'multiSig' ? sent.payload.action : sent;
  const unsupported = refuseUnsupported(action);
  if (sent.type !== 'multiSig') return unsupported ?? { envelope, action };
  if (unsupported !== undefined) return insideWrapper(unsupported);
  const { multiSigUser, outerSigner } = sent.payload;
  return { envelope, action, wrapper: { multiSigUser, outerSigner } };
}

/**
 * What the recover threads are told to explain. A job is one text, like all others: what the venue
 * knows on the first line, then the request as it was received.
 */

/** The text of a job. JSON has no line breaks of its own, so the first one ends the context. */
export function explainJob(context: ExplainContext, request: string): string {
  return `${JSON.stringify(context)}\n${request}`;
}

/** Reads a job; the envelope is the text that the client wrote, key order and all. */
export function readExplainJob(
  job: string,
): { context: ExplainContext; envelope: string } | { fault: string; at: number } {
  const end = job.indexOf('\n');
  const context = JSON.parse(job.slice(0, end)) as ExplainContext;
  const scanned = scanField(job.slice(end + 1), 'envelope');
  if (!scanned.ok) return { fault: scanned.message, at: scanned.at };
  if (scanned.value === undefined) return { fault: 'no envelope', at: 0 };
  return { context, envelope: scanned.value };
}
