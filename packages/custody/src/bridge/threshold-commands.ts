import type { Hex } from 'viem';
import { BridgeCommandError, readBridge, readState, UsageError } from './bridge-chain.ts';
import {
  type BridgeCommand,
  type BridgeContext,
  clientOf,
  idOf,
  partyWarnings,
  send,
} from './bridge-options.ts';
import { moveIdOf, returnIdOf } from '../bridge-contract/deposit-logs.ts';
import { boundedJson } from '@oddlot/host/bounded-json';
import { z } from 'zod';
import type { ChainClient } from '../chain/chain-client.ts';
import {
  type BridgeMessage,
  type BridgeRequest,
  describeRequest,
  HexAddress,
  HexHash,
  readRequest,
  requestCall,
  signerOf,
  typedDataOf,
  writeRequest,
} from './bridge-request.ts';
import { isDeepStrictEqual } from 'node:util';
import { privateKeyToAccount } from 'viem/accounts';

/**
 * Commands that need a threshold of validators. A request is prepared, signed by each validator on
 * the machine that stores its key, and then sent.
 */

export const rotate: BridgeCommand = (context) =>
  prepareOrSend(context, 'Rotation', async ({ options, print }) => {
    const [validators, guardian] = [options.addresses('validators'), options.address('guardian')];
    const threshold = options.whole('threshold');
    assertDecides(validators, threshold);
    const parties = { validators, threshold: BigInt(threshold), guardian };
    for (const warning of partyWarnings(parties)) print(warning);
    const { rotationNonce } = await readState(await clientOf(context), options.address('bridge'));
    const message = {
      validators: [...validators],
      threshold: String(threshold),
      guardian,
      nonce: String(rotationNonce),
    };
    return { primaryType: 'Rotation', message };
  });

export const unpauseByThreshold: BridgeCommand = (context) =>
  prepareOrSend(context, 'Unpause', async ({ options }) => {
    const bridge = options.address('bridge');
    const { isPaused, pauseNonce } = await readState(await clientOf(context), bridge);
    if (!isPaused) throw new BridgeCommandError('the bridge is not paused');
    return { primaryType: 'Unpause', message: { nonce: String(pauseNonce) } };
  });

export const cancel: BridgeCommand = (context) =>
  prepareOrSend(context, 'Cancellation', async ({ options }) => {
    const withdrawalId = String(idOf(options.only('id')));
    return { primaryType: 'Cancellation', message: { withdrawalId } };
  });

const VALIDATORS_MAX = 64;

function assertDecides(validators: readonly Hex[], threshold: number): void {
  const isSet = new Set(validators).size === validators.length;
  if (
    isSet &&
    threshold >= 1 &&
    threshold <= validators.length &&
    validators.length <= VALIDATORS_MAX
  )
    return;
  throw new UsageError(
    'Invalid validators. Use 1 to 64 different validators and a threshold from 1 to ' +
      'the number of validators',
  );
}

/** Moves the balance of a bridge to the next one. */
export const move: BridgeCommand = (context) =>
  prepareOrSend(context, 'Payout', async ({ options }) => {
    const destination = options.address('to');
    const client = await clientOf(context);
    const here = await readState(client, options.address('bridge'));
    const there = await readState(client, destination);
    if (there.token !== here.token) {
      throw new BridgeCommandError(`the bridge ${destination} uses a different token`);
    }
    if (here.balance === 0n) throw new BridgeCommandError('the bridge has no balance to move');
    const withdrawalId = String(moveIdOf(destination, here.balance));
    const usd = String(here.balance);
    const message = { withdrawalId, user: destination, destination, usd };
    return { primaryType: 'Payout', message };
  });

const ZERO = '0x0000000000000000000000000000000000000000';
const TIMEOUT_MS = 10_000;
/**
 * The size limit for a response from the operator's own venue, which can list ten thousand
 * deposits.
 */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Deposits that are not returned: the first kind is credited when the agent binding ends, and the
 * second kind transferred no funds.
 */
const NOT_RETURNED: Readonly<Record<string, string>> = {
  bound: 'it will be credited once its address is no longer an agent',
  noTransfer: 'no token transfer matches it',
};

