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
import { refuseUnsupported } from '@oddlot/translate/action-to-command';
import type { ConvertedAction } from '@oddlot/translate/actions/hyperliquid';
import { insideWrapper } from '@oddlot/translate/wrapped-field';

/** A request whose envelope and action conform to their schemas. */
export type SentRequest = {
  readonly envelope: SentEnvelope;
  /** The action, or the inner action of a multiSig wrapper. */
  readonly action: ConvertedAction;
  readonly wrapper?: SentWrapper;
};

export type SentEnvelope = Pick<Envelope, 'confirm' | 'expiresAfter' | 'nonce' | 'vaultAddress'>;

/** The account of a multiSig wrapper and the sender it claims. */
type SentWrapper = Pick<MultiSigAction['payload'], 'multiSigUser' | 'outerSigner'>;

/** A request with plain limit orders, parsed by the fast path `readPlainRequest`. */
export type SentOrders = { readonly envelope: SentEnvelope; readonly orders: PlainOrders };

/**
 * A request that is refused because of its text alone. `isGateway` is true if it was refused before
 * the action was parsed.
 */
export type RefusedRequest = {
  readonly refused: WireError | 'tooLarge';
  readonly isGateway: boolean;
};

export type ReadJob = {
  /** True if the body exceeds the size limit for signers who may not send permissioned actions. */
  readonly isLarge: boolean;
  /** The bounds of the accepted nonces, both exclusive, in milliseconds. */
  readonly nonceAfter: number;
  readonly nonceBefore: number;
  /** True on the port for Hyperliquid clients. The venue's own API rejects their requests. */
  readonly takesHyperliquid?: true;
};

/** A UTF-16 code unit takes at most three bytes in UTF-8. */
const BYTES_PER_CHAR_MAX = 3;

/**
 * Parses and validates a request, or returns its first error in the documented order. `chars` is
 * the length of the text, because only a long text can exceed the limit for unknown fields.
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
 * Removes the whitespace outside strings from a JSON text. Whitespace is not signed, and clients
 * must not be able to fill the log with padding.
 */
export function withoutSpace(text: string): string {
  if (!SPACE.test(text)) return text;
  return text.replaceAll(STRING_OR_SPACE, (part) => (part.startsWith('"') ? part : ''));
}

const SPACE = /[ \t\r\n]/;
const STRING_OR_SPACE = /"[^"\\]*(?:\\.[^"\\]*)*"|[ \t\r\n]+/g;

/** Converts limit orders parsed by the fast path to the form that the schemas return. */
export function sentRequest(sent: SentRequest | SentOrders): SentRequest {
  if ('action' in sent) return sent;
  return { envelope: sent.envelope, action: plainOrderAction(sent.orders) };
}

/** Returns the type of the action, even if the rest of the body is malformed. */
function typeOf({ action }: Readonly<Record<string, unknown>>): unknown {
  const { payload, type } = Object(action) as Readonly<Record<string, unknown>>;
  // A wrapper has the type of its inner action.
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
 * Builds the text of a job that explains a signature: one line of JSON with the venue's context,
 * followed by the request as received.
 */
export function explainJob(context: ExplainContext, request: string): string {
  return `${JSON.stringify(context)}\n${request}`;
}

/**
 * Splits the text of a job that explains a signature. The envelope keeps the client's key order,
 * because its hash depends on it.
 */
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
