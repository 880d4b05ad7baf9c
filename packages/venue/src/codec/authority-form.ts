import type { Authority } from '@oddlot/engine';
import type { Address, Hash, TimeMs } from '@oddlot/units';
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { EncodingError } from './byte-reader.ts';
import { NO_FIT, Shape } from './shape.ts';

/** Who signed, in short. One that acts for a multi-sig account does not fit. */

const SHAPE = new Shape<Authority>(['signer', 'nonce', 'txHash'], ['expiresAfterMs', 'vault']);
const EXPIRES = 1;
const VAULT = 2;

/** False when it does not fit; what was written until then is the caller's to take back. */
export function writeAuthority(writer: ByteWriter, authority: Authority): boolean {
  const optionals = SHAPE.optionalsOf(authority);
  if (optionals === NO_FIT) return false;
  return (
    writer.byte(optionals) &&
    writer.text(authority.signer) &&
    writer.number(authority.nonce) &&
    writer.text(authority.txHash) &&
    ((optionals & EXPIRES) === 0 || writer.number(authority.expiresAfterMs)) &&
    ((optionals & VAULT) === 0 || writer.text(authority.vault))
  );
}

export function readAuthority(reader: ByteReader): Authority {
  const optionals = reader.byte();
  if (optionals > EXPIRES + VAULT) throw new EncodingError(`invalid authority flags: ${optionals}`);
  const authority: { -readonly [Key in keyof Authority]: Authority[Key] } = {
    signer: reader.text() as Address,
    nonce: reader.number(),
    txHash: reader.text() as Hash,
  };
  if ((optionals & EXPIRES) !== 0) authority.expiresAfterMs = reader.number() as TimeMs;
  if ((optionals & VAULT) !== 0) authority.vault = reader.text() as Address;
  return authority;
}