const Aside = z.object({
  reason: z.string(),
  account: HexAddress,
  amount: z.string().regex(/^[0-9]+$/),
  source: z.object({ txHash: HexHash, logIndex: z.int() }),
});
const Status = z.object({
  chainId: z.int(),
  bridge: HexAddress,
  watch: z.object({ book: z.object({ aside: z.array(Aside) }) }),
});
type Status = z.infer<typeof Status>;

/**
 * Returns funds in the bridge that belong to no account, with a payout whose id is derived from the
 * deposit.
 */
export const returnDeposit: BridgeCommand = (context) =>
  prepareOrSend(context, 'Payout', async ({ options }) => {
    const [txHash, logIndex] = [options.hash('tx'), options.whole('log')];
    const bridge = options.address('bridge');
    const client = await clientOf(context);
    const found = await asideOf(options.required('operations'), {
      client,
      bridge,
      txHash,
      logIndex,
    });
    await assertOnChain(client, bridge, { txHash, logIndex, amount: BigInt(found.amount) });
    const withdrawalId = returnIdOf(txHash, logIndex);
    if ((await readBridge(client, bridge, 'stateOf', [withdrawalId])) !== 0) {
      throw new BridgeCommandError(
        `the deposit is being returned or has already been returned; check with status --id ${withdrawalId}`,
      );
    }
    const isGiven = options.text('to') !== undefined;
    const destination = isGiven ? options.address('to') : found.account;
    if (destination === ZERO)
      throw new BridgeCommandError('The deposit has no sender. Use --to ADDRESS');
    const user = found.account === ZERO ? destination : found.account;
    const message = { withdrawalId: String(withdrawalId), user, destination, usd: found.amount };
    return { primaryType: 'Payout', message, deposit: { txHash, logIndex } };
  });

/** Returns the venue's record of this uncredited deposit. */
async function asideOf(
  operations: string,
  at: {
    readonly client: ChainClient;
    readonly bridge: Hex;
    readonly txHash: Hex;
    readonly logIndex: number;
  },
): Promise<z.infer<typeof Aside>> {
  let status: Status;
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(new URL('/settlement', operations), { signal });
    status = Status.parse(await boundedJson(response, ANSWER_BYTES_MAX));
  } catch (cause) {
    throw new BridgeCommandError(`${operations} does not report its uncredited deposits`, {
      cause,
    });
  }
  if (status.chainId !== at.client.chainId || status.bridge !== at.bridge) {
    throw new BridgeCommandError(
      `the venue uses bridge ${status.bridge} on chain ${status.chainId}`,
    );
  }
  const found = status.watch.book.aside.find(
    ({ source }) => source.txHash === at.txHash && source.logIndex === at.logIndex,
  );
  if (found === undefined) throw new BridgeCommandError('the venue has no such uncredited deposit');
  const why = NOT_RETURNED[found.reason];
  if (why !== undefined) throw new BridgeCommandError(`the deposit cannot be returned: ${why}`);
  return found;
}

/**
 * Verifies that the chain contains the funds, because the venue's record alone is not sufficient
 * evidence.
 */
async function assertOnChain(
  client: ChainClient,
  bridge: Hex,
  deposit: { readonly txHash: Hex; readonly logIndex: number; readonly amount: bigint },
): Promise<void> {
  const { amount, logIndex, txHash } = deposit;
  const { token } = await readState(client, bridge);
  const receipt = await client.receipt(txHash);
  const log = receipt?.logs.find((each) => each.logIndex === logIndex);
  const isMoney = log !== undefined && (log.address === token || log.address === bridge);
  if (isMoney && BigInt(log.data) === amount) return;
  throw new BridgeCommandError(`transaction ${txHash} contains no such deposit`);
}

/**
 * Writes a request for validators to sign (`--prepare FILE`), or sends it (`--send FILE` for each
 * signed copy).
 */
