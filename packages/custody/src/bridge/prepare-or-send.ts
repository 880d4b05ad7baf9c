import { isDeepStrictEqual } from 'node:util';
import type { Hex } from 'viem';
import { readState } from './bridge-chain.ts';
import { type BridgeContext, clientOf, send } from './bridge-context.ts';
import { BridgeCommandError, UsageError } from './bridge-error.ts';
import {
  type BridgeMessage,
  type BridgeRequest,
  readRequest,
  signerOf,
  typedDataOf,
  writeRequest,
} from './bridge-request.ts';
import { describeRequest } from './describe-request.ts';
import { requestCall } from './request-call.ts';

/** Writes a request for validators to sign (`--prepare FILE`), or sends it (`--send FILE` for each copy that somebody signed). */
export async function prepareOrSend(
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
      `${signers.length} of ${threshold} validators have signed; still missing: ${open.join(', ')}`,
    );
  }
  const ordered = signers.map((signer) => bySigner.get(signer) as Hex);
  await send(context, client, { to: request.bridge, data: requestCall(request, ordered) });
}

/** Copies of one request with what each of them was signed with. */
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
