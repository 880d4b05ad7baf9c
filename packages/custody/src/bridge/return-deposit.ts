import { boundedJson } from '@oddlot/host/bounded-json';
import type { Hex } from 'viem';
import { z } from 'zod';
import type { ChainClient } from '../chain/chain-client.ts';
import { returnIdOf } from '../bridge-contract/return-id.ts';
import { readBridge, readState } from './bridge-chain.ts';
import { type BridgeCommand, clientOf } from './bridge-context.ts';
import { BridgeCommandError } from './bridge-error.ts';
import { HexAddress, HexHash } from './bridge-request.ts';
import { prepareOrSend } from './prepare-or-send.ts';

const ZERO = '0x0000000000000000000000000000000000000000';
const TIMEOUT_MS = 10_000;
/** Of the operator's own venue, which may keep ten thousand deposits aside. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

/** What nobody returns: the first is credited when the binding ends, behind the second there is no money. */
const KEPT: Readonly<Record<string, string>> = {
  bound: 'it will be credited once its address is no longer an agent',
  noTransfer: 'no token transfer matches it',
};

const Aside = z.object({
  reason: z.string(),
  account: HexAddress,
  amount: z.string().regex(/^[0-9]+$/),
  source: z.object({ txHash: HexHash, logIndex: z.int() }),
});
const Status = z.object({
  chainId: z.int(),
  bridge: HexAddress,
  watch: z.object({ book: z.object({ aside: z.array(Aside) }) }),
});
type Status = z.infer<typeof Status>;

/** Gives back money that the bridge has got and that is nobody's account's: a payout whose id is the deposit's. */
export const returnDeposit: BridgeCommand = (context) =>
  prepareOrSend(context, 'Payout', async ({ options }) => {
    const [txHash, logIndex] = [options.hash('tx'), options.whole('log')];
    const bridge = options.address('bridge');
    const client = await clientOf(context);
    const found = await asideOf(options.required('operations'), {
      client,
      bridge,
      txHash,
      logIndex,
    });
    await assertOnChain(client, bridge, { txHash, logIndex, amount: BigInt(found.amount) });
    const withdrawalId = returnIdOf(txHash, logIndex);
    if ((await readBridge(client, bridge, 'stateOf', [withdrawalId])) !== 0) {
      throw new BridgeCommandError(
        `the deposit is being returned or has already been returned; check with status --id ${withdrawalId}`,
      );
    }
    const isTold = options.text('to') !== undefined;
    const destination = isTold ? options.address('to') : found.account;
    if (destination === ZERO)
      throw new BridgeCommandError('The deposit has no sender. Use --to ADDRESS');
    const user = found.account === ZERO ? destination : found.account;
    const message = { withdrawalId: String(withdrawalId), user, destination, usd: found.amount };
    return { primaryType: 'Payout', message, deposit: { txHash, logIndex } };
  });

/** What the venue's watcher keeps aside of this deposit. */
async function asideOf(
  operations: string,
  at: {
    readonly client: ChainClient;
    readonly bridge: Hex;
    readonly txHash: Hex;
    readonly logIndex: number;
  },
): Promise<z.infer<typeof Aside>> {
  let told: Status;
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(new URL('/settlement', operations), { signal });
    told = Status.parse(await boundedJson(response, ANSWER_BYTES_MAX));
  } catch (cause) {
    throw new BridgeCommandError(`${operations} does not report its uncredited deposits`, {
      cause,
    });
  }
  if (told.chainId !== at.client.chainId || told.bridge !== at.bridge) {
    throw new BridgeCommandError(`the venue uses bridge ${told.bridge} on chain ${told.chainId}`);
  }
  const found = told.watch.book.aside.find(
    ({ source }) => source.txHash === at.txHash && source.logIndex === at.logIndex,
  );
  if (found === undefined) throw new BridgeCommandError('the venue has no such uncredited deposit');
  const why = KEPT[found.reason];
  if (why !== undefined) throw new BridgeCommandError(`the deposit cannot be returned: ${why}`);
  return found;
}

/** The chain itself must show the money: the venue's word alone moves none. */
async function assertOnChain(
  client: ChainClient,
  bridge: Hex,
  deposit: { readonly txHash: Hex; readonly logIndex: number; readonly amount: bigint },
): Promise<void> {
  const { amount, logIndex, txHash } = deposit;
  const { token } = await readState(client, bridge);
  const receipt = await client.receipt(txHash);
  const log = receipt?.logs.find((each) => each.logIndex === logIndex);
  const isMoney = log !== undefined && (log.address === token || log.address === bridge);
  if (isMoney && BigInt(log.data) === amount) return;
  throw new BridgeCommandError(`transaction ${txHash} contains no such deposit`);
}