async function prepareOrSend(
  context: BridgeContext,
  primaryType: BridgeMessage['primaryType'],
  prepare: (context: BridgeContext) => Promise<BridgeMessage & Pick<BridgeRequest, 'deposit'>>,
): Promise<void> {
  const { options, print } = context;
  const file = options.text('prepare');
  const { sent } = options;
  if ((file === undefined) === (sent === undefined)) {
    throw new UsageError('Use either --prepare FILE or --send FILE');
  }
  if (sent !== undefined) return await sendRequest(context, primaryType, sent);
  const { chainId } = await clientOf(context);
  const bridge = options.address('bridge');
  const request: BridgeRequest = { chainId, bridge, signatures: [], ...(await prepare(context)) };
  writeRequest(file ?? '', request);
  for (const line of describeRequest(request)) print(line);
  print(`prepared ${file}; each validator signs it with: oddlot bridge sign ${file} --key …`);
}

async function sendRequest(
  context: BridgeContext,
  primaryType: BridgeMessage['primaryType'],
  files: readonly string[],
): Promise<void> {
  const { print } = context;
  const request = merged(files);
  if (request.primaryType !== primaryType) {
    throw new BridgeCommandError(
      `${files[0]} contains a ${request.primaryType} request, not a ${primaryType} request`,
    );
  }
  const client = await clientOf(context);
  if (client.chainId !== request.chainId) {
    throw new BridgeCommandError(`${files[0]} is for chain ${request.chainId}`);
  }
  for (const line of describeRequest(request)) print(line);
  const { threshold, validators } = await readState(client, request.bridge);
  const bySigner = new Map<Hex, Hex>();
  for (const each of request.signatures) bySigner.set(await signerOf(request, each), each);
  const signers = [...bySigner.keys()].filter((signer) => validators.includes(signer)).sort();
  if (BigInt(signers.length) < threshold) {
    const open = validators.filter((validator) => !signers.includes(validator));
    throw new BridgeCommandError(
      `${signers.length} of ${threshold} validators have signed; still missing: ${open.join(', ')}`,
    );
  }
  const ordered = signers.map((signer) => bySigner.get(signer) as Hex);
  await send(context, client, { to: request.bridge, data: requestCall(request, ordered) });
}

/** Merges the signatures of several copies of one request. */
function merged(files: readonly string[]): BridgeRequest {
  const [first, ...others] = files.map((file) => ({ file, request: readRequest(file) }));
  if (first === undefined) throw new UsageError('Missing --send FILE');
  const other = others.find(
    ({ request }) => !isDeepStrictEqual(typedDataOf(request), typedDataOf(first.request)),
  );
  if (other !== undefined) {
    throw new BridgeCommandError(`${first.file} and ${other.file} contain different requests`);
  }
  const all = [first, ...others].flatMap(({ request }) => request.signatures);
  return { ...first.request, signatures: all };
}

/**
 * Shows a request. If given a key, or a signature created elsewhere, it also adds the signature to
 * the request. The command needs no network connection.
 */
export const signRequest: BridgeCommand = async ({ options, print }) => {
  const file = options.only('file');
  const request = readRequest(file);
  for (const line of describeRequest(request)) print(line);
  const isKey = options.text('key') !== undefined;
  const given = options.text('signature');
  if (isKey && given !== undefined) throw new UsageError('Use either --key or --signature');
  const signature = isKey ? await signature65(request, options.key()) : given;
  if (signature === undefined) {
    for (const each of request.signatures) print(`signed by ${await signerOf(request, each)}`);
    return;
  }
  if (!/^0x[0-9a-fA-F]{130}$/.test(signature))
    throw new UsageError('Invalid --signature. Use 65 bytes in hex');
  const signer = await signerOf(request, signature as Hex);
  const known = await Promise.all(request.signatures.map((each) => signerOf(request, each)));
  if (!known.includes(signer)) {
    writeRequest(file, { ...request, signatures: [...request.signatures, signature as Hex] });
  }
  print(`signed by ${signer}; ${new Set([...known, signer]).size} signatures in ${file}`);
};

async function signature65(request: BridgeRequest, key: Hex): Promise<Hex> {
  const account = privateKeyToAccount(key);
  return await account.signTypedData(
    typedDataOf(request) as Parameters<typeof account.signTypedData>[0],
  );
}
