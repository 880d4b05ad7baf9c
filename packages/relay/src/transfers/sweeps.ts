import { chainFault } from '@oddlot/custody/chain';
import type { LocalAccount } from 'viem';
import { tokenBalance, transferData, type RelayChain } from '../chains/relay-chain.ts';
import type { GivenAddress, RelayBook, Transfer } from '../book/relay-book.ts';

type SweepsOptions = {
  readonly book: RelayBook;
  readonly keyOf: (address: GivenAddress) => LocalAccount;
  readonly now: () => number;
};

const TRANSFER_GAS = 100_000n;
const ETHER_GAS = 30_000n;
/** The gas that is sent is this multiple of a sweep's current cost, because fees change. */
const GAS_MARGIN = 3n;
const GAS_SENT_MAX = 8;

/**
 * Collects money from a one-time address into the relay's own account. Ether for gas is sent first,
 * and then the token is transferred. No separate records are needed, because repeating a
 * transaction moves the same money to the same address, and the chain shows whether it has been
 * executed.
 */
export class Sweeps {
  readonly #options: SweepsOptions;

  constructor(options: SweepsOptions) {
    this.#options = options;
  }

  async step(transfer: Transfer, address: GivenAddress, chain: RelayChain): Promise<void> {
    const { book, keyOf } = this.#options;
    const { client, relayer, token } = chain;
    const balance = await tokenBalance(chain, address.address);
    if (balance === 0n) {
      const { confirmed } = await client.head();
      const isEmpty = (await tokenBalance(chain, address.address, confirmed)) === 0n;
      if (isEmpty) book.put({ ...transfer, isSwept: true });
      return undefined;
    }
    const { baseFee, priorityFee } = await client.fees();
    const maxFee = 2n * baseFee + (priorityFee > 0n ? priorityFee : 1n);
    const ether = await client.balanceOf(address.address);
    const sendGas = (): Promise<void> =>
      this.#sendGas(transfer, address, { chain, wei: TRANSFER_GAS * maxFee * GAS_MARGIN });
    if (ether < TRANSFER_GAS * maxFee) return await sendGas();
    const raw = await keyOf(address).signTransaction({
      type: 'eip1559',
      chainId: client.chainId,
      to: token,
      data: transferData(relayer.address, balance),
      gas: TRANSFER_GAS,
      nonce: await client.nonceOf(address.address, 'latest'),
      maxFeePerGas: maxFee,
      maxPriorityFeePerGas: priorityFee > 0n ? priorityFee : 1n,
    });
    try {
      await client.sendRaw(raw);
    } catch (error) {
      const why = chainFault(error);
      // Some chains charge more than a transaction's gas cost, and report this only here.
      if (/insufficient funds/i.test(why)) return await sendGas();
      // A pending transaction with a different fee will do just as well.
      if (!/underpriced/i.test(why)) throw error;
    }
    return undefined;
  }

  async #sendGas(
    transfer: Transfer,
    { address }: GivenAddress,
    { chain, wei }: { readonly chain: RelayChain; readonly wei: bigint },
  ): Promise<void> {
    const { book } = this.#options;
    const { gasSent = 0 } = transfer;
    const key = `gas:${transfer.id}:${gasSent}`;
    const record = chain.relayer.find(key);
    if (record === undefined) {
      if (gasSent >= GAS_SENT_MAX) throw new Error(`gas was sent to ${address} too many times`);
      const value = wei * 2n ** BigInt(gasSent);
      await chain.relayer.submit({ key, to: address, data: '0x', value, gas: ETHER_GAS });
      return;
    }
    // The gas has arrived but is no longer sufficient, because fees have risen.
    if (record.mined?.isConfirmed === true) book.put({ ...transfer, gasSent: gasSent + 1 });
  }
}
