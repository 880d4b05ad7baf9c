import type { Action, InnerAction } from './actions/registry.ts';
import {
  apiVersionMismatch,
  chainIdMismatch,
  expiryNotAllowed,
  networkMismatch,
  nonceDiffers,
  vaultNotAllowed,
} from './message-groups.ts';
import type { Network } from './network.ts';
import { PERMISSIONED_TYPES } from './shapes/action-tables.ts';
import { type WireError, wireError } from './errors.ts';

type BoundEnvelope = {
  readonly nonce: number;
  readonly vaultAddress?: string | null | undefined;
  readonly expiresAfter?: number | null | undefined;
};

type DirectAction = Extract<InnerAction, { serviceNetwork: string }>;

/**
 * Checks the network, chain id, version and nonce in a direct action against the network and the
 * envelope, in this documented order. Other actions pass; for a multiSig wrapper, the inner action
 * is checked.
 */
export function checkBinding(
  action: Action,
  envelope: BoundEnvelope,
  network: Network,
): WireError | undefined {
  const direct = directOf(action);
  if (direct === undefined) return undefined;
  const { serviceNetwork, chainId, apiVersion } = network;
  if (direct.serviceNetwork !== serviceNetwork) {
    return wireError('MISMATCH', networkMismatch(serviceNetwork, direct.serviceNetwork));
  }
  if (direct.chainId !== chainId)
    return wireError('MISMATCH', chainIdMismatch(chainId, direct.chainId));
  if (direct.apiVersion !== apiVersion) {
    return wireError('MISMATCH', apiVersionMismatch(apiVersion, direct.apiVersion));
  }
  if (direct.nonce !== envelope.nonce) {
    const field = action.type === 'multiSig' ? 'payload.action.nonce' : 'nonce';
    return wireError('BAD_NONCE', nonceDiffers(), { field, got: direct.nonce });
  }
  return undefined;
}

/**
 * Checks that the action may be sent for a vault, which is not allowed for direct or operator
 * actions.
 */
export function checkVaultAllowed(action: Action, envelope: BoundEnvelope): WireError | undefined {
  if (envelope.vaultAddress === null || envelope.vaultAddress === undefined) return undefined;
  if (directOf(action) === undefined && !isPermissionedType(action.type)) return undefined;
  return wireError('UNAUTHORIZED', vaultNotAllowed(), {
    field: 'vaultAddress',
    got: envelope.vaultAddress,
  });
}

/**
 * Checks that the action may have an expiry. A direct action may not, because its struct does not
 * include an expiry.
 */
export function checkExpiryAllowed(action: Action, envelope: BoundEnvelope): WireError | undefined {
  if (envelope.expiresAfter === null || envelope.expiresAfter === undefined) return undefined;
  if (directOf(action) === undefined) return undefined;
  return wireError('EXPIRED', expiryNotAllowed(), {
    field: 'expiresAfter',
    got: envelope.expiresAfter,
  });
}

function directOf(action: Action): DirectAction | undefined {
  const own = action.type === 'multiSig' ? action.payload.action : action;
  return 'serviceNetwork' in own ? own : undefined;
}

/** Returns true for the types that only configured signers may send. */
export function isPermissionedType(type: unknown): boolean {
  return (PERMISSIONED_TYPES as readonly unknown[]).includes(type);
}
