import type { ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { number, short } from '../../lib/format.ts';

export function Facts({ children }: { readonly children: ReactNode }) {
  return (
    <dl className="grid grid-cols-[112px_minmax(0,1fr)] items-baseline gap-x-4 px-4 py-2 tablet:grid-cols-[176px_minmax(0,1fr)]">
      {children}
    </dl>
  );
}

type FactProps = { readonly label: string; readonly children: ReactNode };

export function Fact({ label, children }: FactProps) {
  return (
    <>
      <dt className="py-1 text-12 text-muted">{label}</dt>
      <dd className="min-w-0 py-1 text-13 break-words">{children}</dd>
    </>
  );
}

/** In a sentence a colour alone would not do for everybody. */
const LOOKS = 'text-accent hover:underline [p_&]:underline [dd_&]:underline';

export function BlockLink({ height }: { readonly height: number }) {
  return (
    <Link to={`/explorer/block/${height}`} className={`${LOOKS} tabular-nums`}>
      {number(String(height))}
    </Link>
  );
}

type TxLinkProps = { readonly hash: string; readonly isWhole?: boolean };

/** The way to a transaction; whole where there is room for it. */
export function TxLink({ hash, isWhole = false }: TxLinkProps) {
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
