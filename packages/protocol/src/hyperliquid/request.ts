import * as z from 'zod';
import type { WireError } from '../errors.ts';
import { parseObject } from '../json/parse-object.ts';
import { scanEnvelope, scanField } from '../json/scan.ts';
import { type Network, NETWORKS } from '../network.ts';
import { Address, Ms, SignatureSchema, U64 } from '../primitives.ts';
import { refusal } from '../refusal.ts';
import { toWireError } from '../to-wire-error.ts';
import { type HyperliquidAction, parseHyperliquidAction } from './actions.ts';
import { isUserSigned } from './hash-request.ts';

/**
 * The log stores a request from a Hyperliquid client as received, under this key. A request for the
 * venue's own API cannot start with this key, so the two kinds cannot be confused.
 */

const MARKER = '{"hyperliquid":';
const MARKED = /^[ \t\r\n]*\{[ \t\r\n]*"hyperliquid"[ \t\r\n]*:/;

/** Returns the text that the log stores for a request with this body. */
export function markHyperliquid(body: string): string {
  return `${MARKER}${body}}`;
}

/** Returns true if the text is a marked request from a Hyperliquid client. */
export function isHyperliquidRequest(text: string): boolean {
  return MARKED.test(text);
}

/** Returns the body of a logged request as its client sent it. */
export function bodyOfRequest(text: string): unknown {
  const logged: unknown = JSON.parse(text);
  if (!isHyperliquidRequest(text)) return logged;
  return (logged as { readonly hyperliquid: unknown }).hyperliquid;
}

const Envelope = z.object({
  action: z.looseObject({}),
  nonce: U64,
  signature: SignatureSchema,
  vaultAddress: Address.nullable().optional(),
  expiresAfter: Ms.nullable().optional(),
});

/** A request whose envelope and action fit their schemas. */
export type HyperliquidRequest = {
  readonly action: HyperliquidAction;
  readonly envelope: Pick<
    z.output<typeof Envelope>,
    'expiresAfter' | 'nonce' | 'signature' | 'vaultAddress'
  >;
  /** The action as received. `msgpack` is its encoding with the keys in the order of the text. */
  readonly received: Readonly<Record<string, unknown>>;
  readonly msgpack: Uint8Array;
};

type Read =
  | { readonly ok: true; readonly request: HyperliquidRequest }
  | { readonly ok: false; readonly error: WireError };

/**
 * Parses a marked request. A signature for Hyperliquid is not bound to a venue, so it is accepted
 * only on a venue that uses test funds and the shared network name.
 */
export function readHyperliquidRequest(text: string, network: Network): Read {
  const { chainId, serviceNetwork } = NETWORKS.testnet;
  if (network.chainId !== chainId || network.serviceNetwork !== serviceNetwork) {
    return refused('requests of Hyperliquid clients are only accepted with test funds');
  }
  const outer = parseObject(text, true);
  if (!outer.ok) return outer;
  const field = scanField(text, 'hyperliquid');
  const body = field.ok ? field.value : undefined;
  if (body === undefined || Object.keys(outer.body).length > 1) {
    return refused('the body must be one JSON object');
  }
  const parsed = parseObject(body, false);
  if (!parsed.ok) return parsed;
  const enveloped = Envelope.safeParse(parsed.body);
  if (!enveloped.success) {
    return { ok: false, error: toWireError(enveloped.error.issues, parsed.body) };
  }
  const { action: received, ...envelope } = enveloped.data;
  const read = parseHyperliquidAction(received);
  if (!read.ok) return read;
  const { action } = read;
  const error = bindingFault(action, envelope);
  if (error !== undefined) return { ok: false, error };
  const scanned = scanEnvelope(body);
  if (!scanned.ok || scanned.action === undefined) return refused('the action cannot be hashed');
  return { ok: true, request: { action, envelope, received, msgpack: scanned.action } };
}

function refused(why: string): Read {
  return { ok: false, error: refusal('notAllowed', [], { why }) };
}

/** Builds the refusal for a request that could also be executed on Hyperliquid's mainnet. */
export function mainnetSignature(got: 'Mainnet' | 'a'): WireError {
  const field = got === 'a' ? 'signature' : 'hyperliquidChain';
  const why =
    'this request is signed for the mainnet of Hyperliquid, where it could be executed with ' +
    'real funds; switch the client to testnet mode (isTestnet: true, sandbox mode, or a ' +
    'base URL other than that of mainnet) and use a key without funds';
  return refusal('notAllowed', [], { field, got, why });
}

/** Builds the refusal for a request whose recovered signer has no account and is not an agent. */
export function unfundedSigner(signer: string): WireError {
  const why =
    `credit it with test funds first, by POST /faucet {"user":"${signer}"} on this port; if it ` +
    'is not the address of your key, the client signs for another network: switch it to testnet ' +
    'mode (isTestnet: true, sandbox mode)';
  return refusal('noAccount', [], { got: signer, why });
}

/** Checks that the network and the nonce in a user-signed action match the request. */
function bindingFault(
  action: HyperliquidAction,
  { nonce, vaultAddress }: Pick<HyperliquidRequest['envelope'], 'nonce' | 'vaultAddress'>,
): WireError | undefined {
  if (!isUserSigned(action.type) || !('hyperliquidChain' in action)) return undefined;
  if (action.hyperliquidChain !== 'Testnet') return mainnetSignature('Mainnet');
  const [field, own] = 'time' in action ? ['time', action.time] : ['nonce', action.nonce];
  if (own !== nonce) {
    const why = `action.${field} must equal the nonce of the request`;
    return refusal('invalidValue', [field, why], { field: `action.${field}`, got: own });
  }
  if (typeof vaultAddress !== 'string') return undefined;
  const why = `${action.type} is signed without a vault address`;
  return refusal('invalidValue', ['vaultAddress', why], { field: 'vaultAddress' });
}
