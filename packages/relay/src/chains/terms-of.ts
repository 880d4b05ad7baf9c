import { formatMoney, parseExact } from '@oddlot/units';
import type { ChainTerms } from './relay-chain.ts';
import { SettingError } from '@oddlot/host/settings';
import type { ChainSetting } from '../relay-settings.ts';

/** The chains that are listed wherever a relay runs; which of them work is for the operator to say. */
const KNOWN: readonly {
  readonly name: string;
  readonly mainnet: number | undefined;
  readonly testnet: number | undefined;
  readonly fee: string;
}[] = [
  { name: 'arbitrum', mainnet: 42_161, testnet: 421_614, fee: '0.1' },
  { name: 'base', mainnet: 8_453, testnet: 84_532, fee: '0.1' },
  { name: 'polygon', mainnet: 137, testnet: 80_002, fee: '0.1' },
  { name: 'ethereum', mainnet: 1, testnet: 11_155_111, fee: '0.5' },
  { name: 'solana', mainnet: undefined, testnet: undefined, fee: '0.3' },
];

const MONEY_DECIMALS = 6;
/** What the bridge credits at once (R-deposit); below, money would wait there for more. */
const BRIDGE_LEAST_MICRO = 5_000_000n;
const MIN_WITHDRAW = '2';
const FEE = '0.1';

/** What users are told of every chain: the known ones first, then what the operator adds. */
export function termsOf(
  settings: readonly ChainSetting[],
  network: 'mainnet' | 'testnet',
): readonly ChainTerms[] {
  const names = new Set([...KNOWN, ...settings].map(({ name }) => name));
  return [...names].map((name) => {
    const known = KNOWN.find((each) => each.name === name);
    const told = settings.find((each) => each.name === name);
    const fee = known?.fee ?? FEE;
    const depositFeeMicro = micro(told?.depositFee ?? fee);
    const least = formatMoney(BRIDGE_LEAST_MICRO + depositFeeMicro);
    const terms: ChainTerms = {
      name,
      chainId: told?.chainId ?? known?.[network],
      depositFeeMicro,
      minDepositMicro: micro(told?.minDeposit ?? least),
      withdrawFeeMicro: micro(told?.withdrawFee ?? fee),
      minWithdrawMicro: micro(told?.minWithdraw ?? MIN_WITHDRAW),
    };
    if (terms.minDepositMicro < micro(least)) {
      throw new SettingError(`chains.${name}.minDeposit: must be at least ${least}`);
    }
    if (terms.minWithdrawMicro <= terms.withdrawFeeMicro) {
      throw new SettingError(`chains.${name}.minWithdraw: must be above the fee`);
    }
    return terms;
  });
}

function micro(text: string): bigint {
  return parseExact(text, MONEY_DECIMALS) ?? 0n;
}
