import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { BridgeCommand } from './bridge-context.ts';
import { UsageError } from './bridge-error.ts';
import {
  type BridgeRequest,
  readRequest,
  signerOf,
  typedDataOf,
  writeRequest,
} from './bridge-request.ts';
import { describeRequest } from './describe-request.ts';

/** Shows a request and, given a key or a signature made elsewhere, adds to it. Needs no network. */
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
