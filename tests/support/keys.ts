import { expect } from 'vitest';
import { factsOf, type Actor } from './actors.ts';
import type { Client, Json, Reply } from './client.ts';
import {
  directAction,
  signDirect,
  signMultiSig,
  type DirectOptions,
  type MultiSigOptions,
} from './direct.ts';
import { nextNonce, type JsonObject, type Signed } from './wallet.ts';

/** Signs a direct action with the actor's own key. */
export async function direct(
  actor: Actor,
  type: string,
  fields: JsonObject,
  options: Partial<DirectOptions> = {},
): Promise<Signed> {
  const nonce = options.nonce ?? nextNonce();
  return signDirect(actor.key, directAction(type, nonce, fields), { ...options, nonce });
}

export async function send(actor: Actor, type: string, fields: JsonObject): Promise<Reply> {
  return actor.client.executed(await direct(actor, type, fields));
}

export async function approveBuilder(
  actor: Actor,
  builder: string,
  maxFeeRate = '0.1%',
): Promise<Reply> {
  return send(actor, 'approveBuilderFee', { builder, maxFeeRate });
}

export type Transfer = {
  readonly to: string;
  readonly amount: string;
  readonly token?: number;
  readonly from?: string;
  readonly into?: string;
};

/** Returns the fields of a `tokenSend`, by default from one perp balance to another. */
export function transfer({ to, amount, token = 0, from = 'perp', into = 'perp' }: Transfer) {
  return { destination: to, token, amount, fromAccountType: from, toAccountType: into };
}

export async function tokenSend(actor: Actor, options: Transfer): Promise<Reply> {
  return send(actor, 'tokenSend', transfer(options));
}

/** Returns the JSON text of the `signers` field of `convertToMultiSigUser`. */
export function signerSet(members: readonly Actor[], threshold: number): string {
  return JSON.stringify({ authorizedUsers: addressesOf(members), threshold });
}

/** Returns addresses in lower case and ascending order, as clients send them. */
export function addressesOf(members: readonly Actor[]): string[] {
  return members.map((member) => member.address).toSorted();
}

export type Wrap = Partial<DirectOptions> &
  Pick<MultiSigOptions, 'vaultAddress' | 'expiresAfter' | 'signatures'> & {
    readonly account: Actor;
    readonly sender: Actor;
    readonly signers: readonly Actor[];
  };

/**
 * Builds an account action with the given nonce, which is the envelope's nonce. The action can be
 * sent directly or inside a wrapper.
 */
export type Inner = (nonce: number) => JsonObject;

export const inner =
  (type: string, fields: JsonObject): Inner =>
  (nonce) =>
    directAction(type, nonce, fields);

/**
 * Signs an action for a multi-sig account. If the action is given as a function, it receives the
 * envelope's nonce.
 */
export async function wrapped(action: JsonObject | Inner, options: Wrap): Promise<Signed> {
  const nonce = options.nonce ?? nextNonce();
  const { account, sender, signers, ...rest } = options;
  return signMultiSig(typeof action === 'function' ? action(nonce) : action, {
    ...rest,
    nonce,
    multiSigUser: account.address,
    outerKey: sender.key,
    innerKeys: signers.map((signer) => signer.key),
  });
}

export async function signersOf(actor: Actor): Promise<Json> {
  return actor.client.data({ type: 'multiSigSigners', user: actor.address });
}

export async function buildersOf(actor: Actor): Promise<Json[]> {
  return actor.client.data({ type: 'approvedBuilders', user: actor.address });
}

export async function builderState(actor: Actor): Promise<Json> {
  return actor.client.data({ type: 'builderState', user: actor.address });
}

export async function outcomeMoney(actor: Actor): Promise<string> {
  const state = await actor.client.data({
    type: 'clearinghouseState',
    user: actor.address,
    accountType: 'outcome',
  });
  return state.withdrawable;
}

export async function deltasOf(actor: Actor): Promise<Json[]> {
  const rows = await actor.client.data({
    type: 'userNonFundingLedgerUpdates',
    user: actor.address,
  });
  return rows.map((row: Json) => row.delta);
}

export async function accountStatus(client: Client, user: string, channel?: number): Promise<Json> {
  const asked = { type: 'accountStatus', user, ...(channel === undefined ? {} : { channel }) };
  const reply = await client.post('/account-status', asked);
  expect(reply.json, reply.text).toMatchObject({ success: true, code: 0 });
  return reply.json.data;
}

/**
 * A rejection before consensus. Access control puts its text in `response` instead of `message`.
 */
export type Refusal = {
  readonly code: number;
  readonly name: string;
  readonly message?: string;
  readonly response?: string;
  /** The details without `docs`, which every rejection includes. */
  readonly details?: JsonObject;
};

/** Checks that the whole reply is exactly this rejection. */
export function expectExactly(reply: Reply, refusal: Refusal): void {
  const { details, ...words } = refusal;
  const docs = `/docs/errors#${refusal.name}`;
  expect(reply.status, reply.text).toBe(200);
  expect(reply.json, reply.text).toEqual({
    status: 'err',
    ...words,
    details: { ...details, ...hintFor(refusal), docs },
  });
}

/**
 * A rejection for an unknown signer includes a hint naming the query that explains the signature.
 */
function hintFor({ message = '' }: Refusal): JsonObject {
  const isUnknown = /^(?:No trading account|Please deposit first|Authorization failed)/.test(
    message,
  );
  return isUnknown ? { why: expect.stringContaining('explainSignature') as string } : {};
}

/**
 * Sends an action that must be rejected with this text, and checks that the given accounts are
 * unchanged.
 */
export async function expectNothing(
  people: readonly Actor[],
  attempt: Promise<Signed> | (() => Promise<Reply>),
  refusal: Refusal,
): Promise<void> {
  const before = await everythingOf(people);
  const [someone] = people;
  const reply =
    typeof attempt === 'function' ? await attempt() : await someone!.client.executed(await attempt);
  expectExactly(reply, refusal);
  expect(await everythingOf(people)).toEqual(before);
}

/** Returns everything public about the accounts except timestamps and ADL ranks. */
export async function everythingOf(people: readonly Actor[]): Promise<Json> {
  const known = await factsOf(...people);
  for (const { state } of known) {
    for (const { position } of state.assetPositions) delete position.adlQuantile;
  }
  const keys = await Promise.all(
    people.map(async (actor) => ({
      outcome: await outcomeMoney(actor),
      ledger: await deltasOf(actor),
      builders: await buildersOf(actor),
      earned: await builderState(actor),
      signers: await signersOf(actor),
    })),
  );
  return { known, keys };
}

export const SIGNER_HINT: string = expect.stringContaining('ask /info explainSignature');

export const noAccount = (got: string): Refusal => ({
  code: 10006,
  name: 'NO_ACCOUNT',
  message: 'No trading account found. Please deposit first.',
  details: { got, why: SIGNER_HINT },
});

export const unauthorized = (message: string, details?: JsonObject): Refusal => ({
  code: 10003,
  name: 'UNAUTHORIZED',
  message,
  ...(details === undefined ? {} : { details }),
});

export const MULTI_SIG_REQUIRED = unauthorized('Multi-sig account requires a multiSig payload');
