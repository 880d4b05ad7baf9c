import { isDeepStrictEqual } from 'node:util';
import { LIMITS, type Network } from '@oddlot/protocol';
import type { Address, Hash } from '@oddlot/units';
import { sentRequest } from '@oddlot/api/read-request';
import { authorityFrom, createRecoverer, type Recoverer } from '@oddlot/api/recoverer';
import { authorityOf, type RequestCommand } from '@oddlot/replica/block';
import { actionToCommand, type InstrumentLookup } from '@oddlot/translate/action-to-command';

/** Accepts all nonces, because the engine decides whether a nonce is valid. */
const ALL_SIGNERS = { nonceAfter: -1, nonceBefore: Infinity };
/** With these bounds, the text is hashed without recovering its signer. */
const NO_SIGNER = { nonceAfter: Infinity, nonceBefore: Infinity };

/** Derives commands from the requests in the log, as the venue did when it received them. */
export class RequestReader {
  readonly #recoverer: Recoverer;

  constructor(recoverer: Recoverer) {
    this.#recoverer = recoverer;
  }

  static async create(network: Network): Promise<RequestReader> {
    return new RequestReader(await createRecoverer(network));
  }

  /**
   * Returns why a command does not match its request, or undefined if it does. If `isRecovered` is
   * false, its signer is taken from the log and all other fields are derived.
   */
  fault(
    { command, request }: { readonly command: RequestCommand; readonly request: string },
    instruments: InstrumentLookup,
    isRecovered = true,
  ): string | undefined {
    const claimed = authorityOf(command);
    const isLarge = Buffer.byteLength(request) > LIMITS.bodyBytesMax;
    const needsSigner =
      isRecovered || claimed.multiSig !== undefined || claimed.vault !== undefined;
    const { sent, ...found } = this.#recoverer.read(request, {
      isLarge,
      // These requests are rejected unless the network has only test funds.
      takesHyperliquid: true,
      ...(needsSigner ? ALL_SIGNERS : NO_SIGNER),
    });
    if ('refused' in sent) {
      const why = sent.refused === 'tooLarge' ? 'the request is too large' : sent.refused.message;
      return `the request cannot be read: ${why}`;
    }
    if (found.fault !== undefined) return `the request cannot be read: ${found.fault}`;
    if (found.txHash === undefined) return 'the request cannot be hashed';
    const asked = sentRequest(sent);
    const signer = needsSigner ? found.signer : claimed.signer;
    if (signer === undefined) return 'no valid signer can be recovered from the request';
    const txHash = found.txHash as Hash;
    const authority = authorityFrom(asked, { ...found, signer: signer as Address }, txHash);
    if (!('signer' in authority)) return `the signatures are not sufficient: ${authority.message}`;
    if (authority.signer !== claimed.signer) {
      return `the log records the signer ${claimed.signer}, but ${authority.signer} signed the request`;
    }
    const derived = actionToCommand(asked.action, authority, instruments);
    if (isSame(derived, command)) return undefined;
    return `the request asks for ${brief(derived)}, but the log contains ${brief(command)}`;
  }
}

/**
 * Compares texts first, which is faster. Both were written by the same code, so the keys are nearly
 * always in the same order.
 */
function isSame(derived: RequestCommand, logged: RequestCommand): boolean {
  return JSON.stringify(derived) === JSON.stringify(logged) || isDeepStrictEqual(derived, logged);
}

const BRIEF_MAX = 300;

function brief(command: RequestCommand): string {
  const text = JSON.stringify(command);
  return text.length <= BRIEF_MAX ? text : `${text.slice(0, BRIEF_MAX)}…`;
}
