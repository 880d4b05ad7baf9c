import { TEST_USDC_ABI } from '@oddlot/contracts';
import type { BridgeContracts } from '@oddlot/custody/bridge-contract';
import type { Relayer } from '@oddlot/custody/relayer';
import { grantedMicroUsdc, type State } from '@oddlot/engine';
import { encodeFunctionData, type Hex, parseEther } from 'viem';
import type { DepositWatcher } from './deposit-watcher.ts';

type FaucetBackingOptions = {
  readonly state: () => State;
  readonly watcher: DepositWatcher;
  readonly minter: Relayer;
  readonly contracts: BridgeContracts;
};

const MINT_KEY = 'back:';
const FUND_KEY = 'fund:';
/** The amount of ether sent for gas to users who request test funds on the chain itself. */
const ETHER = parseEther('1');
const TRANSFER_GAS = 21_000n;

/**
 * Backs test funds with test tokens: whatever the faucet has granted inside the venue is minted on
 * the chain and deposited into the bridge, so that the bridge covers the venue's liabilities
 * (R-conservation). The shortfall is computed from the state and the chain, never from a separate
 * counter. Only one portion is in progress at a time; the next one starts once the previous one has
 * been read back.
 */
export class FaucetBacking {
  readonly #options: FaucetBackingOptions;

  constructor(options: FaucetBackingOptions) {
    this.#options = options;
  }

  get contracts(): readonly Hex[] {
    const { bridge, token } = this.#options.contracts;
    return [bridge, token];
  }

  async step(): Promise<void> {
    const { contracts, minter, watcher } = this.#options;
    const { book, isCurrent, state } = watcher.status;
    if (!isCurrent || state !== 'ok') return;
    if (minter.waiting().some(({ key }) => key.startsWith(MINT_KEY))) return;
    const granted = grantedMicroUsdc(this.#options.state());
    const minted = BigInt(book.minted);
    if (granted <= minted) return;
    const key = `${MINT_KEY}${minted}:${granted}`;
    const amount = granted - minted;
    await minter.submit({ key, to: contracts.token, data: mintData(contracts.bridge, amount) });
  }

  /**
   * Sends test funds on the chain itself, with ether for gas. The returned hash is that of the
   * token transfer, which is sent last. An account that has the tokens therefore also has the
   * ether, and after a crash in between it can request funds again.
   */
  async fund(request: {
    readonly user: Hex;
    readonly amount: bigint;
    readonly atMs: number;
  }): Promise<Hex> {
    const { contracts, minter } = this.#options;
    const { amount, atMs, user } = request;
    const gas = { value: ETHER, gas: TRANSFER_GAS };
    await minter.submit({ key: `gas:${user}:${atMs}`, to: user, data: '0x', ...gas });
    const { attempts, mined } = await minter.submit({
      key: `${FUND_KEY}${user}:${atMs}`,
      to: contracts.token,
      data: mintData(user, amount),
    });
    return mined?.txHash ?? attempts.at(-1)?.txHash ?? '0x';
  }

  /**
   * Returns the recipients of funds and the times they were funded, oldest first, as recorded by
   * the minter. The rate limit therefore remains in effect after a restart.
   */
  funded(): readonly { readonly user: Hex; readonly atMs: number }[] {
    const keys = this.#options.minter.keys().filter((key) => key.startsWith(FUND_KEY));
    const grants = keys.map((key) => {
      const [, user = '0x', atMs = '0'] = key.split(':');
      return { user: user as Hex, atMs: Number(atMs) };
    });
    return grants.sort((a, b) => a.atMs - b.atMs);
  }
}

function mintData(to: Hex, amount: bigint): Hex {
  return encodeFunctionData({ abi: TEST_USDC_ABI, functionName: 'mint', args: [to, amount] });
}
