import {
  actionShape,
  bytesToHex,
  checkShape,
  createHasher,
  hashAction,
  type ActionInput,
  type Network,
  type StructValues,
} from '@oddlot/protocol';
import { ValidationError } from '../errors.ts';
import { typedDataOf, type TypedData } from '../typed-data.ts';
import { encodeAction, type EnvelopeFields } from './sign-action.ts';

/** What would be signed and sent. */
export type ActionPreview = {
  /** The action in the order of its keys, as it would be sent. */
  readonly action: ActionInput;
  /** Its MessagePack, which agent-signed actions are hashed by. */
  readonly msgpack: `0x${string}`;
  /** What a wallet would sign: 32 bytes. */
  readonly digest: `0x${string}`;
  /** What a wallet would show. */
  readonly typedData: TypedData;
};

/**
 * A dry run: what would be signed, without a key and without a venue. To know what it would do, ask `info.simulate`.
 *
 * @throws ValidationError
 */
export function previewAction(
  input: ActionInput,
  fields: EnvelopeFields,
  network: Network,
): ActionPreview {
  const { action, msgpack } = encodeAction(input);
  const fault = checkShape(actionShape(action.type), action);
  if (fault !== undefined) throw ValidationError.of(fault);
  const values = action as unknown as StructValues;
  const hash = hashAction({ msgpack, action: values, envelope: fields }, createHasher(network));
  return {
    action,
    msgpack: bytesToHex(msgpack),
    digest: bytesToHex(hash.digest),
    typedData: typedDataOf({ hash, action: values, nonce: fields.nonce, network }),
  };
}
