import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { writeWholeFile } from '@oddlot/host/durable';
import { Address, Hash } from '@oddlot/protocol';
import { encodeFunctionData, type Hex, parseSignature, recoverTypedDataAddress } from 'viem';
import { z } from 'zod';
import { moveIdOf, returnIdOf } from '../bridge-contract/deposit-logs.ts';
import { WITHDRAWAL_TYPES } from '../signing/bridge-signatures.ts';
import { BridgeCommandError } from './bridge-chain.ts';
import { BRIDGE_ABI } from '@oddlot/contracts';
import { formatDecimal, MONEY_DECIMALS } from '@oddlot/units';

/**
 * A request that validators sign manually, in a file passed from one to the next. It contains
 * EIP-712 data, which any wallet can sign, and the signatures collected so far.
 */

/** Addresses and hashes in a request are in lower case. */
export const HexAddress = Address.transform((text) => text as string as Hex);
export const HexHash = Hash.transform((text) => text as string as Hex);

const FORMAT = 'oddlot-bridge-request-1';
/** Other users' access is left to the umask, because validators pass the file on. */
const FOR_OTHERS = 0o666;
const Uint = z.string().regex(/^(0|[1-9][0-9]{0,77})$/);
const Signature = z.string().regex(/^0x[0-9a-fA-F]{130}$/);

/** Other wallets require the domain type in the data. */
const DOMAIN = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
] as const;
const TYPES = {
  Rotation: [
    { name: 'validators', type: 'address[]' },
    { name: 'threshold', type: 'uint256' },
    { name: 'guardian', type: 'address' },
    { name: 'nonce', type: 'uint64' },
  ],
  Unpause: [{ name: 'nonce', type: 'uint64' }],
  ...WITHDRAWAL_TYPES,
} as const;

const Message = z.discriminatedUnion('primaryType', [
  z.object({
    primaryType: z.literal('Rotation'),
    message: z.strictObject({
      validators: z.array(HexAddress),
      threshold: Uint,
      guardian: HexAddress,
      nonce: Uint,
    }),
  }),
  z.object({ primaryType: z.literal('Unpause'), message: z.strictObject({ nonce: Uint }) }),
  z.object({
    primaryType: z.literal('Cancellation'),
    message: z.strictObject({ withdrawalId: Uint }),
  }),
  z.object({
    primaryType: z.literal('Payout'),
    message: z.strictObject({
      withdrawalId: Uint,
      user: HexAddress,
      destination: HexAddress,
      usd: Uint,
    }),
  }),
]);
export type BridgeMessage = z.infer<typeof Message>;

const Deposit = z.strictObject({ txHash: HexHash, logIndex: z.int().min(0) });

const RequestFile = z.strictObject({
  format: z.literal(FORMAT),
  /** The deposit being returned, from which the id of the payout is derived. */
  deposit: Deposit.optional(),
  typedData: z.looseObject({
    domain: z.strictObject({
      name: z.string(),
      version: z.string(),
      chainId: z.int().min(1),
      verifyingContract: HexAddress,
    }),
    types: z.unknown(),
    primaryType: z.string(),
    message: z.unknown(),
  }),
  signatures: z.array(Signature),
});

export type BridgeRequest = {
  readonly chainId: number;
  readonly bridge: Hex;
  readonly deposit?: { readonly txHash: Hex; readonly logIndex: number } | undefined;
  readonly signatures: readonly Hex[];
} & BridgeMessage;

export function typedDataOf({ bridge, chainId, message, primaryType }: BridgeRequest) {
  const domain = { name: 'OddlotBridge', version: '1', chainId, verifyingContract: bridge };
  const types = { EIP712Domain: DOMAIN, [primaryType]: TYPES[primaryType] };
  return { domain, types, primaryType, message };
}

/**
 * Reads a request from its file. Throws unless the request is complete and its typed data is what
 * the bridge verifies.
 */
export function readRequest(file: string): BridgeRequest {
  const fault = (why: string): BridgeCommandError => new BridgeCommandError(`${file}: ${why}`);
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw fault(error instanceof Error ? error.message : 'not readable');
  }
  const outer = RequestFile.safeParse(json);
  if (!outer.success) throw fault(`not a bridge request (${faultOf(outer.error)})`);
  const { deposit, signatures, typedData } = outer.data;
  const inner = Message.safeParse(typedData);
  if (!inner.success) throw fault(`not a bridge request (${faultOf(inner.error)})`);
  const { chainId, verifyingContract } = typedData.domain;
  const place = { chainId, bridge: verifyingContract, deposit };
  const request: BridgeRequest = { ...place, signatures: signatures as Hex[], ...inner.data };
  // Other wallets would sign the typed data in the file, so it must be what the bridge verifies.
  if (!isDeepStrictEqual(typedData, plain(typedDataOf(request)))) {
    throw fault('the typed data does not match what the bridge verifies');
  }
  assertByHand(request, fault);
  return request;
}

