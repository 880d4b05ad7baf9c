import { boundedJson } from '@oddlot/host/bounded-json';
import {
  type Hex,
  type LocalAccount,
  numberToHex,
  recoverTypedDataAddress,
  serializeSignature,
} from 'viem';
import { PROOF_HEADER, proofOf, SignAnswer, signBody, SignRefusal } from './validator-wire.ts';
import {
  type BridgeDomain,
  bridgeTypedData,
  type Signed,
  type Validator,
  type ValidatorRequest,
} from './bridge-signatures.ts';

const TIMEOUT_MS = 15_000;
const ANSWER_BYTES_MAX = 64 * 1024;
const WORD = { size: 32 } as const;
/**
 * Half of the order of secp256k1. The bridge accepts only the lower of the two forms of a
 * signature.
 */
const S_MAX = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const VS: readonly number[] = [27, 28];

type RemoteOptions = {
  /**
   * The account that signs requests to the validator, which answers only the venue whose address
   * its operator has configured.
   */
  readonly as?: LocalAccount | undefined;
  readonly timeoutMs?: number;
};

/**
 * Returns a validator that runs in another process (see `validator/`). Its responses are verified.
 */
export function remoteValidator(
  url: string,
  domain: BridgeDomain,
  { as, timeoutMs = TIMEOUT_MS }: RemoteOptions = {},
): Validator {
  return {
    name: new URL(url).host,
    async sign(request, signal) {
      const both = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const body = JSON.stringify(signBody(domain, request));
      const proof = as === undefined ? {} : { [PROOF_HEADER]: await proofOf(as, body) };
      const signed = await ask(url, { body, proof }, both);
      if (!(await isSigned(domain, request, signed))) throw new Error('its signature is not valid');
      return signed;
    },
  };
}

async function ask(
  url: string,
  { body, proof }: { readonly body: string; readonly proof: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<Signed> {
  let status: number;
  let answer: unknown;
  try {
    const response = await fetch(new URL('sign', url.endsWith('/') ? url : `${url}/`), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...proof },
      body,
      redirect: 'error',
      signal,
    });
    ({ status } = response);
    answer = await boundedJson(response, ANSWER_BYTES_MAX);
  } catch (cause) {
    throw new Error(`the request failed: ${faultOf(cause)}`, { cause });
  }
  if (status !== 200) {
    const refusal = SignRefusal.safeParse(answer);
    throw new Error(refusal.success ? refusal.data.message : `HTTP ${status}`);
  }
  const parsed = SignAnswer.safeParse(answer);
  if (!parsed.success) throw new Error('its response cannot be read');
  const { r, s, v, validator } = parsed.data;
  return { address: validator as string as Hex, signature: { r, s, v } };
}

/**
 * Returns true if the signature is valid. A single invalid signature would make the bridge reject
 * the whole set.
 */
async function isSigned(
  domain: BridgeDomain,
  request: ValidatorRequest,
  { address, signature: { r, s, v } }: Signed,
): Promise<boolean> {
  if (s > S_MAX || !VS.includes(v)) return false;
  try {
    const parts = { r: numberToHex(r, WORD), s: numberToHex(s, WORD), v: BigInt(v) };
    const signature = serializeSignature(parts);
    const data = bridgeTypedData(domain, request);
    return (await recoverTypedDataAddress({ ...data, signature })).toLowerCase() === address;
  } catch {
    // The signature is malformed.
    return false;
  }
}

function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'it did not answer in time';
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
