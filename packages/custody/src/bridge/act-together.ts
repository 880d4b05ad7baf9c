import { isDeepStrictEqual } from 'node:util';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { readState } from './bridge-chain.ts';
import { type BridgeCommand, type BridgeContext, clientOf, send } from './bridge-context.ts';
import { BridgeCommandError, UsageError } from './bridge-error.ts';
import { idOf } from './bridge-options.ts';
import {
  type BridgeMessage,
  type BridgeRequest,
  readRequest,
  signerOf,
  typedDataOf,
  writeRequest,
} from './bridge-request.ts';
import { describeRequest } from './describe-request.ts';
import { partyWarnings } from './party-warnings.ts';
import { requestCall } from './request-call.ts';

/** What takes a threshold of validators: a request is prepared, signed by each where their key is, and sent. */

export const rotate: BridgeCommand = (context) =>
  together(context, 'Rotation', async ({ options, print }) => {
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

export const unpauseTogether: BridgeCommand = (context) =>
  together(context, 'Unpause', async ({ options }) => {
    const bridge = options.address('bridge');
    const { isPaused, pauseNonce } = await readState(await clientOf(context), bridge);
    if (!isPaused) throw new BridgeCommandError('the bridge is not paused');
    return { primaryType: 'Unpause', message: { nonce: String(pauseNonce) } };
  });

export const cancel: BridgeCommand = (context) =>
  together(context, 'Cancellation', async ({ options }) => {
    const withdrawalId = String(idOf(options.only('id')));
    return { primaryType: 'Cancellation', message: { withdrawalId } };
  });

/** Either `--prepare FILE`, or `--send FILE` for each copy that somebody signed. */
export async function together(
  context: BridgeContext,
  primaryType: BridgeMessage['primaryType'],
  prepare: (context: BridgeContext) => Promise<BridgeMessage & Pick<BridgeRequest, 'deposit'>>,
): Promise<void> {
  const { options, print } = context;
  const file = options.text('prepare');
  const { sent } = options;
  if ((file === undefined) === (sent === undefined)) {
    throw new UsageError('either --prepare FILE or --send FILE is needed');
  }
  if (sent !== undefined) return await sendRequest(context, primaryType, sent);
  const { chainId } = await clientOf(context);
  const bridge = options.address('bridge');
  const request: BridgeRequest = { chainId, bridge, signatures: [], ...(await prepare(context)) };
  writeRequest(file ?? '', request);
  for (const line of describeRequest(request)) print(line);
  print(`prepared in ${file}; each validator signs it with: sign ${file} --key …`);
}

/** Shows a request and, given a key or a signature made elsewhere, adds to it. Needs no network. */
export const sign: BridgeCommand = async ({ options, print }) => {
  const file = options.only('file');
  const request = readRequest(file);
  for (const line of describeRequest(request)) print(line);
  const isKey = options.text('key') !== undefined;
  const given = options.text('signature');
  if (isKey && given !== undefined) throw new UsageError('either --key or --signature');
  const signature = isKey ? await signature65(request, options.key()) : given;
  if (signature === undefined) {
    for (const each of request.signatures) print(`signed by ${await signerOf(request, each)}`);
    return;
  }
  if (!/^0x[0-9a-fA-F]{130}$/.test(signature)) throw new UsageError('--signature has 65 bytes');
  const signer = await signerOf(request, signature as Hex);
  const known = await Promise.all(request.signatures.map((each) => signerOf(request, each)));
  if (!known.includes(signer)) {
    writeRequest(file, { ...request, signatures: [...request.signatures, signature as Hex] });
  }
  print(`signed by ${signer}; ${new Set([...known, signer]).size} in ${file}`);
};

async function signature65(request: BridgeRequest, key: Hex): Promise<Hex> {
  const account = privateKeyToAccount(key);
  return await account.signTypedData(
    typedDataOf(request) as Parameters<typeof account.signTypedData>[0],
  );
}

async function sendRequest(
  context: BridgeContext,
  primaryType: BridgeMessage['primaryType'],
  files: readonly string[],
): Promise<void> {
  const { print } = context;
  const request = merged(files);
  if (request.primaryType !== primaryType) {
    throw new BridgeCommandError(`${files[0]} is a ${request.primaryType}, not a ${primaryType}`);
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
      `${signers.length} of ${threshold} validators have signed; still to ask: ${open.join(', ')}`,
    );
  }
  const ordered = signers.map((signer) => bySigner.get(signer) as Hex);
  await send(context, client, { to: request.bridge, data: requestCall(request, ordered) });
}

/** Copies of one request with what each of them was signed with. */
function merged(files: readonly string[]): BridgeRequest {
  const [first, ...others] = files.map((file) => ({ file, request: readRequest(file) }));
  if (first === undefined) throw new UsageError('--send FILE is needed');
  const other = others.find(
    ({ request }) => !isDeepStrictEqual(typedDataOf(request), typedDataOf(first.request)),
  );
  if (other !== undefined) {
    throw new BridgeCommandError(`${first.file} and ${other.file} are not the same request`);
  }
  const all = [first, ...others].flatMap(({ request }) => request.signatures);
  return { ...first.request, signatures: all };
}

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
  throw new UsageError('a threshold of 1 to all of at most 64 different validators is needed');
}
