import { join } from 'node:path';
import { lockDirectory } from '@oddlot/host/directory-lock';
import type { Logger } from '@oddlot/host/log';
import { openInOrder } from '@oddlot/host/open-in-order';
import { hostText } from '@oddlot/host/operate';
import type { Hex } from 'viem';
import { ChainClient } from '../chain/chain-client.ts';
import { urlEndpoint } from '../chain/endpoints.ts';
import { checkKeyFiles } from '../key-files/check-key-files.ts';
import { readKey } from '../key-files/read-key.ts';
import { keyValidator } from '../signing/bridge-signatures.ts';
import { BridgeDeposits } from './bridge-deposits.ts';
import { PayoutRequests } from './payout-requests.ts';
import { PayoutWitness } from './payout-witness.ts';
import { RefusalMemory } from './signing-refusal.ts';
import { type ReplicaHealth, ValidatorServer } from './validator-server.ts';
import { type PayoutRecord, SignedBook } from './signed-book.ts';
import { type Counted, Signer, SigningLimits } from './signer.ts';
import type { ValidatorSettings } from './validator-settings.ts';
import { VenueLedger } from './venue-ledger.ts';

export type RunningValidator = {
  readonly url: string;
  readonly address: string;
  stop(): Promise<void>;
};

/** The data that a validator computes itself rather than querying venues. */
export type OwnLedger = Pick<VenueLedger, 'assertPayable' | 'unpaidWithdrawal'> &
  Pick<PayoutRequests, 'evidenceFor'> & {
    /**
     * Returns the data for `GET /healthz`: the height, and the reason if the validator has stopped
     * signing.
     */
    health(): ReplicaHealth;
    stop(): Promise<void>;
  };

const USDC = 1_000_000n;
const CHAIN_MS_MAX = 5_000;
const TEST_CHAINS: readonly number[] = [421_614];

type ValidatorDependencies = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly now: () => number;
  /** Opens an independent ledger if the setting `log` gives the address of a log. */
  readonly openLedger?:
    | ((config: ValidatorSettings, log: Logger) => Promise<OwnLedger>)
    | undefined;
};

/** Reads the key and the journal, then starts listening. A failed start releases all resources. */
export function startValidator(
  config: ValidatorSettings,
  deps: ValidatorDependencies,
): Promise<RunningValidator> {
  return openInOrder(
    (opened) => openParts(config, deps, opened),
    (err) => deps.log.error({ err }, 'cleanup after a failed start was incomplete'),
  );
}

async function openParts(
  config: ValidatorSettings,
  deps: ValidatorDependencies,
  opened: AsyncDisposableStack,
): Promise<RunningValidator> {
  const { chainId, data, host, port, venues } = config;
  const { env, log, now } = deps;
  const isReal = !TEST_CHAINS.includes(chainId);
  for (const why of chainWarnings(config, isReal)) log.warn(why);
  for (const why of checkKeyFiles({ key: [config.key] }, { data, env, isReal })) log.warn(why);
  const key = readKey(config.key, 'key', env);
  // The folder is locked, because two processes using the same journal would not see each other's
  // signatures.
  const lock = lockDirectory(data);
  opened.defer(() => lock.release());
  const limits = limitsOf(config);
  const book = new SignedBook(join(data, 'signed.jsonl'), (payout) =>
    limits.count(payout.user, countedOf(payout), payout.timeMs),
  );
  opened.defer(() => book.close());
  const domain = { chainId, bridge: config.bridge as Hex };
  const { relayer, serviceNetwork, withdrawFeeMaxUsdc } = config;
  const venueLedger = new VenueLedger({ venues });
  const feeMax = BigInt(withdrawFeeMaxUsdc) * USDC;
  const vouched = new Map(config.signers.map(({ account, ...set }) => [String(account), set]));
  const own = await deps.openLedger?.(config, log);
  opened.defer(() => own?.stop());
  const requests =
    own ?? new PayoutRequests({ ledger: venueLedger, serviceNetwork, feeMax, vouched });
  const ledger = own ?? venueLedger;
  const anyAddress = keyValidator(key, domain).name as Hex;
  const chainAccess = chainAccessOf(config, { anyAddress, now });
  const onChainUnavailable = (why: string): void =>
    log.warn({ why }, 'account deposits could not be read from the chain');
  const parts = { key, domain, book, ledger, requests, limits, onChainUnavailable, now };
  const signer = new Signer({ ...parts, ...chainAccess });
  const places = { signer, domain, relayer, serviceNetwork };
  const health = own?.health.bind(own);
  const hostNames = new Set(config.hostNames);
  const server = new ValidatorServer({ ...places, book, log, now, health, hostNames });
  opened.defer(() => server.stop());
  const bound = await server.listen(port, host);
  return {
    url: `http://${hostText(host)}:${bound}`,
    address: signer.address,
    stop: () => opened.disposeAsync(),
  };
}

/** Returns the amounts of a payout that counted towards the limits when it was signed. */
export function countedOf({ counted, countedInAll, usd }: PayoutRecord): Counted {
  const account = counted ?? usd;
  return { account: BigInt(account), all: BigInt(countedInAll ?? account) };
}

function limitsOf({ accountDayLimitUsdc, dayLimitUsdc }: ValidatorSettings): SigningLimits {
  const perDay = BigInt(dayLimitUsdc) * USDC;
  return new SigningLimits({ perDay, perAccountDay: BigInt(accountDayLimitUsdc) * USDC });
}

/** Opens access to the chain through endpoints chosen by the validator's operator. */
function chainAccessOf(
  config: ValidatorSettings,
  { anyAddress, now }: { readonly anyAddress: Hex; readonly now: () => number },
): { readonly witness?: PayoutWitness; readonly deposits?: BridgeDeposits } {
  const { cancelPatienceMs, chain, chainId, data } = config;
  if (chain.length === 0) return {};
  const endpoints = chain.map((url) => urlEndpoint(url, CHAIN_MS_MAX));
  const client = new ChainClient({ endpoints, chainId, confirmations: 1 });
  const memory = new RefusalMemory(join(data, 'refused.json'), cancelPatienceMs);
  const bridge = config.bridge as Hex;
  return {
    witness: new PayoutWitness({ client, bridge, anyAddress, memory, now }),
    deposits: new BridgeDeposits({ client, bridge, now }),
  };
}

function chainWarnings({ chain }: ValidatorSettings, isReal: boolean): readonly string[] {
  if (chain.length === 0) {
    return [
      'chain: no endpoints, so this validator does not sign cancellations (use oddlot ' +
        'bridge cancel), and deposits do not raise its limits',
    ];
  }
  const isAlone = isReal && new Set(chain.map((url) => new URL(url).host)).size < 2;
  return isAlone
    ? ['chain: all endpoints are on one host, so the validator depends on that host']
    : [];
}
