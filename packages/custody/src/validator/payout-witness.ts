import { BRIDGE_ABI } from '@oddlot/contracts';
import { encodeFunctionData, type Hex, zeroAddress } from 'viem';
import type { ChainClient } from '../chain/chain-client.ts';
import { ChainDisagreementError, chainFault, ChainUnavailableError } from '../chain/endpoints.ts';
import type { BridgeContracts } from '../bridge-contract/deposit-logs.ts';
import { ON_CHAIN, readState, wouldTransfer } from '../bridge-contract/bridge-calls.ts';
import { type RefusalMemory, SigningRefusal } from './signing-refusal.ts';

type PayoutWitnessOptions = {
  /** Endpoints that whoever runs the validator chose. */
  readonly client: ChainClient;
  readonly bridge: Hex;
  /** An address that can have money: the validator's own. */
  readonly anybody: Hex;
  readonly memory: RefusalMemory;
  readonly now: () => number;
};

type Owed = {
  readonly withdrawalId: number;
  readonly user: Hex;
  readonly destination: Hex;
  readonly usd: bigint;
  /** The venues have given it back. */
  readonly isReturned: boolean;
};

/**
 * Sees for itself that a payout cannot succeed (R-withdraw), whoever says so: the token refuses this destination, over
 * and over for as long as its operator wants, while it would move as much of the bridge's money to somebody else. An empty
 * bridge, a pause of the bridge or of the token, and a bridge that the token bars are not the destination's doing.
 */
export class PayoutWitness {
  readonly #options: PayoutWitnessOptions;

  constructor(options: PayoutWitnessOptions) {
    this.#options = options;
  }

  /** Why it cannot succeed, in words for operators; a SigningRefusal where it might. */
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
    const { anybody, bridge, client, memory, now } = this.#options;
    await client.assertChain();
    const { head: block } = await client.head();
    const contracts = await bridgeContracts(client, bridge, block);
    const state = await readState(client, bridge, { withdrawalId, block });
    if (state === ON_CHAIN.paid || state === ON_CHAIN.cancelled) {
      const end = state === ON_CHAIN.paid ? 'paid' : 'cancelled';
      throw new SigningRefusal(409, `the bridge has already ${end} withdrawal ${withdrawalId}`);
    }
    // What is back in the account must not be paid, whatever became of the block that cancelled it.
    if (isReturned) return 'all venues report it as returned';
    const nobodys = [zeroAddress, contracts.bridge, contracts.token];
    if (usd <= 0n || nobodys.includes(destination) || nobodys.includes(user)) {
      return 'the bridge cannot pay this amount to this destination';
    }
    const name = String(withdrawalId);
    if (await wouldTransfer(client, contracts, { to: destination, usd, block })) {
      memory.forget(name);
      throw new SigningRefusal(409, `withdrawal ${withdrawalId} can be paid`);
    }
    if (!(await wouldTransfer(client, contracts, { to: anybody, usd, block }))) {
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

/** The bridge and its token, as the chain says. */
export async function bridgeContracts(
  client: ChainClient,
  bridge: Hex,
  block: number,
): Promise<BridgeContracts> {
  const data = encodeFunctionData({ abi: BRIDGE_ABI, functionName: 'token' });
  const told = await client.call({ to: bridge, data }, block);
  if (told.length !== WORD_CHARACTERS) {
    throw new SigningRefusal(503, `its endpoints report no bridge at ${bridge}`);
  }
  return { bridge, token: `0x${told.slice(-ADDRESS_CHARACTERS)}` };
}

const WORD_CHARACTERS = 66;
const ADDRESS_CHARACTERS = 40;
