import { createHash } from 'node:crypto';
import type { AccountFields, StateManagerInterface } from '@ethereumjs/common';
import { Account, type Address, bytesToHex, hexToBytes } from '@ethereumjs/util';
import { keccak_256 } from '@noble/hashes/sha3.js';

/**
 * The accounts, codes and storage of the chain as one flat map of strings, with a journal to undo
 * changes. The changes of a block are a small set of keys. They are stored in the chain's file, so
 * that a start restores values instead of executing programs again. They are also kept in memory
 * for some time, to undo the block. The keys are:
 * - a<address>: nonce:balance:code hash, in hex
 * - c<address>: the code
 * - s<address><slot>: the value, without leading zeros
 */

/** The changes of a block or a call. The value is `null` for a removed key. */
export type Writes = Readonly<Record<string, string | null>>;

const NO_BYTES = new Uint8Array(0);
/** The combined length of a letter, `0x` and twenty bytes in hex. */
const STORAGE_PREFIX_CHARACTERS = 43;

export class WorldState implements StateManagerInterface {
  readonly #entries = new Map<string, string>();
  /** The previous values of keys written since the first open checkpoint. */
  readonly #journal: { readonly key: string; readonly before: string | undefined }[] = [];
  readonly #checkpoints: number[] = [];
  /** Decoded programs, which are cached because they are read at every call. */
  readonly #codes = new Map<string, Uint8Array>();
  readonly #original = new Map<string, Uint8Array>();
  /** The number of slots per account, by the prefix of their keys. */
  readonly #slots = new Map<string, number>();

  /** The storage before the transaction, which the gas cost of a write depends on. */
  readonly originalStorageCache = {
    get: async (address: Address, slot: Uint8Array): Promise<Uint8Array> => {
      const key = storageKey(address, slot);
      const known = this.#original.get(key);
      if (known !== undefined) return known;
      const value = await this.getStorage(address, slot);
      this.#original.set(key, value);
      return value;
    },
    clear: (): void => this.#original.clear(),
  };

  /**
   * Applies the changes of a block and returns the changes that undo it. There must be no open
   * checkpoint.
   */
  apply(writes: Writes): Writes {
    const undo: Record<string, string | null> = {};
    for (const [key, value] of Object.entries(writes)) {
      undo[key] = this.#entries.get(key) ?? null;
      this.#set(key, value ?? undefined);
    }
    return undo;
  }

