import type { Hex } from '../core/chain-block.ts';
import { invalidParams } from '../core/rpc-error.ts';

/** Reads the parameters of a call. An invalid parameter is rejected by name. */

export type CallRequest = {
  readonly from: Hex | undefined;
  readonly to: Hex | undefined;
  readonly data: Hex;
  readonly value: bigint;
  readonly gas: bigint | undefined;
  readonly maxFeePerGas: bigint | undefined;
  readonly accessList: readonly { readonly address: Hex; readonly storageKeys: readonly Hex[] }[];
};

export type BlockReference =
  | { readonly number: bigint }
  | { readonly tag: 'latest' | 'pending' | 'earliest' }
  | { readonly hash: Hex };

const QUANTITY = /^0x(?:0|[1-9a-f][0-9a-f]{0,63})$/i;
const BYTES = /^0x(?:[0-9a-f]{2})*$/i;
const ACCESS_LIST_MAX = 256;

export function readQuantity(value: unknown, name: string): bigint {
  if (typeof value !== 'string' || !QUANTITY.test(value))
    throw invalidParams(`${name} must be a hex quantity without leading zeros`);
  return BigInt(value);
}

export function readBytes(value: unknown, name: string, length?: number): Hex {
  if (typeof value !== 'string' || !BYTES.test(value))
    throw invalidParams(`${name} must be bytes in hex`);
  if (length !== undefined && value.length !== 2 + 2 * length)
    throw invalidParams(`${name} must have ${length} bytes`);
  return value.toLowerCase() as Hex;
}

export const readAddress = (value: unknown, name = 'address'): Hex => readBytes(value, name, 20);
export const readHash = (value: unknown, name = 'hash'): Hex => readBytes(value, name, 32);

/** Reads a storage slot, which clients send as a quantity or as up to 32 bytes. */
export function readSlot(value: unknown): Hex {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{0,64}$/i.test(value))
    throw invalidParams('the slot must have up to 32 bytes in hex');
  return `0x${value.slice(2).toLowerCase().padStart(64, '0')}`;
}

/**
 * Reads a block reference. Blocks are undone only in tests, so the safe block and the finalized
 * block are the newest block.
 */
export function readBlockReference(value: unknown): BlockReference {
  if (value === undefined || value === null) return { tag: 'latest' };
  if (value === 'latest' || value === 'safe' || value === 'finalized') return { tag: 'latest' };
  if (value === 'pending' || value === 'earliest') return { tag: value };
  if (isObject(value)) {
    if ('blockHash' in value) return { hash: readHash(value['blockHash'], 'blockHash') };
    return { number: readQuantity(value['blockNumber'], 'blockNumber') };
  }
  if (typeof value === 'string' && value.length === 66) return { hash: readHash(value) };
  return { number: readQuantity(value, 'block') };
}

export function readCall(value: unknown): CallRequest {
  if (!isObject(value)) throw invalidParams('the transaction must be an object');
  const optional = (key: string): bigint | undefined =>
    isAbsent(value[key]) ? undefined : readQuantity(value[key], key);
  const address = (key: string): Hex | undefined =>
    isAbsent(value[key]) ? undefined : readAddress(value[key], key);
  const data = isAbsent(value['input']) ? value['data'] : value['input'];
  return {
    from: address('from'),
    to: address('to'),
    data: isAbsent(data) ? '0x' : readBytes(data, 'data'),
    value: optional('value') ?? 0n,
    gas: optional('gas'),
    maxFeePerGas: optional('maxFeePerGas') ?? optional('gasPrice'),
    accessList: readAccessList(value['accessList']),
  };
}

function readAccessList(value: unknown): CallRequest['accessList'] {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value) || value.length > ACCESS_LIST_MAX)
    throw invalidParams(`accessList must be a list of up to ${ACCESS_LIST_MAX} entries`);
  return value.map((entry: unknown) => {
    const keys = isObject(entry) ? entry['storageKeys'] : undefined;
    if (!isObject(entry) || !Array.isArray(keys) || keys.length > ACCESS_LIST_MAX)
      throw invalidParams('an entry of accessList must be an address with its storageKeys');
    const storageKeys = keys.map((key: unknown) => readBytes(key, 'storageKey', 32));
    return { address: readAddress(entry['address']), storageKeys };
  });
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isAbsent = (value: unknown): value is undefined | null =>
  value === undefined || value === null;
