import { once } from 'node:events';
import { join } from 'node:path';
import type { Hex } from 'viem';
import { lockDirectory } from '../log/directory-lock.ts';
import { hostText, listen } from '../operate/listen.ts';
import type { Logger } from '../operate/log.ts';
import { checkKeyFiles } from '../settlement/key-files.ts';
import { readKey } from '../settlement/keys.ts';
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
    const signer = new Signer({ key, domain, book, ledger, now, perDayMax });
    const server = validatorServer({ signer, domain, book, log });
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
