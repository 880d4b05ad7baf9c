import { once } from 'node:events';
import { join } from 'node:path';
import type { Hex } from 'viem';
import { lockDirectory } from '../log/directory-lock.ts';
import { hostText, listen } from '../operate/listen.ts';
import type { Logger } from '../operate/log.ts';
import { ChainClient } from '../settlement/chain-client.ts';
import { urlEndpoint } from '../settlement/chain-endpoint.ts';
import { checkKeyFiles } from '../settlement/key-files.ts';
import { readKey } from '../settlement/keys.ts';
import { keyValidator } from '../settlement/validators.ts';
import { PayoutWitness } from './payout-witness.ts';
import { RefusalMemory } from './refusal-memory.ts';
import { validatorServer } from './server.ts';
import { SignedBook } from './signed-book.ts';
import { Signer } from './signer.ts';
import type { ValidatorConfig } from './validator-config.ts';
import { VenueLedger } from './venue-ledger.ts';

export type RunningValidator = {
  readonly url: string;
  readonly address: string;
  stop(): Promise<void>;
};

const USDC = 1_000_000n;
const CHAIN_MS_MAX = 5_000;
/** Chains whose money is worth nothing. */
const TEST_CHAINS: readonly number[] = [421_614];

/** Reads its key and what it has signed, and listens. */
export async function startValidator(
  config: ValidatorConfig,
  deps: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly log: Logger;
    readonly now: () => number;
  },
): Promise<RunningValidator> {
  const { chainId, data, host, port, venues } = config;
  const { env, log, now } = deps;
  const isReal = !TEST_CHAINS.includes(chainId);
  for (const why of chainWarnings(config, isReal)) log.warn(why);
  for (const why of checkKeyFiles({ key: [config.key] }, { data, isReal })) log.warn(why);
  const key = readKey(config.key, 'key', env);
  // Two processes with one book would not see what the other one signs.
  const lock = lockDirectory(data);
  try {
    const book = new SignedBook(join(data, 'signed.jsonl'));
    const domain = { chainId, bridge: config.bridge as Hex };
    const ledger = new VenueLedger({ venues });
    const { dayLimitUsdc } = config;
    const perDayMax = dayLimitUsdc === undefined ? undefined : BigInt(dayLimitUsdc) * USDC;
    const witness = witnessOf(config, { anybody: keyValidator(key, domain).name as Hex, now });
    const signer = new Signer({ key, domain, book, ledger, witness, now, perDayMax });
    const server = validatorServer({ signer, domain, book, log, now });
    const bound = await listen(server, port, host);
    return {
      url: `http://${hostText(host)}:${bound}`,
      address: signer.address,
      async stop() {
        const closed = once(server, 'close');
        server.close();
        server.closeIdleConnections();
        await closed;
        book.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Who looks at the chain, through endpoints that the operator of the validator chose. */
function witnessOf(
  config: ValidatorConfig,
  { anybody, now }: { readonly anybody: Hex; readonly now: () => number },
): PayoutWitness | undefined {
  const { cancelPatienceMs, chain, chainId, data } = config;
  if (chain.length === 0) return undefined;
  const endpoints = chain.map((url) => urlEndpoint(url, CHAIN_MS_MAX));
  const client = new ChainClient({ endpoints, chainId, confirmations: 1 });
  const memory = new RefusalMemory(join(data, 'refused.json'), cancelPatienceMs);
  return new PayoutWitness({ client, bridge: config.bridge as Hex, anybody, memory, now });
}

function chainWarnings({ chain }: ValidatorConfig, isReal: boolean): readonly string[] {
  if (chain.length === 0) {
    return [
      'chain: no endpoints, so it signs no cancellations; people do (npm run bridge -- cancel)',
    ];
  }
  const isAlone = isReal && new Set(chain.map((url) => new URL(url).host)).size < 2;
  return isAlone ? ['chain: what a single endpoint says of real money is believed'] : [];
}
