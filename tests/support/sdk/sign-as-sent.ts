import { concat, hashDomain, hashStruct, keccak256, type Hex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';

/**
 * Signs the text of an `eth_signTypedData_v4` request as strict wallets do. The domain is hashed
 * using the type given in the request, or as an empty domain if that type is missing. The account's
 * own `signTypedData` would add the missing type.
 */
export async function signAsSent(account: PrivateKeyAccount, text: string): Promise<Hex> {
  const { domain, message, primaryType, types: sent } = JSON.parse(text);
  for (const [name, value] of Object.entries(message)) {
    if (typeof value !== 'string') throw new Error(`${name} is not a text: ${String(value)}`);
  }
  const types = { EIP712Domain: [], ...sent };
  const parts = [hashDomain({ domain, types }), hashStruct({ data: message, primaryType, types })];
  return account.sign({ hash: keccak256(concat(['0x1901', ...parts])) });
}