/**
 * Rejects payouts for withdrawals, which are signed by validator processes that query the venue.
 * Only payouts without a withdrawal are signed manually.
 */
function assertByHand(request: BridgeRequest, fault: (why: string) => Error): void {
  if (request.primaryType !== 'Payout') return;
  const { deposit, message } = request;
  const { destination, usd, withdrawalId } = message;
  const id =
    deposit === undefined
      ? moveIdOf(destination, BigInt(usd))
      : returnIdOf(deposit.txHash, deposit.logIndex);
  if (withdrawalId === String(id)) return;
  throw fault(
    'payouts are signed manually only to return a deposit or to move the balance to another bridge',
  );
}

/** The file is written atomically, because existing signatures must not be lost. */
export function writeRequest(file: string, request: BridgeRequest): void {
  const { deposit, signatures } = request;
  const source = deposit === undefined ? {} : { deposit };
  const content = { format: FORMAT, ...source, typedData: typedDataOf(request), signatures };
  const text = `${JSON.stringify(content, undefined, 2)}\n`;
  writeWholeFile(file, text, { mode: FOR_OTHERS });
}

export async function signerOf(request: BridgeRequest, signature: Hex): Promise<Hex> {
  try {
    const signed = { ...typedDataOf(request), signature };
    const signer = await recoverTypedDataAddress(signed as Recovered);
    return signer.toLowerCase() as Hex;
  } catch {
    throw new BridgeCommandError(`invalid signature: ${signature}`);
  }
}

type Recovered = Parameters<typeof recoverTypedDataAddress>[0];

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function faultOf(error: z.ZodError): string {
  const { message = 'invalid', path = [] } = error.issues[0] ?? {};
  return `${path.join('.')}: ${message}`;
}

const LOWEST_V = 27;

/** Returns the data of the contract call. The signatures must be sorted by signer. */
export function requestCall(request: BridgeRequest, ordered: readonly Hex[]): Hex {
  const signatures = ordered.map((text) => {
    const { r, s, yParity } = parseSignature(text);
    return { r: BigInt(r), s: BigInt(s), v: LOWEST_V + yParity };
  });
  const encode = (functionName: string, args: readonly unknown[]): Hex =>
    encodeFunctionData({ abi: BRIDGE_ABI, functionName, args } as never);
  if (request.primaryType === 'Rotation') {
    const { guardian, nonce, threshold, validators } = request.message;
    return encode('rotate', [validators, BigInt(threshold), guardian, BigInt(nonce), signatures]);
  }
  if (request.primaryType === 'Unpause') {
    return encode('unpauseBySignatures', [BigInt(request.message.nonce), signatures]);
  }
  if (request.primaryType === 'Cancellation') {
    return encode('cancel', [BigInt(request.message.withdrawalId), signatures]);
  }
  const { destination, usd, user, withdrawalId } = request.message;
  const payout = { withdrawalId: BigInt(withdrawalId), user, destination, usd: BigInt(usd) };
  return encode('payOut', [payout, signatures]);
}

/** Describes the request for its signer, line by line. */
export function describeRequest(request: BridgeRequest): readonly string[] {
  const place = `bridge ${request.bridge} on chain ${request.chainId}`;
  if (request.primaryType === 'Rotation') {
    const { guardian, nonce, threshold, validators } = request.message;
    return [
      `replace the validators and the guardian of ${place}`,
      ...validators.map((validator) => `  validator ${validator}`),
      `  ${threshold} of ${validators.length} must sign`,
      `  guardian  ${guardian}`,
      `  rotation  ${nonce}`,
    ];
  }
  if (request.primaryType === 'Unpause') {
    return [`unpause ${place} (pause ${request.message.nonce})`];
  }
  if (request.primaryType === 'Cancellation') {
    return [`irrevocably cancel withdrawal ${request.message.withdrawalId} on ${place}`];
  }
  const { destination, usd, user, withdrawalId } = request.message;
  const amount = `${formatDecimal(BigInt(usd), MONEY_DECIMALS)} USDC`;
  const { deposit } = request;
  if (deposit === undefined) {
    return [
      `move all user funds out of ${place}`,
      `  amount    ${amount}`,
      `  to bridge ${destination}`,
      `  id        ${withdrawalId}`,
    ];
  }
  return [
    `return a deposit from ${place}`,
    `  deposit   ${deposit.txHash}, log ${deposit.logIndex}`,
    `  amount    ${amount}`,
    `  to        ${destination}`,
    `  from      ${user}`,
    `  id        ${withdrawalId}`,
  ];
}
