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

/** Requests of Hyperliquid's clients as requests of the venue's own API. */

/** The request with the same effect, whose reply contains the result of the execution. */
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

/** Without an error the request arrived at the venue's own API. */
export function refuseHyperliquid(error: WireError | undefined): RefusedRequest {
  return { refused: error ?? NOT_HERE, isGateway: false };
}

const NOT_HERE = refusal('notAllowed', [], {
  field: 'hyperliquid',
  why: 'requests of Hyperliquid clients are only accepted on their own port',
});
