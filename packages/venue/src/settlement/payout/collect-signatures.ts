import type { Hex } from 'viem';
import type { Signed, Validator, ValidatorRequest } from '../validators.ts';
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
  /** Of the bridge as it stands. */
  readonly bridge: Pick<BridgeNow, 'threshold' | 'validators'>;
};

/**
 * As many signatures as the bridge wants, ascending by signer. All are asked at once, and those that the
 * bridge does not know are left out: a single one of them would spoil the others.
 */
export async function collectSignatures(
  request: ValidatorRequest,
  { bridge, validators }: Signers,
): Promise<readonly Signed[]> {
  const signal = AbortSignal.timeout(ASK_MS_MAX);
  const answers = await Promise.allSettled(
    validators.map(async (validator) => {
      const signed = await validator.sign(request, signal);
      const address = signed.address.toLowerCase() as Hex;
      if (!bridge.validators.has(address))
        throw new Error(`${address} is no validator of the bridge`);
      return { ...signed, address };
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

function faultText(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
