import { type Hex, recoverTypedDataAddress, serializeSignature, toHex } from 'viem';
import {
  type BridgeDomain,
  bridgeTypedData,
  type Signed,
  type Validator,
  type ValidatorRequest,
} from '../validators.ts';
import type { BridgeNow } from './bridge-calls.ts';

const ASK_MS_MAX = 10_000;

/** Too few validators signed. */
export class TooFewSignaturesError extends Error {
  override readonly name = 'TooFewSignaturesError';
  /** What the others said, which is for operators: users need not know who and where they are. */
  readonly detail: string;

  constructor(message: string, detail: string) {
    super(message);
    this.detail = detail;
  }
}

export type Signers = {
  readonly validators: readonly Validator[];
  readonly domain: BridgeDomain;
  /** Of the bridge as it stands. */
  readonly bridge: Pick<BridgeNow, 'threshold' | 'validators'>;
};

/**
 * As many signatures as the bridge wants, ascending by signer. All are asked at once. What one of them
 * gives is checked first: a single bad signature would spoil the good ones.
 */
export async function collectSignatures(
  request: ValidatorRequest,
  { bridge, domain, validators }: Signers,
): Promise<readonly Signed[]> {
  const signal = AbortSignal.timeout(ASK_MS_MAX);
  const answers = await Promise.allSettled(
    validators.map(async (validator) => {
      const signed = await validator.sign(request, signal);
      await assertSigned(signed, request, { bridge, domain });
      return { ...signed, address: signed.address.toLowerCase() as Hex };
    }),
  );
  const found = new Map<Hex, Signed>();
  const faults: string[] = [];
  for (const [at, answer] of answers.entries()) {
    if (answer.status === 'fulfilled') found.set(answer.value.address, answer.value);
    else faults.push(`${validators[at]?.name ?? 'a validator'}: ${faultText(answer.reason)}`);
  }
  const { threshold } = bridge;
  if (found.size < threshold) {
    const message = `${found.size} of ${threshold} validators signed`;
    throw new TooFewSignaturesError(message, faults.join('; '));
  }
  return sortedSigners([...found.values()]).slice(0, threshold);
}

/** As the bridge wants them; by address, which has one spelling here. */
function sortedSigners(signed: readonly Signed[]): readonly Signed[] {
  return signed.toSorted((a, b) => (a.address < b.address ? -1 : 1));
}

async function assertSigned(
  { address, signature }: Signed,
  request: ValidatorRequest,
  { bridge, domain }: Omit<Signers, 'validators'>,
): Promise<void> {
  const who = address.toLowerCase() as Hex;
  if (!bridge.validators.has(who)) throw new Error(`${who} is no validator of the bridge`);
  const { r, s, v } = signature;
  const text = serializeSignature({ r: word(r), s: word(s), v: BigInt(v) });
  const signer = await recoverTypedDataAddress({
    ...bridgeTypedData(domain, request),
    signature: text,
  });
  if (signer.toLowerCase() !== who) throw new Error('its signature is of something else');
}

function word(value: bigint): Hex {
  return toHex(value, { size: 32 });
}

function faultText(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
