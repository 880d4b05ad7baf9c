import {
  domainSeparator,
  hashStruct,
  nobleKeccak,
  type Settings,
  signedBytes,
  type StructType,
} from '@oddlot/protocol';
import type { InfoParameters } from './info/query-info.ts';
import { typedData } from './typed-data.ts';
import type { Wallet } from './wallet.ts';

/** The contents of a permit. */
export type PermitTerms = {
  /** The venue's settings, including the bridge, the token and the chain. */
  readonly settings: Pick<
    Settings,
    'bridge2_contract_address' | 'usdc_contract_address' | 'settlement_chain_id'
  >;
  /** The amount in micro-USDC: 5 USDC are 5,000,000. */
  readonly usd: number;
  /** The result of the token's `nonces(owner)` on the settlement chain. */
  readonly nonce: number;
  /** The deadline in Unix seconds, from 120 seconds to 7 days ahead. */
  readonly deadline: number;
  /** The name and version of the token's domain; by default those of USDC. */
  readonly name?: string;
  readonly version?: string;
};

const PERMIT: StructType = {
  name: 'Permit',
  fields: [
    ['owner', 'address'],
    ['spender', 'address'],
    ['value', 'uint256'],
    ['nonce', 'uint256'],
    ['deadline', 'uint256'],
  ],
};

/** Signs an EIP-2612 permit for the venue's bridge. Pass the result to `info.depositWithPermit`. */
export async function signPermit(
  wallet: Wallet,
  terms: PermitTerms,
): Promise<Pick<InfoParameters<'depositWithPermit'>, 'user' | 'usd' | 'deadline' | 'signature'>> {
  const { deadline, name = 'USD Coin', nonce, settings, usd, version = '2' } = terms;
  const domain = {
    name,
    version,
    chainId: settings.settlement_chain_id,
    verifyingContract: settings.usdc_contract_address as `0x${string}`,
  };
  const spender = settings.bridge2_contract_address;
  const message = { owner: wallet.address, spender, value: usd, nonce, deadline };
  const separator = domainSeparator(domain, nobleKeccak);
  const struct = hashStruct(PERMIT, message, { keccak: nobleKeccak });
  const signature = await wallet.sign({
    digest: nobleKeccak(signedBytes(separator, struct)),
    typedData: () => typedData(PERMIT, message, domain),
  });
  return { user: wallet.address, usd: String(usd), deadline: String(deadline), signature };
}
