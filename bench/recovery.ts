import { createRecoverer } from '../packages/api/src/recoverer.ts';
import {
  atMost,
  collectGarbage,
  cpuMs,
  median,
  medianRatio,
  same,
  show,
  sized,
  skipped,
  type Row,
  type Scale,
} from './report.ts';
import { createRequestSigner, loadSecp256k1, NETWORK, orderAction } from './signed-requests.ts';

/** What a recover thread does with a single-order request, against the bare call of the library. */

const TARGET = 1.15;

export async function recoverySection(scale: Scale): Promise<readonly Row[]> {
  const what = 'recovery: read, hash and recover, against the library';
  const secp256k1 = loadSecp256k1();
  if (secp256k1 === undefined) return [skipped(what, 'the binding is not installed')];
  const requests = sized(scale, { full: 2_000, quick: 500, tiny: 5 });
  const rounds = sized(scale, { full: 9, quick: 5, tiny: 2 });
  const signer = await createRequestSigner(secp256k1);
  const recoverer = await createRecoverer(NETWORK);
  same('the library that recovers', recoverer.backend, 'secp256k1');
  const key = signer.key(0);
  const signed = Array.from({ length: requests }, (_, index) => {
    const price = String(90_000 + index);
    const limit = { tif: 'Gtc' } as const;
    const orders = [{ a: 1, b: true, p: price, s: '0.00021', r: false, t: { limit } }];
    return signer.sign(key, orderAction(orders), 1_767_225_600_000 + index);
  });
  const ours: number[] = [];
  const raw: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    collectGarbage();
    let found = 0;
    const oursMs = cpuMs(() => {
      for (const { text } of signed) {
        if (recoverer.recover(text).signer === key.address) found += 1;
      }
    });
    same('signers recovered', found, requests);
    let keys = 0;
    const rawMs = cpuMs(() => {
      for (const { signature, recoveryBit, digest } of signed) {
        keys += secp256k1.ecdsaRecover(signature, recoveryBit, digest, false).length;
      }
    });
    same('bytes of public keys', keys, 65 * requests);
    // The first round compiles.
    if (round === 0) continue;
    ours.push(oursMs);
    raw.push(rawMs);
  }
  const each = (ms: readonly number[]): string => `${show((median(ms) * 1_000) / requests)} µs`;
  const words = `${each(ours)} against ${each(raw)} a request`;
  return [atMost(what, words, medianRatio(ours, raw), TARGET)];
}
