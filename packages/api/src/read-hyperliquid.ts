import {
  bytesToHex,
  checkExpiryAllowed,
  createHyperliquidHasher,
  type HyperliquidRequest,
  isUserSigned,
  type Keccak,
  type Network,
  readHyperliquidRequest,
  type RecoverPublicKey,
  recoverSignerOf,
  refusal,
  signatureBytes,
  txHash as hashRequest,
  type WireError,
} from '@oddlot/protocol';
import { fromHyperliquid, isHyperliquidOnly } from '@oddlot/translate/actions/hyperliquid';
import { refuseUnsupported } from '@oddlot/translate/action-to-command';
import type { ReadJob, RefusedRequest, SentEnvelope, SentRequest } from './read-request.ts';

type Found = {
  readonly txHash?: string;
  readonly signer?: string;
  readonly mainnetSigner?: string;
  readonly fault?: string;
  readonly at?: number;
};

type ReadRequest =
  | { readonly sent: SentRequest; readonly recover: (hashOnly: boolean) => Found }
  | { readonly sent: RefusedRequest; readonly recover?: undefined };

type HyperliquidReader = {
  readonly read: (text: string, job: ReadJob) => ReadRequest;
  /**
   * Recovers the signer as on Hyperliquid's mainnet, so that a refusal can explain that mistake.
   */
  readonly recover: (text: string) => Found;
};

/** Reads marked requests from Hyperliquid clients and recovers their signers. */
export function createHyperliquidReader(
  network: Network,
  backends: { readonly recover: RecoverPublicKey; readonly keccak: Keccak },
): HyperliquidReader {
  const { keccak } = backends;
  const hash = createHyperliquidHasher(keccak);

  const recover = (request: HyperliquidRequest, hashOnly: boolean): Found => {
    const signature = signatureBytes(request.envelope.signature);
    const { digest, signed } = hash({ ...request, action: request.received }, 'b');
    const txHash = bytesToHex(hashRequest(signed, signature, keccak));
    const signer = hashOnly ? undefined : recoverSignerOf(digest, signature, backends);
    return signer === undefined ? { txHash } : { txHash, signer };
  };

  return {
    read(text, { takesHyperliquid }) {
      if (takesHyperliquid !== true) return { sent: refuse(NOT_HERE) };
      const read = readHyperliquidRequest(text, network);
      if (!read.ok) return { sent: refuse(read.error) };
      const { request } = read;
      const sent = sentHyperliquid(request, network);
      if ('refused' in sent) return { sent };
      return { sent, recover: (hashOnly) => recover(request, hashOnly) };
    },
    recover(text) {
      const read = readHyperliquidRequest(text, network);
      if (!read.ok) return { fault: read.error.message, at: 0 };
      const { request } = read;
      const found = recover(request, false);
      if (isUserSigned(request.action.type)) return found;
      const { digest } = hash({ ...request, action: request.received }, 'a');
      const signature = signatureBytes(request.envelope.signature);
      const mainnetSigner = recoverSignerOf(digest, signature, backends);
      return mainnetSigner === undefined ? found : { ...found, mainnetSigner };
    },
  };
}

/**
 * Translates a request from a Hyperliquid client into the venue's own action with the same effect.
 * The client expects the response to include the execution result, so `confirm` is set.
 */
function sentHyperliquid(
  { action: asked, envelope: received }: HyperliquidRequest,
  network: Network,
): SentRequest | RefusedRequest {
  const { expiresAfter, nonce, vaultAddress } = received;
  const envelope: SentEnvelope = { nonce, confirm: 'executed', expiresAfter, vaultAddress };
  const action = fromHyperliquid(asked, { network, nonce });
  if ('httpStatus' in action) return refuse(action);
  const refused = isHyperliquidOnly(action)
    ? undefined
    : (checkExpiryAllowed(action, envelope) ?? refuseUnsupported(action));
  return refused === undefined ? { envelope, action } : refuse(refused);
}

function refuse(refused: WireError): RefusedRequest {
  return { refused, isGateway: false };
}

const NOT_HERE = refusal('notAllowed', [], {
  field: 'hyperliquid',
  why: 'requests of Hyperliquid clients are only accepted on their own port',
});
