import { type Hex, numberToHex, recoverTypedDataAddress, serializeSignature } from 'viem';
import { signBody, SignAnswer, SignRefusal } from './validator-wire.ts';
import {
  type BridgeDomain,
  bridgeTypedData,
  type Signed,
  type Validator,
  type ValidatorRequest,
} from './validators.ts';

const TIMEOUT_MS = 15_000;
const WORD = { size: 32 } as const;

/** A validator that is a process of its own, see `validator/`. */
export function remoteValidator(
  url: string,
  domain: BridgeDomain,
  { timeoutMs = TIMEOUT_MS }: { readonly timeoutMs?: number } = {},
): Validator {
  const name = new URL(url).host;
  return {
    name,
    async sign(request, signal) {
      const signed = await ask(url, signBody(domain, request), {
        name,
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      await assertSigned(name, domain, request, signed);
      return signed;
    },
  };
}

async function ask(
  url: string,
  body: object,
  { name, signal }: { readonly name: string; readonly signal: AbortSignal },
): Promise<Signed> {
  let status: number;
  let answer: unknown;
  try {
    const response = await fetch(new URL('sign', url.endsWith('/') ? url : `${url}/`), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal,
    });
    ({ status } = response);
    answer = await response.json();
  } catch (cause) {
    throw new Error(`validator ${name} cannot be asked: ${faultOf(cause)}`, { cause });
  }
  if (status !== 200) {
    const refusal = SignRefusal.safeParse(answer);
    const why = refusal.success ? refusal.data.message : `HTTP ${status}`;
    throw new Error(`validator ${name} does not sign: ${why}`);
  }
  const parsed = SignAnswer.safeParse(answer);
  if (!parsed.success) throw new Error(`the answer of validator ${name} cannot be read`);
  const { r, s, v, validator } = parsed.data;
  return { address: validator as Hex, signature: { r, s, v } };
}

/** One bad signature would have the contract refuse all that stand beside it. */
async function assertSigned(
  name: string,
  domain: BridgeDomain,
  request: ValidatorRequest,
  { address, signature: { r, s, v } }: Signed,
): Promise<void> {
  let signer: string | undefined;
  try {
    const parts = { r: numberToHex(r, WORD), s: numberToHex(s, WORD), v: BigInt(v) };
    const signature = serializeSignature(parts);
    const data = bridgeTypedData(domain, request);
    signer = (await recoverTypedDataAddress({ ...data, signature })).toLowerCase();
  } catch {
    signer = undefined;
  }
  if (signer !== address) throw new Error(`the signature of validator ${name} is not its own`);
}

function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'it did not answer in time';
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
