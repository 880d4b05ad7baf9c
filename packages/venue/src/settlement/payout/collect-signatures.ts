import type { BridgeNow } from '@oddlot/custody/bridge-contract';
import type { Signed, Validator, ValidatorRequest } from '@oddlot/custody/signing';
import type { Hex } from 'viem';

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

type Signers = {
  readonly validators: readonly Validator[];
  /** Of the bridge as it stands. */
  readonly bridge: Pick<BridgeNow, 'threshold' | 'validators'>;
};

/**
 * As many signatures as the bridge wants, ascending by signer. All are asked at once, the first ones that are enough do, and
 * nobody waits for the rest. Those that the bridge does not know are left out: a single one of them would spoil the others.
 */
export async function collectSignatures(
  request: ValidatorRequest,
  { bridge, validators }: Signers,
): Promise<readonly Signed[]> {
  const { threshold } = bridge;
  const enough = new AbortController();
  const signal = AbortSignal.any([enough.signal, AbortSignal.timeout(ASK_MS_MAX)]);
  const found = new Map<Hex, Signed>();
  const faults = validators.map(({ name }) => `${name}: no answer yet`);
  const { promise: isEnough, resolve } = Promise.withResolvers<void>();
  const asked = validators.map(async (validator, at) => {
    try {
      const signed = await validator.sign(request, signal);
      const address = signed.address.toLowerCase() as Hex;
      if (!bridge.validators.has(address))
        throw new Error(`${address} is not a validator of the bridge`);
      if (found.size < threshold) found.set(address, { ...signed, address });
      faults[at] = '';
      if (found.size >= threshold) resolve();
    } catch (error) {
      faults[at] = `${validator.name}: ${faultText(error)}`;
    }
  });
  await Promise.race([isEnough, Promise.all(asked)]);
  enough.abort();
  if (found.size < threshold) {
    const message = `${found.size} of ${threshold} validators signed`;
    throw new TooFewSignaturesError(message, faults.filter((each) => each !== '').join('; '));
  }
  return sortedSigners([...found.values()]);
}

/** As the bridge wants them; by address, which has one spelling here. */
function sortedSigners(signed: readonly Signed[]): readonly Signed[] {
  return signed.toSorted((a, b) => (a.address < b.address ? -1 : 1));
}

function faultText(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