  /**
   * Returns the entries as they were before these changes, undoing the last of them first. There
   * must be no open checkpoint.
   */
  entriesBefore(undo: readonly Writes[]): Writes {
    const entries = new Map(this.#entries);
    for (const writes of undo.toReversed()) {
      for (const [key, value] of Object.entries(writes)) {
        if (value === null) entries.delete(key);
        else entries.set(key, value);
      }
    }
    return Object.fromEntries(entries);
  }

  begin(): void {
    this.#checkpoints.push(this.#journal.length);
  }

  /**
   * Returns the changes since the outermost `begin`, by key. Values that have returned to their
   * original state are omitted.
   */
  written(): Writes {
    const before = new Map<string, string | undefined>();
    for (const entry of this.#journal)
      if (!before.has(entry.key)) before.set(entry.key, entry.before);
    const changed = [...before.keys()].filter((key) => this.#entries.get(key) !== before.get(key));
    return Object.fromEntries(changed.sort().map((key) => [key, this.#entries.get(key) ?? null]));
  }

  /** Applies changes like `apply`, but as part of `begin`, so that `undoAll` undoes them. */
  overwrite(writes: Writes): void {
    for (const [key, value] of Object.entries(writes)) this.#write(key, value ?? undefined);
  }

  /**
   * Undoes all changes since the outermost `begin`, including checkpoints left open by a failed
   * run.
   */
  undoAll(): void {
    this.#checkpoints.length = 0;
    this.undo();
    this.#original.clear();
  }

  undo(): void {
    const mark = this.#checkpoints.pop() ?? 0;
    while (this.#journal.length > mark) {
      const entry = this.#journal.pop();
      if (entry !== undefined) this.#set(entry.key, entry.before);
    }
  }

  /** Returns an account. A missing account has zero values. */
  account(address: string): { readonly nonce: bigint; readonly balance: bigint } {
    return parseAccount(this.#entries.get(`a${address}`)) ?? { nonce: 0n, balance: 0n };
  }

  async getAccount(address: Address): Promise<Account | undefined> {
    return parseAccount(this.#entries.get(accountKey(address)));
  }

  async putAccount(address: Address, account?: Account): Promise<void> {
    if (account === undefined) await this.deleteAccount(address);
    else this.#write(accountKey(address), formatAccount(account));
  }

  /** Removes an account with its code and its storage. */
  async deleteAccount(address: Address): Promise<void> {
    this.#write(accountKey(address), undefined);
    this.#write(codeKey(address), undefined);
    await this.clearStorage(address);
  }

  async modifyAccountFields(address: Address, fields: AccountFields): Promise<void> {
    const account = (await this.getAccount(address)) ?? new Account();
    const { nonce = account.nonce, balance = account.balance } = fields;
    const codeHash = fields.codeHash ?? account.codeHash;
    await this.putAccount(address, new Account(nonce, balance, undefined, codeHash));
  }

  async putCode(address: Address, code: Uint8Array): Promise<void> {
    this.#write(codeKey(address), code.length === 0 ? undefined : bytesToHex(code));
    await this.modifyAccountFields(address, { codeHash: keccak_256(code) });
  }

  async getCode(address: Address): Promise<Uint8Array> {
    const text = this.#entries.get(codeKey(address));
    if (text === undefined) return NO_BYTES;
    const known = this.#codes.get(text);
    if (known !== undefined) return known;
    const code = hexToBytes(text as `0x${string}`);
    this.#codes.set(text, code);
    return code;
  }

  async getCodeSize(address: Address): Promise<number> {
    return (await this.getCode(address)).length;
  }

  async getStorage(address: Address, slot: Uint8Array): Promise<Uint8Array> {
    const text = this.#entries.get(storageKey(address, slot));
    return text === undefined ? NO_BYTES : hexToBytes(text as `0x${string}`);
  }

  async putStorage(address: Address, slot: Uint8Array, value: Uint8Array): Promise<void> {
    const from = value.findIndex((byte) => byte !== 0);
    const text = from < 0 ? undefined : bytesToHex(value.subarray(from));
    this.#write(storageKey(address, slot), text);
  }

  /**
   * Removes the storage of an account. All keys are scanned only if the account has storage,
   * because accounts are deleted in every block.
   */
  async clearStorage(address: Address): Promise<void> {
    const prefix = `s${address.toString()}`;
    if (!this.#slots.has(prefix)) return;
    for (const key of this.#entries.keys()) if (key.startsWith(prefix)) this.#write(key, undefined);
  }

  async checkpoint(): Promise<void> {
    this.begin();
  }

  async commit(): Promise<void> {
    this.#checkpoints.pop();
  }

  async revert(): Promise<void> {
    this.undo();
  }

  /**
   * The state has no Merkle tree, because the header carries the chain's own digest
   * (`stateDigest`).
   */
  async getStateRoot(): Promise<Uint8Array> {
    throw new Error('the state has no root');
  }

  async setStateRoot(): Promise<void> {
    throw new Error('the state has no root');
  }

  async hasStateRoot(): Promise<boolean> {
    return false;
  }

  clearCaches(): void {
    this.#original.clear();
  }

  shallowCopy(): StateManagerInterface {
    throw new Error('the state is not copied');
  }

  #write(key: string, value: string | undefined): void {
    const before = this.#entries.get(key);
    if (before === value) return;
    this.#journal.push({ key, before });
    this.#set(key, value);
  }

  #set(key: string, value: string | undefined): void {
    const hadIt = this.#entries.has(key);
    if (value === undefined) this.#entries.delete(key);
    else this.#entries.set(key, value);
    if (key.startsWith('s') && hadIt !== (value !== undefined))
      this.#countSlot(key.slice(0, STORAGE_PREFIX_CHARACTERS), hadIt ? -1 : 1);
  }

  #countSlot(prefix: string, change: number): void {
    const count = (this.#slots.get(prefix) ?? 0) + change;
    if (count === 0) this.#slots.delete(prefix);
    else this.#slots.set(prefix, count);
  }
}

/**
 * Replaces the state root. The digest chains the changes of each block, so equal hashes mean equal
 * states.
 */
export function stateDigest(parent: string, writes: Writes): `0x${string}` {
  const hash = createHash('sha256').update(parent);
  for (const [key, value] of Object.entries(writes)) hash.update(`\n${key}=${value ?? ''}`);
  return `0x${hash.digest('hex')}`;
}

const accountKey = (address: Address): string => `a${address.toString()}`;
const codeKey = (address: Address): string => `c${address.toString()}`;
const storageKey = (address: Address, slot: Uint8Array): string =>
  `s${address.toString()}${bytesToHex(slot)}`;

/** Returns the stored form of an account that has only a balance, for the first block. */
export const formatBalance = (balance: bigint): string => formatAccount(new Account(0n, balance));

function formatAccount({ nonce, balance, codeHash }: Account): string {
  return `${nonce.toString(16)}:${balance.toString(16)}:${bytesToHex(codeHash)}`;
}

function parseAccount(text: string | undefined): Account | undefined {
  if (text === undefined) return undefined;
  const [nonce = '', balance = '', codeHash = ''] = text.split(':');
  const hash = hexToBytes(codeHash as `0x${string}`);
  return new Account(BigInt(`0x${nonce}`), BigInt(`0x${balance}`), undefined, hash);
}
