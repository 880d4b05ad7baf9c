import {
  checkExpiryAllowed,
  type HyperliquidRequest,
  type Network,
  refusal,
  type WireError,
} from '@oddlot/protocol';
import { fromHyperliquid } from '@oddlot/translate/actions/hyperliquid';
import { refuseUnsupported } from '@oddlot/translate/action-to-command';
import type { RefusedRequest, SentEnvelope, SentRequest } from './read-request.ts';

/**
 * Translates a request of a Hyperliquid client to the venue's own action with the same effect. The
 * client expects the result of the execution in the reply, so the request is confirmed after
 * execution.
 */
export function sentHyperliquid(
  { action: asked, envelope: received }: HyperliquidRequest,
  network: Network,
): SentRequest | RefusedRequest {
  const { expiresAfter, nonce, vaultAddress } = received;
  const envelope: SentEnvelope = { nonce, confirm: 'executed', expiresAfter, vaultAddress };
  const action = fromHyperliquid(asked, { network, nonce });
  if ('httpStatus' in action) return refuseHyperliquid(action);
  const refused = checkExpiryAllowed(action, envelope) ?? refuseUnsupported(action);
  return refused === undefined ? { envelope, action } : refuseHyperliquid(refused);
}

/**
 * Refuses a Hyperliquid request with the error, or, without one, because it arrived on the venue's
 * own API.
 */
export function refuseHyperliquid(error: WireError | undefined): RefusedRequest {
  return { refused: error ?? NOT_HERE, isGateway: false };
}

const NOT_HERE = refusal('notAllowed', [], {
  field: 'hyperliquid',
  why: 'requests of Hyperliquid clients are only accepted on their own port',
});
