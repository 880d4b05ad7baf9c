import { Link } from '@tanstack/react-router';
import { number, short } from '../../lib/format.ts';

/** In a sentence a colour alone would not do for everybody. */
const LOOKS = 'text-accent hover:underline [p_&]:underline [dd_&]:underline';

/** The way to a block, by its height. */
export function BlockLink({ height }: { readonly height: number }) {
  return (
    <Link to={`/explorer/block/${height}`} className={`${LOOKS} tabular-nums`}>
      {number(String(height))}
    </Link>
  );
}

/** The way to a transaction; whole where there is room for it. */
export function TxLink({
  hash,
  isWhole = false,
}: {
  readonly hash: string;
  readonly isWhole?: boolean;
}) {
  return (
    <Link
      to={`/explorer/tx/${hash}`}
      title={hash}
      className={`${LOOKS} font-mono text-12 ${isWhole ? 'break-all' : ''}`}
    >
      {isWhole ? hash : short(hash)}
    </Link>
  );
}
