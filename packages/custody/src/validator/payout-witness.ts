import { BRIDGE_ABI } from '@oddlot/contracts';
import { encodeFunctionData, type Hex, zeroAddress } from 'viem';
import type { ChainClient } from '../chain/chain-client.ts';
import { ChainDisagreementError, chainFault, ChainUnavailableError } from '../chain/endpoints.ts';
import type { BridgeContracts } from '../bridge-contract/deposit-logs.ts';
import { ON_CHAIN, readState, wouldTransfer } from '../bridge-contract/bridge-calls.ts';
import { type RefusalMemory, SigningRefusal } from './signing-refusal.ts';

type PayoutWitnessOptions = {
  /** The client for endpoints chosen by the validator's operator. */
  readonly client: ChainClient;
  readonly bridge: Hex;
  /** An address that can receive tokens, such as the validator's own. */
  readonly anyAddress: Hex;
  readonly memory: RefusalMemory;
  readonly now: () => number;
};

type Owed = {
  readonly withdrawalId: number;
  readonly user: Hex;
  readonly destination: Hex;
  readonly usd: bigint;
  /** True if all venues have returned the withdrawal. */
  readonly isReturned: boolean;
};

/**
 * Verifies that a payout cannot succeed (R-withdraw), independently of the requester. The token
 * must repeatedly refuse this destination for the configured time, while being willing to transfer
 * the same amount of the bridge's funds to another address. An empty, paused or blocked bridge, or
 * a paused token, is not blamed on the destination.
 */
export class PayoutWitness {
  readonly #options: PayoutWitnessOptions;

  constructor(options: PayoutWitnessOptions) {
    this.#options = options;
  }

  /**
   * Returns, for operators, the reason the payout cannot succeed. Throws a SigningRefusal if it
   * might succeed.
   */
  async whyHopeless(owed: Owed): Promise<string> {
    try {
      return await this.#look(owed);
    } catch (error) {
      const isChain =
        error instanceof ChainUnavailableError || error instanceof ChainDisagreementError;
      if (!isChain) throw error;
      throw new SigningRefusal(503, `the chain cannot be queried: ${chainFault(error)}`);
    }
  }

  async #look({ destination, isReturned, usd, user, withdrawalId }: Owed): Promise<string> {
    const { anyAddress, bridge, client, memory, now } = this.#options;
    await client.assertChain();
    const { head: block } = await client.head();
    const contracts = await bridgeContracts(client, bridge, block);
    const state = await readState(client, bridge, { withdrawalId, block });
    if (state === ON_CHAIN.paid || state === ON_CHAIN.cancelled) {
      const end = state === ON_CHAIN.paid ? 'paid' : 'cancelled';
      throw new SigningRefusal(409, `the bridge has already ${end} withdrawal ${withdrawalId}`);
    }
    // A returned withdrawal must not be paid, even if the block that contained its cancellation was
    // dropped.
    if (isReturned) return 'all venues report it as returned';
    const unpayable = [zeroAddress, contracts.bridge, contracts.token];
    if (usd <= 0n || unpayable.includes(destination) || unpayable.includes(user)) {
      return 'the bridge cannot pay this amount to this destination';
    }
    const name = String(withdrawalId);
    if (await wouldTransfer(client, contracts, { to: destination, usd, block })) {
      memory.forget(name);
      throw new SigningRefusal(409, `withdrawal ${withdrawalId} can be paid`);
    }
    if (!(await wouldTransfer(client, contracts, { to: anyAddress, usd, block }))) {
      memory.forget(name);
      throw new SigningRefusal(409, 'the token currently rejects all transfers out of the bridge');
    }
    if (memory.refused(name, now())) return `the token rejects transfers to ${destination}`;
    throw new SigningRefusal(
      409,
      `the token may still accept withdrawal ${withdrawalId}; retrying later`,
    );
  }
}

/** Reads the addresses of the bridge and its token from the chain. */
export async function bridgeContracts(
  client: ChainClient,
  bridge: Hex,
  block: number,
): Promise<BridgeContracts> {
  const data = encodeFunctionData({ abi: BRIDGE_ABI, functionName: 'token' });
  const word = await client.call({ to: bridge, data }, block);
  if (word.length !== WORD_CHARACTERS) {
    throw new SigningRefusal(503, `its endpoints report no bridge at ${bridge}`);
  }
  return { bridge, token: `0x${word.slice(-ADDRESS_CHARACTERS)}` };
}

const WORD_CHARACTERS = 66;
const ADDRESS_CHARACTERS = 40;
