import { Link } from '@tanstack/react-router';
import { short } from '../lib/format.ts';

/** In a sentence a colour alone would not do for everybody. */
const LOOKS = 'text-accent hover:underline [p_&]:underline [dd_&]:underline';

/** The way to an account. */
export function AddressLink({
  address,
  isWhole = false,
}: {
  readonly address: string;
  readonly isWhole?: boolean;
}) {
  return (
    <Link
      to={`/explorer/address/${address}`}
      title={address}
      className={`${LOOKS} font-mono text-12 ${isWhole ? 'break-all' : 'whitespace-nowrap'}`}
    >
      {isWhole ? address : short(address)}
    </Link>
  );
}
